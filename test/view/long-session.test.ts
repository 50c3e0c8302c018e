// A session that is too long to be read while somebody waits: its beginning comes at once, and the rest from a thread.
import { expect, it, onTestFinished } from 'vitest';
import { parseEntry, parseTar } from '../../src/format/index.ts';
import { startView } from '../../src/view/index.ts';
import { checkRun } from '../../web/check-run.ts';
import { encodeRun, readRun } from '../../web/run-message.ts';
import { inOneGo } from '../../web/slices.ts';
import { idOf, SmallLedger } from './small-ledger.ts';

const THREAD = new URL('../../dist/view-session.cjs', import.meta.url).pathname;
const ENTRIES = 1200;
const HIDDEN = 900;

async function longSession(): Promise<SmallLedger> {
  const small = await SmallLedger.make();
  await small.session('long', ['Begin']);
  const session_id = idOf('long');
  const calls = Array.from({ length: ENTRIES - 2 }, (_, i) => ({
    kind: 'tool.call',
    payload: { tool: `tool-${i}` },
    source: 'hook',
    session_id,
  }));
  // Another session works at the same time.
  const other = { kind: 'tool.call', payload: { tool: 'other' }, source: 'hook', session_id: idOf('other') };
  for (let at = 0; at < calls.length; at += 300)
    await small.ledger.append([other, ...calls.slice(at, at + 300)]);
  await small.ledger.seal();
  return small;
}

async function viewed(small: SmallLedger, thread: string | null) {
  const view = await startView([small.toView], new Map(), { thread });
  onTestFinished(() => view.close());
  const { origin, token } = view;
  const headers = { authorization: `Bearer ${token}` };
  return async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await (await fetch(`${origin}/api/${path}`, { headers })).arrayBuffer());
}

const checked = (bytes: Uint8Array) =>
  checkRun({ parts: parseTar(bytes), isServed: true, keys: [], now: Date.now() });

it('X9 the beginning of a long session comes first, with what is around the entry that is asked for', async () => {
  const get = await viewed(await longSession(), null);
  const read = async (entry: number) => {
    const answer = await checked(await get(`beginning?session=${idOf('long')}&entry=${entry}`));
    expect(answer).toMatchObject({ early: { entries: ENTRIES }, report: null, damaged: [] });
    return { answer, entries: answer.lines.map((line) => parseEntry(line)) };
  };
  const first = await read(0);
  expect(first.entries.every(({ session_id }) => session_id === idOf('long'))).toBe(true);
  expect(first.entries.length).toBeLessThan(HIDDEN);
  expect(first.entries.some(({ seq }) => seq === HIDDEN)).toBe(false);
  expect([...first.answer.shown.values()].map(String)).toEqual([String(Buffer.from('Begin').join())]);

  const around = (await read(HIDDEN)).entries.map(({ seq }) => seq);
  expect(around).toContain(HIDDEN);
  expect(around).toContain(first.entries[0]?.seq);
  expect(around).toEqual([...new Set(around)].sort((a, b) => a - b));
});

it('X9 a thread reads all of it, and not the server', async () => {
  const small = await longSession();
  const get = await viewed(small, THREAD);
  const answer = await checked(await get(`run?session=${idOf('long')}`));
  expect(answer).toMatchObject({ early: null, isSound: true });
  const message = encodeRun(answer);
  const { entries, shown } = inOneGo(readRun(message));
  expect(entries).toEqual(answer.lines.map((line) => parseEntry(line)));
  expect(shown).toEqual(answer.shown);

  const refused = JSON.parse(
    Buffer.from(await get(`download?what=report&session=${idOf('long')}`)).toString(),
  );
  expect(refused.error).toContain('foil session end');

  const without = await viewed(small, '/nowhere/view-session.cjs');
  const failed = JSON.parse(Buffer.from(await without(`run?session=${idOf('long')}`)).toString());
  expect(failed.error).toContain('/nowhere/view-session.cjs');
  expect(JSON.parse(Buffer.from(await without('ledgers')).toString()).ledgers).toHaveLength(1);
});
