// A recorder as a program opens it, on a ledger of its own, and what is in the ledger when it is closed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { openRecorder, type RecorderPlace } from '../../src/entry/index.ts';
import { type ContentRef, type Entry, parseContentRef } from '../../src/format/index.ts';
import type { Recorder } from '../../src/record/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';

export interface Recording {
  readonly recorder: Recorder;
  readonly directory: string;
  readonly work: string;
  readonly place: NonNullable<RecorderPlace['place']>;
  /** Of everything but the ledger's own entries, while it is open or after. */
  entries(): Promise<Entry[]>;
  /** What a reference in an entry's payload leads to, parsed where it is JSON. */
  content(entry: Entry | undefined, member: string): Promise<Json | undefined>;
  /** Closes the recorder; the ledger must be intact. */
  done(): Promise<Entry[]>;
}

export async function record(options: RecorderPlace & { readonly yaml?: string } = {}): Promise<Recording> {
  const root = temporary(fastDirectory);
  const work = join(root, 'work');
  mkdirSync(join(work, '.git'), { recursive: true });
  if (options.yaml !== undefined) writeFileSync(join(work, 'counterfoil.yaml'), options.yaml);
  const directory = join(root, 'ledger');
  const place = options.place ?? { directory, keyDirectory: join(root, 'keys') };
  // Notes of what waits are not with those of the user who runs the tests.
  mkdirSync(join(root, 'run'), { mode: 0o700 });
  mkdirSync(place.directory, { recursive: true });
  const runtime = join(root, 'run/counterfoil');
  writeFileSync(
    join(place.directory, 'settings'),
    JSON.stringify({ v: 1, mode: 'observe', port: null, runtime }),
  );
  const { yaml: _, ...rest } = options;
  const recorder = await openRecorder({ cwd: work, ...rest, place });
  onTestFinished(() => recorder.close().catch(() => undefined));
  const entries = async (): Promise<Entry[]> => {
    const store = openFileStore(place.directory);
    try {
      return (await readEntries(store)).filter(({ kind }) => kind !== 'ledger.open');
    } finally {
      await store.close();
    }
  };
  return {
    recorder,
    directory: place.directory,
    work,
    place,
    entries,
    async content(entry, member) {
      const given = entry?.payload[member];
      if (given === null || given === undefined || entry === undefined) return undefined;
      const store = openFileStore(place.directory);
      try {
        const ref: ContentRef = parseContentRef(given as JsonObject);
        const bytes = await store.getContent(entry.session_id, ref);
        if (bytes === undefined) return undefined;
        const text = new TextDecoder().decode(bytes);
        return ref.type === 'application/json' ? (JSON.parse(text) as Json) : text;
      } finally {
        await store.close();
      }
    },
    async done() {
      await recorder.close();
      await expectIntact(place.directory, ['UNSEALED']);
      return entries();
    },
  };
}

export const kinds = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind);

/** A promise and the ways to settle it. */
export function deferred<T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
