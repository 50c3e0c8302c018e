// O10: entries that are gone from the end of a log take events and calls along, and nobody goes on as if nothing were missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reading } from '../../src/app/index.ts';
import { derivedKey } from '../../src/core/index.ts';
import { recoverLedger } from '../../src/entry/index.ts';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { type Entry, encodeEntry, GENESIS, parseSalt, RUN_KEY, saltPath } from '../../src/format/index.ts';
import { readSalt } from '../../src/report/index.ts';
import { type RunDamage, surveyDamage } from '../../src/runtime/index.ts';
import { callsLost, lostEntries } from '../../src/runtime/lost-entries.ts';
import { pastHead } from '../../src/runtime/past-head.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { alterLines, cutOff, forgedNote, replaceLine } from './cut-ledger.ts';
import { endedRun, eventsOf, grantedPlace, optionsAt, type Place } from './run-ledger.ts';

async function surveyed(
  { directory }: Place,
  run: string,
  salt: Uint8Array | null = parseSalt(readFileSync(join(directory, saltPath(run)))),
): Promise<RunDamage> {
  const store = openFileStore(directory, { readOnly: true });
  try {
    const key = salt === null ? null : derivedKey(salt, RUN_KEY);
    return await surveyDamage({ log: store, run, first: 1, key, read: (ref) => store.getContent(run, ref) });
  } finally {
    await store.close();
  }
}

it('O10 tells that entries of an open run are lost, before the loss is accepted and behind it', async () => {
  const place = await grantedPlace();
  const ended = await startRun(optionsAt(place));
  await ended.observe({ times: 0, end: true });
  await ended.close();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2 });
  await run.close();
  expect(await surveyed(place, run.id)).toMatchObject({ flaw: null, lost: [] });
  const events = (await eventsOf(place)).filter((event) => event.run === run.id);
  // The last call, its result, what was remembered, and the decision to wait.
  cutOff(place, 4);
  const lastGood = events.length - 5;
  const short = await surveyed(place, run.id);
  expect(short).toMatchObject({ lastGood, goOn: lastGood, lost: [{}] });
  expect(short.flaw).toContain('lost or altered, and events of the run may be among them');
  await recoverLedger(place, { acceptLoss: true });
  const { from, to } = short.lost[0] ?? expect.fail('nothing is lost');
  expect(await surveyed(place, run.id)).toMatchObject({ lastGood, goOn: lastGood, lost: [{ from, to }] });
  expect(await surveyed(place, ended.id)).toMatchObject({ flaw: null, lost: [] });
  await expect(recoverRun({ ...optionsAt(place), run: run.id })).rejects.toMatchObject({ code: 'LOST' });
});

it.each([
  ['is missing', null],
  ['is not the one it was', new Uint8Array(32)],
])('O10 names the file of the salt where it %s', async (what, salt) => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 1 });
  await run.close();
  const flaw = expect.stringContaining(
    `the file ${saltPath(run.id)} in the directory of the ledger ${what}.`,
  );
  expect(await surveyed(place, run.id, salt)).toMatchObject({ flaw, lastGood: null, goOn: null });
});

it('O10 goes on with a run whose first entries a crash left behind the head', async () => {
  const place = await grantedPlace();
  const head = join(place.directory, 'head');
  const before = readFileSync(head);
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 0 });
  await run.close();
  writeFileSync(head, before);
  const recovered = await recoverRun({ ...optionsAt(place), run: run.id });
  expect(recovered?.id).toBe(run.id);
  await recovered?.close();
});

it.each(['zz\n', ''])('O10 names the file of the salt where it holds %j', async (text) => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.close();
  writeFileSync(join(place.directory, saltPath(run.id)), text);
  await reading({ ...place, how: 'here' }, async (ledger) => {
    await expect(readSalt(ledger, run.id)).rejects.toThrow(saltPath(run.id));
  });
});

it('O10 does not go on behind a line that was made to look like no event of the run', async () => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2 });
  await run.close();
  replaceLine(place, 1, (line) => [
    line.replace(`"session_id":"${run.id}"`, `"session_id":"${'0'.repeat(64)}"`),
  ]);
  const damage = await surveyed(place, run.id);
  expect(damage).toMatchObject({ flaw: expect.stringContaining('altered'), lost: [{ how: 'altered' }] });
  await expect(recoverRun({ ...optionsAt(place), run: run.id })).rejects.toMatchObject({ code: 'LOST' });
});

it.each([
  ['no beginning', '"kind":"session.start"', '"kind":"session.stars"'],
  ['another one', '"payload":{"', '"payload":{"x":1,"'],
])('O10 tells that the session was given %s, and goes on behind the last event', async (_, from, to) => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2 });
  await run.close();
  const lastGood = (await eventsOf(place)).length - 1;
  alterLines(place, '"kind":"session.start"', from, to);
  const flaw = expect.stringContaining('session.start');
  expect(await surveyed(place, run.id)).toMatchObject({ flaw, lastGood, goOn: lastGood, doubtful: [] });
  const message = expect.stringContaining(`foil recover ${run.id.slice(0, 16)}`);
  await expect(recoverRun({ ...optionsAt(place), run: run.id })).rejects.toMatchObject({ message });
});

