// O10: a run that may continue a damaged one keeps a second one from beginning, whatever became of its first event.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { encodeEntry } from '../../src/format/index.ts';
import { encodeBlock, type Store } from '../../src/ledger/index.ts';
import { continuingRun } from '../../src/runtime/continuing-run.ts';
import { RunLog } from '../../src/runtime/run-log.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';

const [PARENT, OTHER, LATER] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];
const BEGUN = { content: null, payloadHash: 'd'.repeat(64), stateAfter: 'e'.repeat(64), cause: null };

class Log {
  readonly store: Store = new MemoryStore((length) => new Uint8Array(length));

  /** With a first entry, and the first two events of the parent. */
  static async withParent(): Promise<Log> {
    return (await Log.begin()).begun(PARENT, null);
  }

  static async begin(): Promise<Log> {
    const log = new Log();
    const note = { kind: 'note', source: 'test', session_id: null, cause: null, payload: {} };
    await log.store.append(({ seq, hash: prev }) => {
      const { line, hash } = encodeEntry({ ...note, ts: '2026-01-01T00:00:00.000Z' }, seq + 1, prev);
      return { lines: Buffer.from(`${line}\n`), head: { seq: seq + 1, hash } };
    });
    return log;
  }

  async started(run: string, trigger: string): Promise<this> {
    const start = { kind: 'session.start', source: 'test', session_id: run, payload: { trigger } };
    await this.store.append((head) => encodeBlock([start], head, 0));
    return this;
  }

  /** Its first two events. */
  async begun(run: string, parent: string | null, replay = 'recovery'): Promise<this> {
    const from: JsonObject = parent === null ? {} : { parent: { event: `${parent}:3`, replay } };
    const log = new RunLog({ store: this.store, source: 'test', run });
    log.add({ ...BEGUN, kind: 'AgentInit', text: JSON.stringify(from) });
    log.add({ ...BEGUN, kind: 'Snapshot', text: '{}' });
    await log.flush();
    return this;
  }

  /** Of the parent, in a log with these lines altered. */
  async continuing(change: (line: string) => string = (line) => line): ReturnType<typeof continuingRun> {
    const { store } = this;
    const read: Store['read'] = async function* (from, to) {
      for await (const piece of store.read(from, to))
        yield Buffer.from(Buffer.from(piece).toString('utf8').split('\n').map(change).join('\n'));
    };
    return continuingRun({ read }, PARENT, 1, (await store.head()).seq);
  }
}

const isInit = (line: string, run: string): boolean => line.includes(`"id":"${run}:0"`);
const unsure = (run: string) => ({ run, isSure: false });

it.each([
  ['zeros', (line: string) => '\0'.repeat(line.length)],
  ['another kind of event', (line: string) => line.replace('"kind":"AgentInit"', '"kind":"AgentIniT"')],
  ['another kind of entry', (line: string) => line.replace('"kind":"run.event"', '"kind":"run.evenu"')],
  ['another session', (line: string) => line.replace(`"session_id":"${OTHER}"`, `"session_id":"${LATER}"`)],
  ['another parent', (line: string) => line.replace(`${PARENT}:3`, `${LATER}:3`)],
  ['another replay', (line: string) => line.replace('"recovery"', '"recoverx"')],
  ['a part of itself', (line: string) => line.slice(0, 100)],
])('O10 one whose first event became %s may continue the parent', async (_, change) => {
  const log = await (await (await Log.withParent()).started(OTHER, 'fork')).begun(OTHER, PARENT);
  expect(await log.continuing()).toEqual({ run: OTHER, isSure: true });
  expect(await log.continuing((line) => (isInit(line, OTHER) ? change(line) : line))).toEqual(unsure(OTHER));
});

it('O10 one of which nothing is left may continue the parent where another run goes on from it', async () => {
  const log = await (await (await Log.withParent()).begun(OTHER, PARENT)).begun(LATER, OTHER);
  expect(await log.continuing()).toEqual({ run: OTHER, isSure: true });
  const without = (line: string) => (line.includes(`"session_id":"${OTHER}"`) ? '\0' : line);
  expect(await log.continuing(without)).toEqual(unsure(OTHER));
});

it('O10 one that is older, that did not begin as a fork, or that evaluates continues nothing', async () => {
  const lost = (line: string) => (isInit(line, OTHER) ? '\0' : line);
  const older = await (await (await Log.begin()).begun(OTHER, null)).begun(PARENT, null);
  expect(await older.continuing(lost)).toBeNull();
  const behind = await Log.withParent();
  await (await behind.started(OTHER, 'run')).begun(OTHER, null);
  expect(await behind.continuing(lost)).toBeNull();
  await behind.begun(LATER, PARENT, 'evaluation');
  expect(await behind.continuing(lost)).toBeNull();
  const altered = (line: string) => lost(line.replace('"trigger":"run"', '"trigger":"rum"'));
  expect(await behind.continuing(altered)).toEqual(unsure(OTHER));
});
