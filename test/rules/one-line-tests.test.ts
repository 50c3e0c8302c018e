// Tests that stand on one line, and new ones that do nothing however they are written.
import { describe, expect, it } from 'vitest';
import { compareTests } from '../../src/rules/index.ts';

function told(path: string, before: string | null, after: string): string[] {
  return compareTests(new Map([[path, before]]), new Map([[path, after]])).map(
    ({ what, lines }) => `${what}: ${lines[0] ?? ''}`,
  );
}

const HEAD = "import assert from 'node:assert';\nimport { test } from 'node:test';\n";
const body = (text: string): string => `${HEAD}test('adds', () => { ${text} });\n`;
const EQUAL = 'assert.equal(add(1, 2), 3)';
const IS = 'expect(add(1, 2)).toBe(3)';

describe('X13a a test on one line that was weakened', () => {
  it.each([
    ['a failure that is caught', EQUAL, `try { ${EQUAL} } catch {}`, `loosened: ${EQUAL}`],
    ['one that is caught and named', IS, `try { ${IS}; } catch (error) { log(error) }`, `loosened: ${IS};`],
    ['less asked', EQUAL, 'assert.ok(add(1, 2))', 'loosened: assert.ok(add(1, 2))'],
    ['less expected', IS, 'expect(add(1, 2)).toBeTruthy()', 'loosened: expect(add(1, 2)).toBeTruthy()'],
    [
      'compared with itself',
      IS,
      'expect(add(1, 2)).toBe(add(1, 2))',
      'loosened: expect(add(1, 2)).toBe(add(1, 2))',
    ],
    ['compared with nothing of the code', EQUAL, 'assert.equal(3, 3)', 'loosened: assert.equal(3, 3)'],
    ['an early return', EQUAL, `return; ${EQUAL}`, 'skipped: return; (adds)'],
    ['a branch that is never taken', EQUAL, `if (false) ${EQUAL}`, `loosened: if (false) ${EQUAL}`],
    ['a block that is never entered', EQUAL, `if (0) { ${EQUAL} }`, `loosened: ${EQUAL}`],
  ])('%s', (_, before, after, found) => {
    expect(told('test/a.test.js', body(before), body(after))).toEqual([found]);
  });

  it.each([
    ['a stricter one', EQUAL, 'assert.strictEqual(add(1, 2), 3)'],
    ['one more', EQUAL, `${EQUAL}; assert.equal(add(2, 2), 4)`],
    ['a failure that is told', EQUAL, `try { ${EQUAL} } catch (error) { dump(); throw error }`],
    ['what is tidied up', EQUAL, `try { ${EQUAL} } finally { tidy() }`],
    ['an object', EQUAL, 'assert.deepEqual(add(1, 2), { sum: 3 })'],
    ['a function inside of it', IS, `const one = () => { return }; expect(add(one, 2)).toBe(3)`],
    ['what throws', 'expect(() => { add() }).toThrow()', 'expect(() => { add(1) }).toThrow()'],
  ])('but not %s', (_, before, after) => {
    expect(told('test/a.test.js', body(before), body(after))).toEqual([]);
  });

  it('nor the same on several lines, and back', () => {
    const many = `${HEAD}test('adds', () => {\n  ${EQUAL}\n  ${IS}\n});\n`;
    expect(told('test/a.test.js', body(`${EQUAL}; ${IS}`), many)).toEqual([]);
    expect(told('test/a.test.js', many, body(`${EQUAL}; ${IS}`))).toEqual([]);
  });

  it('an arrow without braces', () => {
    const before = `${HEAD}test('adds', () => ${EQUAL});\n`;
    expect(told('test/a.test.js', before, before.replace('equal', 'ok').replace(', 3', ''))).toEqual([
      'loosened: assert.ok(add(1, 2))',
    ]);
    expect(told('test/a.test.js', before, before.replace('equal', 'strictEqual'))).toEqual([]);
  });

  it('in Python', () => {
    const before = 'def test_adds():\n    assert add(1, 2) == 3\n';
    const caught = 'def test_adds():\n    try: assert add(1, 2) == 3\n    except AssertionError: pass\n';
    expect(told('test_a.py', before, caught)).toEqual(['loosened: assert add(1, 2) == 3']);
    expect(told('test_a.py', before, caught.replace('pass', 'raise'))).toEqual([]);
    expect(told('test_a.py', before, 'def test_adds(): assert add(1, 2) == 3\n')).toEqual([]);
  });
});

describe('X13a a new test that does nothing', () => {
  it.each([
    "require('node:test')('adds', () => {})\n",
    "require('node:test').test('adds', () => {\n});\n",
    "(await import('node:test')).test('adds', async () => {});\n",
    "const { test } = await import('node:test');\ntest('adds', () => {});\n",
    "import adds from 'node:test';\nadds('one and two', function () {});\n",
    "import { test as adds } from 'node:test';\nadds(() => {});\n",
    "test('adds', () => { return true; });\n",
    "test('adds', () => { console.log('ok'); });\n",
    "test('adds', () => { assert.equal(1, 1); });\n",
    "it('adds', (done) => done());\n",
  ])('%j', (text) => {
    expect(told('test/adds.js', null, text)).toEqual([expect.stringMatching(/^loosened: ./)]);
  });

  it('a file with nothing in it, which Node takes for a test', () => {
    expect(told('test/adds.test.js', null, '// later\n')).toEqual(['loosened: ']);
    expect(told('test/names.js', null, '// later\n')).toEqual([]);
  });

  it.each([
    "require('node:test')('adds', () => { require('assert').equal(add(1, 2), 3) })\n",
    "(await import('node:test')).test('adds', () => {\n  run();\n});\n",
    "import adds from 'node:test';\nadds('one and two', () => run());\n",
    "test('adds', async () => { await import('../src/add.js'); });\n",
    'runTests({});\n',
    'setUp(app);\n',
  ])('but not %j', (text) => {
    expect(told('test/adds.js', null, text)).toEqual([]);
  });
});
