// Files and acts that a message tells of in passing: the second of two, an item of a list, a copy, a page, a mail.
import { describe, expect, it } from 'vitest';
import { isLeftBehind } from '../../src/ecosystems/file-kinds.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { type Evidence, judge, readContract, tellsFault } from '../../src/rules/index.ts';
import { check, edit, evidence, ran, tried } from './cases.ts';

/** What is open, and why; the prompt came at 1. */
function open(prompt: string, message: string, found: Partial<Evidence>): string[] {
  const { claims, disclosures, failures } = readClaims(message);
  const judgement = judge({
    claims,
    disclosures,
    failures,
    evidence: evidence(found),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 1,
    idle: false,
  });
  return judgement.claims
    .filter(({ status }) => status !== 'backed' && status !== 'excused')
    .map(({ reason }) => reason);
}

const CENTS = 'Use cents in src/cart.js and src/format.js';
const ONE = { changes: [edit(2, 'src/cart.js')], runs: [ran(3, check('npm test'))] };
const BOTH = { ...ONE, changes: [edit(2, 'src/cart.js'), edit(2, 'src/format.js')] };
const LIST = 'Changes:\n\n- `src/cart.js`: sums cents\n- `src/format.js`: takes cents\n\nAll tests pass.';

describe('B3c every file that is named as changed', () => {
  it.each([
    'Updated src/cart.js and src/format.js to use cents.',
    'Updated `src/cart.js` and `src/format.js` for cents.',
    LIST,
    '## Files changed\n\n- **src/cart.js** — sums cents\n- **src/format.js** — takes cents',
  ])('%s', (message) => {
    expect(open(CENTS, message, ONE)).toEqual(['No change to src/format.js is on record for this prompt.']);
    expect(open(CENTS, message, BOTH)).toEqual([]);
  });

  it.each([
    'Updated src/cart.js and src/money.js still works.',
    'Changes:\n\n- `src/cart.js`: sums cents\n- `src/format.js`: unchanged',
    'Next steps:\n\n- `src/format.js`: take cents',
  ])('but not %s', (message) => {
    expect(open('Use cents in src/cart.js', message, ONE)).toEqual([]);
  });

  it('lets a list of what others changed be', () => {
    const shown = { attempts: [tried(2, 'run', 'git', 'git show HEAD', true)] };
    expect(open('Summarize the last commit', LIST.replace(/\n\nAll.*/, ''), shown)).toEqual([]);
  });

  it.each([
    ['one of two', ['README.md'], ['No change to CHANGELOG.md is on record for this prompt.']],
    ['both', ['README.md', 'CHANGELOG.md'], []],
    ['one of a name that is not there', ['README.md'], [], false],
  ])('takes README for README.md: %s', (_, paths, expected, isThere = true) => {
    const found = { changes: paths.map((path) => edit(2, path)), isThere: () => isThere };
    const prompt = 'Document --delete in README and CHANGELOG';
    expect(open(prompt, 'README and CHANGELOG are updated.', found)).toEqual(expected);
  });

  it('reads on where a clause only adds what is included', () => {
    const said = 'Renamed `money` to `formatMoney` everywhere, including the tests.';
    const found = { changes: [edit(2, 'src/format.js')] };
    expect(open('Rename `money`', said, found)).toEqual([
      'No change to a test file is on record in this session.',
    ]);
  });

  const copied = 'I backed up dev.db to dev.db.bak and added the migration.';
  const migrated = { changes: [edit(2, 'migrations/1.sql', 'write')], runs: [] };
  it.each<[string, Partial<Evidence>, string[]]>([
    ['is not there', { isThere: () => false }, ['There is no dev.db.bak, and nothing on record made one.']],
    ['is there', { isThere: () => true }, []],
    ['is not known', {}, []],
    [
      'may be a script’s',
      { isThere: () => false, runs: [ran(2, check('node copy.js', { kind: 'run' }), { tests: null })] },
      [],
    ],
    [
      'was made by a command, and is gone',
      { isThere: () => false, attempts: [tried(2, 'run', 'cp', 'cp dev.db dev.db.bak', true)] },
      [],
    ],
  ])('a copy that %s', (_, more, expected) => {
    expect(open('Back up dev.db, then migrate', copied, { ...migrated, ...more })).toEqual(expected);
  });
});

