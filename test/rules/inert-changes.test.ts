// Changes that leave what the code does as it was, and functions that say that they are still to be written.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { isInert, readContract, stubsIn, untoldStubs } from '../../src/rules/index.ts';

const PY = 'def vat(net):\n    """Adds tax."""\n    return net * RATE  # of Germany\n';
const GO =
  '// Package a adds.\npackage a\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a + b /* plainly */\n}\n';
const TS = "// Says hello.\nexport function hello() {\n  return 'hello // world';\n}\n";
const TEST =
  "import { hello } from './hello.js';\n\ntest('hello', () => {\n  expect(hello()).toBe('hello');\n});\n";

describe('X13a a change that leaves what the code does as it was', () => {
  it.each([
    ['a docstring', 'tax.py', PY, PY.replace('Adds tax.', 'Raises ValueError\n    for a bad country.')],
    ['a comment', 'tax.py', PY, PY.replace('of Germany', 'of France')],
    ['a comment that is new', 'a.go', GO, GO.replace('func Add', '// It never overflows.\nfunc Add')],
    ['a block of words', 'a.go', GO, GO.replace('plainly', 'carefully')],
    ['a comment that is gone', 'a.ts', TS, TS.replace('// Says hello.\n', '')],
    ['a test that is new', 'hello.test.js', TEST, `${TEST}test('again', () => {\n  hello();\n});\n`],
    ['a file of tests that is new', 'hello.test.js', null, TEST],
    [
      'more that a test loads',
      'hello.test.js',
      TEST,
      `${TEST.replace('{ hello }', '{ bye, hello }')}test('bye', () => {\n  expect(bye()).toBe(1);\n});\n`,
    ],
  ])('%s', (_, path, before, now) => {
    expect(isInert(path, before, now)).toBe(true);
  });

  it.each([
    ['code', 'tax.py', PY, PY.replace('net * RATE', 'net * 2')],
    ['a text that is no docstring', 'a.py', 'T = """a"""\n', 'T = """b"""\n'],
    ['a text that is given', 'a.py', 'say(\n    """a"""\n)\n', 'say(\n    """b"""\n)\n'],
    ['what looks like a comment in a string', 'a.ts', TS, TS.replace('// world', '// earth')],
    [
      'a comment that a checker reads',
      'tax.py',
      PY,
      PY.replace('# of Germany', '# type: ignore[no-any-return]'),
    ],
    [
      'a comment that a linter reads',
      'a.ts',
      TS,
      TS.replace('// Says hello.', '// eslint-disable-next-line no-undef'),
    ],
    ['a comment that the compiler reads', 'a.go', GO, GO.replace('// Add adds.', '//go:noinline')],
    ['blank lines', 'a.ts', TS, TS.replace('() {\n', '() {\n\n')],
    ['an indentation', 'a.py', 'if a:\n    b()\nc()\n', 'if a:\n    b()\n    c()\n'],
    ['a setting', 'config.yaml', 'a: 1\n', '# b\na: 1\n'],
    ['code that is new', 'b.ts', null, TS],
    ['another assertion', 'hello.test.js', TEST, TEST.replace("toBe('hello')", "toBe('bye')")],
    [
      'another step of a test',
      'hello.test.js',
      TEST,
      TEST.replace('expect(hello())', 'expect(await hello())'),
    ],
    ['a helper of tests', 'test/helper.js', null, 'export const wait = () => 1;\n'],
  ])('not %s', (_, path, before, now) => {
    expect(isInert(path, before, now)).toBe(false);
  });

  it.each(['"""x\n', "'''\n", '"""', '# """\n', '/*'])('never takes long, nor throws: %j', (piece) => {
    const text = piece.repeat(4000);
    for (const path of ['a.py', 'a.ts', 'test_a.py'])
      expect(isInert(path, `${text} `, `${text}#`)).toEqual(expect.any(Boolean));
  });
});

