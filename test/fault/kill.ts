// Kills writers at random moments and looks at what they leave. However they die, what they were told is durable is
// there afterwards, once and unchanged, and the ledger verifies before and after it is opened again.
import { expect } from 'vitest';
import { createFileLedger, expectIntact, openFileLedger, verifyDirectory } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { bundle, Child } from './child.ts';
import type { WriterOptions } from './writer.ts';

const SESSION = '1c'.repeat(32);
const JOBS: readonly WriterOptions['jobs'][] = [
  [],
  ['content'],
  ['seal'],
  ['archive'],
  ['seal', 'archive', 'content'],
  ['rotate'],
];

/** `rounds` of killing on one ledger. `random` decides when. */
export async function killWriters(directory: string, rounds: number, random: () => number): Promise<void> {
  const writer = await bundle('writer');
  await (await createFileLedger(directory)).store.close();
  const entries = new Map<number, string>();
  const content = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const children = Array.from({ length: 3 }, (_, i) => {
      const jobs = JOBS[Math.floor(random() * JOBS.length)] ?? [];
      const options: WriterOptions = {
        directory,
        segmentLimit: random() < 0.5 ? 8000 : 60_000,
        callers: 1 + 3 * i,
        jobs,
      };
      return new Child(writer, [JSON.stringify(options)]);
    });
    // One after the other, so that those left behind meet what the dead leave.
    for (const child of children) {
      const target = child.lines.length + 1 + Math.floor(random() * 40);
      await child.until(() => child.lines.length >= target);
      await child.kill();
    }
    for (const child of children) {
      expect(child.errors, `round ${round}`).toBe('');
      hear(child.lines, entries, content);
    }
    await inspect(directory, entries, content, `round ${round}`);
  }
}

function hear(lines: readonly string[], entries: Map<number, string>, content: Map<string, number>): void {
  for (const line of lines) {
    const [what, first = '', second = ''] = line.split(' ');
    if (what === 'content') content.set(first, Number(second));
    if (what !== 'entry') continue;
    expect(entries.has(Number(first)), `entry ${first} was acknowledged twice`).toBe(false);
    entries.set(Number(first), second);
  }
}

async function inspect(
  directory: string,
  entries: ReadonlyMap<number, string>,
  content: ReadonlyMap<string, number>,
  label: string,
): Promise<void> {
  const before = await verifyDirectory(directory);
  expect(before.failures, `${label}, before anybody opens it again`).toEqual([]);
  const { ledger, store } = openFileLedger(directory);
  try {
    await ledger.append({ kind: 'note', payload: { text: label }, source: 'test' });
    await ledger.seal();
    await expectIntact(directory);
    const hashes = (await readEntries(store)).map(({ entry_hash }) => entry_hash);
    for (const [seq, hash] of entries) expect(hashes[seq - 1], `${label}: entry ${seq}`).toBe(hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const [hash, bytes] of content) {
      const found = await store.getContent(SESSION, { algorithm: 'keyed-sha256', hash, bytes });
      expect(found?.length, `${label}: content ${hash}`).toBe(bytes);
    }
  } finally {
    await store.close();
  }
}

/** The same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}
