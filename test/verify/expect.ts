// What tests ask of a report.
import { filesFromMap, type Report, type VerifyOptions, verifyLedger } from '../../src/verify/index.ts';
import type { FileMap } from './make-ledger.ts';

export function verify(files: FileMap, options: VerifyOptions = {}): Promise<Report> {
  return verifyLedger(filesFromMap(files), options);
}

const RECORD = ['integrity', 'truncation', 'identity'] as const;

/** `code@seq`, or `code` for a finding about no entry; each once, sorted. Of the record, unless told otherwise. */
export function codesOf(report: Report, facets: readonly (keyof Report['facets'])[] = RECORD): string[] {
  const all = facets.flatMap((facet) => report.facets[facet].findings);
  const seen = new Set(all.map(({ code, seq }) => (seq === null ? code : `${code}@${seq}`)));
  return [...seen].sort();
}

/** The files that findings of these codes name. */
export function filesNamed(report: Report, ...codes: string[]): string[] {
  const all = Object.values(report.facets).flatMap(({ findings }) => findings);
  return [...new Set(all.filter(({ code }) => codes.includes(code)).map(({ file }) => file ?? ''))].sort();
}

export function statusesOf(report: Report): string {
  const { integrity, truncation, identity } = report.facets;
  return `${integrity.status} ${truncation.status} ${identity.status}`;
}
