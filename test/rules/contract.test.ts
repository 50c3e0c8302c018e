// What is read from a prompt: each line is one prompt and exactly what must be found in it.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { contractYaml } from '../../src/cli/contract-yaml.ts';
import { DEFAULT_POLICY, parseClaimPolicy } from '../../src/policy/index.ts';
import { harmless } from '../../src/report/index.ts';
import { readContract } from '../../src/rules/index.ts';
import { isAllowed } from '../../src/rules/weakening-consent.ts';

const read = (prompt: string) => readContract(prompt, DEFAULT_POLICY);

describe('B2a paths of a prompt', () => {
  it.each<[string, string[]]>([
    ['Fix the crash in src/parser.ts', ['src/parser.ts']],
    ['Fix `src/parser.ts:42` and src/a.ts:3:9.', ['src/parser.ts', 'src/a.ts']],
    ['see src/a.ts#L10-L20, then lib/b.rb(4,2)', ['src/a.ts', 'lib/b.rb']],
    ['look at @src/a.ts and @docs/', ['src/a.ts', 'docs/']],
    ['change the Makefile, /etc/hosts and /Makefile', ['Makefile', '/etc/hosts', '/Makefile']],
    ['update ./scripts/run and ../other/x.py', ['./scripts/run', '../other/x.py']],
    ['rename parser.py to "reader.py"', ['parser.py', 'reader.py']],
    ['the tests in tests/unit/ and src/parser fail', ['tests/unit/', 'src/parser']],
    ['In `billing/invoice` the sum is off', ['billing/invoice']],
    ['(src/a.ts), **src/b.ts**; src/c.ts!', ['src/a.ts', 'src/b.ts', 'src/c.ts']],
    ["parser.ts's tokenizer is slow", ['parser.ts']],
    ['fix .github/workflows/ci.yml and .eslintrc', ['.github/workflows/ci.yml', '.eslintrc']],
    ['run `pytest tests/test_a.py::test_b -q`', ['tests/test_a.py']],
    ['Fix src/[id]/page.tsx and `app/[[...slug]].ts`', ['src/[id]/page.tsx', 'app/[[...slug]].ts']],
    [
      'Fix app/(shop)/[...slug]/page.tsx and `app/(.)photo/(group)/a.tsx`',
      ['app/(shop)/[...slug]/page.tsx', 'app/(.)photo/(group)/a.tsx'],
    ],
    ['C:\\repo\\src\\a.ts is broken', ['C:/repo/src/a.ts']],
    ['it fails:\n```\n  File "src/app.py", line 3\n  at node_modules/x/y.js\n```', ['src/app.py']],
    ['Fix "src/with space/a b.js" please', ['src/with space/a b.js']],
    ['Fix `src/with space/a b.js` please', ['src/with space/a b.js']],
    ["Fix 'src/with space/a b.js:12'.", ['src/with space/a b.js']],
    ['Fix src/with\\ space/a\\ b.js, then test it', ['src/with space/a b.js']],
    ['Fix “My Documents/report one.py” now', ['My Documents/report one.py']],
    ['Fix "C:\\Users\\me\\My Project\\a.js"', ['C:/Users/me/My Project/a.js']],
    ['Run `node "src/with space/a b.js"`', ['src/with space/a b.js']],
    ['It says "cannot find src/a.js" and "src/b.js and src/c.js fail"', ['src/a.js', 'src/b.js', 'src/c.js']],
    ['Run `bin/rails test models/a.rb`', ['models/a.rb']],
    ["Don't touch src/a.js, it isn't broken; src/b.js is", ['src/a.js', 'src/b.js']],
    ['Rename "a b.js" to "c d.js"', ['a b.js', 'c d.js']],
    ["Update 'my file.txt' and “über uns.md”", ['my file.txt', 'über uns.md']],
    ['Add `my notes.md` and \'old data.csv\' to "./my dir/"', ['my notes.md', 'old data.csv', './my dir/']],
    [
      'Look at "Screenshot 2026-05-01 at 10.00.00.png" and "Meeting notes.md"',
      ['Screenshot 2026-05-01 at 10.00.00.png', 'Meeting notes.md'],
    ],
    ['It says "cannot find module foo.js", "Missing file b.js", "see c.md"', ['foo.js', 'b.js', 'c.md']],
    ['Run `report input.csv`, then `cat notes.md` and `./mvnw verify pom.xml`', ['pom.xml']],
  ])('%s', (prompt, paths) => {
    expect(read(prompt).fields.paths).toEqual(paths);
  });

  it.each([
    'support TCP/IP and/or UDP w/o n/a I/O',
    'read https://example.org/docs/a.html and http://x.org/src/b.ts',
    'bump to v1.2.3/4.5, 1/2 of it by 2026/11/15 or 11/15/2026, 24/7',
    'upgrade Node.js and Next.js, e.g. to 3.4',
    'CI/CD, client/server, yes/no, read/write',
    'the `/login` route and /api/users return `application/json`',
    'install @types/node and `@scope/pkg`; rebase on `origin/main`',
    'call `console.log`, `user.name` and `process.env`',
    'all .ts files',
    'fix it',
  ])('none in: %s', (prompt) => {
    expect(read(prompt).fields.paths).toEqual([]);
  });
});

