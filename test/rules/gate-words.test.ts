// What a block says, read by somebody who knows none of our names: what is missing, and one command that would settle it.
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/format/index.ts';
import { parseClaimPolicy } from '../../src/policy/index.ts';
import { gateMessage, leadingClaim } from '../../src/rules/index.ts';
import { readCommand } from '../../src/shell/index.ts';
import { check, claim, counts, edit, judged, ran, tried } from './cases.ts';

const EDITED = [edit(1, 'src/parser.ts')];
const PUSHED = claim('shipped', 'pushed', { about: 'push' });
const push = (command: string, more: Partial<Check> = {}) =>
  check(command, { kind: 'ship', runner: 'git push', ...more });
const commit = ran(2, check('git commit -m x', { kind: 'ship', runner: 'git commit' }), { tests: null });
const WHOLE = claim('tested', 'the full suite passes', { whole: true });
const TESTED = claim('tested', 'Tests pass');

describe('B3b the command that is named', () => {
  const named = (...args: Parameters<typeof judged>) => leadingClaim(judged(...args))?.suggestion?.command;
  const part = (command: string, more: Partial<Check>) => ({
    changes: EDITED,
    runs: [ran(2, check(command, more))],
  });

  it.each([
    ['node --test test/parser.test.js', { targets: ['test/parser.test.js'] }, 'node --test'],
    ['pytest -q -k parser', { selectors: ['parser'] }, 'pytest -q'],
    [
      'pytest -q tests/test_parser.py::test_a',
      { targets: ['tests/test_parser.py'], selectors: ['test_a'] },
      'pytest -q',
    ],
    ['npx vitest run src/parser.test.ts', { targets: ['src/parser.test.ts'] }, 'npx vitest run'],
    ['npm test -- src/parser.test.ts', { targets: ['src/parser.test.ts'] }, 'npm test'],
    ['mvn test -Dtest=ParserTest', { selectors: ['ParserTest'] }, 'mvn test'],
    ['pytest -k "parser and not slow"', { selectors: ['parser and not slow'] }, 'npm test'],
  ])('is the whole suite where %s ran a part', (command, more, whole) => {
    expect(named([WHOLE], 'fix it', part(command, more))).toBe(whole);
  });

  it('is not what ran already and settled nothing', () => {
    const none = {
      changes: EDITED,
      runs: [ran(2, check('go test ./... -run TestX', { selectors: ['TestX'] }), counts(0))],
    };
    expect(named([TESTED], 'fix it', none)).toBe('go test ./...');
    const silent = { changes: EDITED, runs: [ran(2, check('npm test'), { tests: null })] };
    expect(named([TESTED], 'fix it', silent)).toBeNull();
    expect(named([TESTED], 'fix it', { ...silent, changes: [edit(3, 'src/parser.ts')] })).toBe('npm test');
    const absent = { runs: [ran(2, check('npm test'), { code: 127, tests: null })] };
    expect(named([TESTED], 'fix it', { ...absent, changes: EDITED })).toBeNull();
    expect(named([TESTED], 'fix it', { ...absent, changes: [edit(3, 'src/parser.ts')] })).toBeNull();
  });

  it('is the same for the package beside, where what changed is', () => {
    const web = ran(2, check('npm test', { directory: 'packages/web' }));
    const found = { changes: [edit(1, 'packages/api/src/page.js')], runs: [web] };
    const judgement = judged([TESTED], 'fix it', found);
    expect(leadingClaim(judgement)?.reason).toBe(
      '`npm test` ran in packages/web, which does not reach packages/api/src/page.js.',
    );
    expect(leadingClaim(judgement)?.suggestion?.command).toBe('npm test');
    const lint = ran(2, check('npm run lint', { kind: 'lint', directory: 'packages/web' }), { tests: null });
    const clean = claim('checked', 'Lint is clean', { about: 'lint' });
    expect(named([clean], 'fix it', { ...found, runs: [lint] })).toBe('cd packages/api && npm run lint');
  });

  it('ships what is said to be shipped', () => {
    expect(named([PUSHED], 'push it', { runs: [commit] })).toBe('git push');
    const piped = ran(
      3,
      push('git push origin main 2>&1', { flaw: { code: 'masked', detail: '| tail -3' } }),
    );
    expect(named([PUSHED], 'push it', { runs: [commit, piped] })).toBe('git push origin main');
    const dry = ran(3, push('git push --dry-run', { flaw: { code: 'dry-run', detail: '--dry-run' } }));
    expect(named([PUSHED], 'push it', { runs: [commit, dry] })).toBe('git push');
    const refused = ran(3, push('git push'), { code: 128, tests: null });
    expect(named([PUSHED], 'push it', { runs: [commit, refused] })).toBe('git push -u origin HEAD');
    const pr = claim('shipped', 'opened a pull request', { about: 'pr' });
    expect(named([pr], 'open a PR', { runs: [commit] })).toBe('gh pr create --fill');
    const deployed = claim('shipped', 'deployed', { about: 'deploy' });
    expect(named([deployed], 'deploy it', { runs: [commit] })).toBeNull();
    expect(named([deployed], 'deploy it with `npm run deploy`', {})).toBe('npm run deploy');
  });

  it('is no test for what was looked at', () => {
    const looked = claim('checked', 'I opened the page in the browser and it looks right');
    const judgement = judged([looked], 'darken it', { changes: EDITED });
    expect(leadingClaim(judgement)).toMatchObject({
      reason: 'No command in this session could have been a look through a browser.',
    });
    expect(leadingClaim(judgement)?.suggestion?.command).toBeNull();
  });

  it('is a way that was not tried yet, by a program that can go it', () => {
    const url = 'http://127.0.0.1:9/a.txt';
    const asks = claim('delegation', 'Could you download a.txt?');
    const once = { attempts: [tried(1, 'fetch', 'curl', url)] };
    expect(named([asks], `Read ${url}`, once)).toBe(`wget -qO- ${url}`);
    expect(leadingClaim(judged([asks], `Read ${url}`, once))?.reason).toContain(
      'such as wget or your own tool',
    );
    const both = { attempts: [...once.attempts, tried(2, 'fetch', 'wget', url)] };
    expect(named([asks], `Read ${url}`, both)).toBeNull();
    const database = claim('blocked', "I can't access the database");
    expect(named([database], 'Count the orders in postgres://localhost:54329/shop', {})).toBe(
      "psql postgres://localhost:54329/shop -c 'select 1'",
    );
    const { attempts } = readCommand("psql postgres://localhost:54329/shop -c 'select 1'", {
      cwd: '/w',
      root: '/w',
    });
    expect(attempts).toContainEqual({
      capability: 'fetch',
      way: 'psql',
      target: 'postgres://localhost:54329/shop',
    });
  });
});

