// Verifies a ledger on one thread: the driver for browsers, for memory and for small ledgers.
import type { Files } from './files.ts';
import { checkLines } from './lines.ts';
import type { Report } from './report.ts';
import { Verification, type VerifyOptions } from './verification.ts';

/**
 * Reads everything and reports every failure. Bad evidence is a finding, never an exception; what rejects is reading
 * itself (the error of `files`).
 */
export async function verifyLedger(files: Files, options: VerifyOptions = {}): Promise<Report> {
  const verification = await Verification.open(files, options);
  for await (const run of verification.runs()) {
    await verification.add(run, checkLines(run.buffer, run.start, run.end, verification.lines));
  }
  return verification.finish();
}