describe('B2a URLs, tokens, commands', () => {
  it.each<[string, string[]]>([
    ['read https://example.org/a.', ['https://example.org/a']],
    ['see [docs](https://example.org/a(b)c), ok?', ['https://example.org/a(b)c']],
    ['<https://example.org/x?y=1&z=2>!', ['https://example.org/x?y=1&z=2']],
    ['`curl -f https://example.org/health`', ['https://example.org/health']],
    ['GET localhost:3000/health must work', ['localhost:3000/health']],
    [
      'Fix https://me:[REDACTED:url-password]@example.org/x.',
      ['https://me:[REDACTED:url-password]@example.org/x'],
    ],
    ['[https://example.org/a] and http://[::1]:3000/x', ['https://example.org/a', 'http://[::1]:3000/x']],
    ['https://', []],
  ])('urls: %s', (prompt, urls) => {
    expect(read(prompt).fields.urls).toEqual(urls);
  });

  it.each<[string, string[]]>([
    ['rename `foo` to ``b`ar`` and ` spaced `', ['foo', 'b`ar', 'spaced']],
    ['an `unclosed one\n\nand `another` here', ['another']],
    ['```ts\nconst a = `x`;\n```\n`y`', ['y']],
    ['~~~\n`x`\n~~~', []],
  ])('tokens: %s', (prompt, tokens) => {
    expect(read(prompt).fields.backtick_tokens).toEqual(tokens);
  });

  it.each<[string, string[]]>([
    ['make `npm test` and `pytest -q` pass', ['npm test', 'pytest -q']],
    ['Run npm test and fix what fails', ['npm test']],
    ['please run pytest -q.', ['pytest -q']],
    ['```sh\n$ make check\nnpm run build\n```', ['make check', 'npm run build']],
    ['```\n$ go test ./...\nok  x\nmake: nothing\n```', ['go test ./...']],
    ['the `node` binary and the `make` target; `foo bar`', ['make']],
    ['run the tests', []],
    ['`CI=1 npm run lint`', ['CI=1 npm run lint']],
    ['`./scripts/check.sh`', ['./scripts/check.sh']],
  ])('commands: %s', (prompt, commands) => {
    expect(read(prompt).fields.command_hints).toEqual(commands);
  });
});