describe('B3b the words', () => {
  it.each([
    [claim('tested', '**Tests** | ✅ |'), '"Tests: ✅"'],
    [claim('tested', '- **All tests pass**'), '"All tests pass"'],
    [claim('tested', '| `f(**a) | b` in __init__ passes'), '"`f(**a) | b` in __init__ passes"'],
    [claim('shipped', 'deployed', { about: 'deploy' }), 'No command that deploys it is on record.'],
    [
      claim('shipped', 'deployed', { about: 'deploy' }),
      'Run the command that does it, or say that it was not done.',
    ],
    [
      claim('checked', 'types are fine', { about: 'types' }),
      'No command that checks the types is on record.',
    ],
    [claim('tested', 'Tests pass'), 'the claim in your message is not backed'],
  ])('%o', (said, words) => {
    expect(gateMessage(judged([said], 'fix it', { changes: EDITED }))).toContain(words);
  });

  it('speak of a page where the policy wants one', () => {
    const policy = parseClaimPolicy({ claims: { done: ['http_2xx'] } });
    const done = judged([claim('done', 'Fixed')], 'fix it', { changes: EDITED }, [], policy);
    expect(gateMessage(done)).toContain('Request the page that shows it, or say that it was not tested.');
  });

  it('hold no code and no validator but in a whole command, in the last line', () => {
    const message = gateMessage(judged([TESTED], 'Fix `src/parser.ts`', { changes: EDITED }));
    expect(message).not.toMatch(/\[[a-z-]+\]|\{\}|Settled by/);
    expect(message.split('\n').slice(0, -1).join('\n')).not.toContain('test_pass');
    const pushed = gateMessage(judged([PUSHED], 'push `main`', {}));
    expect(pushed.split('\n').slice(0, -1).join('\n')).not.toContain('command_zero_exit');
  });

  it('name the run of our own where the policy wants one, or the host tells no exit code', () => {
    const unknown = { changes: EDITED, runs: [ran(2, check('npm test'), { code: null, tests: null })] };
    expect(gateMessage(judged([TESTED], 'fix it', unknown))).toContain(
      'Run: foil validate --execute --claim tested',
    );
  });

  it('name nothing that the agent of a locked ledger can not ask', () => {
    const socket = '/run/foil/socket';
    const plain = judged([TESTED], 'Fix `src/parser.ts`', { changes: EDITED });
    expect(gateMessage(plain)).toContain('foil validate --claim tested');
    expect(gateMessage(plain, socket)).not.toContain('foil');
    const unknown = { changes: EDITED, runs: [ran(2, check('npm test'), { code: null, tests: null })] };
    expect(gateMessage(judged([TESTED], 'fix it', unknown), socket)).toContain(
      'Run: foil validate --execute --claim tested --socket /run/foil/socket\n',
    );
  });

  it('keep two things apart that were shipped, and name another way for one that failed', () => {
    const refused = ran(3, push('git push'), { code: 128, tests: null });
    const pr = claim('shipped', 'opened a pull request', { about: 'pr' });
    const message = gateMessage(judged([PUSHED, pr], 'push it and open a PR', { runs: [commit, refused] }));
    expect(message).toMatch(/"pushed"\n.*failed with exit code 128\.\n {3}Run: git push -u origin HEAD\n/);
    expect(message).toMatch(
      /"opened a pull request"\n {3}No command that opens a pull request is on record\.\n {3}Run: gh pr create --fill\n/,
    );
  });

  it('send nobody to run again what fails, and nobody to do what is not named', () => {
    const failing = { changes: EDITED, runs: [ran(2, check('npm test'), { code: 1, ...counts(4, 1) })] };
    const broken = gateMessage(judged([TESTED], 'fix it', failing));
    expect(broken).toContain('Fix it, then run: npm test');
    expect(broken).toContain('Or take the claim back and say what still fails.');
    expect(broken).not.toContain('Not verified');
    const idle = gateMessage(judged([claim('done', 'Fixed')], 'Fix src/a.js', {}, [], undefined, true));
    expect(idle).toContain('Make the change, or say that nothing was changed.');
    expect(idle).not.toMatch(/Run:|what you run/);
  });
});
