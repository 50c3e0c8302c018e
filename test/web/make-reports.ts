// Reports of runs that are told in memory, in the page that is built.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeReport, parseTar, type ReportFile, type TreeFile } from '../../src/format/index.ts';
import { looseBundle, Runs, signedBundle } from '../verify/bundle-maker.ts';

const page = (): string => readFileSync(join(import.meta.dirname, '../../dist/report.html'), 'utf8');

export interface Told {
  readonly report: ReportFile;
  /** The ledger's. */
  readonly vkey: string;
}

/** A run that has begun and ended, with what is told between, and everything shown. */
export function reportOf(tell: (runs: Runs) => void): Told {
  const runs = new Runs();
  runs.begin();
  tell(runs);
  runs.end();
  const loose = looseBundle(runs, { disclose: 'all' });
  loose.signers = [{ ...runs.signer, name: runs.vkey }];
  const parts = parseTar(signedBundle(loose));
  return { report: { page: page(), parts }, vkey: runs.vkey };
}

export function changed({ page, parts }: ReportFile, path: string, change: (text: string) => string): string {
  const of = (part: TreeFile): TreeFile =>
    part.path === path
      ? { path, bytes: new Uint8Array(Buffer.from(change(Buffer.from(part.bytes).toString()))) }
      : part;
  return encodeReport({ page, parts: parts.map(of) });
}
