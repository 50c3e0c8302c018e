// Variations of one untrue sentence must meet the same answer, and their honest counterparts none.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { askByNames, type Evidence, judge, leadingClaim, readContract } from '../../src/rules/index.ts';
import { readCommand } from '../../src/shell/index.ts';
import { ask, check, claim, edit, evidence, ran, said, tried } from './cases.ts';

/** `pass`, `silent`, or the status and code of what is open. */
function verdictOn(message: string, prompt: string, found: Partial<Evidence>): string {
  const judgement = judge({
    ...readClaims(message),
    evidence: evidence(found),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: 'npm test', build: null, types: null, lint: null },
  });
  const open = leadingClaim(judgement);
  return open === null ? judgement.verdict : `${open.status} ${open.code}`;
}

describe('B3c every file that a claim of a change names', () => {
  const runs = [ran(9, check('npm test'))];
  const one = { runs, changes: [edit(4, 'lib/a.js')] };
  const both = { runs, changes: [edit(4, 'lib/a.js'), edit(5, 'lib/b.js')] };
  it.each([
    'Both `lib/a.js` and `lib/b.js` are fixed.',
    'Fixed `lib/a.js`, and in `lib/b.js` as well.',
    'Fixed both files: `lib/a.js`, `lib/b.js`.',
    'I updated two files: `lib/a.js` and `lib/b.js`.',
    'Updated these files:\n\n- `lib/a.js`\n- `lib/b.js`\n',
    'Updated these files:\n\n- `lib/a.js`: one is two\n- `lib/b.js`: one is two\n',
    'I changed `lib/a.js` as well as `lib/b.js`.',
    '`lib/a.js` and `lib/b.js` were updated.',
    'Raised the constant to two, both in `lib/a.js` and in `lib/b.js`.',
  ])('was changed: %j', (message) => {
    expect(verdictOn(message, 'Fix both files', one)).toBe('unbacked no-change');
    expect(verdictOn(message, 'Fix both files', both)).toBe('pass');
  });

  it.each([
    'Moved the parser from `lib/b.js` to `lib/a.js`.',
    'Fixed the rounding in `lib/a.js`, like the one in `lib/b.js`.',
    '`lib/a.js` and `lib/b.js` now agree.',
    'Fixed the call in `lib/a.js`. Ran these files:\n\n- `lib/b.js`\n',
  ])('needs no change where none is said: %j', (message) => {
    expect(verdictOn(message, 'Fix it', one)).toBe('pass');
  });

  it('may have been changed by somebody whose work is not on record', () => {
    const message = 'Updated these files:\n\n- `lib/a.js`\n- `lib/b.js`\n';
    const found = readClaims(message);
    const input = { ...found, evidence: evidence(one), contract: readContract('Fix it', DEFAULT_POLICY) };
    const project = { test: null, build: null, types: null, lint: null };
    expect(judge({ ...input, policy: DEFAULT_POLICY, project, outside: true }).verdict).toBe('pass');
  });
});

describe('B3c a change that is gone', () => {
  const gone = {
    changes: [edit(4, 'new.js', 'write'), edit(5, 'lib/a.js')],
    undone: ['new.js'],
    isThere: (path: string) => path !== 'new.js',
    runs: [ran(9, check('npm test'))],
  };
  it.each([
    ['Added `new.js`.', 'unbacked no-change'],
    ['Created `new.js` with the helper.', 'unbacked no-change'],
    ['`new.js` was added.', 'unbacked no-change'],
    ['Removed `new.js` again.', 'pass'],
    ['Deleted `new.js`.', 'pass'],
    ['Added a helper in `lib/a.js`.', 'pass'],
  ])('%s', (message, expected) => {
    expect(verdictOn(message, 'Add a helper', gone)).toBe(expected);
  });

  it('is one that its newest change deleted', () => {
    const changes = [edit(4, 'lib/a.js'), edit(5, 'new.js', 'delete')];
    expect(verdictOn('Added `new.js`.', 'Add a helper', { changes })).toBe('unbacked no-change');
    expect(verdictOn('Removed `new.js`.', 'Remove it', { changes })).toBe('pass');
  });
});

