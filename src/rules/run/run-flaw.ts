// What can be wrong with an event of a run, by the codes of spec/run.md.

export type RunFlawCode =
  | 'RUN_SEQUENCE'
  | 'RUN_PARENT'
  | 'RUN_STATE_CHAIN'
  | 'RUN_CAUSE'
  | 'RUN_ORDER'
  | 'RUN_MEMORY'
  | 'RUN_SNAPSHOT'
  | 'RUN_LIMIT'
  | 'RUN_PATCH'
  | 'RUN_DENIAL'
  | 'RUN_USAGE'
  | 'RUN_CAPABILITIES'
  | 'RUN_CALL_NOT_GRANTED'
  | 'RUN_TOOL_UNDECLARED';

export interface RunFlaw {
  readonly code: RunFlawCode;
  readonly message: string;
}

/** Told of each flaw as it is found. */
export type TellFlaw = (code: RunFlawCode, message: string) => void;
