// Verifies a ledger with the hot loop, checkLines, on several threads. Runs are read and joined here, in order; what
// comes out is exactly what one thread would have reported.
import type { Files } from './files.ts';
import type { LinesOptions, LinesResult } from './lines.ts';
import type { Report } from './report.ts';
import type { Run } from './runs.ts';
import { Verification, type VerifyOptions } from './verification.ts';

/** Somebody who runs checkLines elsewhere. Calls may overlap; `run.buffer` is handed over and gone afterwards. */
export interface LineChecker {
  /** How many calls it works on at once. */
  readonly width: number;
  check(run: Run, options: LinesOptions): Promise<LinesResult>;
}

export async function verifyInParallel(
  files: Files,
  checker: LineChecker,
  options: VerifyOptions = {},
): Promise<Report> {
  const verification = await Verification.open(files, options);
  const underWay: { run: Run; result: Promise<LinesResult> }[] = [];
  const join = async (): Promise<void> => {
    const next = underWay.shift();
    if (next !== undefined) await verification.add(next.run, await next.result);
  };
  for await (const run of verification.runs()) {
    const result = checker.check(run, verification.lines);
    result.catch(() => undefined); // told when its turn comes
    underWay.push({ run, result });
    // One run waits for each that is worked on, so that no thread is idle and memory stays flat.
    if (underWay.length > 2 * checker.width) await join();
  }
  while (underWay.length > 0) await join();
  return verification.finish();
}
