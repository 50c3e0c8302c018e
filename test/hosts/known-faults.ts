// Cells of the table that do not hold yet, with the fault and a piece of what the failed assertion says. A mend takes its
// lines out: a cell that is named here and holds is a failure, and so is one that fails in another way.

export interface Fault {
  readonly host: string;
  readonly scenario: string;
  readonly cell: string;
  readonly fault: string;
  readonly seen: RegExp;
}

export const KNOWN_FAULTS: readonly Fault[] = [];
