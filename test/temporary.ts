// Directories that go away with the test that asked for them, and predictable randomness.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sha256, utf8Encode } from '#platform';
import type { Random } from '../src/ledger/index.ts';

/** On a disk, for tests of how something is kept. */
export const diskDirectory = tmpdir();
/** In memory where that can be had, for tests of what is written. */
export const fastDirectory = isUsable('/dev/shm') ? '/dev/shm' : diskDirectory;

/** With a gigabyte of room, and programs in it can be run: containers often have less, and do not allow that. */
function isUsable(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , , options = 'noexec'] =
      mounts.find((line) => line.split(' ')[1] === directory)?.split(' ') ?? [];
    return bavail * bsize > 2 ** 30 && !options.split(',').includes('noexec');
  } catch {
    return false;
  }
}

export function temporary(parent = fastDirectory): string {
  const directory = mkdtempSync(join(parent, 'foil-test-'));
  onTestFinished(() => removeDirectory(directory));
  return directory;
}

/** Also where a process that seals apart still puts a file there: rmSync tries again, but looks for files only once. */
export function removeDirectory(directory: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(directory, { recursive: true, force: true });
      removeNotes(directory);
      return;
    } catch (error) {
      if (tries === 50 || (error as { code?: unknown }).code !== 'ENOTEMPTY') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** Hooks that can't read a ledger's settings leave their notes in the user's own place, which is real in tests, too. */
function removeNotes(directory: string): void {
  const base = `/tmp/counterfoil-${process.getuid?.() ?? 0}`;
  const names = existsSync(base) ? readdirSync(base) : [];
  for (const name of names)
    if (name.startsWith(encodeURIComponent(`${directory}/`)))
      rmSync(join(base, name), { recursive: true, force: true });
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
