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
