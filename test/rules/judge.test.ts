// The verdict on a turn, a sentence of its specification each.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY, parseClaimPolicy } from '../../src/policy/index.ts';
import {
  gateMessage,
  gateWarning,
  type Judgement,
  judge,
  leadingClaim,
  readContract,
} from '../../src/rules/index.ts';
import { check, claim, counts, edit, evidence, judged, ran, tried } from './cases.ts';

const NO_COMMANDS = { test: null, build: null, types: null, lint: null };

const DONE = claim('done', 'Fixed the crash.');
const CHANGED = claim('changed', 'Updated the parser.');
const TESTED = claim('tested', 'All 5 tests pass.');
const EDITED = [edit(1, 'src/parser.ts')];
const PASS = ran(2, check('npm test'));
const FAILED = ran(2, check('npm test'), { ...counts(4, 1), code: 1 });

/** `block: tested stale`, the strongest open claim and what is wrong with it. */
function brief(judgement: Judgement): string {
  if (judgement.verdict === 'silent') return `silent: ${judgement.why}`;
  const leading = leadingClaim(judgement);
  return leading === null ? 'pass' : `block: ${leading.claim.type} ${leading.status}`;
}

describe('B3b silence', () => {
  it.each([
    ['no claim', judged([], 'fix it', { changes: EDITED }), 'silent: no-claim'],
    ['nothing changed, done', judged([DONE], 'is it fixed?', {}), 'silent: nothing-changed'],
    [
      'no tool called where a change was asked for, done',
      judged([DONE], 'fix it', {}, [], undefined, true),
      'block: done unbacked',
    ],
    [
      'no tool called where a change was asked for, disclosed',
      judged([CHANGED], 'fix it', {}, ['I have not run the tests'], undefined, true),
      'block: changed unbacked',
    ],
    ['tools called that change nothing', judged([DONE], 'fix it', {}), 'block: done unbacked'],
    [
      'nothing changed, and the tests fail',
      judged([DONE], 'fix it', { runs: [FAILED] }),
      'block: done failed',
    ],
    ['nothing changed, changed', judged([CHANGED], 'fix it', { runs: [PASS] }), 'block: changed unbacked'],
    [
      'caches changed',
      judged([DONE], 'fix it', { changes: [edit(1, 'dist/a.js')] }),
      'silent: nothing-changed',
    ],
    ['nothing changed, tested', judged([TESTED], 'fix it', {}), 'block: tested unbacked'],
    ['nothing tried, blocked', judged([claim('blocked')], 'fix it', {}), 'block: blocked not-tried'],
    [
      'B4b nothing tried, asked for credentials',
      judged([claim('delegation', 'Please send me the credentials.')], 'fix the login', {}),
      'block: delegation not-tried',
    ],
    [
      'B4b the same beside a URL that nobody tried',
      judged([claim('delegation', 'Please send me the token.')], 'Deploy to https://example.org/x', {}),
      'block: delegation not-tried',
    ],
    [
      'something failed, asked for credentials',
      judged([claim('delegation', 'Please send me the credentials.')], 'fix the login', { runs: [FAILED] }),
      'pass',
    ],
    [
      'work was done, asked for credentials',
      judged([claim('delegation', 'Please send me the credentials.')], 'fix the login', { changes: EDITED }),
      'pass',
    ],
    [
      'B3d nothing settles a claim of that type, though something failed',
      judged([claim('blocked', 'No way in.')], 'fix the login', { runs: [FAILED] }, [], {
        ...DEFAULT_POLICY,
        claims: { ...DEFAULT_POLICY.claims, blocked: { validators: [], grade: 'reported' } },
      }),
      'block: blocked unbacked',
    ],
    [
      'documents only',
      judged([DONE, CHANGED], 'fix it', { changes: [edit(1, 'a.md')] }),
      'silent: documents-only',
    ],
    [
      'documents, tested',
      judged([TESTED], 'fix it', { changes: [edit(1, 'a.md')] }),
      'block: tested unbacked',
    ],
    [
      'background work',
      judged([DONE, CHANGED], 'x', { changes: EDITED, background: ['npm test'] }),
      'silent: background',
    ],
    [
      'background work, tested',
      judged([claim('tested')], 'x', { changes: EDITED, background: ['npm run build'] }),
      'block: tested unbacked',
    ],
    [
      'background work, a check by name',
      judged([{ ...claim('checked'), about: 'lint' }], 'x', { changes: EDITED, background: ['npm start'] }),
      'block: checked unbacked',
    ],
    [
      'background work, a look at what runs',
      judged([claim('checked')], 'x', { changes: EDITED, background: ['npm start'] }),
      'pass',
    ],
    [
      'what may be a description, with nothing that backs it',
      judged([{ ...claim('checked'), unsure: true }], 'x', { changes: EDITED }),
      'silent: no-claim',
    ],
    [
      'the same beside a claim that is open',
      judged([{ ...claim('checked'), unsure: true }, TESTED], 'x', { changes: EDITED }),
      'block: tested unbacked',
    ],
    [
      'the same where something backs it',
      judged([{ ...claim('checked'), unsure: true }], 'x', {
        changes: EDITED,
        runs: [ran(2, check('npm test'))],
      }),
      'pass',
    ],
    [
      'background work, shipped',
      judged([claim('shipped')], 'x', { changes: EDITED, background: ['npm run build'] }),
      'block: shipped unbacked',
    ],
    [
      'background work, tested and done: what is open is the test',
      judged([DONE, TESTED], 'x', { changes: EDITED, background: ['npm run build'] }),
      'block: tested unbacked',
    ],
  ])('%s', (_, judgement, expected) => {
    expect(brief(judgement)).toBe(expected);
  });
});

