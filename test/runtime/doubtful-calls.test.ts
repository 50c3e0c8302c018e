// O10: a run that goes on from a damaged one makes no call again that may have happened, whether the call is on record or lost.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fork } from '../../src/entry/fork.ts';
import { recoverLedger } from '../../src/entry/index.ts';
import { recoverRun } from '../../src/entry/runtime.ts';
import { parseRunPayload } from '../../src/format/index.ts';
import { encodeBlock } from '../../src/ledger/index.ts';
import { DoubtfulCalls } from '../../src/runtime/doubtful-calls.ts';
import { layCode } from '../../src/runtime/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { temporary } from '../temporary.ts';
import { cutOff, forgedNote, replaceLine } from './cut-ledger.ts';
import { inDoubt, markImpure, watchCalls } from './doubtful-run.ts';
import { eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

/** Begins the run that goes on behind the last event which is left. Gives its id. */
async function continued(place: Place, parent: string, tool: string): Promise<string> {
  const events = await eventsOf(place);
  const first = parseRunPayload('AgentInit', events[0]?.payload ?? {});
  if (first.kind !== 'AgentInit') throw new Error('the first event is another one');
  const { capabilities, code } = first.init;
  const folder = temporary();
  const store = openFileStore(place.directory, { readOnly: true });
  const bundle = await store.getContent(parent, code.bundle);
  await store.close();
  await layCode(join(folder, 'code'), JSON.parse(Buffer.from(bundle ?? []).toString('utf8')));
  const state = { call: tool, outcome: null };
  const { run } = await fork({
    place,
    cwd: place.directory,
    run: parent,
    first: 1,
    at: events.at(-1)?.sequence ?? 0,
    replay: 'recovery',
    start: { applied_patches: [], capabilities: [...capabilities], memory: { documents: [] }, state },
    isStateChanged: false,
    agent: null,
    folder,
    parameters: null,
    inputs: null,
    live: true,
    impure: [],
  });
  return run;
}

describe('a continued run', () => {
  it.each([
    ['the result', 0, 'impure', 'unknown', 1],
    ['the result', 0, 'idempotent', 'ok', 2],
    ['the result', 0, 'pure', 'ok', 2],
    ['the call', 1, 'impure', 'unknown', 1],
    ['the call', 1, 'idempotent', 'unknown', 1],
    ['the result', 0, 'pure', 'unknown', 1, ['pure']],
    ['the call', 1, 'pure', 'unknown', 1, ['pure']],
  ])('O10 where %s is lost (%i entries): %s gets %s', async (_, lost, tool, outcome, times, impure = []) => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const parent = await inDoubt(place, tool);
    if (lost === 0 && impure.length > 0) await markImpure(place, parent, impure);
    if (lost > 0) {
      cutOff(place, lost);
      await recoverLedger(place, { acceptLoss: true });
      if (impure.length > 0) await markImpure(place, parent, impure);
    }
    const id = await continued(place, parent, tool);
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: id });
    expect(await run?.resume()).toMatchObject({ status: 'finished', result: outcome });
    await run?.close();
    expect(calls).toHaveLength(times);
    if (tool === 'idempotent' && times === 2) expect(calls[1]?.key).toBe(calls[0]?.key);
    const { replay } = (await verified(place)).facets;
    expect(new Set(replay.findings.map(({ code }) => code))).toEqual(new Set(['RUN_NOT_REPLAYED']));
  });
});

/** An entry of nobody's session, behind all that is there. */
async function noted({ directory }: Place): Promise<void> {
  const store = openFileStore(directory);
  const note = { kind: 'note', source: 'test', session_id: null, payload: { text: 'behind' } };
  await store.append((head) => encodeBlock([note], head, 0));
  await store.close();
}

it('O10 makes no call again where an entry with its own right hash stands in the place of the call', async () => {
  const calls = watchCalls();
  const place = await grantedPlace();
  const parent = await inDoubt(place, 'impure');
  await noted(place);
  replaceLine(place, 2, (line) => [forgedNote(line)]);
  const options = optionsAt(place, 'doubtful.mjs');
  await expect(recoverRun({ ...options, run: parent })).rejects.toMatchObject({ code: 'LOST' });
  const run = await recoverRun({ ...options, run: await continued(place, parent, 'impure') });
  // A checkpoint would contradict the log, so it can't be sealed: the last event is on record all the same.
  await run?.resume().catch(() => undefined);
  expect((await eventsOf(place)).at(-1)?.payload).toMatchObject({ result: 'unknown' });
  await run?.close();
  expect(calls).toHaveLength(1);
});

describe('calls in doubt', () => {
  const send = { name: 'send', pure: false, idempotent: false };
  const put = { name: 'put', pure: false, idempotent: true };
  const add = { name: 'add', pure: true, idempotent: true };

  it('O10 are answered once each: those that are known by tool and input, others by their number', () => {
    const doubts = new DoubtfulCalls();
    doubts.add({ tool: 'send', input: { to: 'a' } }, 'run:4');
    doubts.add({ tool: 'put', input: 1 }, 'run:8');
    doubts.addUnknown();
    expect(doubts.take(add, 1)).toBeUndefined();
    expect(doubts.take(send, { to: 'a' })).toMatchObject({ outcome: 'unknown', output: null });
    expect(doubts.take(put, 1)).toEqual({ key: 'run:8' });
    expect(doubts.take(put, 1)).toMatchObject({ outcome: 'unknown' });
    expect(doubts.take(send, { to: 'a' })).toBeUndefined();
  });

  it('O10 are not used up by calls on record of a tool that was found impure only later', () => {
    const doubts = new DoubtfulCalls();
    doubts.add({ tool: 'add', input: 1 }, 'run:4');
    doubts.addUnknown();
    doubts.impure.add('add');
    const made = { tool: 'add', required: [], granted: [] };
    for (const input of [1, 2]) expect(doubts.taken([add, send], { ...made, input })).toBeUndefined();
    expect(doubts.take({ ...add, pure: false }, 1)).toMatchObject({ outcome: 'unknown' });
    expect(doubts.take({ ...add, pure: false }, 1)).toBeUndefined();
  });
});
