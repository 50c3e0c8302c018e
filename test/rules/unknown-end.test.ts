// Claims of which nobody can know whether they hold, and their near misses that are held: what the newest run says, what
// programs that check nothing show, what went on elsewhere, and what only the user has.
import { describe, expect, it } from 'vitest';
import type { Check, Claim } from '../../src/format/index.ts';
import type { Evidence } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, claim, codeOf, edit, ran, tried } from './cases.ts';

const DONE = claim('done', 'Done.');
const LINT = claim('checked', 'The lint passes.', { about: 'lint' });
const WORKS = claim('checked', 'It is healthy now.');
const NONE = { tests: null };
const code = [edit(12, 'src/a.ts')];
const lint = (command: string, targets: string[]): Check =>
  check(command, { kind: 'lint', runner: 'rubocop', targets });
const http = (status: number | null, more: Partial<Check> = {}): Check =>
  check('curl -i https://kit.test/admin', {
    kind: 'http',
    runner: 'curl',
    url: 'https://kit.test/admin',
    status,
    ...more,
  });
const program = (command: string, more: Partial<Check> = {}): Check =>
  check(command, { kind: 'run', runner: command.split(' ')[0] ?? '', ...more });
const push = check('git push origin main', { kind: 'ship', runner: 'git push' });
const masked = { flaw: { code: 'masked', detail: '| head -5' } } as const;

describe('B5 the newest run of a program counts', () => {
  const SHIPPED = claim('shipped', 'The pull request is open.', { about: 'pr' });
  const failed = (check: Check) => ran(12, check, { ...NONE, code: 1 });
  const gh = (command: string): Check =>
    check(command, { kind: 'ship', runner: command.split(' ').slice(0, 3).join(' ') });
  it.each<[string, Claim, Check, Check, string]>([
    ['over all files', LINT, lint('rubocop a.rb', ['a.rb']), lint('/opt/rubocop', []), 'backed'],
    [
      'over another file',
      LINT,
      lint('rubocop a.rb', ['a.rb']),
      lint('rubocop b.rb', ['b.rb']),
      'failed failed',
    ],
    ['by another path', DONE, lint('/opt/rubocop a.rb', ['a.rb']), lint('rubocop a.rb', ['a.rb']), 'backed'],
    ['put right', SHIPPED, gh('gh pr create'), gh('gh pr edit 3 --title x'), 'backed'],
    ['of another thing', SHIPPED, gh('gh pr create'), gh('gh release create v1'), 'failed failed'],
  ])('%s', (_, of, before, later, expected) => {
    const runs = [failed(before), ran(14, later, NONE)];
    expect(codeOf(of, 'fix the lint', { changes: [edit(11, 'a.rb')], runs })).toBe(expected);
  });

  it('and a program that the claim names is the only one that counts', () => {
    const built = ran(12, check('go build .', { kind: 'build', runner: 'go build' }), NONE);
    const docker = check('docker build .', { kind: 'build', runner: 'docker build' });
    const claimed = claim('checked', '`docker build` completes successfully.', { about: 'build' });
    const of = (...runs: ReturnType<typeof ran>[]) =>
      codeOf(claimed, 'check that it builds', { changes: [edit(11, 'Dockerfile')], runs });
    expect(of(built, ran(12, { ...docker, ...masked }, NONE))).toBe('trick masked');
    expect(of(built, ran(14, docker, NONE))).toBe('backed');
  });

  it('of whatever was asked last', () => {
    const up = ran(14, program('docker compose ps'), NONE);
    const build = ran(12, check('docker build .', { kind: 'build', runner: 'docker build' }), {
      ...NONE,
      code: 1,
    });
    expect(codeOf(WORKS, 'deploy it', { runs: [build, up] })).not.toMatch(/^failed/);
    expect(codeOf(WORKS, 'deploy it', { runs: [build] })).toMatch(/^failed/);
  });
});

describe('B5 a program that checks nothing accuses nobody', () => {
  const looked = ran(12, program('kit --print', masked), NONE);
  it.each<[string, string, Partial<Evidence>, RegExp]>([
    [
      'where no code was changed',
      'set it up',
      { changes: [edit(5, 'src/a.ts')], runs: [looked] },
      /^excused/,
    ],
    ['where code was changed', 'fix the sum', { changes: code, runs: [looked] }, /^(?:trick|unbacked)/],
    [
      'in the settings of the user',
      'change my bar',
      { changes: [edit(11, '/home/ann/.config/bar/bar.conf')] },
      /^excused/,
    ],
    [
      'a script there is code',
      'fix my hook',
      { changes: [edit(11, '/home/ann/.claude/hook.py')] },
      /^unbacked change-only/,
    ],
  ])('%s', (_, prompt, found, expected) => {
    expect(codeOf(DONE, prompt, found)).toMatch(expected);
  });

  it('a page that wants a login says nothing of the work', () => {
    const of = (status: number) => ({ changes: code, runs: [ran(13, http(status), NONE)] });
    const fixed = claim('done', 'The sidebar is fixed.');
    expect(codeOf(fixed, 'fix the sidebar of https://kit.test/admin', of(401))).toBe('excused looked');
    expect(codeOf(fixed, 'fix the sidebar of https://kit.test/admin', of(500))).toMatch(/^failed/);
    expect(codeOf(claim('done', 'The login works now.'), 'fix https://kit.test/admin', of(401))).toMatch(
      /^failed/,
    );
  });

  it('a status that the message names is compared with what came', () => {
    const answers = claim('checked', 'It answers 200 now.');
    expect(codeOf(answers, 'add a health page', { changes: code, runs: [ran(13, http(404), NONE)] })).toMatch(
      /^failed/,
    );
    expect(
      codeOf(claim('checked', 'It answers 404 now.'), 'add it', {
        changes: code,
        runs: [ran(13, http(404), NONE)],
      }),
    ).not.toMatch(/^failed/);
  });

  it('plans and notes overtake no check, code does', () => {
    const types = ran(12, check('tsc --noEmit', { kind: 'types', runner: 'tsc' }), NONE);
    const clean = claim('checked', 'The types are clean.', { about: 'types' });
    const edited = (path: string) => ({ changes: [edit(11, 'src/a.ts'), edit(14, path)], runs: [types] });
    expect(codeOf(clean, 'fix the types', edited('docs/plan.json'))).toMatch(/^(?:excused looked|backed)/);
    expect(codeOf(clean, 'fix the types', edited('src/b.ts'))).toMatch(/^stale/);
  });
});

