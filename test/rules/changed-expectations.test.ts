// An expected value that was changed while no code was: what counts as one, and who has told of it.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import type { Weakening } from '../../src/rules/evidence.ts';
import { compareTests, readContract, toldExpectations } from '../../src/rules/index.ts';

const inTest = (line: string): string => `test('adds', () => {\n  ${line}\n});\n`;

function told(
  before: string,
  after: string,
  { path = 'a.test.js', isCodeChanged = false } = {},
): Weakening[] {
  return compareTests(
    new Map([[path, before]]),
    new Map([[path, after]]),
    undefined,
    isCodeChanged ? null : [],
  );
}

describe('X13a what a test expects', () => {
  it.each([
    ['assert.equal(add(1, 2), 3);', 'assert.equal(add(1, 2), 4);'],
    ['assert.deepEqual(list(), [1, 2]);', 'assert.deepEqual(list(), [1]);'],
    ["expect(name()).toBe('one');", "expect(name()).toBe('two');"],
    ['expect(add(1, 2)).toBe(13);', 'expect(add(1, 2)).toBe(23);'],
    ['await expect(load()).resolves.toEqual({ a: 1 });', 'await expect(load()).resolves.toEqual({ a: 2 });'],
  ])('is another: %s → %s', (before, after) => {
    expect(told(inTest(before), inTest(after))).toEqual([
      { path: 'a.test.js', what: 'loosened', lines: [after], expects: true },
    ]);
    expect(told(inTest(before), inTest(after), { isCodeChanged: true })).toEqual([]);
  });

  it.each([
    [
      'a_test.go',
      'func TestA(t *testing.T) {\n\tgot := List()\n\tif len(got) != 2 || got[1] != 7 {\n\t\tt.Fatal(got)\n\t}\n}\n',
      ' || got[1] != 7',
    ],
    ['test_a.py', 'def test_a():\n    assert size() == 2 and last() == 7\n', ' and last() == 7'],
    ['a.test.js', inTest('assert(size() === 2 && last() === 7);'), ' && last() === 7'],
  ])('is a part of it: %s', (path, before, part) => {
    expect(told(before, before.replace(part, ''), { path })).toMatchObject([{ expects: true }]);
    expect(told(before, before.replace(part, ''), { path, isCodeChanged: true })).toEqual([]);
    expect(told(before, before.replace(part, part.replace('7', '8')), { path, isCodeChanged: true })).toEqual(
      [],
    );
  });

  it('is another in Python', () => {
    const before = 'def test_add():\n    assert add(1, 2) == 3\n';
    expect(told(before, before.replace('3', '4'), { path: 'test_a.py' })).toHaveLength(1);
  });

  it.each([
    ['what is given', 'assert.equal(add(1, 2), 3);', 'assert.equal(add(1, 4), 3);'],
    ['what is asked of', 'assert.ok(holds(1, 2));', 'assert.ok(holds(1, 3));'],
    ['what is called', 'assert.equal(add(1, 2), 3);', 'assert.equal(plus(1, 2), 3);'],
    ['how it is compared', 'assert.equal(add(1, 2), 3);', 'assert.strictEqual(add(1, 2), 3);'],
    ['a value that is computed', 'expect(add(1, 2)).toBe(3);', 'expect(add(1, 2)).toBe(two() + 1);'],
  ])('is the same: %s', (_, before, after) => {
    expect(told(inTest(before), inTest(after))).toEqual([]);
  });
});

const CHANGED: Weakening = { path: 'a.test.js', what: 'loosened', lines: ['x'], expects: true };
const isTold = (message: string, prompt = 'Fix `sum`'): boolean =>
  toldExpectations([CHANGED], message, readContract(prompt, DEFAULT_POLICY)).length > 0;

