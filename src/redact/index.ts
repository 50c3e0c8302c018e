// The door of the redact room: what must not be written. The rules are our own, with facts from well-kept rule sets:
// see token-rules.ts and token-table.ts. Loaded in every hook, so nothing is built before the first redactor is made.

export type { RedactionCounts } from './counts.ts';
export { parseRedactOptions, type RedactOptions } from './options.ts';
export type { PatternRule } from './pattern.ts';
export type { CallMade } from './printed.ts';
export { makeRedactor, type Redactor } from './redactor.ts';
export { ruleIds } from './rules.ts';