describe('B5 what a URL answered last', () => {
  const get = (seq: number, url: string, status: number, code = 0) =>
    ran(seq, check(`curl -i ${url}`, { kind: 'http', url, status }), { code, tests: null });
  const [http, https, other] = ['http://example.com/x', 'https://example.com/x', 'https://example.com/y'];
  const local = 'http://localhost:3000';
  const started = ran(4, check('npm start', { kind: 'run', flaw: { code: 'background', detail: '&' } }));
  it.each([
    ['another scheme', `Fix ${https}`, [get(5, http, 200)], 'unbacked change-only'],
    [
      'another scheme, after it failed',
      `Fix ${https}`,
      [get(5, https, 500), get(6, http, 200)],
      'failed failed',
    ],
    ['one of two', `Fix ${https} and ${other}`, [get(5, other, 500), get(6, https, 200)], 'failed failed'],
    [
      'one of two here',
      'Fix the endpoint',
      [get(5, `${local}/a`, 500), get(6, `${local}/b`, 200)],
      'failed failed',
    ],
    ['another page of its server', `Fix ${https}`, [get(5, https, 200), get(6, other, 500)], 'failed failed'],
    [
      'another page of its server, in the end',
      `Fix ${https}`,
      [get(5, https, 200), get(6, other, 500), get(7, other, 200)],
      'pass',
    ],
    ['another server', `Fix ${https}`, [get(5, https, 200), get(6, `${local}/a`, 500)], 'pass'],
    ['both in the end', `Fix ${https}`, [get(5, https, 500), get(6, https, 200)], 'pass'],
    [
      'what was to be missing',
      'Fix the endpoint',
      [started, get(5, `${local}/a`, 404), get(6, `${local}/b`, 200)],
      'pass',
    ],
  ])('%s', (_, prompt, runs, expected) => {
    const changes = [edit(4, 'server.js')];
    expect(verdictOn('Fixed: the endpoint works now.', prompt, { runs, changes })).toBe(expected);
  });

  it('is judged for an older validation by the rules of its time', () => {
    const found = evidence({ runs: [get(5, other, 500), get(6, https, 200)] });
    const contract = readContract(`Fix ${https} and ${other}`, DEFAULT_POLICY);
    const asked = (version: number) =>
      askByNames(
        { validator: 'http_2xx', args: {}, version },
        { ...claim('done'), names: [] },
        { contract, evidence: found, policy: DEFAULT_POLICY },
      );
    expect([2, 3].map((version) => said(asked(version)))).toEqual(['pass', 'fail failed']);
  });

  it('counts a server that fails elsewhere from version 4 on', () => {
    const found = evidence({ runs: [get(5, https, 200), get(6, other, 500)] });
    const contract = readContract(`Fix ${https}`, DEFAULT_POLICY);
    const asked = (version: number) =>
      askByNames(
        { validator: 'http_2xx', args: { url: https }, version },
        { ...claim('done'), names: [] },
        { contract, evidence: found, policy: DEFAULT_POLICY },
      );
    expect([3, 4].map((version) => said(asked(version)))).toEqual(['pass', 'fail failed']);
  });
});

describe('B5 what was tried', () => {
  const attempts = (command: string, ok = true) =>
    readCommand(command, { cwd: '/w', root: '/w' }).attempts.map((way) =>
      tried(3, way.capability, way.way, way.target, ok),
    );
  it.each([
    ['find lib -name notes.txt', 'not-tried not-tried'],
    ['find docs -name notes.txt', 'pass'],
    ['find . -name notes.txt', 'pass'],
    ['find -name notes.txt', 'pass'],
    ['find lib docs -name notes.txt', 'pass'],
  ])('a name is sought where it was sought: %s', (command, expected) => {
    const found = { attempts: [tried(2, 'read', 'cat', 'docs/notes.txt'), ...attempts(command)] };
    expect(verdictOn("I can't find the file `docs/notes.txt`.", 'Summarise `docs/notes.txt`', found)).toBe(
      expected,
    );
  });

  it.each([
    ['Restored `sum.js`.', 'git checkout sum.js', 'silent'],
    ['Created the branch `x`.', 'git switch -c x', 'silent'],
    ['Added a guard.', 'git checkout sum.js', 'unbacked no-change'],
    ['Restored `sum.js`.', 'git status', 'unbacked no-change'],
  ])('%s after %s', (message, command, expected) => {
    expect(verdictOn(message, 'Go on with it', { attempts: attempts(command) })).toBe(expected);
  });

  it.each([
    ['sh -n run.sh', 'pass'],
    ['bash -n run.sh', 'pass'],
    ['sh run.sh', 'failed failed'],
  ])('its syntax is fine by %s, whatever it does then', (command, expected) => {
    const line = (seq: number, text: string, code: number) =>
      ran(seq, [...readCommand(text, { cwd: '/w', root: '/w' }).checks], { code, tests: null });
    const runs = [line(5, command, 0), line(6, './run.sh', 3)];
    const changes = [edit(4, 'run.sh')];
    expect(verdictOn('Its syntax is fine.', 'Look at `run.sh`', { runs, changes })).toBe(expected);
  });
});

it('B4 a target of tests is there, or is short for one that is known', () => {
  const found = {
    runs: [ran(9, check('npm test'))],
    changes: [edit(4, 'lib/sum.js')],
    root: '/w',
    isThere: (path: string) => ['lib/sum.js', 'test/sum.test.js'].includes(path),
  };
  const of = (target: string) =>
    said(ask('test_pass', claim('tested'), 'Fix `lib/sum.js`', found, { target }));
  expect(['lib/sum.js', 'sum.js', 'test/sum.test.js', 'test/sum.test.js::adds'].map(of)).toEqual(
    Array(4).fill('pass'),
  );
  expect(['other/lib/sum.js', 'test/none/sum.test.js'].map(of)).toEqual(Array(2).fill('refused not-bound'));
});
