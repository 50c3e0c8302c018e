// Where a run stands between two events, and which kinds of events may come next. spec/run.md.
import type { DenialCode, RunEventKind, RunPayload } from '../../format/index.ts';

/** What may come next. `any` behind a decision that can't be read. */
export type Phase =
  | 'begin'
  | 'begun'
  | 'ready'
  | 'waiting'
  | 'calling'
  | 'open'
  | 'ending'
  | 'closing'
  | 'closed'
  | 'any';

export const NEXT: Readonly<Record<Phase, readonly RunEventKind[]>> = {
  begin: ['AgentInit'],
  begun: ['Snapshot'],
  ready: ['Observation', 'Decision', 'Snapshot'],
  waiting: ['Observation', 'Snapshot'],
  calling: ['ToolCall', 'Denial'],
  open: ['ToolResult'],
  ending: ['Snapshot'],
  closing: ['Final'],
  closed: [],
  any: ['Observation', 'ToolCall', 'Denial', 'Snapshot'],
};

/** Kinds whose events are reduced. */
export const REDUCED: ReadonlySet<RunEventKind> = new Set(['Observation', 'ToolResult', 'Denial']);
export const CHANGES_STATE: ReadonlySet<RunEventKind> = new Set([...REDUCED, 'AgentInit', 'MemoryWrite']);
/** Between the first snapshot and the last. */
export const PATCHABLE: ReadonlySet<Phase> = new Set(['ready', 'waiting', 'calling', 'open', 'any']);
export const UNCAUSED: ReadonlySet<RunEventKind> = new Set(['AgentInit', 'Observation', 'Recovery']);

/** A fork that goes on in the middle of its parent's step; also a beginning that can't be read. */
export function decidesAtOnce(kind: RunEventKind, payload: RunPayload | null): boolean {
  if (kind !== 'AgentInit') return false;
  return payload === null || (payload.kind === 'AgentInit' && payload.init.parent?.decides === true);
}

/** Behind such a denial the agent is not asked any more, and behind a call in doubt it need not be. What can't be read may be one. */
export function mayEndRun(payload: RunPayload | null): boolean {
  if (payload?.kind === 'ToolResult') return payload.outcome === 'unknown';
  return payload === null || (payload.kind === 'Denial' && ENDING.has(payload.code));
}

const ENDING: ReadonlySet<DenialCode> = new Set(['STOPPED', 'NOT_RECORDED']);

export function phaseAfter(kind: RunEventKind, payload: RunPayload | null, before: Phase): Phase {
  if (kind === 'AgentInit') return 'begun';
  if (kind === 'ToolCall') return 'open';
  if (kind === 'Final') return 'closed';
  if (payload?.kind === 'Snapshot') {
    if (payload.fact.reason === 'last') return 'closing';
    if (payload.fact.reason === 'patch') return before;
    return before === 'waiting' ? 'waiting' : 'ready';
  }
  if (payload?.kind === 'Denial' && payload.code === 'STOPPED') return 'ending';
  if (kind !== 'Decision') return 'ready';
  if (payload?.kind !== 'Decision') return 'any';
  const { type } = payload.action;
  return type === 'call' ? 'calling' : type === 'wait' ? 'waiting' : 'ending';
}
