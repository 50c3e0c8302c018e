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
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
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