describe('B3b the verdict', () => {
  it.each([
    ['changed rests on a change', judged([CHANGED], 'fix it', { changes: EDITED }), 'pass'],
    [
      'changed without a change, beside a push',
      judged([CHANGED, claim('shipped', 'Pushed.', { about: 'push' })], 'push', {
        runs: [ran(2, check('git push', { kind: 'ship' }))],
      }),
      'pass',
    ],
    ['done rests on a test run', judged([DONE], 'fix it', { changes: EDITED, runs: [PASS] }), 'pass'],
    [
      'done rests on a check where there is no test run',
      judged([DONE], 'fix it', {
        changes: EDITED,
        runs: [ran(2, check('tsc', { kind: 'types' }), { tests: null })],
      }),
      'pass',
    ],
    ['done without a run', judged([DONE], 'fix it', { changes: EDITED }), 'block: done unbacked'],
    [
      'done after a failure',
      judged([DONE], 'fix it', { changes: EDITED, runs: [FAILED] }),
      'block: done failed',
    ],
    ['done of data', judged([DONE], 'fix it', { changes: [edit(1, 'a.json')] }), 'pass'],
    [
      'done beside a commit of nothing new',
      judged([DONE, claim('shipped', 'Committed.', { about: 'commit' })], 'commit it', {
        runs: [ran(2, check('git commit -m x', { kind: 'ship' }))],
      }),
      'pass',
    ],
    [
      'tested, stale',
      judged([TESTED], 'fix it', { changes: [...EDITED, edit(3, 'src/a.ts')], runs: [PASS] }),
      'block: tested stale',
    ],
    [
      'stale, then failed: the failure tells more',
      judged([TESTED], 'fix it', {
        changes: [edit(3, 'src/a.ts')],
        runs: [PASS, { ...FAILED, seq: 4 }],
      }),
      'block: tested failed',
    ],
    [
      'weakened tells more than stale',
      judged([TESTED], 'fix it', {
        changes: [edit(3, 'src/a.ts')],
        runs: [PASS],
        weakened: [{ path: 'a.test.ts', what: 'skipped', lines: [] }],
      }),
      'block: tested weakened',
    ],
    [
      'of several open claims the strongest is told first',
      judged([CHANGED, DONE, TESTED], 'fix it', { changes: EDITED }),
      'block: tested unbacked',
    ],
  ])('%s', (_, judgement, expected) => {
    expect(brief(judgement)).toBe(expected);
  });

  it('a disclosure excuses done and changed, never what is said to have happened', () => {
    const disclosed = ['Not verified: the tests were not run.'];
    expect(brief(judged([DONE, CHANGED], 'fix it', { changes: EDITED }, disclosed))).toBe('pass');
    for (const type of ['tested', 'checked', 'shipped'] as const)
      expect(brief(judged([claim(type)], 'fix it', { changes: EDITED }, disclosed))).toBe(
        `block: ${type} unbacked`,
      );
  });

  it('tests that fail apart from the work, and are said to, are no block; what is not said is one', () => {
    const narrow = ran(2, check('go test ./pkg/fetch', { targets: ['pkg/fetch'] }));
    const whole = ran(3, check('go test ./...'), { ...counts(9, 1), code: 1 });
    const found = evidence({ changes: [edit(1, 'pkg/fetch/client.go')], runs: [narrow, whole] });
    const contract = readContract('fix it', DEFAULT_POLICY);
    const rest = { disclosures: [], evidence: found, contract, policy: DEFAULT_POLICY, project: NO_COMMANDS };
    const of = (message: string, claims = [DONE]): string =>
      brief(judge({ ...rest, claims, failures: readClaims(message).failures }));
    expect(of('`go test ./...` has one failure elsewhere: `TestMailer` wants a server.')).toBe('pass');
    expect(of('`TestMailer` still fails, as it does on main.')).toBe('pass');
    expect(of("Both are written, but it's not finished: **1 of 10 tests fails**.")).toBe('pass');
    expect(of('1 of 10 tests failed at first, none of them does now.')).toBe('block: done failed');
    expect(of('It failed because the body was never closed. No test fails any more.')).toBe(
      'block: done failed',
    );
    expect(of('Are there tests that still fail elsewhere?')).toBe('block: done failed');
    expect(of('`TestMailer` still fails.', [claim('tested', 'All tests pass.', { whole: true })])).toBe(
      'block: tested failed',
    );
  });

  it('a test that fails as it was asked to says nothing against those that pass beside it', () => {
    const of = (passed: number): string => {
      const run = ran(2, check('pytest'), { ...counts(passed, 1), code: 1 });
      const { failures } = readClaims('It fails as you asked: umlauts are not handled yet.');
      const contract = readContract('add a failing test', DEFAULT_POLICY);
      const claims = [claim('tested', 'The existing test still passes')];
      const found = evidence({ changes: EDITED, runs: [run] });
      const rest = { disclosures: [], contract, policy: DEFAULT_POLICY, project: NO_COMMANDS };
      return brief(judge({ ...rest, claims, evidence: found, failures }));
    };
    expect([of(1), of(0)]).toEqual(['pass', 'block: tested failed']);
  });

  it('what may be a description counts where tests that fail contradict it', () => {
    const unsure = { ...DONE, unsure: true };
    expect(brief(judged([unsure], 'fix it', { changes: EDITED, runs: [FAILED] }))).toBe('block: done failed');
    expect(brief(judged([unsure], 'fix it', { changes: EDITED }))).toBe('silent: no-claim');
  });

  it('"it builds" is not contradicted by tests that were built, ran and failed', () => {
    const build = ran(2, check('go build ./...', { kind: 'build' }), { tests: null });
    const tests = ran(3, check('go test ./...'), { ...counts(3, 1), code: 1 });
    const builds = claim('checked', 'The build succeeds.', { about: 'build' });
    expect(brief(judged([builds], 'fix it', { changes: EDITED, runs: [build, tests] }))).toBe('pass');
    const unbuilt = ran(3, check('go test ./...'), { tests: null, code: 2 });
    expect(brief(judged([builds], 'fix it', { changes: EDITED, runs: [build, unbuilt] }))).toBe(
      'block: checked failed',
    );
  });

  it('a package by its name covers the folder that the name ends in', () => {
    const of = (name: string, path: string): string => {
      const run = ran(2, check(`cargo test -p ${name}`, { targets: [name] }));
      return brief(judged([TESTED], 'fix it', { changes: [edit(1, path)], runs: [run] }));
    };
    expect(of('tern-lint', 'crates/lint/src/lib.rs')).toBe('pass');
    expect(of('tern-lint', 'crates/fmt/src/lib.rs')).toBe('block: tested narrow');
    expect(of('ternlint', 'crates/lint/src/lib.rs')).toBe('block: tested narrow');
  });

  it.each([
    ['Skip the test `test_sub`.', ['@pytest.mark.skip (test_sub)'], 'pass'],
    ['Skip the test `test_sub`.', ['@pytest.mark.skip (test_add)'], 'block'],
    ['Skip the test `test_sub`.', ['@pytest.mark.skip (test_subtract)'], 'block'],
    ['Skip the test `test_sub`.', ['@pytest.mark.skip (test_sub)', '@pytest.mark.skip (test_add)'], 'block'],
    ['Skip the flaky test in the parser.', ['@pytest.mark.skip (test_add)'], 'pass'],
  ])('X13a %s %j: %s', (prompt, lines, verdict) => {
    const weakened = [{ path: 'tests/test_a.py', what: 'skipped' as const, lines }];
    expect(judged([TESTED], prompt, { changes: EDITED, runs: [PASS], weakened }).verdict).toBe(verdict);
  });

  it('X13a a pass of tests of which nobody knows whether they were weakened says so, and is no block', () => {
    const found = { changes: EDITED, runs: [PASS] };
    expect(judged([TESTED], 'fix it', { ...found, weakened: null })).toMatchObject({
      verdict: 'pass',
      note: expect.stringContaining("couldn't find out whether"),
    });
    expect(judged([TESTED], 'fix it', found).note).toBeNull();
    expect(judged([CHANGED], 'fix it', { ...found, weakened: null }).note).toBeNull();
  });

  it('what still runs excuses done and changed beside a claim that is judged', () => {
    const found = { changes: EDITED, runs: [], background: ['npm run build'] };
    expect(
      judged([DONE, CHANGED, TESTED], 'fix it', found).claims.map(({ status, code }) => [status, code]),
    ).toEqual([
      ['excused', 'background'],
      ['backed', null],
      ['unbacked', 'nothing-ran'],
    ]);
  });

  it('B3d no validator for a claim is itself a block', () => {
    const policy = parseClaimPolicy({ claims: { shipped: [] } });
    const runs = [ran(2, check('git push', { kind: 'ship' }))];
    const judgement = judged([claim('shipped', 'Pushed.')], 'push', { runs }, [], policy);
    expect(brief(judgement)).toBe('block: shipped unbacked');
    expect(leadingClaim(judgement)).toMatchObject({ code: 'no-validator', suggestion: null });
  });

  it('B3d an attempt may be reported all the same', () => {
    const policy = parseClaimPolicy({ claims: { tested: [] } });
    const found = { changes: EDITED, runs: [PASS] };
    const ends = ['ran `npm test`', 'ran `npm test`: all pass'].map((quote) =>
      brief(judged([claim('tested', quote)], 'fix it', found, [], policy)),
    );
    expect(ends).toEqual(['silent: no-claim', 'block: tested unbacked']);
  });

  it('says what a claim rests on', () => {
    const [done] = judged([DONE], 'fix it', { changes: EDITED, runs: [PASS] }).claims;
    expect(done).toMatchObject({
      status: 'backed',
      validator: 'test_pass',
      validatorVersion: 4,
      evidence: [2],
    });
  });
});

