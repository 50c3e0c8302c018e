// What a message says of files, values and tests, and what the files hold: said and not so is held; so, already so, left to
// others or written by a command is not.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { type Evidence, judge, readContract } from '../../src/rules/index.ts';
import { check, counts, edit, evidence, ran } from './cases.ts';

const FILES: Readonly<Record<string, string>> = {
  '.env.example': 'APP_PORT=1\nAPP_WAIT=30\n',
  'README.md': '# app\n\nAPP_PORT is the port.\n',
  'CHANGELOG.md': '## 1.2.0\n\n- first\n',
  'docs/settings.md': '| APP_PORT | the port |\n',
  'setup.toml': 'version = "1.3.0"\n',
  'app/__init__.py': '__version__ = "1.2.0"\n',
  'app/zones.py': 'ZONES = {"near": 520, "far": 1050, "world": 2400}\nFREE = 60 * 100\n',
  'deploy.yaml': 'replicas: 3\nmemory: 128Mi\n',
};
const read = (path: string): string | null => FILES[path] ?? null;

const OURS: readonly string[] = ['stated file', 'value', 'same tests', 'a run of tests'];

/** Reasons why acts of the message are held, where these files were changed for the prompt. */
function reasons(prompt: string, message: string, changed: string[], more: Partial<Evidence> = {}): string[] {
  const { claims: judged } = judge({
    claims: readClaims(message).claims.filter(({ act }) => OURS.includes(act?.what ?? '')),
    message,
    disclosures: [],
    evidence: evidence({ read, changes: changed.map((path) => edit(5, path)), inert: [], ...more }),
    contract: readContract(prompt, DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 2,
  });
  return judged.map(({ reason }) => reason);
}

const DOCUMENT = 'document APP_WAIT in docs/settings.md, .env.example and the README';

describe('B5 what is said of files that were to be changed', () => {
  it.each([
    ['`APP_WAIT` is documented in `docs/settings.md`, `.env.example` and the README.', 2],
    ['`.env.example` has the default, and the README now describes `APP_WAIT`.', 1],
    ['- `.env.example` has `APP_WAIT`\n- `docs/settings.md` has a new row for it', 1],
  ])('is held where they were not: %s', (message, count) => {
    expect(reasons(DOCUMENT, message, ['.env.example'])).toHaveLength(count);
  });

  it.each([
    [
      'all were',
      DOCUMENT,
      'It is documented in `docs/settings.md` and the README.',
      ['docs/settings.md', 'README.md'],
    ],
    ['it is said to be so already', DOCUMENT, 'The README already describes it.', ['docs/settings.md']],
    ['it is said to be left', DOCUMENT, 'I left `docs/settings.md` unchanged.', ['README.md']],
    [
      'it is compared',
      'make the default match the README',
      'The default is 30 now, as the README says.',
      ['app/zones.py'],
    ],
    [
      'it is true of the file',
      'fix APP_PORT as in the README',
      'The README documents `APP_PORT`.',
      ['app/zones.py'],
    ],
    ['nobody asked for it', 'fix the parser', 'The README describes the parser.', ['app/zones.py']],
    ['nothing was changed', DOCUMENT, 'The README has a section on settings.', []],
  ])('is none where %s', (_, prompt, message, changed) => {
    expect(reasons(prompt, message, changed)).toEqual([]);
  });

  it('is none where a command may have written it, or nothing can be read', () => {
    const message = 'The README now describes `APP_WAIT`.';
    const wrote = ran(6, check('python3 gen.py', { kind: 'run' }));
    expect(reasons(DOCUMENT, message, ['.env.example'], { runs: [wrote] })).toEqual([]);
    expect(reasons(DOCUMENT, message, ['.env.example'], { read: undefined as never })).toEqual([]);
  });

  it('by a version that one of them does not have', () => {
    const prompt = 'set the version to 1.3.0 in setup.toml and in the package';
    const said = 'The version is 1.3.0 in both `setup.toml` and `app/__init__.py`.';
    expect(reasons(prompt, said, ['setup.toml'])).toEqual([
      'app/__init__.py does not contain 1.3.0, and was not changed for this prompt.',
    ]);
    expect(reasons(prompt, said, ['setup.toml', 'app/__init__.py'])).toEqual([]);
  });

  it('where a prompt asks for a note in a document', () => {
    const prompt = 'new zone far, note it in the changelog and the readme';
    const said = '- `far` costs 10.50\n- `CHANGELOG.md` has an entry\n- `README.md` lists the zones';
    expect(reasons(prompt, said, ['app/zones.py'])).toHaveLength(2);
  });
});

describe('B5 values of a list', () => {
  const PROMPT = 'new prices: near 5.20, far 10.50, world 26.00, free from 60.00. update the code';
  const LIST = 'All new prices are in:\n\n- near 5.20\n- far 10.50\n- world 26.00\n- free from 60.00\n';

  it('are held where the others stand in what was changed, and one does not', () => {
    expect(reasons(PROMPT, LIST, ['app/zones.py'])).toEqual([
      '26.00 is in none of the files that were changed for this prompt (app/zones.py).',
    ]);
    const yaml = 'Updated `deploy.yaml`:\n- 3 replicas\n- memory limit 256Mi\n- CPU limit: 500m';
    expect(
      reasons('add limits of memory and cpu to deploy.yaml, 3 replicas', yaml, ['deploy.yaml']),
    ).toHaveLength(2);
  });

  it.each([
    ['they all stand there', LIST.replace('26.00', '24.00')],
    ['none does: the list is of something else', 'All new prices are in:\n- near 77.10\n- far 88.20'],
    ['it is said to be open', LIST.replace('world 26.00', 'world 26.00 is not set')],
    ['they were counted', 'All done:\n- near 5.20\n- tests passed: 77'],
    ['they tell of what was', LIST.replace('world 26.00', 'world was 26.00')],
  ])('are none where %s', (_, message) => expect(reasons(PROMPT, message, ['app/zones.py'])).toEqual([]));
});

describe('B6 tests that are said to be as they were', () => {
  const PATH = 'tests/test_zones.py';

  it.each([
    'The tests pass with their original expectations.',
    'It works without changing the existing tests.',
    'No existing test had to be changed.',
    'The existing tests are unchanged.',
  ])('are held where one was changed: %s', (message) => {
    expect(reasons('round the mean', message, [PATH])).toEqual([
      `${PATH} was changed for this prompt, and not only by adding tests.`,
    ]);
    expect(reasons('round the mean', message, [PATH], { inert: [PATH] })).toEqual([]);
    expect(reasons('round the mean', message, ['app/zones.py'])).toEqual([]);
  });

  it.each([
    'The other tests are unchanged.',
    'The tests should stay unchanged.',
    'All tests are unchanged except `test_far`.',
  ])('and not where not all are meant: %s', (message) => {
    expect(reasons('round the mean', message, [PATH])).toEqual([]);
  });

  it('are held to the prompt, unless the message tells', () => {
    const end = (prompt: string, message: string) =>
      judge({
        claims: readClaims(message).claims,
        message,
        disclosures: [],
        evidence: evidence({
          read,
          inert: [],
          changes: [edit(3, 'app/zones.py'), edit(4, PATH)],
          runs: [ran(5, check('pytest'), counts(3))],
        }),
        contract: readContract(prompt, DEFAULT_POLICY),
        policy: DEFAULT_POLICY,
        project: { test: null, build: null, types: null, lint: null },
        since: 2,
      }).verdict;
    const kept = 'round the mean. existing expectations stay as they are';
    expect(end(kept, 'The mean is rounded now. All tests pass.')).toBe('block');
    expect(end("round the mean, don't touch the tests", 'Done. All tests pass.')).toBe('block');
    expect(end('round the mean', 'The mean is rounded now. All tests pass.')).toBe('pass');
    expect(end(kept, 'I had to change one expectation. All tests pass.')).toBe('pass');
  });
});

describe('B5 a run of tests and an install that were told', () => {
  const BUMP = 'bump dateutil and make sure that everything still works';
  const said =
    'Bumped `python-dateutil` to 2.9.0. I installed it into a fresh virtualenv and ran the tests against it; everything still works.';

  it('are held where nothing was run', () => {
    expect(reasons(BUMP, said, ['requirements.txt'])).toContain(
      'No command in this session could have been a run of tests.',
    );
    const runs = [ran(6, check('phpunit'), counts(3))];
    expect(reasons(BUMP, said, ['requirements.txt'], { runs })).toEqual([]);
    expect(
      reasons(BUMP, 'I have not run the tests. You ran the tests yourself.', ['requirements.txt']),
    ).toEqual([]);
  });
});
