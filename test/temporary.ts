// Directories that go away with the test that asked for them, and predictable randomness.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sha256, utf8Encode } from '#platform';
import type { Random } from '../src/ledger/index.ts';

/** In memory where that can be had, for tests of what is written, not of how it is kept. */
export const fastDirectory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function temporary(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'foil-test-'));
  onTestFinished(() => removeDirectory(directory));
  return directory;
}

/** Also where a process that seals apart still puts a file there: rmSync tries again, but looks for files only once. */
export function removeDirectory(directory: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(directory, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 50 || (error as { code?: unknown }).code !== 'ENOTEMPTY') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** Different bytes each time, the same ones in each run. */
export function seededRandom(seed = ''): Random {
  let counter = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 32) {
      bytes.set(sha256(utf8Encode(`${seed} ${counter++}`)).subarray(0, Math.min(32, length - at)), at);
    }
    return bytes;
  };
}