describe('B3b the suggestion', () => {
  const command = (judgement: Judgement) => leadingClaim(judgement)?.suggestion?.command;

  it('is the command of the prompt, else one of the session, else one of the project', () => {
    const stale = { changes: [edit(9, 'src/parser.ts')] };
    expect(command(judged([TESTED], 'make `pytest -q` pass', stale))).toBe('pytest -q');
    const narrow = ran(3, check('pytest tests/test_parser.py', { targets: ['tests/test_parser.py'] }));
    expect(command(judged([TESTED], 'fix it', { ...stale, runs: [ran(2, check('pytest')), narrow] }))).toBe(
      'pytest',
    );
    expect(command(judged([TESTED], 'fix it', { ...stale, runs: [narrow] }))).toBe(
      'pytest tests/test_parser.py',
    );
    const masked = ran(2, check('pytest', { flaw: { code: 'masked', detail: '|| true' } }));
    expect(command(judged([TESTED], 'fix it', { ...stale, runs: [masked] }))).toBe('pytest');
    const listed = ran(2, check('pytest --co', { flaw: { code: 'dry-run', detail: '--co' } }));
    expect(command(judged([TESTED], 'fix it', { ...stale, runs: [listed] }))).toBe('npm test');
    expect(command(judged([TESTED], 'fix it', stale))).toBe('npm test');
    const inPackage = ran(2, check('npm test', { directory: 'packages/a' }));
    expect(
      command(judged([TESTED], 'fix it', { changes: [edit(9, 'packages/a/x.ts')], runs: [inPackage] })),
    ).toBe('cd packages/a && npm test');
    for (const line of ['pytest -q 2>&1', 'pytest -q > out.txt 2>&1', 'pytest -q >out.txt', 'pytest -q &> x'])
      expect(command(judged([TESTED], 'fix it', { ...stale, runs: [ran(2, check(line))] }))).toBe(
        'pytest -q',
      );
    const named = 'pytest -k "parser > b"';
    expect(command(judged([TESTED], 'fix it', { ...stale, runs: [ran(2, check(named))] }))).toBe(named);
    const builds = claim('checked', 'It builds.', { about: 'build' });
    expect(command(judged([builds], 'fix it', stale))).toBe('npm run build');
    expect(
      command(judged([claim('checked', 'Lint is clean.', { about: 'lint' })], 'fix it', stale)),
    ).toBeNull();
  });

  it('is a way to what was not tried', () => {
    const judgement = judged([claim('blocked', "I can't open links.")], 'Read https://example.org/x', {});
    expect(command(judgement)).toBe('curl -fsSL https://example.org/x');
    const hostile = judged([claim('blocked')], 'Read https://example.org/x;rm', {});
    expect(command(hostile)).toBeNull();
  });

  it('has arguments that the validator takes', () => {
    const judgement = judged([TESTED], 'Fix `src/parser.ts`', { changes: EDITED });
    expect(leadingClaim(judgement)?.suggestion).toEqual({
      validator: 'test_pass',
      args: { target: 'src/parser.ts' },
      command: 'npm test',
    });
  });
});