describe('B2a intent', () => {
  it.each([
    ['Fix the parser', 'fix'],
    ['fix it', 'fix'],
    ['The CSV importer drops the last row, please fix', 'fix'],
    ['Can you add a flag?', 'add'],
    ['Why does it fail? Fix it.', 'fix'],
    ['Look into the flake and fix it', 'fix'],
    ['Remove the old exporter', 'remove'],
    ['commit and push', 'ship'],
    ['Run the tests', 'test'],
    ['Update the README', 'document'],
    ['How would you split the module?', 'investigate'],
    ['Explain the cache', 'investigate'],
    ['What does the add function do?', 'investigate'],
    ['the add button is red', 'other'],
    ['the add button is broken', 'fix'],
    ['thanks!', 'other'],
    ["don't change anything", 'other'],
  ])('%s → %s', (prompt, intent) => {
    expect(read(prompt).intent).toBe(intent);
  });

  it('a vague prompt gives an honest, empty contract', () => {
    const { fields, ladder, allowsWeakening } = read('fix it');
    expect([fields.paths, fields.urls, fields.backtick_tokens, fields.command_hints, ladder]).toEqual(
      Array(5).fill([]),
    );
    expect(allowsWeakening).toBe(false);
  });

  it('B2b the ladder has a hop for each way to each thing that is named', () => {
    const { ladder, expected } = read('Fix src/a.ts as https://example.org/x says, then run `npm test`');
    expect(ladder.map(({ capability, target }) => `${capability} ${target}`)).toEqual([
      'fetch https://example.org/x',
      'read src/a.ts',
      'search src/a.ts',
      'run npm test',
    ]);
    expect(expected).toEqual(['test_pass', 'command_zero_exit', 'http_2xx', 'file_diff_present']);
    expect(read('Check that https://example.org/x answers').expected).toEqual(['test_pass', 'http_2xx']);
    expect(read('what is this?').expected).toEqual([]);
  });

  it('what is to be made is not there to be had', () => {
    const targets = (prompt: string): string[] => read(prompt).ladder.map(({ target }) => target);
    expect(targets('Sync the contacts from data/crm.csv into contacts.json')).toEqual([
      'data/crm.csv',
      'data/crm.csv',
    ]);
    expect(targets('Create a new file `src/clock.ts`')).toEqual([]);
    expect(targets('Export it as out.csv')).toEqual([]);
    expect(targets('Look into src/a.ts and write src/b.ts anew').length).toBe(4);
    expect(read('Write it to out.json').fields.paths).toEqual(['out.json']);
  });
});

describe('X13b leave to weaken tests', () => {
  it.each([
    'Skip the failing tests for now',
    'please delete the exporter and its tests',
    'Disable the flaky test',
    'Remove test/legacy.test.ts',
    'mark the two slow specs as skipped',
    'lower the coverage threshold to 70',
    'Just skip tests that need the network',
    'Skip the tests in `test/net.test.ts`, there is no network here',
    'Skip the test `adds nothing`',
    "Skip the tests 'adds' and 'takes away'",
    'Skip these tests: adds, takes away',
    'ignore the flaky login specs',
    'Remove `test/legacy.test.ts`',
    'Delete the tests of the old parser',
    'Skip the snapshot assertions',
    'Mark test_clock as skipped until the parser is done',
    'Disable TestClock for now, it is being rewritten.',
    'Mute `TestClock`, please',
    'Turn off TestClock until Monday.',
    'test_clock fails on CI. xfail it.',
    "The 'unknown path' server test hangs on Windows. skip it for now with a TODO",
    'the net test is flaky because the stopword host is gone, skip it for now. and fix the dash bug',
    'subtractive test fails, i know. mark it #[ignore] with a note, we do it next sprint',
    'Two specs of the login keep timing out. Disable them until Monday.',
    'Could you remove the flaky date test?',
    'Should we skip the date test? Yes, until Monday.',
    'mileage() in src/fees.js is not used by anything any more. Remove it with its test.',
    'test_due_on_the_day is a pain until we decide (issue 41). Mark it as skipped with that reason please.',
  ])('is in: %s', (prompt) => {
    expect(read(prompt).allowsWeakening).toBe(true);
  });

  it.each([
    "fix the bug, don't skip tests",
    'make the tests pass without deleting any test',
    'Remove the flag and run the tests',
    'Remove the flag and update the tests',
    'Remove dead code; all tests must pass',
    'Remove the console.log calls from the tests',
    'delete the cache, tests should stay green',
    'remove the test button',
    'never remove assertions',
    'make the checkout tests pass',
    'fix test/legacy.test.ts',
    'Skip the tests and fix the parser',
    'Remove the flag, but not with its tests',
    'Read the log with its tests. Delete the cache.',
    'Skip the tests.',
    'Skip tests for now and fix the parser',
    'Skip all tests for the moment, just fix it',
    'skip the test suite, fix src/a.ts',
    'Skip the unit tests and fix the parser',
    'skip running the tests',
    'Skip writing tests for the parser',
    'Ignore the tests, fix `src/a.ts`',
    'Skip the tests and fix test/parser.test.ts',
    'Skip the tests and fix `test/parser.test.ts`',
    'Remove `src/legacy.ts`, and fix `test/parser.test.ts`',
    'Drop the tests in favour of speed',
    "Don't disable TestClock, fix it.",
    'Ignore the testdata folder',
    'Skip testing and fix the parser',
    'Mark the button as disabled',
    'Drop the flaky clock test? no - find out why it is flaky.',
    'Should we skip the date test? No, fix it.',
    'Can we remove the date test?\n\nNo: repair it.',
    'Delete test/legacy.test.ts? Not before it is ported.',
    'Why do we skip the date test?',
    'The parser has a cache with no tests. Disable it.',
    'The date test fails. Fix it.',
    'The header breaks on phones. Skip it for now.',
  ])('is not in: %s', (prompt) => {
    expect(read(prompt).allowsWeakening).toBe(false);
  });
});

