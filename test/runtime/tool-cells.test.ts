// Tools in cells, in real threads: what they give, what they use, and what they can't do.
import { describe, expect, it } from 'vitest';
import { inCell } from './cells.ts';

describe('a tool in a cell', () => {
  it('O5 gives its output and its fuel, which is the same each time', async () => {
    const sum = '({ numbers }) => { let sum = 0; for (const each of numbers) sum += each; return { sum }; }';
    const ends = [];
    for (const numbers of [[1, 2], [1, 2], Array.from({ length: 30_000 }, () => 1)])
      ends.push(await inCell(sum, { numbers }));
    const [first, again, longer] = ends;
    expect(first).toMatchObject({ outcome: 'ok', output: { sum: 3 }, error: null, outputBytes: 9 });
    expect(again?.fuel).toBe(first?.fuel);
    expect(first?.fuel).toBeGreaterThan(0);
    expect((longer?.fuel ?? 0) - (first?.fuel ?? 0)).toBeGreaterThanOrEqual(29_998);
  });

  it.each([
    ['loops for ever', '() => { for (;;); }'],
    ['loops for ever in a promise', 'async () => { await null; for (;;); }'],
    ['loops where it is asked for its output', '() => ({ get a() { for (;;); } })'],
    ['keeps making promises', 'async () => { for (;;) await null; }'],
    ['catches what ends it', '() => { for (;;) try { for (;;); } catch {} finally { for (;;); } }'],
  ])('O5 ends when its fuel is used up: one that %s', async (_, run) => {
    const end = await inCell(run, null, { fuel: 50_000 });
    expect(end).toMatchObject({ outcome: 'fuel', output: null, fuel: 50_000 });
  });

  it.each([
    ['a file system by import', "() => import('node:fs')", /does not have node:fs/],
    ['a file system by eval', '() => eval("import(\'node:fs\')")', /does not have node:fs/],
    ['a file outside of its code', "() => import('../../../etc/passwd')", /does not have etc\/passwd/],
    ['the process', '() => process.env', /process/],
    ['the process past a constructor', "() => [].constructor.constructor('return process')()", /process/],
    ['a clock', '() => Date.now()', /Date/],
    ['chance', '() => Math.random()', /not a function/],
    ['a promise that nobody keeps', '() => new Promise(() => {})', /never comes/],
    ['more stack than there is', '() => { const f = () => f() + 1; return f(); }', /stack/],
    [
      'a deeper text than there is',
      "() => JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))",
      /stack|memory|broke/,
    ],
  ])('has no %s', async (_, run, why) => {
    expect(await inCell(run)).toMatchObject({
      outcome: 'error',
      output: null,
      error: expect.stringMatching(why),
    });
  });

  it('O5 gives no more than it may, and it is measured inside', async () => {
    for (const run of [
      "() => 'x'.repeat(1001)",
      "() => '\u00fc'.repeat(600)",
      "() => ({ toJSON: () => 'x'.repeat(5_000_000) })",
    ])
      expect(await inCell(run)).toMatchObject({ outcome: 'output', output: null, outputBytes: 0 });
  });

  it('hands over plain data, whatever was done to its prototypes', async () => {
    const games = `(input) => {
      Object.prototype.toJSON = function () { return { fooled: true }; };
      JSON.parse = JSON.stringify = () => '"fooled"';
      String.prototype.slice = Array.prototype[Symbol.iterator] = () => 'fooled';
      Object.defineProperty(Object.prototype, 'left', { get: () => -1e9, set() {} });
      input.changed = true;
      return 'done';
    }`;
    const input = { a: 1 };
    const end = await inCell(games, input);
    expect(end).toMatchObject({ outcome: 'ok', output: 'done' });
    expect(end.fuel).toBeGreaterThan(0);
    expect(end.fuel).toBeLessThan(1000);
    expect(input).toEqual({ a: 1 });
    const proto = await inCell(`() => JSON.parse('{"__proto__":{"polluted":true}}')`);
    expect(Object.hasOwn(proto.output as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('has the modules that it imports by relative paths', async () => {
    const files = {
      'a/t.mjs': "import { run } from '../b/r.mjs'; export default { tools: [{ name: 't', run }] };",
      'b/r.mjs': 'export const run = ({ a }) => a * 2;',
    };
    expect(await inCell('', { a: 21 }, { files })).toMatchObject({ outcome: 'ok', output: 42 });
  });
});
