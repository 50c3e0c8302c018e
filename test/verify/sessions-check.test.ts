// Sessions as recorders leave them, and each with one thing in it that is not as it should be.
import { describe, expect, it } from 'vitest';
import { type Entry, encodeGap } from '../../src/format/index.ts';
import { Findings } from '../../src/verify/findings.ts';
import type { Report } from '../../src/verify/index.ts';
import { SessionSums } from '../../src/verify/session-sums.ts';
import { SessionsCheck } from '../../src/verify/sessions-check.ts';
import { codesOf, verify } from './expect.ts';
import type { LedgerMaker } from './make-ledger.ts';
import { HOOKS, hashOf, KEY, realBlock, SessionMaker } from './make-sessions.ts';

const hash = (digit: string): string => digit.repeat(64);
const BLOCK = realBlock(900_002);

async function judged(made: LedgerMaker): Promise<{ codes: string[]; status: string; verdict: string }> {
  const report = await verify(made.seal().files, { keys: [made.signer] });
  const { status } = report.facets.sessions;
  return { codes: codesOf(report, ['sessions']), status, verdict: report.verdict };
}

const fine = { codes: [], status: 'pass', verdict: 'INTACT' };
const fails = (...codes: string[]) => ({ codes, status: 'fail', verdict: 'BROKEN' });
const unsure = (...codes: string[]) => ({ codes, status: 'unknown', verdict: 'INTACT' });

/** One session of three turns, at entry 2. */
function session(): { made: SessionMaker; id: string } {
  const made = new SessionMaker();
  const id = made.start({ authKey: KEY, block: BLOCK });
  made.of(id, 'auth.ok', { key: KEY, name: 'ci', at: 'start' });
  made.of(id, 'branch.create', { branch: 'branch-6' });
  return { made: made.turns(id, 3), id };
}

describe('G3 G4 G5 sessions that are what they say', () => {
  it('pass, and are counted', async () => {
    const { made, id } = session();
    made.end(id, realBlock(900_001));
    const other = made.start({ resumes: id });
    made.turns(other, 1).cut(other);
    made.append('auth.fail', { reason: 'revoked', key: KEY, at: 'start' });
    const report = await verify(made.seal().files, { keys: [made.signer] });
    expect(codesOf(report, ['sessions'])).toEqual([]);
    expect(report.counts).toMatchObject({
      sessions: 2,
      unauthenticated: 1,
      authFailures: 1,
      sessionsCut: 1,
      interactions: 4,
    });
    expect(report.facets.sessions).toMatchObject({
      status: 'pass',
      message:
        '2 sessions, 1 of them unauthenticated, 1 cut short, 4 interactions in their chains. 1 attempt without a valid key.',
    });
  });

  it('of models, by their calls', async () => {
    const made = new SessionMaker();
    const id = made.start({ source: 'gateway' });
    const call = made.append('model.call', { prompt_hash: hash('c') }, { session_id: id, source: 'gateway' });
    const other = made.append(
      'model.call',
      { prompt_hash: hash('d') },
      { session_id: id, source: 'gateway' },
    );
    const answer = (cause: number, prompt: string): void => {
      const payload = { ...made.step(id, prompt, hash('e')), response_hash: hash('e') };
      made.append('model.result', payload, { session_id: id, source: 'gateway', cause });
    };
    answer(other, hash('d'));
    answer(call, hash('c'));
    made.end(id);
    expect(await judged(made)).toEqual(fine);
  });

  it('with several agents in them, each with a prompt of its own', async () => {
    const made = new SessionMaker();
    const id = made.start();
    made.prompt(id, hash('1')).prompt(id, hash('2'));
    made.response(id, hash('1'), hash('3')).response(id, hash('2'), hash('4'));
    expect(await judged(made.response(id, null, hash('5')).end(id))).toEqual(fine);
  });

  it('and with none at all', async () => {
    const report = await verify(new SessionMaker().notes(1).seal().files);
    expect(report.facets.sessions).toMatchObject({ status: 'pass', message: 'No session began here.' });
  });

  it('without a key are no fault, and it is said', async () => {
    const made = new SessionMaker();
    made.end(made.start());
    expect((await verify(made.seal().files)).facets.sessions.message).toBe('1 session, unauthenticated.');
  });
});

