// The reader of claims: what it was learned from, what it must never miss and never see, and that hostile text costs no more
// than its length. How often it is right is measured by claims-corpus.test.ts, claim-lines.test.ts and `npm run measure`.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { digestOf, WEIGHTS } from '../../scripts/train-claims.mjs';
import { piecesOf } from '../../src/claims/pieces.ts';
import { parseWeights } from '../../src/claims/reader.ts';
import { readSaid } from '../../src/claims/said.ts';
import { readClaims } from '../../src/gate/read-claims.ts';

const typesIn = (text: string): string =>
  readClaims(text)
    .claims.map(({ type }) => type)
    .join(' ');
const sureIn = (text: string): string =>
  readClaims(text)
    .claims.filter(({ unsure }) => !unsure)
    .map(({ type }) => type)
    .join(' ');

describe('B3a the weights', () => {
  it('were learned from the messages that are in the corpus now, as they are seen now', async () => {
    const weights = parseWeights(readFileSync(WEIGHTS));
    expect(Buffer.from(weights?.learnedFrom ?? []).toString('hex')).toBe(await digestOf());
  });

  it('are refused where the file is cut, longer, or another', () => {
    const bytes = readFileSync(WEIGHTS);
    expect(parseWeights(bytes)).not.toBeNull();
    for (const other of [
      Buffer.alloc(0),
      bytes.subarray(0, 40),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.from([0])]),
      Buffer.from('x'.repeat(4096)),
      bytes.with(2000, 200),
    ])
      expect(parseWeights(other)).toBeNull();
  });
});

describe('B3a what is no claim, whatever it looks like', () => {
  it('a list item without a verb', () => {
    expect(typesIn('Summary of changes:\n- New import converters\n- Tab tooltips')).toBe('');
    expect(typesIn('Changes\n\n- New import converters\n- Added a dark palette')).toBe('changed');
  });

  it('the lines of its memory that Codex names', () => {
    const cited = 'MEMORY.md:12-19|note=[fixed the parser and all tests passed]';
    expect(typesIn(`Pushed to \`main\`.\n\n<oai-mem-citation>\n${cited}\n</oai-mem-citation>`)).toBe(
      'shipped',
    );
    expect(typesIn('MEMORY.md says: fixed the parser and all tests passed')).not.toBe('');
  });
});

describe('B3a no more is said than that it was shipped or tested', () => {
  it.each([
    ['I have shipped it.', 'shipped'],
    ['I’ve shipped it.', 'shipped'],
    ['We have shipped it!', 'shipped'],
    ['The feature has shipped.', 'shipped'],
    ['Fix shipped.', 'shipped'],
    ['The change has landed.', 'shipped'],
    ['I have rolled it out.', 'shipped'],
    ['I have tested it.', 'tested'],
    ['Tested it.', 'tested'],
    [`${'word '.repeat(50)}all tests pass.`, 'tested'],
  ])('%s', (message, types) => {
    expect(sureIn(message)).toBe(types);
  });

  it.each([
    'You have tested it yourself.',
    'I have not tested it.',
    'Once shipped, it will be live.',
    'The release has shipped last year.',
    'It should be tested.',
    'Have you shipped it?',
    `${'word '.repeat(50)}until all tests pass.`,
  ])('but not %s', (message) => {
    expect(sureIn(message)).toBe('');
  });
});

it('B3a an order that is ticked off was carried out', () => {
  expect(sureIn('- [x] Fix login\n- [x] Run tests\n- [ ] Push')).toBe('done tested');
  expect(typesIn('- [x] Read the code\n- [ ] Fix login')).toBe('');
});

it('B3a of a list of what was not shipped nothing is claimed', () => {
  expect(typesIn('Nothing is committed, tagged or published yet.')).toBe('');
  expect(typesIn('Nothing is broken, committed and pushed.')).toBe('shipped shipped');
});

it.each([
  ['Only the guide changed, so I ran no tests.', 1],
  ['I ran no checks either.', 1],
  ['I ran no tests that wait.', 0],
  ['It ran, no tests fail.', 0],
])('B3a who ran none says so: %s', (text, count) => {
  expect(readClaims(text).disclosures).toHaveLength(count);
});

it('B3a a disclosure in brackets does not take back what stands before them', () => {
  expect(typesIn('Opened a pull request (tests not run).')).toBe('shipped');
  expect(readClaims('Opened a pull request (tests not run).').disclosures).toHaveLength(1);
});