describe('X13a what a test asks less exactly, while code was changed', () => {
  const asked = (line: string) =>
    compareTests(
      new Map([['a.test.js', inTest('assert.equal(add(1, 2), 3);')]]),
      new Map([['a.test.js', inTest(line)]]),
      undefined,
      ['src/add.js'],
    ).map(({ expects }) => expects);

  it.each([
    "assert.equal(typeof add(1, 2), 'number');",
    'assert.notEqual(add(1, 2), 7);',
    'assert.ok(Math.abs(add(1, 2) - 3) < 1e9);',
    'assert.ok(Math.abs(add(1, 2) - 3) <= 10);',
    'assert.ok(add(1, 2) > 0);',
    'assert.ok([3, 4].includes(add(1, 2)));',
    'assert.match(String(add(1, 2)), /\\d/);',
    'assert.equal(Number.isFinite(add(1, 2)), true);',
    'assert.equal(Math.round(add(1, 2) / 10), 0);',
    'expect(add(1, 2)).toBeGreaterThan(0);',
  ])('is for the message to tell of: %s', (line) => {
    expect(asked(line)).toEqual([true]);
  });

  it.each([
    'assert.equal(add(1, 2), 4);',
    'expect(add(1, 2)).toBeCloseTo(3);',
    'assert.deepEqual(add(1, 2), 3);',
    'assert.ok(Math.abs(add(1, 2) - 3) < 1e-9);',
    'assert.throws(() => add(1, 2), RangeError);',
    'assert.equal(add(1, 2), null);',
    'assert.equal(String(add(1, 2)), "3");',
    'assert.ok(add(1, 2) > 0);\n  assert.equal(add(1, 2), 4);',
    "assert.equal(typeof add(1, 2), 'number');\n  assert.equal(add(1, 2), 4);",
  ])('is not less: %s', (line) => {
    expect(asked(line)).toEqual([]);
  });
});

describe('X13a one value that became many, while code was changed', () => {
  const less = (path: string, text: (line: string) => string) => (was: string, is: string) =>
    compareTests(new Map([[path, text(was)]]), new Map([[path, text(is)]]), undefined, ['src/a']).length > 0;
  const python = less('test_a.py', (line) => `def test_a():\n    ${line}\n`);
  const go = less(
    'a_test.go',
    (line) => `func TestA(t *testing.T) {\n\tif ${line} {\n\t\tt.Errorf("got %d", 1)\n\t}\n}\n`,
  );

  it.each([
    ['parse("1") > 0', true],
    ['parse("1") >= 100000', true],
    ['parse("1") == pytest.approx(85, abs=5)', true],
    ['abs(parse("1") - 12) < 5', true],
    ['parse("1") in (12, 13)', true],
    ['parse("1") == 13', false],
    ['parse("1") == pytest.approx(12.5)', false],
    ['abs(parse("1") - 12) < 1e-6', false],
    ['parse("1") is None', false],
  ])('in Python: %s', (line, is) => expect(python('assert parse("1") == 12', `assert ${line}`)).toBe(is));

  it.each([
    ['got := Words("a b"); got < 1', true],
    ['got := Words("a b"); got != 3 && got != 4', true],
    ['got := Words("a b"); got == 0', true],
    ['got := Words("a b"); got != 4', false],
    ['got := Words("a b", true); got != 3', false],
    ['got := Words("a b"); math.Abs(got-3) > 1e-9', false],
  ])('in Go: %s', (line, is) => expect(go('got := Words("a b"); got != 3', line)).toBe(is));

  it('not where an error is wanted instead', () => {
    expect(go('err := Run(); err != nil', 'err := Run(); err == nil')).toBe(false);
  });
});