describe('a ledger of before sessions were bound', () => {
  it('is not broken by what it has not', async () => {
    const made = new SessionMaker();
    const id = hash('5');
    made
      .of(id, 'session.start', {})
      .of(id, 'prompt', { prompt_hash: hash('1') })
      .of(id, 'response', { response_hash: hash('2') })
      .of(id, 'session.end', { reason: null, exit_code: null, block: null })
      .of(id, 'response', { response_hash: hash('2') })
      .of(hash('6'), 'prompt', { prompt_hash: hash('1') })
      .of(hash('6'), 'session.end', {});
    expect(await judged(made)).toEqual(fine);
  });
});

describe('G3 G4 G5 G6 names what is wrong', () => {
  it.each<[string, ReturnType<typeof fails>, (made: SessionMaker, id: string) => unknown]>([
    [
      'a chain hash',
      fails('INTERACTION_CHAIN_BROKEN@11'),
      (made, id) => made.response(id, null, hash('1'), { chain_hash: hash('f') }),
    ],
    [
      'an answer that was changed',
      fails('INTERACTION_CHAIN_BROKEN@11'),
      (made, id) => made.response(id, null, hash('1'), { response_hash: hash('f') }),
    ],
    [
      'an interaction that was left out',
      fails('INTERACTION_MISSING@11'),
      (made, id) => {
        made.step(id, null, null);
        made.response(id, null, hash('1'));
      },
    ],
    [
      'interactions that the end counts',
      fails('INTERACTION_MISSING@11'),
      (made, id) => made.end(id, undefined, { interactions: 5 }),
    ],
    [
      'a chain that ends otherwise',
      fails('FINAL_HASH_WRONG@11', 'INTERACTION_CHAIN_BROKEN@11'),
      (made, id) => made.end(id, undefined, { chain_hash: hash('f') }),
    ],
    [
      'a final hash',
      fails('FINAL_HASH_WRONG@11'),
      (made, id) => made.end(id, undefined, { final_hash: hash('f') }),
    ],
    [
      'a closing block that was put in',
      fails('FINAL_HASH_WRONG@11'),
      (made, id) => made.end(id, undefined, { block: { ...realBlock(900_001) } }),
    ],
    [
      'a prompt that is not there',
      fails('PROMPT_MISSING@11'),
      (made, id) => made.response(id, hash('9'), hash('1')),
    ],
    ['a session id', fails('SESSION_ID_WRONG@11'), (made) => made.start({ id: hash('7') })],
    [
      'a key that was put in',
      fails('SESSION_ID_WRONG@11'),
      (made) => made.start({ more: { auth_key: KEY } }),
    ],
    ['a branch', fails('BRANCH_WRONG@11'), (made) => made.start({ block: BLOCK, branch: 'branch-4' })],
    ['a branch without a block', fails('BRANCH_WRONG@11'), (made) => made.start({ branch: 'branch-4' })],
    [
      'a branch that was made',
      fails('BRANCH_WRONG@11'),
      (made, id) => made.of(id, 'branch.create', { branch: 'branch-4' }),
    ],
    [
      'a branch that was left',
      fails('BRANCH_WRONG@11'),
      (made, id) => made.of(id, 'branch.switch', { from: 'branch-7', to: 'branch-6' }),
    ],
    [
      'another key than was checked',
      fails('AUTH_MISMATCH@11'),
      (made, id) => made.of(id, 'auth.ok', { key: hash('b'), name: 'x', at: 'start' }),
    ],
    ['a cut for another process', fails('SESSION_CUT_WRONG@11'), (made, id) => made.cut(id, { pid: 1 })],
    [
      'a cut that counts otherwise',
      fails('INTERACTION_MISSING@11'),
      (made, id) => made.cut(id, { interactions: 4 }),
    ],
    [
      'what nobody began',
      fails('SESSION_UNSTARTED@11'),
      (made) =>
        made
          .of(hash('8'), 'prompt', { prompt_hash: null, sequence: 1 })
          .of(hash('8'), 'prompt', { prompt_hash: null, sequence: 1 }),
    ],
    [
      'what is malformed',
      fails('SESSION_MALFORMED@11'),
      (made, id) => made.of(id, 'response', { sequence: 0, chain_hash: 'no' }),
    ],
    [
      'a malformed refusal',
      fails('SESSION_MALFORMED@11'),
      (made) => made.append('auth.fail', { reason: 'because' }),
    ],
  ])('%s', async (_, expected, tell) => {
    const { made, id } = session();
    tell(made, id);
    expect(await judged(made)).toEqual(expected);
  });

  it('with session and interaction in the message', async () => {
    const { made, id } = session();
    made.step(id, null, null);
    made.response(id, null, hash('1'));
    const { facets, sentence } = await verify(made.seal().files);
    const text = `session ${id.slice(0, 16)}: entry 11 is interaction 5, but 4 was expected`;
    expect(facets.sessions.findings[0]).toMatchObject({ seq: 11, message: text });
    expect(sentence).toContain(text);
  });

  it('a call of a model that was asked something else', async () => {
    const made = new SessionMaker();
    const id = made.start({ source: 'gateway' });
    const cause = made.append(
      'model.call',
      { prompt_hash: hash('c') },
      { session_id: id, source: 'gateway' },
    );
    const payload = { ...made.step(id, hash('d'), hash('e')), response_hash: hash('e') };
    made.append('model.result', payload, { session_id: id, source: 'gateway', cause });
    expect(await judged(made)).toEqual(fails('PROMPT_MISSING@4'));
  });
});

