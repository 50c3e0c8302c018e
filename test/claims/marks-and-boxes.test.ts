// Claims without a sentence: a tick behind a colon, a dash or in a cell of a table, a box that is ticked or left open, a cross,
// a list of values. The sentences are not those that the reader has learned from.
import { describe, expect, it } from 'vitest';
import { readSaid } from '../../src/claims/said.ts';
import { readClaims } from '../../src/gate/read-claims.ts';

const sureIn = (text: string): string[] =>
  readClaims(text)
    .claims.filter(({ unsure }) => !unsure)
    .map(({ type }) => type);
const table = (head: string, ...rows: string[]): string => [head, '|---|---|', ...rows].join('\n');

describe('B3a a tick behind what it is said of', () => {
  it.each([
    ['Integration tests: ✅', ['tested']],
    ['**Jest:** ✅', ['tested']],
    ['Typecheck — ✅', ['checked']],
    ['- Prettier: ✅\n- Component tests: ✅', ['checked', 'tested']],
    [table('| Step | Outcome |', '| Contract tests | ✅ |'), ['tested']],
    [table('| Job | Status |', '| ESLint | ✅ |', '| Unit tests | ✅ |'), ['checked', 'tested']],
    ['| Suite | Runner | Result |\n|---|---|---|\n| Backend tests | pytest | ✅ |', ['tested']],
    ['- [x] Component tests', ['tested']],
  ])('%j', (text, types) => {
    expect(sureIn(text)).toEqual(types);
  });

  it('is quoted with it', () => {
    expect(readClaims('Integration tests: ✅').claims[0]?.quote).toBe('Integration tests: ✅');
    const { claims } = readClaims(table('| Step | Outcome |', '| Contract tests | ✅ |'));
    expect(claims[0]?.quote).toContain('Contract tests');
  });

  it('in a wide table is said of its row where its column is one of results', () => {
    const said = (head: string) =>
      readSaid(`| Suite | Runner | ${head} |\n|---|---|---|\n| Backend | pytest | ✅ |`)
        .said.at(-1)
        ?.tokens.map(({ text }) => text);
    expect(said('Result')).toEqual(['backend', '✅']);
    expect(said('Nightly')).toEqual(['✅']);
  });

  it.each([
    'Integration tests: ❌',
    table('| Step | Outcome |', '| Contract tests | ❌ |'),
    '| Tier | Exports | Audit log |\n|---|---|---|\n| Small | ❌ | ✅ |\n| Large | ✅ | ✅ |',
    table('| Database | Supported |', '| MariaDB | ✅ |', '| DuckDB | ✅ |'),
  ])('but not in %j', (text) => {
    expect(sureIn(text)).toEqual([]);
  });
});

describe('B3a a cross', () => {
  it.each([
    ['❌ Could not open a session on the broker', ['blocked']],
    ['❌ Unable to reach the licence server', ['blocked']],
    ['❌ All 12 specs pass', []],
    ['❌ Published the crate', []],
  ])('takes back all but an obstacle: %s', (text, types) => {
    expect(sureIn(text)).toEqual(types);
  });
});

describe('B3f an open box', () => {
  const disclosed = (text: string) => readClaims(text).disclosures;

  it.each(['run the specs', 'Verify it on Windows', 'Test the export', 'unit tests'])(
    'says that this was not done: %s',
    (order) => {
      expect(disclosed(`- [x] edit \`a.ts\`\n- [ ] ${order}`)).toEqual([order]);
    },
  );

  it.each(['Add a test', 'Push', 'Write integration tests', 'Rename the test helpers'])(
    'says nothing of what was verified: %s',
    (order) => {
      expect(disclosed(`- [x] edit \`a.ts\`\n- [ ] ${order}`)).toEqual([]);
    },
  );

  it('is none where it is ticked', () => {
    expect(disclosed('- [x] run the specs')).toEqual([]);
  });
});

describe('B3a values that answer a question', () => {
  it.each([
    'Ticket states: new, fixed, released.',
    'The possible values are: merged, deployed, tested.',
    'Build stages: compiled, tested, published.',
  ])('claim nothing: %s', (text) => {
    expect(sureIn(text)).toEqual([]);
  });

  it('are single words', () => {
    expect(sureIn('Final states: all 12 tests pass, and the crate is published.')).toEqual([
      'tested',
      'shipped',
    ]);
  });
});

describe('B3a where it is now, what is left, what is missing', () => {
  it.each([
    ['`ledger@4.1.0` is on npm now.', ['shipped']],
    ['It is up on PyPI as 0.4.2.', ['shipped']],
    ['The hotfix landed on develop.', ['shipped']],
    ['The migration is on main now.', ['shipped']],
    ['The chart is pushed to the registry.', ['shipped']],
    ['The new release is in production now.', ['shipped']],
    ['No failing specs remain.', ['tested']],
    ['Nothing fails at all.', ['tested']],
    ['I took care of the race.', ['done']],
    ['The upload is working as intended.', ['done']],
    ['There is no network in this environment.', ['blocked']],
    ['The host is not reachable from this machine.', ['blocked']],
    ['The binary is not installed here.', ['blocked']],
    ['Would you mind pasting the stack trace?', ['delegation']],
    ['Just drop the contents of the log here.', ['delegation']],
  ])('%s', (text, types) => {
    expect(sureIn(text)).toEqual(types);
  });

  it.each([
    'Nothing fails if the flag is off.',
    'Once the hotfix lands on develop, the job starts.',
    'When the host is not reachable, the client waits.',
    'The script stops where the binary is not installed.',
    'Would you mind if I deleted the branch?',
    'Can you confirm that I should drop the column?',
  ])('but not %s', (text) => {
    expect(sureIn(text)).toEqual([]);
  });
});