it.each([
  ['Whether it holds on Windows is not verified.', 1],
  ['Whether the cache survives a restart has not been tested.', 1],
  ['Whether that is fast enough is still untested.', 1],
  ['Whether it is verified is not my decision.', 0],
  ['If the token is not verified, the request is refused.', 0],
])('B3f an open question may disclose: %s', (text, count) => {
  expect(readClaims(text).disclosures).toHaveLength(count);
});

describe('B3a the pieces of a sentence', () => {
  const pieces = (text: string) =>
    piecesOf(readSaid(text).said).map(({ tokens }) => tokens.map((token) => token.text).join(' '));

  it.each([
    [
      'Renamed the driver, updated its callers, and everything compiles.',
      ['renamed the driver', 'updated its callers', 'everything compiles'],
    ],
    ['Fixed the parser, the lexer and the printer.', ['fixed the parser , the lexer and the printer']],
    ['Tests: 40 passed.', ['tests', '40 passed']],
    ['`a.ts` — added a guard.', ['`a.ts`', 'added a guard']],
    ['I pushed it, which started the build.', ['i pushed it , which started the build']],
    ['The hooks passed (lint clean, types clean).', ['the hooks passed ( lint clean , types clean']],
    ['No threads were resolved or replied to.', ['no threads were resolved or replied to']],
    ['Ticked T016–T018 as done.', ['ticked t016-t018 as done']],
  ])('%s', (text, expected) => {
    expect(pieces(text)).toEqual(expected);
  });

  it('are no more than anybody writes', () => {
    expect(pieces('it is, '.repeat(50))).toHaveLength(16);
  });
});

describe('B3a what a sentence stands under', () => {
  const under = (text: string) => {
    const last = readSaid(text).said.at(-1);
    return `${last?.section}: ${last?.lead.map((token) => token.text).join(' ')}`;
  };

  it.each([
    ['Changes made\n- Dropped the flag.', 'plain: changes made'],
    ['- Changes made\n  - `ci.yml`\n    - Dropped the flag.', 'plain: `ci.yml`'],
    ['- Docs\n  - Added a page.\n- Tests\n  - Added a case.', 'plain: tests'],
    ['All is well.\n- Dropped the flag.', 'plain: '],
    ['Roadmap candidates\n- Signed links.', 'open: roadmap candidates'],
    ['Left for later:\n- Search:\n  - Indexed titles.\n- Signed links.', 'open: left for later :'],
    ['Updated the remaining callers:\n- Passed the clock.', 'plain: updated the remaining callers :'],
    ['Went on with the next two:\n- Added a page.', 'plain: went on with the next two :'],
    ['Status and next steps\n- Pushed it.', 'plain: status and next steps'],
    ['Unresolved questions:\n- Signed links?', 'open: unresolved questions :'],
  ])('%s', (text, expected) => {
    expect(under(text)).toBe(expected);
  });
});

describe('B3a what must be seen', () => {
  it.each([
    ['done', 'Done.'],
    ['done', 'Fixed.'],
    ['done', 'Fixed the crash in the parser.'],
    ['tested', 'All 42 tests pass.'],
    ['shipped', 'The fix has been deployed.'],
    ['shipped', 'Commit successful.'],
    ['shipped', 'I pushed the branch.'],
    ['changed', '- Added a retry to `client.ts`.'],
    ['changed', '✅ Added a retry to the client'],
    ['done tested', 'Fixed the crash. All 42 tests pass.'],
    ['changed checked shipped', 'Bumped `serde`, built it without warnings, and opened PR #418.'],
    ['tested checked', 'All 73 BATS tests pass, and lint is clean.'],
    ['changed tested', 'Added a retry to the client, and all tests pass after the change.'],
    ['tested', 'The unit tests confirm it.'],
    ['checked', '`curl localhost:3000/health` returns 200 OK.'],
    ['checked', 'PHPStan is clean at level 8.'],
    ['shipped', 'The deployment is live.'],
  ])('%s: %s', (types, text) => {
    expect(sureIn(text)).toBe(types);
  });
});