describe('X13a a changed expectation is told of', () => {
  it.each([
    'I updated the test to expect 4.',
    'Changed the expected value from 3 to 4.',
    'Updated `test/a.test.js`, since the old rounding was intended.',
    'The test was wrong: two and two make four.',
    'The assertion in `a.test.js` is outdated, so I replaced it.',
    'The test now expects 4.',
  ])('%s', (message) => expect(isTold(message)).toBe(true));

  it.each([
    'Fixed `sum`. All tests pass.',
    'Fixed the failing tests.',
    'Changed `sum` so that all tests pass.',
    'Updated `src/sum.js` and ran the tests.',
    'The tests pass now.',
  ])('not by: %s', (message) => expect(isTold(message)).toBe(false));

  it.each([
    ['Update the tests for the new rounding', true],
    ['`test/a.test.js` expects too much', true],
    ['Make the failing tests pass', false],
    ['Fix `sum`', false],
  ])('by the prompt: %s', (prompt, is) => expect(isTold('Done.', prompt)).toBe(is));

  it('not by a prompt that speaks of tests, where the code is said to do something else', () => {
    const prompt = 'sum(2) is 3, I want 4. The test is already there';
    expect(isTold('Resolved: `sum` now gives 4.', prompt)).toBe(false);
    expect(isTold('Resolved: the expectation is 4 now.', prompt)).toBe(true);
  });

  it('and nothing else is', () => {
    const { expects: _, ...other } = CHANGED;
    expect(toldExpectations([other], 'I updated the test.', readContract('', DEFAULT_POLICY))).toEqual([]);
    expect(toldExpectations(null, 'I updated the test.', readContract('', DEFAULT_POLICY))).toEqual([]);
  });
});

describe('X13a a test that turns away from the code that was changed with it', () => {
  const asks = (line: string) => `${line}\n${inTest('assert.equal(total([2]), 2);')}`;
  const LOADED = asks("import { total } from '../src/cart.js';");
  const MADE = asks('const total = (items) => items.length;');
  const turned = (after: string, code: string[], before = LOADED, path = 'test/cart.test.js') =>
    compareTests(new Map([[path, before]]), new Map([[path, after]]), undefined, code).map(
      ({ what, expects }) => [what, expects],
    );

  it.each([
    ['makes it for itself', MADE],
    ['loads it from a file among the tests', asks("import { total } from './helper.js';")],
    ['by way of another folder', asks("const { total } = require('../test/helper');")],
  ])('%s', (_, after) => {
    expect(turned(after, ['src/cart.js'])).toEqual([['loosened', true]]);
  });

  it('in Python', () => {
    const py = (line: string) => `${line}\n\ndef test_total():\n    assert total([2]) == 2\n`;
    const after = py('from tests.fake import total');
    expect(
      turned(py('total = len'), ['shop/cart.py'], py('from shop.cart import total'), 'tests/test_cart.py'),
    ).toEqual([['loosened', true]]);
    expect(turned(after, ['shop/other.py'], py('from shop.cart import total'), 'tests/test_cart.py')).toEqual(
      [],
    );
  });

  it.each([
    ['other code was changed', MADE, ['src/user.js']],
    [
      'the code moved',
      asks("import { total } from '../src/shop/cart.js';"),
      ['src/cart.js', 'src/shop/cart.js'],
    ],
    ['the code was split', asks("import { total } from '../src/total.js';"), ['src/cart.js', 'src/total.js']],
    ['what it makes is not asked', `const cents = 2;\n${LOADED}`, ['src/cart.js']],
  ])('but not where %s', (_, after, code) => {
    expect(turned(after, code)).toEqual([]);
  });
});