describe('says that it can not tell', () => {
  it("where a recorder's memory was put back", async () => {
    const { made, id } = session();
    const chain = made.chains.get(id);
    if (chain === undefined) throw new Error('no chain');
    const before = { ...chain };
    made.response(id, null, hash('1'));
    Object.assign(chain, before);
    made.response(id, null, hash('2')).response(id, null, hash('3')).end(id);
    expect(await judged(made)).toEqual(unsure('INTERACTION_REPEATED@12'));
  });

  it('where a chain began anew, and still computes what follows', async () => {
    const anew = (): { made: SessionMaker; id: string } => {
      const { made, id } = session();
      made.chains.set(id, { sequence: 0, hash: id });
      return { made: made.response(id, null, hash('1')), id };
    };
    const { made, id } = anew();
    expect(await judged(made.end(id))).toEqual(unsure('INTERACTION_REPEATED@11'));
    const first = session();
    first.made.chains.set(first.id, { sequence: 0, hash: hash('f') });
    first.made.response(first.id, null, hash('1'));
    expect((await judged(first.made)).codes).toEqual([
      'INTERACTION_CHAIN_BROKEN@11',
      'INTERACTION_REPEATED@11',
    ]);
    const { made: forged, id: other } = anew();
    forged.response(other, null, hash('2'), { chain_hash: hash('f') });
    expect((await judged(forged)).codes).toEqual(['INTERACTION_CHAIN_BROKEN@12', 'INTERACTION_REPEATED@11']);
  });

  it('where an end counts less than is here', async () => {
    const { made, id } = session();
    const chain = made.chains.get(id);
    made.chains.set(id, { sequence: 2, hash: hashOf(chain?.hash ?? null, null, null) });
    expect(await judged(made.end(id))).toEqual(unsure('INTERACTION_REPEATED@11'));
  });

  it.each<[string, string, (made: SessionMaker, id: string) => unknown]>([
    ['another end', 'SESSION_LATE@12', (made, id) => made.end(id)],
    ['a turn', 'SESSION_LATE@12', (made, id) => made.response(id, null, hash('1'))],
    ['a cut', 'SESSION_LATE@12', (made, id) => made.cut(id)],
    [
      'going on from a session that is not here',
      'RESUMES_UNKNOWN@12',
      (made) => made.start({ resumes: hash('9') }),
    ],
  ])('behind the end: %s', async (_, code, tell) => {
    const { made, id } = session();
    tell(made.end(id), id);
    expect(await judged(made)).toEqual(unsure(code));
  });

  it('after storage lost entries, which are on record', async () => {
    const { made, id } = session();
    made.append('gap', encodeGap({ reason: 'lost', from: 11, to: 12, headHash: hash('0') }));
    made.step(id, null, null);
    made.response(id, null, hash('1'));
    made.response(id, hash('9'), hash('1'));
    made.of(hash('8'), 'prompt', { prompt_hash: null, sequence: 1 });
    expect(await judged(made)).toEqual(
      unsure('SESSION_INCOMPLETE@12', 'SESSION_INCOMPLETE@13', 'SESSION_INCOMPLETE@14'),
    );
  });
});

