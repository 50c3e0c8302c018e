// The room's door: judgements that need no machine.
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