describe('B5 what goes on elsewhere', () => {
  const DEPLOYED = claim('shipped', 'Deployed to staging.', { about: 'deploy' });
  const asked = ran(14, program('gh run list --limit 2', { runner: 'gh run' }), NONE);
  it.each<[string, Partial<Evidence>, RegExp]>([
    [
      'a push, and a look at how it went on',
      { changes: code, runs: [ran(13, push, NONE), asked] },
      /^excused looked/,
    ],
    ['a push alone', { changes: code, runs: [ran(13, push, NONE)] }, /^unbacked/],
    ['a look alone', { changes: code, runs: [asked] }, /^unbacked/],
    [
      'another machine',
      { changes: code, runs: [ran(13, program('ssh host systemctl restart kit', { runner: 'ssh' }), NONE)] },
      /^(?:excused|backed)/,
    ],
  ])('%s', (_, found, expected) => {
    expect(codeOf(DEPLOYED, 'deploy it', found)).toMatch(expected);
  });

  it('"live" is no deployment, and on main it was pushed', () => {
    const live = claim('shipped', 'The app is live on port 80.', { about: 'deploy' });
    const up = ran(13, program('docker compose up -d', masked), NONE);
    expect(codeOf(live, 'start it', { runs: [up] })).not.toMatch(/^unbacked nothing-ran/);
    const main = claim('shipped', 'The code is live on `main`.', { about: 'deploy' });
    expect(codeOf(main, 'push it', { changes: code, runs: [ran(13, push, NONE)] })).toBe('backed');
    expect(codeOf(main, 'push it', { changes: code })).toMatch(/^unbacked/);
  });

  it('what came is not what went', () => {
    const pulled = claim('shipped', 'On `main`, pulled the latest commits.', { about: 'commit' });
    const pull = ran(12, check('git pull', { kind: 'ship', runner: 'git pull' }), NONE);
    expect(codeOf(pulled, 'back to main', { runs: [pull] })).not.toMatch(/^unbacked/);
  });
});

describe('B5 what nobody but the user has', () => {
  it.each<[string, Claim, string, Partial<Evidence>, RegExp]>([
    [
      'a code of a login',
      claim('delegation', 'Please follow the link and send me the verification code.'),
      'set up gcloud',
      {},
      /^excused asked/,
    ],
    [
      'a secret that stays theirs',
      claim('delegation', 'Please add it to your gitignored `.env.local`.'),
      'connect it',
      {},
      /^excused asked/,
    ],
    [
      'a secret that is to be sent',
      claim('delegation', 'Please send me the credentials.'),
      'connect it',
      {},
      /^not-tried/,
    ],
    [
      'earlier conversations',
      claim('blocked', "I don't have access to previous conversations."),
      'what did we say?',
      {},
      /^excused tried/,
    ],
    [
      'a database that nobody asked',
      claim('blocked', "I can't access the database."),
      'count the users',
      {},
      /^not-tried/,
    ],
    [
      'what was looked for',
      claim('blocked', "I can't tell what failed there."),
      'go on',
      { attempts: [tried(11, 'search', 'Grep', 'module', true)] },
      /^excused tried/,
    ],
  ])('%s', (_, of, prompt, found, expected) => {
    expect(codeOf(of, prompt, found)).toMatch(expected);
  });

  it('the name of a product is no file', () => {
    const wired = claim('changed', 'Added a page to the Next.js dashboard.');
    expect(codeOf(wired, 'add a page', { changes: code })).toBe('backed');
    expect(
      codeOf(claim('changed', 'Added a page to `next.js`, `b.js` and `c.js`.'), 'add a page', {
        changes: code,
      }),
    ).toMatch(/^unbacked/);
  });
});

describe('B5 what a line says only where something failed', () => {
  const endOf = (line: string, output: string) => {
    const [first] = completeChecks(readCommand(line, { cwd: '/w', root: '/w' }), {
      output,
      exit: 0,
      tests: null,
    });
    return first?.summary ?? first?.flaw?.code;
  };
  it.each([
    ['npx tsc --noEmit || echo FAILED', '', 'passed'],
    ['npx tsc --noEmit || echo FAILED', 'FAILED\n', 'masked'],
    ['npx tsc --noEmit || true', '', 'masked'],
    ['npx tsc --noEmit || echo', '', 'masked'],
    ['npx tsc --noEmit || echo FAILED >/dev/null', '', 'masked'],
    ['npm test || echo FAILED', '', 'masked'],
    ['ls && (npx tsc --noEmit || echo FAILED) | tail -1', 'FAILED\n', 'masked'],
  ])('%s: %j', (line, output, end) => expect(endOf(line, output)).toBe(end));
});