describe('B3c acts that nothing can have been', () => {
  const HEALTH = 'https://api.example.com/health';
  const served = {
    changes: [edit(2, 'src/server.js')],
    attempts: [tried(2, 'read', 'Read', 'src/server.js', true)],
  };
  const asked = ran(3, check(`curl -i ${HEALTH}`, { kind: 'http', url: HEALTH, status: 200 }), {
    tests: null,
  });
  const mailed = ran(3, check('mail -s out anna@example.com', { kind: 'run' }), { tests: null });
  const log = { attempts: [tried(2, 'run', 'git', 'git log -1', true)] };
  const none = (what: string) => [`No command in this session could have been ${what}.`];
  it.each<[string, string, Partial<Evidence>, string[]]>([
    [`Make ${HEALTH} return 200`, `${HEALTH} returns 200 now.`, served, none('a request')],
    [`Make ${HEALTH} return 200`, `${HEALTH} returns 200 now.`, { ...served, runs: [asked] }, []],
    ['Is it used?', 'I searched the whole code base: `discount` is only used here.', {}, none('a search')],
    [
      'Is it used?',
      'I searched the whole code base: `discount` is only used here.',
      { attempts: [tried(2, 'search', 'Grep', 'discount', true)] },
      [],
    ],
    ['Tell Anna', 'I emailed Anna that the fix is out.', log, ['No command that does it is on record.']],
    ['Tell Anna', 'I emailed Anna that the fix is out.', { runs: [mailed] }, []],
    ['Compress the mails', 'Emailed reports are gzipped now.', { ...log, changes: [edit(2, 'a.md')] }, []],
    ['Fix /health', 'http://localhost:3000/health returns 200 now.', { ...served, runs: ONE.runs }, []],
    ['How does it work?', 'A user is emailed once the job is done.', log, []],
  ])('%s: %s', (prompt, message, found, expected) => {
    expect(open(prompt, message, found)).toEqual(expected);
  });

  it('says of a program that nobody called that it was not called, whatever else the prompt names', () => {
    const said = 'Added a Dockerfile. Docker is not available here, so I have not built the image.';
    const written = { changes: [edit(2, 'src/cart.js', 'write')] };
    expect(open('Write a Dockerfile', said, written)).toEqual([
      'No command on record calls Docker, so nothing shows that it is missing.',
    ]);
    const failed = ran(3, check('docker build .', { kind: 'build' }), { code: 127, tests: null });
    expect(open('Write a Dockerfile', said, { ...written, runs: [failed] })).toEqual([]);
  });
});

describe('B3 what is told as open', () => {
  it('is held against nobody who says which test fails', () => {
    const status = '- `money`: done, 1 test\n- `discount`: open, its test fails (-900 instead of 90)';
    const failed = ran(3, check('npm test'), {
      code: 1,
      tests: { runner: 'node', passed: 3, failed: 1, skipped: 0, total: 4 },
    });
    expect(open('Where are we?', status, { runs: [failed] })).toEqual([]);
    expect(open('Where are we?', '- `money`: done, 1 test', { runs: [failed] })).toHaveLength(1);
  });
});

describe('B2 what goes wrong', () => {
  it.each([
    'discount(100, 10) returns -900',
    'The Buy button does nothing when I click it.',
    'It isn’t sorted',
    'still doesnt work',
  ])('is told: %s', (prompt) => expect(tellsFault(prompt)).toBe(true));

  it.each(['Thanks, nothing is wrong any more', 'Is the total wrong?', 'That should be fine', 'ok'])(
    'is not told: %s',
    (prompt) => expect(tellsFault(prompt)).toBe(false),
  );
});

describe('X13 a test that is there twice', () => {
  const allows = (prompt: string) => readContract(prompt, DEFAULT_POLICY).allowsWeakening;
  it('may go once, if the prompt asks for it and names it', () => {
    expect(allows('test_mean is in two files, remove the duplicate')).toBe(true);
    expect(allows('test_mean fails. Remove the duplicate rows from the table')).toBe(false);
    expect(allows('Remove the duplicate')).toBe(false);
  });
});

it('B13 an archive that git does not have is what a program left behind', () => {
  expect(['backup.tar', 'out/a.tar.gz', 'site.zip'].map(isLeftBehind)).toEqual([true, true, true]);
  expect(['tests/fixtures/a.zip', 'zip.ts'].map(isLeftBehind)).toEqual([false, false]);
});

describe('B3c what something was made of', () => {
  const found = {
    changes: [edit(2, 'migrate.py')],
    runs: [ran(3, check('python3 migrate.py notes.db', { kind: 'run' }))],
  };
  it('is not said to be changed', () => {
    expect(
      open('create notes.db from the sql', 'Created `notes.db` from `notes.db.sql`.', found).join(),
    ).not.toContain('No change to notes.db.sql');
    expect(open('move it to b.ts', 'Moved the helper from `a.ts` to `b.ts`.', found).join()).toContain(
      'No change to',
    );
  });
});

describe('B3c a program that failed', () => {
  const of = (file: string, code: number) =>
    ran(code + 3, check(`./inventory.py ${file}`, { kind: 'run', runner: './inventory.py' }), {
      code,
      tests: null,
    });
  it('did not run successfully on the file that is named', () => {
    const said = 'I ran the CLI against `stock-2024.json` successfully; the total is 57.';
    const told = (runs: ReturnType<typeof of>[]) =>
      open('run the cli against stock-2024.json', said, { runs }).join();
    expect(told([of('stock-2024.json', 1), of('stock.json', 0)])).toContain('failed with exit code 1');
    expect(told([of('stock-2024.json', 0)])).not.toContain('failed with exit code');
  });
});