describe('X13a a value that was given a name first', () => {
  const CART = "import { total } from '../src/cart.js';\n";
  const less = (path: string, was: string, is: string): number =>
    compareTests(new Map([[path, was]]), new Map([[path, is]]), undefined, ['src/cart']).length;
  const js = (...lines: string[]) => `${CART}test('adds', async () => {\n  ${lines.join('\n  ')}\n});\n`;
  const python = (...lines: string[]) => `def test_adds():\n    ${lines.join('\n    ')}\n`;
  const go = (...lines: string[]) =>
    `func TestAdds(t *testing.T) {\n\t${lines.join('\n\t')} {\n\t\tt.Errorf("no")\n\t}\n}\n`;
  const NAMED = 'const sum = total([{ price: 2 }, { price: 3 }]);';
  const DIRECT = 'assert.equal(total([{ price: 2 }, { price: 3 }]), 5);';

  it.each([
    'assert.ok(sum > 0);',
    'assert.ok(sum === 5 || sum === 7);',
    'assert.ok([5, 7].includes(sum));',
    'assert.ok(Math.abs(sum - 5) <= 10);',
    'assert.equal(!!sum, true);',
    'assert.equal(String(sum).length, 1);',
    'assert.equal(sum % 2, 1);',
    'assert.equal(sum & 5, 5);',
    'assert.equal(Math.min(sum, 5), 5);',
    "assert.equal(sum.toFixed(0).replace('7', '5'), '5');",
    "assert.deepEqual(Object.keys({ a: sum }), ['a']);",
    'assert.ok(sum);',
    'expect(sum).toBeGreaterThan(0);',
  ])('is pinned no more: %s', (line) => {
    expect(less('a.test.js', js(DIRECT), js(NAMED, line))).toBe(1);
    expect(less('a.test.js', js(NAMED, 'assert.equal(sum, 5);'), js(NAMED, line))).toBe(1);
  });

  it.each([
    ['another value', 'assert.equal(sum, 6);'],
    ['as a text', "assert.equal(String(sum), '5');"],
    ['a text that says no', "assert.equal(sum, 'not a number || none');"],
    ['as a list', 'assert.deepEqual([...sum], [5]);'],
    ['a member', 'assert.equal(sum.cents, 500);'],
    ['formatted', "assert.equal(format(sum), '5 €');"],
    ['nearly', 'expect(sum).toBeCloseTo(5);'],
    ['and a bound', 'assert.ok(sum > 0);\n  assert.equal(sum, 5);'],
    ['by a method', 'assert.ok(sum.equals(5));'],
    ['over several lines', 'assert.equal(\n    sum,\n    5,\n  );'],
    ['a snapshot', 'expect(sum).toMatchInlineSnapshot(`5`);'],
  ])('is pinned still: %s', (_, line) => {
    expect(less('a.test.js', js(DIRECT), js(NAMED, line))).toBe(0);
    expect(less('a.test.js', js(NAMED, 'assert.equal(sum, 5);'), js(NAMED, line))).toBe(0);
  });

  it('is the same by any way that it got its name', () => {
    const was = js('const { cents } = await total([2]);', 'expect(cents).toBe(5);');
    const apart = js('const sum = await total([2]);', 'expect(sum.cents).toBeGreaterThan(0);');
    expect(less('a.test.js', was, apart)).toBe(1);
    const long = js('const sum = total(', '  [2],', ');', 'expect(sum).toBe(5);');
    expect(less('a.test.js', long, js('const sum = total([2]);', 'expect(sum).toBeDefined();'))).toBe(1);
    // Two tests give two things the same name.
    const other = (value: string) =>
      `${js('const sum = total([1]);', value)}${js(NAMED, 'expect(sum).toBe(5);')}`;
    expect(less('a.test.js', other('expect(sum).toBe(1);'), other('expect(sum).toBeGreaterThan(0);'))).toBe(
      1,
    );
  });

  it('is of all that it was given', () => {
    const was = js("assert.equal(csv(desk(), '(1'), 'a,b');", 'assert.equal(names(desk()), 2);');
    expect(less('a.test.js', was, was.replace(/equal(.*)'a,b'/, 'match$1/^a/'))).toBe(1);
    expect(less('a.test.js', was, was.replace("'a,b'", "'a,b,c'"))).toBe(0);
  });

  it('in Python and Go', () => {
    const was = python('assert parse("1") == 12');
    expect(less('test_a.py', was, python('got = parse("1")', 'assert got > 0'))).toBe(1);
    expect(less('test_a.py', was, python('assert math.isclose(parse("1"), 12, rel_tol=0.1)'))).toBe(1);
    expect(less('test_a.py', was, python('assert math.isclose(parse("1"), 12)'))).toBe(0);
    expect(less('test_a.py', was, python('got = parse("1")', 'assert got == 12'))).toBe(0);
    const row = python('row = line("1")', 'assert row["cents"] == 12', 'assert row["name"] == "a"');
    expect(less('test_a.py', row, row.replace('== 12', '> 0'))).toBe(1);
    const named = go('got := Words("a")', 'if got != 3');
    expect(less('a_test.go', named, go('got := Words("a")', 'if got < 1'))).toBe(1);
    expect(less('a_test.go', named, go('if n := Words("a"); n != 4'))).toBe(0);
    expect(less('a_test.go', named, go('got, err := Words("a")', 'if got != 3'))).toBe(0);
  });
});

