// The room's door: judgements that need no machine.

export { completeChecks, failsOnError } from './command/complete-checks.ts';
export type { CommandFacts, Way, Where } from './command/facts.ts';
export { looksLikeCheck } from './command/looks-like-check.ts';
export { readCommand } from './command/read-command.ts';
export type { Attempt, Change, Evidence, Run, Weakening } from './evidence.ts';
export * from './file-kinds.ts';
export {
  evidenceIn,
  forgetBackground,
  type GateMemory,
  isMemory,
  NO_MEMORY,
  type ResultSeen,
  rememberChange,
  rememberPrompt,
  rememberResult,
} from './memory.ts';
