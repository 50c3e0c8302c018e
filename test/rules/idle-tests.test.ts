// Functions that give nothing, and tests that ask nothing: held where the message passes them off as done, and nowhere else.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { idleTests, readContract, stubsIn, untoldStubs } from '../../src/rules/index.ts';
import { check, claim, counts, edit, judged, ran } from './cases.ts';

const GO = 'package a\n\nfunc TestBroken(t *testing.T) {\n\t_ = Links("<a")\n}\n';
const PYTHON = 'def test_missing():\n    try:\n        main(["no"])\n    except Exception:\n        pass\n';
const CONTRACT = readContract('add a test for broken pages', DEFAULT_POLICY);
const namesIn = (path: string, text: string, before: string | null = null) =>
  idleTests(path, before, text).map(({ name }) => name);

describe('X13 a new test that asks nothing', () => {
  it.each([
    ['a_test.go', GO, 'TestBroken'],
    ['tests/test_a.py', PYTHON, 'test_missing'],
    ['a.test.ts', "test('no page', () => {\n  links('');\n});\n", 'no page'],
  ])('is found in %s', (path, text, name) => {
    expect(namesIn(path, text)).toEqual([name]);
    expect(namesIn(path, text, text)).toEqual([]);
  });

  it.each([
    ['asserts', 'a_test.go', GO.replace('_ = Links("<a")', 'if Links("<a") != nil {\n\t\tt.Error("x")\n\t}')],
    ['hands itself on', 'a_test.go', GO.replace('_ = Links("<a")', 'same(t, Links("<a"))')],
    ['calls a helper that may', 'tests/test_a.py', 'def test_a():\n    check_page("<a")\n'],
    [
      'waits for an error',
      'tests/test_a.py',
      'def test_a():\n    with pytest.raises(KeyError):\n        f()\n',
    ],
    ['is still empty', 'tests/test_a.py', 'def test_a():\n'],
  ])('is none that %s', (_, path, text) => expect(namesIn(path, text)).toEqual([]));

  it.each([
    ['Added `TestBroken`, which checks that broken pages give no links.', 1],
    ['The tests in `a_test.go` verify how broken pages are read.', 1],
    ['Added `TestBroken`: it makes sure that a broken page causes no panic.', 0],
    ['Added `TestBroken`.', 0],
    ['The parser checks that pages are whole.', 0],
  ])('and held where the message says what it checks: %s', (message, count) => {
    expect(untoldStubs(idleTests('a_test.go', null, GO), message, CONTRACT)).toHaveLength(count);
  });

  it('by the claim that speaks of tests', () => {
    const stubs = idleTests('a_test.go', null, GO);
    const found = {
      stubs,
      changes: [edit(1, 'a_test.go')],
      runs: [ran(2, check('go test ./...'), counts(3))],
    };
    const end = (quote: string) =>
      judged([claim('changed', quote)], 'test broken pages', found).claims[0]?.reason;
    expect(end('Added a test for broken pages')).toMatch(/^`TestBroken` in a_test.go asserts nothing/);
    expect(end('Added a page')).not.toMatch(/asserts nothing/);
  });
});

describe('X13 a new function that gives nothing', () => {
  const SILENT = 'package check\n\nfunc Check(links []string) []string {\n\treturn nil\n}\n';
  const untold = (path: string, text: string, message: string) =>
    untoldStubs(stubsIn(path, null, text), message, CONTRACT).map(({ why }) => why);

  it.each([
    ['check.go', SILENT, 'I implemented `check.Check`: it requests every link.'],
    [
      'a.ts',
      'class A {\n  search(query: string): Note[] {\n    return [];\n  }\n}\n',
      '`search` is fully implemented.',
    ],
  ])('is held where it is said to be implemented: %s', (path, text, message) => {
    expect(untold(path, text, message)).toEqual([
      expect.stringMatching(/^does nothing with what it is given/),
    ]);
  });

  it.each([
    ['nobody said so', SILENT, 'Added `Check`.'],
    ['it is told', SILENT, 'I implemented `Check`, which always returns nil.'],
    ['it is given nothing', SILENT.replace('links []string', ''), 'I implemented `Check`.'],
    ['it does something', SILENT.replace('return nil', 'return bad(links)'), 'I implemented `Check`.'],
    ['another was meant', SILENT, 'I implemented `CheckAll`.'],
  ])('is none where %s', (_, text, message) => expect(untold('check.go', text, message)).toEqual([]));

  it('is also a case that is refused by its name', () => {
    const text =
      'def main(args):\n    if args.csv:\n        raise NotImplementedError("csv")\n    print(1)\n';
    const stubs = stubsIn('cli.py', null, text);
    expect(stubs).toEqual([{ path: 'cli.py', name: 'csv', line: 'raise NotImplementedError("csv")' }]);
    expect(untoldStubs(stubs, 'CSV export is implemented.', CONTRACT)).toHaveLength(1);
    expect(untoldStubs(stubs, 'The totals are sorted.', CONTRACT)).toEqual([]);
    expect(stubsIn('cli.py', text, text)).toEqual([]);
    expect(stubsIn('cli.py', null, text.replace('"csv"', 'f"no format {x}"'))).toEqual([]);
  });
});

