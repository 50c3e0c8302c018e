// Every call of the operating system that a ledger's life makes fails once, both ways: without having taken effect and
// after it (for writes also after half of it). Then a new process comes, and everything that was acknowledged is there
// exactly once, the ledger takes new entries, and it verifies.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { ContentRef, Head } from '../../src/format/index.ts';
import {
  archive,
  createFileLedger,
  expectIntact,
  type Opened,
  openFileLedger,
  verifyDirectory,
} from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory } from '../temporary.ts';
import { type Call, type Effect, type Fault, FaultyFs } from './faulty-fs.ts';

// Memory is a disk without waiting; what the faults do does not depend on it.
export const root = mkdtempSync(join(fastDirectory, 'foil-fault-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SESSION = 'fa'.repeat(32);
const SEGMENT_LIMIT = 1200;
let run = 0;

interface Acknowledged {
  readonly entries: Head[];
  readonly content: { ref: ContentRef; content: Uint8Array }[];
  readonly errors: unknown[];
}

/** Everything a ledger does, one step after the other. A step that fails is noted, and the next one is tried. */
async function live(directory: string, faulty: FaultyFs): Promise<Acknowledged> {
  const acknowledged: Acknowledged = { entries: [], content: [], errors: [] };
  const attempt = async <T>(step: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await step();
    } catch (error) {
      acknowledged.errors.push(error);
      return undefined;
    }
  };
  const options = { fs: faulty.fs, segmentLimit: SEGMENT_LIMIT };
  let opened = await attempt(() => createFileLedger(directory, options));
  if (opened === undefined) return acknowledged;
  const { ledger, store } = opened;
  const note = async (text: string): Promise<void> => {
    const entry = { kind: 'note', payload: { text }, source: 'test' };
    const done = await attempt(() => ledger.append([entry, entry]));
    if (done !== undefined) acknowledged.entries.push({ seq: done.last, hash: done.hash });
  };
  const put = async (content: Uint8Array): Promise<void> => {
    const ref = await attempt(() => store.putContent(SESSION, content));
    if (ref !== undefined) acknowledged.content.push({ ref, content });
  };
  await note('first');
  await note('second');
  await put(new Uint8Array(10).fill(1));
  await put(new Uint8Array(600_000).fill(2));
  await attempt(() => ledger.seal());
  await note('third');
  await attempt(() => ledger.rotateKey());
  await attempt(() => archive({ ledger, store }));
  await put(new Uint8Array(20).fill(3));
  await note('fourth');
  await attempt(() => ledger.seal());
  await store.close();
  opened = await attempt(async () => openFileLedger(directory, options));
  if (opened === undefined) return acknowledged;
  const done = await attempt(() =>
    (opened as Opened).ledger.append({ kind: 'note', payload: {}, source: 'test' }),
  );
  if (done !== undefined) acknowledged.entries.push({ seq: done.last, hash: done.hash });
  await opened.store.close();
  return acknowledged;
}

/** A process with no memory of what went wrong. */
async function goOn(directory: string, { entries, content }: Acknowledged): Promise<void> {
  const before = await verifyDirectory(directory);
  if (before.entries > 0) expect(before.failures, 'before anybody opens it again').toEqual([]);
  const opened = await createFileLedger(directory).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'EXISTS' });
    return openFileLedger(directory);
  });
  const { ledger, store } = opened;
  try {
    await ledger.append({ kind: 'note', payload: { text: 'after' }, source: 'test' });
    await ledger.seal();
    const hashes = (await readEntries(store)).map(({ entry_hash }) => entry_hash);
    for (const { seq, hash } of entries) {
      expect(hashes[seq - 1], `entry ${seq} was acknowledged`).toBe(hash);
      expect(hashes.lastIndexOf(hash), 'exactly once').toBe(seq - 1);
    }
    for (const { ref, content: expected } of content) {
      const found = await store.getContent(SESSION, ref);
      expect(found && Buffer.compare(found, expected), 'acknowledged content').toBe(0);
    }
    await expectIntact(directory);
  } finally {
    await store.close();
  }
}

const CODES: Partial<Record<Call, readonly string[]>> = {
  append: ['EIO', 'ENOSPC'],
  appendDurably: ['EIO', 'ENOSPC'],
  open: ['EACCES'],
  makeDirectory: ['ENOSPC'],
};
const HALVES: readonly Call[] = ['append', 'appendDurably', 'overwrite'];
/** Calls that only look, and so have nothing to take effect. */
export const READS: readonly Call[] = ['read', 'stat', 'list', 'size'];
export const WRITES: readonly Call[] = [
  'open',
  'append',
  'appendDurably',
  'datasync',
  'syncDirectory',
  'overwrite',
  'rename',
  'link',
  'remove',
  'makeDirectory',
  'removeDirectory',
];

const TOGETHER = 6;

/** How often a ledger's life makes each call. */
export async function countCalls(): Promise<ReadonlyMap<Call, number>> {
  const dry = new FaultyFs();
  const { errors } = await live(join(root, `${run++}`), dry);
  expect(errors).toEqual([]);
  return dry.counts;
}

/** Fails the call each time it is made, or each `step`th time, in every way. */
export async function failEach(call: Call, step = 1): Promise<void> {
  const times = (await countCalls()).get(call) ?? 0;
  expect(times, 'the scenario reaches it').toBeGreaterThan(0);
  const ways: readonly Effect[] = READS.includes(call)
    ? ['none']
    : HALVES.includes(call)
      ? ['none', 'half', 'all']
      : ['none', 'all'];
  const faults: Fault[] = [];
  for (let nth = 1; nth <= times; nth += step) {
    for (const effect of ways)
      for (const code of CODES[call] ?? ['EIO']) faults.push({ call, nth, effect, code });
  }
  const next = faults.values();
  const work = async (): Promise<void> => {
    for (const fault of next) await suffer(fault);
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

/** What the caller is told when the call fails at its `nth` time. */
export async function errorsOf(fault: Fault): Promise<readonly unknown[]> {
  return (await live(join(root, `${run++}`), new FaultyFs(fault))).errors;
}

async function suffer(fault: Fault): Promise<void> {
  const directory = join(root, `${run++}`);
  const faulty = new FaultyFs(fault);
  const label = `${fault.call} ${fault.nth} fails with ${fault.code}, effect: ${fault.effect}`;
  try {
    const acknowledged = await live(directory, faulty);
    expect(faulty.happened).toBe(true);
    await goOn(directory, acknowledged);
  } catch (error) {
    throw new Error(`${label}: ${(error as Error).message}`, { cause: error });
  }
  rmSync(directory, { recursive: true });
}