describe('B3b the message', () => {
  it('says what was claimed, what is missing and why, what to run, and the way out', () => {
    const masked = ran(2, check('npm test', { flaw: { code: 'masked', detail: '| tail -5' } }));
    const judgement = judged([DONE, TESTED], 'Fix `src/parser.ts`', { changes: EDITED, runs: [masked] });
    expect(gateMessage(judgement)).toBe(
      [
        'Not finished yet: none of the 2 claims in your message is backed by what is on record.',
        '1. "All 5 tests pass.", "Fixed the crash."',
        '   `| tail -5` replaces the exit code of `npm test`, so nobody knows how it ended.',
        '   Run: npm test',
        'Then finish again. What you run is checked automatically. Or take the claim back and say what is not verified: "Not verified: …".',
        `To ask for this check by hand: foil validate --claim tested --validator test_pass --args '{"target":"src/parser.ts"}'`,
      ].join('\n'),
    );
    expect(gateWarning(judgement)).toBe(
      'Not backed: "All 5 tests pass.": `| tail -5` replaces the exit code of `npm test`, so nobody knows how it ended. (and 1 more)',
    );
  });

  it('is empty where there is nothing to say', () => {
    const judgement = judged([TESTED], 'fix it', { changes: EDITED, runs: [PASS] });
    expect([gateMessage(judgement), gateWarning(judgement)]).toEqual(['', '']);
  });

  it('stays short and in one piece, whatever is quoted', () => {
    const claims = Array.from({ length: 40 }, (_, i) =>
      claim('checked', `\u001b[31mx${'\ud83d\ude00'.repeat(300)}\n\n${i}`, {
        about: `thing ${i}${'y'.repeat(500)}`,
      }),
    );
    const judgement = judged(claims, 'fix it', { changes: EDITED });
    const message = gateMessage(judgement);
    expect(message.length).toBeLessThanOrEqual(1200);
    expect(message).toContain('Not verified: …');
    expect(message.isWellFormed()).toBe(true);
    expect(message).not.toContain('\u001b');
    expect(gateWarning(judgement).length).toBeLessThanOrEqual(280);
    expect(gateWarning(judgement)).not.toContain('\n');
  });

  it('tells a blocked agent what to try', () => {
    const judgement = judged(
      [claim('blocked', "I can't open links."), claim('delegation', 'Please paste the page.')],
      'Read https://example.org/x',
      { attempts: [tried(1, 'fetch', 'WebFetch', 'https://example.org/y')] },
    );
    const message = gateMessage(judgement);
    expect(message).toContain('Run: curl -fsSL https://example.org/x');
    expect(message).toContain('Then say what came of it');
  });
});
