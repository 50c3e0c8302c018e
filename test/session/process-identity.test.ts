// Which process a session is of, and whether it is gone: with real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fateOf, processFact } from '../../src/session/index.ts';

const hasProc = existsSync('/proc/self/stat');

async function started(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child as ChildProcess & { readonly pid: number };
}

describe.skipIf(!hasProc)('a process (passed over where there is no /proc)', () => {
  it('runs, and is gone once it was killed', async () => {
    const child = await started();
    const fact = processFact(child.pid);
    expect(fact).toEqual({
      pid: child.pid,
      started: expect.stringMatching(/^\d+$/),
      boot: expect.any(String),
    });
    expect(fateOf(fact)).toBe('running');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(fateOf(fact)).toBe('process-gone');
  });

  it('is not taken for another one with its number', () => {
    const own = processFact(process.pid);
    expect(fateOf(own)).toBe('running');
    expect(fateOf({ ...own, started: '1' })).toBe('process-gone');
  });

  it('of another boot is gone, and one that nothing is known of is not', () => {
    const own = processFact(process.pid);
    expect(fateOf({ ...own, boot: '00000000-0000-0000-0000-000000000000' })).toBe('rebooted');
    expect(fateOf({ ...own, boot: null })).toBe('unknown');
    expect(fateOf({ ...own, started: null })).toBe('unknown');
  });

  it('of a container, whose numbers are its own, is not taken for gone', () => {
    const own = processFact(process.pid);
    const elsewhere = `${own.boot?.slice(0, 36)}/pid:[4026530000]`;
    expect(fateOf({ ...own, boot: elsewhere })).toBe('unknown');
    expect(fateOf({ ...own, started: '1', boot: elsewhere })).toBe('unknown');
    const other = '00000000-0000-0000-0000-000000000000/pid:[4026530000]';
    expect(fateOf({ ...own, boot: other })).toBe('rebooted');
  });
});