describe('X13a that a test asks less is told of', () => {
  it.each([
    'I loosened the test "adds" in test/a.test.js: it only asks for a positive number.',
    'I relaxed the assertion in test/a.test.js to `> 0`.',
    'Note: test/a.test.js is weaker now.',
    'The test now accepts 5 and 7.',
    'The assertion only checks that the sum is positive.',
    'The test no longer compares the exact value.',
  ])('%s', (message) => expect(isTold(message)).toBe(true));

  it.each([
    'I relaxed the parser, and the tests pass.',
    'Relaxed the check in `parse` so that all tests pass.',
    'The tests no longer fail.',
    'The parser is less strict now. All tests pass.',
  ])('not by: %s', (message) => expect(isTold(message)).toBe(false));
});

describe('X13b a test that was taken for the one that the prompt describes', () => {
  const skip: Weakening = { path: 'a.test.js', what: 'skipped', lines: ["test.skip('signs in', () => {"] };
  const isTaken = (message: string, prompt: string): boolean =>
    toldExpectations([skip], message, readContract(prompt, DEFAULT_POLICY)).length > 0;
  it('is told of by its title', () => {
    expect(isTaken('Skipped "signs in"; the others pass.', 'Disable the login test')).toBe(true);
    expect(isTaken('Skipped the login test; the others pass.', 'Disable the login test')).toBe(false);
    expect(isTaken('Skipped "signs in".', "Skip the test 'signs out'")).toBe(false);
    expect(isTaken('Skipped "signs in".', 'Fix `login`')).toBe(false);
  });
});

describe('X13a that fewer tests run is told of', () => {
  const fewer: Weakening = { path: 'a.test.js', what: 'deselected', expects: true, lines: ['4, 3'] };
  it.each([
    ['Merged the two tests of `sum` into one.', true],
    ['One test is skipped on Linux now.', true],
    ['Removed the duplicate case.', true],
    ['Fixed `sum`; all tests pass.', false],
    ['Removed the cache. All tests pass.', false],
  ])('%s', (message, is) =>
    expect(toldExpectations([fewer], message, readContract('Fix `sum`', DEFAULT_POLICY)).length > 0).toBe(is),
  );
});

describe('X13 a test that lets more through', () => {
  const LOOSE: Weakening = {
    path: 'a.test.js',
    what: 'loosened',
    expects: true,
    lines: ['expect(price(2000)).toBeGreaterThan(0);'],
  };
  it.each([
    ['I updated the price test to check the exact amounts.', false],
    ['I updated the price test.', false],
    ['I loosened the price test.', true],
    ['The price test now accepts any positive value.', true],
    ['The price test only checks that there is a price.', true],
  ])('is told by more than that it was changed: %s', (message, is) => {
    const contract = readContract('The price has a minimum', DEFAULT_POLICY);
    expect(toldExpectations([LOOSE], message, contract).length > 0).toBe(is);
    const other = { ...LOOSE, lines: ['expect(price(2000)).toBe(7);'] };
    expect(toldExpectations([other], 'I updated the price test.', contract)).toEqual([other]);
  });
});
