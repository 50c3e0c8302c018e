// What no look at the fuel can end: native work of the engine, memory, and a thread that must be killed.
import { describe, expect, it } from 'vitest';
import { inCell } from './cells.ts';

const MEMORY = 512 * 1024 * 1024;

describe('a tool in a cell', () => {
  it('O5 is ended in the middle of a native sort that never looks at its fuel', async () => {
    const sort =
      '() => { const a = []; for (let n = 0; n < 2e5; n++) a.push((n * 7919) % 1000003 + "x"); for (;;) a.sort(); }';
    const end = await inCell(sort, null, { fuel: 1e12, memoryBytes: MEMORY }, { ms: 5000 });
    expect(end).toMatchObject({ outcome: 'time', output: null });
    expect(end.fuel).toBeGreaterThan(0);
  });

  it('O5 has no more memory than it may', async () => {
    const bomb = '() => { const a = []; for (;;) a.push([a.length]); }';
    expect(await inCell(bomb, null, { fuel: 1e12 })).toMatchObject({
      outcome: 'error',
      error: expect.stringMatching(/memory/),
    });
  });

  it('O5 gives no gigabyte', async () => {
    const huge = "() => { const a = 'x'.repeat(1e6); return Array.from({ length: 1000 }, () => a); }";
    expect(await inCell(huge)).toMatchObject({ outcome: 'error', output: null });
    const doubled = "() => { let s = 'x'; for (;;) s += s; }";
    expect(await inCell(doubled, null, { memoryBytes: MEMORY })).toMatchObject({ outcome: 'error' });
  });
});