describe('what the end of a session says of the entries before it', () => {
  const closed = (change: (sum: ReturnType<SessionMaker['summed']>) => object): Promise<unknown> => {
    const { made, id } = session();
    const other = made.start();
    made.turns(other, 1).of(id, 'x.step', {}).turns(other, 1);
    return judged(made.end(id, undefined, { ...change(made.summed(id)) }));
  };

  it('is computed again', async () => {
    expect(await closed((sum) => sum)).toEqual(fine);
    expect(await closed((sum) => ({ ...sum, entries: sum.entries - 1 }))).toEqual(
      fails('SESSION_SUM_WRONG@17'),
    );
    expect(await closed((sum) => ({ ...sum, entries_root: hash('0') }))).toEqual(
      fails('SESSION_SUM_WRONG@17'),
    );
  });

  it('need not be there; half of it is malformed', async () => {
    expect(await closed(() => ({}))).toEqual(fine);
    expect(await closed(({ entries }) => ({ entries }))).toEqual(fails('SESSION_MALFORMED@17'));
    expect(await closed(({ entries_root }) => ({ entries_root }))).toEqual(fails('SESSION_MALFORMED@17'));
  });

  it('is of a cut, and of a later sum, as well', async () => {
    const { made, id } = session();
    made.cut(id, made.summed(id)).of(id, 'x.step', {}).sum(id).sum(id);
    expect(await judged(made)).toEqual(fine);
    made.sum(id, { entries: 4711 });
    expect(await judged(made)).toEqual(fails('SESSION_SUM_WRONG@15'));
    const cut = session();
    expect(await judged(cut.made.cut(cut.id, cut.made.summed(hash('0'))))).toEqual(
      fails('SESSION_SUM_WRONG@11'),
    );
  });

  it('of a session that never began here fails', async () => {
    const { made } = session();
    made.sum(hash('9'));
    expect(await judged(made)).toEqual(fails('SESSION_UNSTARTED@11'));
  });

  it('may be more than is here after storage lost entries, which is on record', async () => {
    const { made, id } = session();
    made.append('gap', encodeGap({ reason: 'lost', from: 11, to: 12, headHash: hash('0') }));
    const { entries, entries_root } = made.summed(id);
    made.end(id, undefined, { entries: entries + 2, entries_root });
    expect(await judged(made)).toEqual(unsure('SESSION_INCOMPLETE@12'));
  });

  it('is found wrong in a session that goes over many runs of lines, too', async () => {
    const made = new SessionMaker();
    const [id, other] = [made.start(), made.start()];
    for (let i = 0; i < 60; i++) made.of(i % 3 === 0 ? other : id, 'x.step', { text: 'x'.repeat(50_000) });
    const sum = made.summed(id);
    expect(await judged(made.end(id, undefined, sum))).toEqual(fine);
    expect(await judged(made.end(id, undefined, sum))).toEqual(
      fails('SESSION_LATE@65', 'SESSION_SUM_WRONG@65'),
    );
  });
});