it('O10 has nothing to continue where the beginning of a run that ended is altered', async () => {
  const { place, run } = await endedRun({ times: 1 });
  alterLines(place, `"session_id":"${run}"`, '"kind":"session.start"', '"kind":"session.stars"');
  const flaw = expect.stringContaining('session.start');
  expect(await surveyed(place, run)).toMatchObject({ flaw, isClosed: true, goOn: null });
});

it.each([
  ['altered', '"kind":"AgentInit"', '"kind":"AgentInis"'],
  ['made to look like no event', '"kind":"run.event"', '"kind":"run.evens"'],
])('O10 tells that the first event is %s, and which calls may have happened', async (_, from, to) => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2 });
  await run.close();
  const events = await eventsOf(place);
  alterLines(place, `"id":"${run.id}:0"`, from, to);
  const calls = events.filter(({ kind }) => kind === 'ToolCall');
  expect(calls).toHaveLength(2);
  expect(await surveyed(place, run.id)).toMatchObject({
    flaw: expect.stringContaining('event 0 of the run (AgentInit) is lost or altered'),
    lastGood: null,
    goOn: null,
    readable: events.length - 1,
    doubtful: calls.map(({ sequence }) => ({ event: `${run.id}:${sequence}` })),
  });
  await expect(surveyed(place, '0'.repeat(64))).rejects.toThrow();
});

it('O10 says what to do where a checkpoint covers the loss', async () => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 1 });
  await run.close();
  await recoverLedger(place);
  cutOff(place, 2);
  const message = expect.stringContaining('Restore a copy');
  await expect(recoverLedger(place, { acceptLoss: true })).rejects.toMatchObject({
    code: 'SHORT_LOG',
    message,
  });
});

/** A log of this many notes; `change` gives what stands in the place of a line. */
function logOf(
  size: number,
  change: (line: string, seq: number) => string,
): Parameters<typeof lostEntries>[0] {
  const lines: string[] = [];
  let hash = GENESIS;
  for (let seq = 1; seq <= size; seq++) {
    const draft = {
      kind: 'note',
      source: 'test',
      session_id: null,
      cause: null,
      ts: TS,
      payload: { text: 'so' },
    };
    const { line, hash: made } = encodeEntry(draft, seq, hash);
    hash = made;
    lines.push(change(line, seq));
  }
  return {
    head: async () => ({ seq: size, hash }),
    async *read(from, to) {
      yield Buffer.from(`${lines.slice(from - 1, to).join('\n')}\n`);
    },
  };
}

const TS = '2026-01-01T00:00:00.000Z';
const altered = (line: string): string => line.replace('note', 'nope');

it('O10 counts every altered line, however many there are', async () => {
  const lost = await lostEntries(
    logOf(2100, (line, seq) => (seq % 2 === 0 ? altered(line) : line)),
    1,
  );
  expect(lost.length).toBe(1000);
  expect(lost.at(-1)).toMatchObject({ from: 2000, to: 2100 });
  expect(callsLost(lost, 1, 1)).toBe(700);
});

it.each<[string, (line: string, seq: number) => string, [from: number, to: number, how: string][]]>([
  ['nothing', (line) => line, []],
  ['an altered line', (line, seq) => (seq === 5 ? altered(line) : line), [[5, 5, 'altered']]],
  ['a forged entry', (line, seq) => (seq === 5 ? forgedNote(line) : line), [[5, 6, 'rewritten']]],
  ['a forged end', (line, seq) => (seq === 9 ? forgedNote(line) : line), [[9, 9, 'rewritten']]],
])('O10 names %s', async (_, change, expected) => {
  const lost = await lostEntries(logOf(9, change), 1);
  expect(lost.map(({ from, to, how }) => [from, to, how])).toEqual(expected);
});

it('O10 reads entries that a crash left behind the head, up to the first that does not follow', async () => {
  const whole = logOf(9, (line, seq) => (seq === 8 ? altered(line) : line));
  let line = '';
  for await (const piece of whole.read(5, 5)) line += Buffer.from(piece).toString('utf8');
  const { entry_hash: hash } = JSON.parse(line) as Entry;
  const lagging = { ...whole, head: async () => ({ seq: 5, hash }) };
  const { log, torn } = await pastHead(lagging);
  expect({ ...(await log.head()), torn }).toMatchObject({ seq: 7, torn: 2 });
  expect(await lostEntries(log, 1)).toEqual([]);
});

it('O10 refuses to recover a run of which an event was altered, and says which and what to do', async () => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2 });
  await run.close();
  alterLines(place, '"kind":"ToolResult"', '"outcome":"ok"', '"outcome":"no"');
  await expect(recoverRun({ ...optionsAt(place), run: run.id })).rejects.toMatchObject({
    code: 'LOST',
    message: expect.stringMatching(
      /^entry \d+: it doesn't match its hash\. `foil recover [0-9a-f]{16}` says what can be saved\.$/,
    ),
  });
});