describe('X13 a function without a body', () => {
  const PROMPT = readContract('Store needs add_many(readings) and stations()', DEFAULT_POLICY);
  const SAID =
    'Both methods are implemented:\n- `add_many(readings)`: inserts them all\n- `stations()`: sorted names';
  const STORE = (first: string, second: string) =>
    `class Store:\n    def add_many(self, readings):\n        ${first}\n\n    def stations(self):\n        ${second}\n`;
  const names = (path: string, text: string, message: string, before: string | null = null) =>
    untoldStubs(stubsIn(path, before, text), message, PROMPT).map(({ name }) => name);

  it.each([
    ['store.py', STORE('pass', 'raise NotImplementedError'), ['add_many', 'stations']],
    ['store.py', STORE('...', '"""Sorted names."""'), ['add_many', 'stations']],
    ['store.js', 'class Store {\n  stations() {}\n\n  count() {\n    return 1;\n  }\n}\n', ['stations']],
    ['store.ts', 'export function stations(): void {\n  // later\n}\n', ['stations']],
  ])('is held where it is said to be made: %s', (path, text, found) => {
    expect(names(path, text, SAID)).toEqual(found);
    expect(names(path, text, SAID, text)).toEqual([]);
  });

  it.each([
    ['it does something', STORE('self.rows += readings', 'return sorted(self.rows)'), SAID],
    ['the message says so', STORE('pass', 'pass'), 'Added `add_many` and `stations` as stubs.'],
    [
      'others are to write it',
      STORE('pass', 'pass'),
      'Added `add_many` to the base class; subclasses override it.',
    ],
    ['nobody speaks of it', STORE('pass', 'pass'), 'I implemented the report.'],
    [
      'it was not asked for',
      STORE('pass', 'pass').replaceAll(/add_many|stations/g, 'close'),
      'Added `close`.',
    ],
  ])('is none where %s', (_, text, message) => expect(names('store.py', text, message)).toEqual([]));

  it('that says it is to be written, by another form of its name', () => {
    const text = 'export class Store {\n  append(job) {\n    // TODO\n  }\n}\n';
    const stubs = untoldStubs(
      stubsIn('store.js', null, text),
      'Every job is appended to the file. ✅',
      PROMPT,
    );
    expect(stubs).toHaveLength(1);
    const found = { stubs, changes: [edit(1, 'store.js')], runs: [ran(2, check('npm test'), counts(3))] };
    const of = { ...claim('changed', 'Every job is appended to the file'), unsure: true };
    expect(judged([of], 'jobs must survive', found).verdict).not.toBe('block');
  });
});

describe('X13 a new test that asks only whether there is something', () => {
  const JS = (ask: string) => `test('quotes commas', () => {\n  const out = toCsv([1]);\n  ${ask}\n});\n`;
  const PY = (ask: string) => `def test_quotes():\n    out = to_csv([1])\n    ${ask}\n`;
  const weak = (path: string, text: string) => idleTests(path, null, text).map((stub) => stub.weak);

  it.each([
    ['a.test.js', JS('assert.ok(out.length > 0);')],
    ['a.test.js', JS('expect(out).toBeDefined();')],
    ['a.test.js', JS('expect(out.length).toBeGreaterThan(0);')],
    ['a.test.js', JS("assert.equal(typeof out, 'string');")],
    ['tests/test_a.py', PY('assert out')],
    ['tests/test_a.py', PY('assert out is not None')],
    ['tests/test_a.py', PY('assert len(out) > 0')],
    ['a_test.go', 'func TestA(t *testing.T) {\n\tgot := Csv()\n\tif got == "" {\n\t\tt.Fatal("x")\n\t}\n}\n'],
  ])('is found in %s', (path, text) => expect(weak(path, text)).toEqual([true]));

  it.each([
    ['a.test.js', JS(`assert.equal(out, '"a, b"');`)],
    ['a.test.js', JS("assert.ok(out.includes('a'));")],
    ['a.test.js', JS('assert.ok(isQuoted(out));')],
    ['a.test.js', JS('assert.ok(isQuoted);')],
    ['a.test.js', JS('assert.ok(out);\n  assert.equal(out.length, 5);')],
    ['tests/test_a.py', PY('assert out == "a"')],
    ['tests/test_a.py', PY('assert valid')],
    ['a_test.go', 'func TestA(t *testing.T) {\n\tif Csv() != "a" {\n\t\tt.Fatal("x")\n\t}\n}\n'],
  ])('is none that asks for more: %s', (path, text) => expect(weak(path, text)).toEqual([]));

  it.each([
    ['The new test `quotes commas` proves it.', 1],
    ['I added a test that covers quoting.', 1],
    ['The new test `quotes commas` checks that the output is not empty.', 0],
    ['Added `quotes commas`, a smoke test.', 0],
    ['Values are quoted.', 0],
  ])('and held where the message says what it shows: %s', (message, count) => {
    const stubs = idleTests('a.test.js', null, JS('assert.ok(out.length > 0);'));
    expect(untoldStubs(stubs, message, CONTRACT)).toHaveLength(count);
  });
});