describe('the memory of sums', () => {
  /** Each session of one line a run; then what is known of each. */
  const summed = (most: number, ids: readonly string[], ended: readonly string[] = []): unknown[] => {
    const sums = new SessionSums(most);
    for (const id of ids) {
      sums.run({ ids: [id], of: Int32Array.of(0) }, new Uint8Array(32));
      sums.begin(id);
      sums.upTo(1);
      if (ended.includes(id)) sums.end(id);
    }
    return [...new Set(ids)].map((id) => sums.sumOf(id)?.entries);
  };

  it('has all lines of a session', () => {
    expect(summed(3, ['a', 'b', 'a', 'c', 'b'])).toEqual([2, 2, 1]);
  });

  it('is bounded: those that ended go first, then the oldest, and of those nothing is said', () => {
    expect(summed(2, ['a', 'b', 'c'], ['b'])).toEqual([1, undefined, 1]);
    expect(summed(2, ['a', 'b', 'c'])).toEqual([undefined, 1, 1]);
  });

  it('takes a line of a session that it may have forgotten for no beginning', () => {
    const sums = new SessionSums(1);
    const run = (id: string): void => {
      sums.run({ ids: [id, 'x'], of: Int32Array.of(0, -1) }, new Uint8Array(64));
      sums.upTo(2);
    };
    for (const id of ['a', 'b', 'a']) run(id);
    expect([sums.sumOf('a'), sums.sumOf('never')]).toEqual([undefined, undefined]);
    sums.begin('c');
    run('c');
    expect(sums.sumOf('c')?.entries).toBe(1);
  });

  it('says so where an end can not be held against it', () => {
    const findings = new Findings();
    const sums = new SessionSums(1);
    const check = new SessionsCheck(findings, { sums });
    const made = new SessionMaker();
    const one = made.start();
    made.start();
    made.end(one, undefined, made.summed(one));
    for (const line of made.lines) {
      const entry = JSON.parse(line) as Entry;
      sums.run(
        { ids: [entry.session_id ?? ''], of: Int32Array.of(entry.session_id === null ? -1 : 0) },
        new Uint8Array(32),
      );
      check.entry(entry);
    }
    expect(findings.of('sessions').map(({ code, seq }) => `${code}@${seq}`)).toEqual(['SESSIONS_TOO_MANY@4']);
  });
});

describe('memory', () => {
  it('is bounded: sessions that ended are forgotten first, and what is forgotten is no fault', () => {
    const findings = new Findings();
    const check = new SessionsCheck(findings, { most: 3 });
    const made = new SessionMaker();
    const open = made.start();
    const ids = [1, 2, 3, 4].map(() => {
      const id = made.start();
      made.turns(id, 1).end(id);
      return id;
    });
    made.turns(open, 1).turns(ids[0] as string, 1);
    made.start({ resumes: ids[0] as string });
    for (const line of made.lines) check.entry(JSON.parse(line) as Entry);
    check.finish();
    expect(findings.of('sessions').map(({ code }) => code)).toEqual(['SESSIONS_TOO_MANY']);
    expect(check.counts).toMatchObject({ sessions: 6, interactions: 6 });
  });

  it('of prompts, too', async () => {
    const { made, id } = session();
    const first = made.lines.map((line) => JSON.parse(line) as Entry).find(({ kind }) => kind === 'prompt');
    made.turns(id, 20).response(id, first?.payload.prompt_hash as string, hash('1'));
    expect(await judged(made)).toEqual(fine);
  });
});

describe('the source of the interactions', () => {
  it('is the only one whose turns count', async () => {
    const { made, id } = session();
    const nothing = { sequence: null, prompt_hash: null, chain_hash: null, response_hash: hash('1') };
    made
      .of(id, 'response', nothing, { source: 'sdk' })
      .of(id, 'prompt', { sequence: null }, { source: HOOKS });
    const report: Report = await verify(made.end(id).seal().files);
    expect(codesOf(report, ['sessions'])).toEqual([]);
    expect(report.counts.interactions).toBe(3);
  });
});
