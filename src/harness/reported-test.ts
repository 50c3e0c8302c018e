// A test as a report names it, in whichever form the report is.

export interface ReportedTest {
  /** What a pack may call it: its name, and its name behind those of what it is in. */
  readonly names: readonly string[];
  /** False where it was skipped or is to be done yet, too. */
  readonly passed: boolean;
}

export const MOST_REPORTED = 200_000;
/** Between the name of a group and what is in it. */
export const BETWEEN = ' > ';