describe('X13b leave to weaken is of the tests that are named', () => {
  const isLeave = (prompt: string, of: string): boolean =>
    isAllowed(
      { path: 'tests/test_a.py', what: 'skipped', lines: [`@pytest.mark.skip (${of})`] },
      read(prompt),
    );
  it.each([
    ['Mark test_clock as skipped', 'test_clock', 'test_zone'],
    ['Disable TestClock for now', 'TestClock', 'TestClockSkew'],
    ['Mute `TestClock`', 'TestClock', 'TestZone'],
    ['test_clock fails on CI. xfail it.', 'test_clock', 'test_zone'],
  ])('%s', (prompt, named, other) => {
    expect([isLeave(prompt, named), isLeave(prompt, other)]).toEqual([true, false]);
  });
  const skipped = (prompt: string, title: string, path = 'test/cart.test.js'): boolean =>
    isAllowed({ path, what: 'skipped', lines: [`test.skip('${title}', () => {`] }, read(prompt));
  it.each([
    ["Skip the test 'total of nothing is zero' and fix `total`.", 'total of nothing is zero'],
    ['Skip the test "total of nothing is zero" and fix `total`.', 'total of nothing is zero'],
    ['Skip the “total of nothing is zero” cart test, and fix `total`.', 'total of nothing is zero'],
    ['Disable the discount test and fix `total` in src/cart.js.', 'discount takes off a share'],
    ['Could you remove the flaky discount test?', 'discount takes off a share'],
    ["Skip the tests 'adds none' and 'discount takes off a share' in test/cart.test.js", 'adds none'],
  ])('%s', (prompt, title) => {
    expect([skipped(prompt, title), skipped(prompt, 'total adds prices')]).toEqual([true, false]);
  });

  it('whatever file it is in, if that is only its place', () => {
    const inFile = 'Skip test_line in tests/test_a.py, and fix parse_amount in src/parse.py';
    expect([isLeave(inFile, 'test_line'), isLeave(inFile, 'test_amount')]).toEqual([true, false]);
    const both = 'Skip test_line and tests/test_a.py';
    expect(isLeave(both, 'test_amount')).toBe(true);
  });

  it.each([
    'Disable the flaky test',
    'Skip the cart test',
    'mark the two slow specs as skipped',
    'Just skip tests that need the network',
    'Skip the tests in `test/cart.test.js`, there is no network here',
    'Delete the tests of the old parser',
    'Skip these tests: total adds prices, total of nothing',
    'Remove test/cart.test.js',
    'Disable the integration test for now',
    'Remove `legacyParse` and its tests',
    'Delete `src/old.ts` and the tests for "old things"',
  ])('of any that may be meant: %s', (prompt) => {
    expect(skipped(prompt, 'total adds prices')).toBe(true);
  });

  it('and what else a test loses is not named by its lines', () => {
    const lines = ['assert.ok(total([2]) > 0);'];
    const prompt = "Loosen the assertions of the test 'total adds prices'";
    expect(isAllowed({ path: 'test/cart.test.js', what: 'loosened', lines }, read(prompt))).toBe(true);
  });

  it('where none is named, of any', () => {
    expect(isLeave('Skip the flaky tests', 'test_zone')).toBe(true);
  });
});