describe('B3a what claims nothing', () => {
  it.each([
    ['a question', 'Are all 42 tests passing now?'],
    ['an open box', '- [ ] All 42 tests pass'],
    ['a cross', '❌ All 42 tests pass'],
    ['code', '`all tests pass`'],
    ['a quote', '> All 42 tests pass.'],
    ['a plan', '## Next steps\n\n- Fixed width columns'],
    ['a disclosure', 'I have not run the tests.'],
    ['a disclosure in few words', 'No automated tests run; please try the form.'],
    ['a disclosure before a colon', 'Not verified: the fixed parser on Windows.'],
    ['failing tests', 'The tests fail: 2 of 2.'],
    ['failing tests among passing ones', '40 passed, 2 failed.'],
    ['the state of others', '| Agent | State |\n| --- | --- |\n| Deacon | Active |'],
    ['a description', 'The package is published under MIT.'],
    ['how code behaves', 'The cache is keyed by the path of the file.'],
    ['an intention', 'Next, I would add a retry.'],
    ['advice', 'Set `API_KEY` in `.env` and restart the server.'],
    ['a title', '## What I fixed'],
    ['what tests hang on', 'All tests pass if `sum` adds.'],
    ['what tests wait for', 'All tests pass when `sum` adds; at the moment it subtracts.'],
    [
      'what words mean',
      '| Status | Meaning |\n| --- | --- |\n| Passed | all tests pass |\n| Done | merged |',
    ],
  ])('%s', (_, text) => {
    expect(typesIn(text)).toBe('');
  });

  it('but a condition that is of the run, and a table that says what became of things, claim', () => {
    expect(typesIn('All tests pass when run with `--shuffle`.')).toBe('tested');
    expect(typesIn('All tests pass if you run `npm test`.')).toBe('tested');
    expect(typesIn('| Step | Result |\n| --- | --- |\n| Tests | all tests pass |')).toBe('tested');
  });

  it('holds nobody to an explanation', () => {
    const text =
      'Here is how a release works. The workflow runs on main. The tag is pushed. Then npm gets the package. After that the site is deployed.';
    expect(sureIn(text)).toBe('');
  });
});

describe('B3a the claims', () => {
  it('quote a clause without what joins it, and with its label', () => {
    const { claims } = readClaims('All 73 BATS tests pass, and lint is clean.\n\nTests: 40 passed.');
    expect(claims.map(({ type, quote }) => [type, quote])).toEqual([
      ['tested', 'All 73 BATS tests pass'],
      ['checked', 'lint is clean'],
      ['tested', 'Tests: 40 passed'],
    ]);
  });

  it('quote what was seen with the command that shows it', () => {
    const { claims } = readClaims('Not needed. I ran `acme whoami`, and the token is still valid.');
    expect(claims.flatMap(({ quote, act }) => (act === undefined ? quote : []))).toEqual([
      'I ran `acme whoami`, and the token is still valid',
    ]);
  });

  it('are of something that was checked where they seem to be of tests and name none', () => {
    expect(typesIn('Off-by-one fixed (`head` wrapped at `len - 1`). 19/19.')).toBe('done checked');
  });

  it('are the same every time', () => {
    const text = 'Moved the parser to `src/parse.ts`. All tests pass, lint is clean.';
    expect(readClaims(text)).toEqual(readClaims(text));
  });

  it('follow the phrases of the policy', () => {
    const add = [{ type: 'done' as const, phrase: 'on the trains' }];
    expect(readClaims('The change is on the trains.', { add, remove: [] }).claims).toMatchObject([
      { type: 'done', unsure: false },
    ]);
    expect(readClaims('Fixed the crash.', { add: [], remove: ['fixed'] }).claims).toEqual([]);
  });

  it('can be read in any text', () => {
    for (const text of ['', '\0', '`', '# ', '|'.repeat(5000), 'a'.repeat(100_000), 'done, '.repeat(20_000)])
      expect(() => readClaims(text)).not.toThrow();
  });

  it('are read behind a path with a backslash before underscores', () => {
    expect(typesIn('See src\\pkg\\__init__.py for the details.\n\nAll tests pass.')).toBe('tested');
  });
});

describe('B3a what stands in brackets, and behind them', () => {
  const typesIn = (text: string) => readClaims(text).claims.map(({ type, about }) => about ?? type);
  it.each([
    [
      'The patch is on `fix/a` (tests pass, pushed), and I opened a pull request against `main`.',
      ['push', 'tested', 'pr'],
    ],
    ['Committed as `abc1234` (all 12 tests green).', ['commit', 'tested']],
    ['Renamed it (the tests would pass either way).', ['changed']],
    ['I added `Len()` and a test, `TestLen`, which passes.', ['changed', 'tested']],
    ['I added a test, `TestLen`, which passes an empty list.', ['changed']],
    ['I added a test, `TestLen`, which would not have passed.', ['changed']],
    ['Added the flag (see `cli.ts`), and I pushed it.', ['changed', 'push']],
  ])('%s', (text, expected) => {
    expect(typesIn(text)).toEqual(expected);
  });
  it('a quote keeps its bracket', () => {
    expect(readClaims('All tests pass (6 of 6).').claims[0]?.quote).toBe('All tests pass (6 of 6)');
  });
});
