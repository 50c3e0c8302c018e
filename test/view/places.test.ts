// What one session takes to be shown: its own entries, and those of no session that a bundle needs, and not the whole log.
import { expect, it, onTestFinished } from 'vitest';
import { openToRead } from '../../src/app/index.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { parseTar } from '../../src/format/index.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Pulse } from '../../src/view/answers.ts';
import { runArchive } from '../../src/view/run-archive.ts';
import { type CountedSession, SessionRows } from '../../src/view/session-rows.ts';
import { checkRun } from '../../web/check-run.ts';
import { wordsFor } from '../../web/view/verdict-words.ts';
import { idOf, SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');

async function told(small: SmallLedger, session: string | null, kind: string, payload: JsonObject = {}) {
  const session_id = session === null ? null : idOf(session);
  await small.ledger.append({ kind, payload, source: 'hook', session_id });
}

/** With entries of no session before, within and after the one that is looked at. */
async function threeSessions(): Promise<SmallLedger> {
  const small = await SmallLedger.make();
  await small.session('before', ['Look']);
  await told(small, null, 'crash', { error: 'before' });
  await small.session('one', ['Fix it']);
  await told(small, null, 'crash', { error: 'within' });
  await told(small, 'one', 'tool.call', { tool: 'Bash' });
  await told(small, null, 'crash', { error: 'after' });
  await small.session('after', ['More']);
  await small.ledger.rotateKey();
  await small.ledger.seal();
  return small;
}

function readNumbers(ledger: Ledger): { readonly ledger: Ledger; readonly read: [number, number][] } {
  const read: [number, number][] = [];
  const store = new Proxy(ledger.store, {
    get(target, name) {
      if (name === 'read')
        return (from: number, to: number) => {
          read.push([from, to]);
          return target.read(from, to);
        };
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const counted = new Proxy(ledger, {
    get(target, name) {
      if (name === 'store') return store;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ledger: counted, read };
}

it('X9 a session is read without the log around it, and gives the same', async () => {
  const small = await threeSessions();
  const ledger = openToRead(small.located);
  onTestFinished(() => ledger.close());
  const rows = new SessionRows(ledger.store);
  await rows.refresh();
  const session = rows.row(idOf('one')) as CountedSession;
  const places = rows.placesOf(session);
  const archive = (given: Ledger, known: typeof places | undefined) =>
    runArchive(given, small.located, session, { now: NOW, missing: null, places: known });
  const counted = readNumbers(ledger);
  const quick = await archive(counted.ledger, places);
  expect(parseTar(quick)).toEqual(parseTar(await archive(ledger, undefined)));
  const unowned = (from: number): boolean => places.unowned.includes(from);
  const { first_seq: first, last_seq: last } = session;
  const others = counted.read.filter(([from, to]) => !(from >= first && to <= last) && !unowned(from));
  expect(others).toEqual([]);
  expect(places.unowned.length).toBe(5);

  const judged = await checkRun({ parts: parseTar(quick), isServed: true, keys: [], now: NOW });
  expect(wordsFor(judged)).toEqual({ words: 'intact', tone: 'quiet', tier: 'tier self' });
});

it('X9 the list tells verdicts apart', async () => {
  const small = await SmallLedger.make();
  await small.session('one', ['Fix it']);
  const { ask, json } = await viewing([small.toView]);
  const judged = async () =>
    checkRun({
      parts: parseTar((await ask(`/api/run?session=${idOf('one')}`)).body),
      isServed: true,
      keys: [],
      now: NOW,
    });
  await json('/api/sessions');
  const open = await judged();
  expect(wordsFor(open).words).toBe('not sealed yet');
  expect(wordsFor({ ...open, whyNot: 'the commit is gone' }).words).toBe('can’t be checked');
  expect(wordsFor({ ...open, missing: 'the last is gone' }).tone).toBe('bad');

  // A checkpoint alone makes the page ask again.
  const { head, notices, sealed } = await json<Pulse>('/api/tail?after=0');
  const tail = json<Pulse>(`/api/tail?after=${head}&notices=${notices}&sealed=${sealed}`);
  await small.ledger.seal();
  expect(await tail).toEqual({ head, notices, sealed: head });
  const { report, ...rest } = await judged();
  if (report === null) throw new Error('there is no report');
  const failed = { ...rest, report: { ...report, verdict: 'FAIL' as const } };
  expect(wordsFor({ ...failed, isSound: true }).words).toBe('intact, broke a rule');
  expect(wordsFor({ ...failed, isSound: false }).words).toBe('was changed');
});

it('X9 a claim that was proven before the last change is stale, and not unproven', async () => {
  const small = await SmallLedger.make();
  await small.session('one', ['Fix it']);
  const claims = ['backed', 'stale', 'unbacked', 'excused'].map((status, i) => ({ claim: i + 1, status }));
  await told(small, 'one', 'gate', { verdict: 'unproven', claims });
  const rows = new SessionRows(small.ledger.store);
  await rows.refresh();
  expect(rows.rows()).toMatchObject([{ proven: 1, stale: 1, unproven: 1 }]);
});
