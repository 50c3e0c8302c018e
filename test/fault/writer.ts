// A process that writes to a ledger as fast as it can until it is killed, and says on standard output what it was told
// is durable. Run by kill.ts.
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeArchive, encodeContentRef } from '../../src/format/index.ts';
import { Ledger } from '../../src/ledger/index.ts';
import { openFileStore, openKeyring } from '../../src/store/files/index.ts';

export interface WriterOptions {
  readonly directory: string;
  readonly segmentLimit: number;
  readonly callers: number;
  readonly jobs: readonly ('content' | 'seal' | 'archive' | 'rotate')[];
}

const { directory, segmentLimit, callers, jobs } = JSON.parse(process.argv[2] ?? '{}') as WriterOptions;
const SESSION = '1c'.repeat(32);
const store = openFileStore(directory, { segmentLimit });
const ledger = new Ledger({ store, keyring: openKeyring(join(directory, 'keys')), random: randomBytes });

/** At once and in this very moment: what was said must have been heard however soon the end comes. */
function say(...words: (string | number)[]): number {
  for (;;) {
    try {
      return writeSync(1, `${words.join(' ')}\n`);
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') throw error; // the pipe is full: its reader is slow
    }
  }
}

async function append(): Promise<never> {
  for (;;) {
    const text = 'w'.repeat(Math.random() * 500);
    const { last, hash } = await ledger.append({ kind: 'note', payload: { text }, source: 'test' });
    say('entry', last, hash);
  }
}

async function content(): Promise<never> {
  for (;;) {
    const bytes = randomBytes(Math.random() < 0.1 ? 600_000 : 1 + Math.random() * 3000);
    const ref = await store.putContent(SESSION, bytes);
    say('content', ref.hash, ref.bytes);
    const entry = {
      kind: 'x.content',
      payload: { it: encodeContentRef(ref) },
      source: 'test',
      session_id: SESSION,
    };
    const { last, hash } = await ledger.append(entry);
    say('entry', last, hash);
  }
}

async function again(work: () => Promise<unknown>, name: string): Promise<never> {
  for (;;) {
    await work();
    say(name);
  }
}

const archive = (): Promise<unknown> =>
  store.archive(
    async (files) => {
      const { last, hash } = await ledger.append({
        kind: 'archive',
        payload: encodeArchive({ files }),
        source: 'cli',
      });
      say('entry', last, hash);
    },
    { closeCurrent: true },
  );

const work: Promise<never>[] = Array.from({ length: callers }, append);
if (jobs.includes('content')) work.push(content());
if (jobs.includes('seal')) work.push(again(() => ledger.seal(), 'seal'));
if (jobs.includes('rotate')) work.push(again(() => ledger.rotateKey(), 'rotate'));
if (jobs.includes('archive')) work.push(again(archive, 'archive'));
say('ready');
await Promise.all(work);