describe('B2b, B11c: the response mode', () => {
  it('follows the policy', () => {
    const high = parseClaimPolicy({ final_block: 'high-stakes', high_stakes: ['drop table'] });
    expect(read('deploy to production').responseMode).toBe('free');
    expect(readContract('please DROP  TABLE users', high).responseMode).toBe('foil_final');
    expect(readContract('drop the tablecloth', high).responseMode).toBe('free');
    expect(readContract('hi', parseClaimPolicy({ final_block: 'always' })).responseMode).toBe('foil_final');
  });
});

describe('a hostile prompt', () => {
  it.each([
    ['backticks', '`'.repeat(1_000_000)],
    ['runs of all lengths', Array.from({ length: 1000 }, (_, i) => '`'.repeat(i)).join(' ')],
    ['dots and slashes', '../'.repeat(300_000)],
    ['brackets', '('.repeat(500_000) + ')'.repeat(500_000)],
    ['schemes', 'http://'.repeat(100_000)],
    ['one word', 'a'.repeat(1_000_000)],
    ['paths', 'src/a.ts '.repeat(100_000)],
    ['quotes', '"src/a b'.repeat(20_000)],
    ['escaped blanks', 'a\\ '.repeat(50_000)],
    ['many paths', Array.from({ length: 10_000 }, (_, i) => `src/f${i}.ts`).join(' ')],
    ['many words', Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(' ')],
    ['quotes', `${'"'.repeat(2000)} `.repeat(400)],
    ['fences', '```\n'.repeat(100_000)],
    ['colons', ':1'.repeat(100_000)],
    ['run', 'run '.repeat(100_000)],
  ])('of %s is read in bounded lists', (_, prompt) => {
    const { fields, ladder } = read(prompt);
    for (const list of [...Object.values(fields), ladder.map(({ target }) => target)]) {
      expect(list.length).toBeLessThanOrEqual(32);
      for (const item of list) expect(item.length).toBeLessThanOrEqual(256);
    }
  });
});

describe('B2c a contract as YAML', () => {
  it('is read back by a parser as what it was, whatever the prompt holds', () => {
    const prompt =
      'Fix `a: b` in src/a.ts: "quoted" # no comment\n- yes\u2028\u0007 `null` `- x` `{}`  https://example.org/a?b#c';
    const contract = read(prompt);
    expect(parse(contractYaml(contract, prompt))).toEqual({
      intent: contract.intent,
      objective: prompt,
      target_fields: contract.fields,
      ladder: contract.ladder.map(({ capability, target }) => ({ [capability]: target })),
      expected_verification: contract.expected,
      required_response_mode: 'free',
      allows_weakening: false,
    });
    expect(parse(contractYaml(read('fix it'), null))).toMatchObject({ objective: null, ladder: [] });
  });

  it.each([
    'Fix the 👩‍💻 icon',
    'می‌خواهم: fix it',
    'soft\u00adhyphen, zero\u200bwidth, \u202eright to left\u202c, \ue000 private',
    'the flag 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} of England',
    'tags \u{f0000}, \u0000, \u009f, \ufeff, \ufffe, \uffff, \u2029',
  ])('of %j needs no other escapes to be safe in a terminal', (prompt) => {
    const yaml = contractYaml(read(prompt), prompt);
    expect(yaml.split('\n').map(harmless).join('\n')).toBe(yaml);
    expect(parse(yaml)).toMatchObject({ objective: prompt });
  });

  it('has a sign in the place of half a character, which no parser reads', () => {
    expect(parse(contractYaml(read('fix it'), 'half \ud83d, whole 🎉'))).toMatchObject({
      objective: 'half \ufffd, whole 🎉',
    });
  });
});
