// Cells of the table that do not hold yet, by fault, with a piece of what the failed assertion says. A mend takes its
// lines out: a cell that is named here and holds is a failure, and so is one that fails in another way.

export interface Fault {
  readonly host: string;
  readonly scenario: string;
  readonly cell: string;
  readonly fault: string;
  readonly seen: RegExp;
}

const OPENCODE_SERVER = 'OpenCode, its server';

const WORKS = 'an agent that works';

const ITS_END = 'the session has an end';

type Cells = readonly (readonly [host: string, scenario: string, cell: string, seen: RegExp])[];

const BY_FAULT: Readonly<Record<string, Cells>> = {
  'the end of a session is not told': [[OPENCODE_SERVER, WORKS, ITS_END, /expected \[ 'session.start' \]/]],
};

export const KNOWN_FAULTS: readonly Fault[] = Object.entries(BY_FAULT).flatMap(([fault, cells]) =>
  cells.map(([host, scenario, cell, seen]) => ({ fault, host, scenario, cell, seen })),
);
