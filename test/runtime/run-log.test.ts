// What becomes of a run's events where a write of them fails: no later one may stand behind a hole.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { encodeEntry, parseEntry, parseRunEvent } from '../../src/format/index.ts';
import type { Store } from '../../src/ledger/index.ts';
import { unlessContinued } from '../../src/runtime/continuing-run.ts';
import { type NewEvent, RunLog } from '../../src/runtime/run-log.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';

const RUN = 'a'.repeat(64);
const FIRST = { kind: 'note', source: 'test', session_id: null, cause: null, payload: {} };
const event: NewEvent = {
  kind: 'Observation',
  text: '{"value":1}',
  content: null,
  payloadHash: 'b'.repeat(64),
  stateAfter: 'c'.repeat(64),
  cause: null,
};

async function begunStore(): Promise<Store> {
  const store = new MemoryStore((length) => new Uint8Array(length));
  await store.append(({ seq, hash: prev }) => {
    const { line, hash } = encodeEntry({ ...FIRST, ts: '2026-01-01T00:00:00.000Z' }, seq + 1, prev);
    return { lines: Buffer.from(`${line}\n`), head: { seq: seq + 1, hash } };
  });
  return store;
}

async function sequences(store: Store): Promise<number[]> {
  const found: JsonObject[] = [];
  for await (const piece of store.read(1, (await store.head()).seq))
    for (const line of Buffer.from(piece).toString('utf8').trimEnd().split('\n'))
      found.push(parseEntry(Buffer.from(line)).payload);
  return found.slice(1).map((payload) => parseRunEvent(payload).sequence);
}

it.each([
  ['and is not there', false, [0]],
  ['and is there all the same', true, [0, 1]],
])('O2 a log writes nothing behind a write that failed %s', async (_, isThere, expected) => {
  const store = await begunStore();
  let fails = false;
  const append: Store['append'] = async (build, options) => {
    const head = fails && !isThere ? undefined : await store.append(build, options);
    if (fails) throw new Error('no space left');
    return head;
  };
  const log = new RunLog({ store: { append }, source: 'test', run: RUN });
  log.add(event);
  await log.flush();
  fails = true;
  log.add(event);
  await expect(log.flush()).rejects.toThrow('no space left');
  fails = false;
  log.add(event);
  await expect(log.flush()).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await sequences(store)).toEqual(expected);
});

it('O10 the first event of a run that goes on with another is refused behind one that does so already', async () => {
  const store = await begunStore();
  const parent = 'd'.repeat(64);
  const text = `{"parent":{"event":"${parent}:3","replay":"recovery"}}`;
  const first: NewEvent = { ...event, kind: 'AgentInit', text };
  const [one, other] = [RUN, 'e'.repeat(64)].map((run) => {
    const log = new RunLog({ store, source: 'test', run });
    log.add(first);
    return log;
  });
  const [before, alsoBefore] = [await unlessContinued(store, parent), await unlessContinued(store, parent)];
  await one?.flush(before);
  const refused = { code: 'CONTINUED', message: expect.stringContaining(RUN) };
  await expect(other?.flush(alsoBefore)).rejects.toMatchObject(refused);
  await expect(unlessContinued(store, parent)).rejects.toMatchObject(refused);
  await expect(unlessContinued(store, 'f'.repeat(64))).resolves.toMatchObject({ since: 2 });
  expect(await sequences(store)).toEqual([0]);
});

it('O10 a run that only speaks of another continues nothing, and one whose beginning was altered may', async () => {
  const parent = 'e'.repeat(64);
  const lines = async (change: (text: string) => string, kind: NewEvent['kind'], text: string) => {
    const store = await begunStore();
    const log = new RunLog({ store, source: 'test', run: RUN });
    log.add({ ...event, kind, text });
    await log.flush();
    const read: Store['read'] = async function* (from, to) {
      for await (const piece of store.read(from, to))
        yield Buffer.from(change(Buffer.from(piece).toString('utf8')));
    };
    return unlessContinued({ head: () => store.head(), read }, parent);
  };
  const same = (text: string): string => text;
  const spoken = `{"value":{"event":"${parent}:5","replay":"recovery"}}`;
  await expect(lines(same, 'Observation', spoken)).resolves.toMatchObject({ since: 2 });
  const evaluation = `{"parent":{"event":"${parent}:5","replay":"evaluation"}}`;
  await expect(lines(same, 'AgentInit', evaluation)).resolves.toMatchObject({ since: 2 });
  const begun = evaluation.replace('evaluation', 'recovery');
  await expect(lines(same, 'AgentInit', begun)).rejects.toMatchObject({ code: 'CONTINUED' });
  const altered = (text: string): string => text.replace('"replay":"recovery"', '"replay":"recoverx"');
  await expect(lines(altered, 'AgentInit', begun)).rejects.toMatchObject({ code: 'CONTINUED' });
});
