// A ledger on files as the package opens it, with the knobs that tests need, and what to expect of it at the end.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { encodeArchive } from '../src/format/index.ts';
import { createLedger, Ledger } from '../src/ledger/index.ts';
import {
  createFileStore,
  type FileStore,
  type FileStoreOptions,
  openFileStore,
  openFiles,
  openKeyring,
} from '../src/store/files/index.ts';
import { type Code, type Report, verifyLedger } from '../src/verify/index.ts';

export interface Opened {
  readonly ledger: Ledger;
  readonly store: FileStore;
}

/** `directory` holds the ledger and, under keys/, its keys. */
export async function createFileLedger(directory: string, options: FileStoreOptions = {}): Promise<Opened> {
  const store = await createFileStore(directory, options);
  try {
    const ledger = await createLedger({ store, keyring: keyringOf(directory, options), random: randomBytes });
    return { ledger, store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export function openFileLedger(directory: string, options: FileStoreOptions = {}): Opened {
  const store = openFileStore(directory, options);
  const ledger = new Ledger({ store, keyring: keyringOf(directory, options), random: randomBytes });
  return { ledger, store };
}

/** The same, closed when the test ends. */
export async function newFileLedger(directory: string, options: FileStoreOptions = {}): Promise<Opened> {
  const opened = await createFileLedger(directory, options);
  onTestFinished(() => opened.store.close());
  return opened;
}

export function reopen(directory: string, options: FileStoreOptions = {}): Opened {
  const opened = openFileLedger(directory, options);
  onTestFinished(() => opened.store.close());
  return opened;
}

function keyringOf(directory: string, { fs }: FileStoreOptions): ReturnType<typeof openKeyring> {
  return openKeyring(join(directory, 'keys'), fs);
}

/** Gzips the closed segments and records it, as `foil archive` does. */
export function archive({ ledger, store }: Opened, closeCurrent = true): ReturnType<FileStore['archive']> {
  return store.archive(
    async (files) => {
      await ledger.append({ kind: 'archive', payload: encodeArchive({ files }), source: 'cli' });
    },
    { closeCurrent },
  );
}

export function verifyDirectory(directory: string): Promise<Report> {
  return verifyLedger(openFiles(directory));
}

/** Intact, with nothing to remark but that no key is pinned and what `also` allows. */
export async function expectIntact(directory: string, also: readonly Code[] = []): Promise<Report> {
  const report = await verifyDirectory(directory);
  const findings = Object.values(report.facets).flatMap((facet) => facet.findings);
  const allowed: readonly Code[] = ['NO_PINNED_KEY', 'NO_GATE', ...also];
  expect(findings.filter(({ code }) => !allowed.includes(code))).toEqual([]);
  expect(report.verdict).toBe('INTACT');
  return report;
}
