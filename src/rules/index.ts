// The room's door: judgements that need no machine.
export type { Attempt, Change, Evidence, Run, Weakening } from './evidence.ts';
export { type Moment, namesIn, quoteOf, SessionEvidence } from './session-evidence.ts';