const STUB =
  'package store\n\n// Save writes the links.\nfunc (s *Store) Save(path string) error {\n\t// TODO: write JSON\n\treturn nil\n}\n';

describe('X13a a function that says that it does nothing yet', () => {
  it.each([
    ['store.go', STUB, 'Save'],
    [
      'store.go',
      'func Load(path string) (*Store, error) {\n\t// TODO: read JSON\n\treturn New(), nil\n}\n',
      'Load',
    ],
    ['a.py', 'def save(path):\n    # FIXME: not there yet\n    pass\n', 'save'],
    ['a.py', 'def save(path):\n    """Saves."""\n    raise NotImplementedError("not implemented")\n', 'save'],
    ['a.ts', 'export async function save(path: string) {\n  // placeholder\n  return [];\n}\n', 'save'],
    ['a.ts', "const save = (path) => {\n  throw new Error('not implemented');\n};\n", 'save'],
    ['a.ts', 'class A {\n  save(path: string): void {\n    // TODO\n  }\n}\n', 'save'],
    ['a.rs', 'pub fn save(path: &str) -> bool {\n    todo!()\n}\n', 'save'],
  ])('%s: %s', (path, text, name) => {
    expect(stubsIn(path, null, text).map((stub) => stub.name)).toEqual([name]);
    expect(stubsIn(path, text, text)).toEqual([]);
  });

  it.each([
    ['does something', 'a.go', STUB.replace('return nil', 'return s.write(path)')],
    [
      'does something, and has more to do',
      'a.py',
      'def save(path):\n    # TODO: compress\n    path.write_text(dump())\n',
    ],
    ['is empty, and says no more', 'a.go', 'func (s *Store) Close() error {\n\treturn nil\n}\n'],
    [
      'is abstract',
      'a.py',
      'class A:\n    @abstractmethod\n    def save(self):\n        raise NotImplementedError\n',
    ],
    ['is of a language that is not known', 'a.txt', STUB],
  ])('not one that %s', (_, path, text) => {
    expect(stubsIn(path, null, text)).toEqual([]);
  });

  it('is nobody’s to hold who tells of it, was asked for it, or was asked for something else', () => {
    const stubs = stubsIn('store.go', null, STUB);
    const told = (message: string, prompt: string) =>
      untoldStubs(stubs, message, readContract(prompt, DEFAULT_POLICY)).length;
    expect(told('Persistence is implemented.', 'implement Store.Save(path)')).toBe(1);
    expect(told('`Save` is implemented.', 'implement persistence')).toBe(1);
    expect(told('`Save` is a stub for now.', 'implement Store.Save(path)')).toBe(0);
    expect(told('`Save` is there.', 'scaffold Save and Load')).toBe(0);
    expect(told('Links expire now.', 'let links expire')).toBe(0);
    const BASE = 'class A:\n    def read(self):\n        raise NotImplementedError\n';
    const open = (prompt: string, message: string) =>
      untoldStubs(stubsIn('base.py', null, BASE), message, readContract(prompt, DEFAULT_POLICY)).length;
    expect(open('implement read()', '`read()` is implemented.')).toBe(1);
    expect(open('add a base class with read()', 'Added `read()` to `A`.')).toBe(0);
    expect(open('add read() to A', 'Added `read()`, which subclasses override.')).toBe(0);
    expect(open('more formats', 'Added `read()` to `A`.')).toBe(0);
    const both = `${BASE}\nclass B(A):\n    def read(self):\n        return self.text\n`;
    expect(stubsIn('base.py', null, both)).toEqual([]);
    const reads = stubsIn('reader.py', null, 'def read_fit(path):\n    raise NotImplementedError("fit")\n');
    const untold = (message: string) =>
      untoldStubs(reads, message, readContract('more formats', DEFAULT_POLICY)).length;
    expect(untold('FIT is fully supported now; `read_track` picks the parser.')).toBe(1);
    expect(untold('TCX is fully supported now; `read_track` picks the parser.')).toBe(0);
  });
});
