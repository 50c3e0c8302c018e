// Two runs side by side: the first step that differs, which calls differ, how their states differ, and what was different to
// begin with. A fork is held against its parent from the event at which it begins.
import { canonicalize, diffJson, type Json, type JsonObject, type PatchOperation } from '../core/index.ts';
import { parseRunEventId } from '../format/index.ts';
import type { RunStep, RunSteps } from './run-steps.ts';

export type Sameness = 'same' | 'different' | 'unknown';

/** What a run starts from, and what may be why it goes another way. */
export const DIFF_CAUSES = [
  'code',
  'initial_state',
  'capabilities',
  'tools',
  'parameters',
  'inputs',
] as const;
export type DiffCause = (typeof DIFF_CAUSES)[number];

export interface StepDifference {
  /** Null where that run has ended. */
  readonly a: RunStep | null;
  readonly b: RunStep | null;
  /** From the content in A to that in B; empty where one is not there or of another kind. */
  readonly difference: readonly PatchOperation[];
}

export interface DiffCall {
  readonly event: number;
  readonly tool: string;
  readonly input: Json;
}

export interface ToolDifference {
  readonly onlyA: readonly DiffCall[];
  readonly onlyB: readonly DiffCall[];
  /** The same call with another result. */
  readonly otherOutput: readonly { readonly a: DiffCall; readonly b: DiffCall }[];
  /** The same calls, in another order. */
  readonly isReordered: boolean;
}

export interface RunDiff {
  readonly outcome: Sameness;
  readonly divergence: StepDifference | null;
  /** The first step that can't be compared, because its content is not here. */
  readonly unknown: StepDifference | null;
  readonly tools: ToolDifference;
  /** From the newest state of A to that of B; null where one of them is not here. */
  readonly state: readonly PatchOperation[] | null;
  readonly causes: Readonly<Record<DiffCause, Sameness>>;
  /** Which of the two is a fork of the other. */
  readonly fork: 'a' | 'b' | null;
}

export function diffRuns(a: RunSteps, b: RunSteps): RunDiff {
  const fork = isForkOf(b, a) ? 'b' : isForkOf(a, b) ? 'a' : null;
  const stepsA = fork === 'b' ? behindFork(a, b) : a.steps;
  const stepsB = fork === 'a' ? behindFork(b, a) : b.steps;
  const { divergence, unknown } = firstDifference(stepsA, stepsB);
  const state = a.end === null || b.end === null ? null : diffJson(a.end.state, b.end.state);
  const initial =
    fork === null ? sameness(a.begin, b.begin) : fork === 'b' ? startedAlike(b, a) : startedAlike(a, b);
  const causes: Record<DiffCause, Sameness> = {
    code: sameness(a.init.code.root, b.init.code.root),
    initial_state: initial,
    capabilities: sameness([...a.init.capabilities], [...b.init.capabilities]),
    tools: sameness(toolsOf(a), toolsOf(b)),
    parameters: sameness(a.init.parameters, b.init.parameters),
    inputs: sameInputs(inputsOf(stepsA), inputsOf(stepsB)),
  };
  const differs = divergence !== null || (state !== null && state.length > 0);
  const isUnknown = unknown !== null || state === null || causes.initial_state === 'unknown';
  return {
    outcome: differs ? 'different' : isUnknown ? 'unknown' : 'same',
    divergence,
    unknown,
    tools: toolDifference(callsOf(stepsA), callsOf(stepsB)),
    state,
    causes,
    fork,
  };
}

function isForkOf({ init: { parent } }: RunSteps, { run }: RunSteps): boolean {
  return parent !== null && parseRunEventId(parent.event)?.run === run;
}

const CHANGES_STATE = new Set(['Observation', 'ToolResult', 'Denial', 'MemoryWrite']);

/** The parent's steps that the fork has steps for: one that decides at once takes the parent's decision again. */
function behindFork({ steps }: RunSteps, { init: { parent } }: RunSteps): readonly RunStep[] {
  const at = parent === null ? -1 : (parseRunEventId(parent.event)?.sequence ?? -1);
  const before = steps.filter(({ event }) => event <= at);
  if (parent?.decides !== true) return steps.slice(before.length);
  return steps.slice(before.findLastIndex(({ kind }) => CHANGES_STATE.has(kind)) + 1);
}

/** Whether a fork began with the very state that its parent has on record there: the parent's hash is of it. */
function startedAlike({ init: { parent }, start }: RunSteps, { stateHashes, hash }: RunSteps): Sameness {
  const at = parent === null ? undefined : parseRunEventId(parent.event)?.sequence;
  const recorded = stateHashes[at ?? -1];
  if (start === null || hash === null || recorded === undefined) return 'unknown';
  return recorded === parent?.stateHash && hash(start) === recorded ? 'same' : 'different';
}

function firstDifference(
  a: readonly RunStep[],
  b: readonly RunStep[],
): Pick<RunDiff, 'divergence' | 'unknown'> {
  let unknown: StepDifference | null = null;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left = null, right = null] = [a[at], b[at]];
    const pair = { a: left, b: right, difference: [] };
    if (left === null || right === null || left.kind !== right.kind) return { divergence: pair, unknown };
    if (left.content === null || right.content === null) unknown ??= pair;
    else {
      const difference = diffJson(left.content, right.content);
      if (difference.length > 0) return { divergence: { ...pair, difference }, unknown };
    }
  }
  return { divergence: null, unknown };
}

function sameness(a: Json | null, b: Json | null): Sameness {
  if (a === null || b === null) return 'unknown';
  return canonicalize(a) === canonicalize(b) ? 'same' : 'different';
}

/** Tools as they are declared; how they work is part of the code. */
function toolsOf({ init: { tools } }: RunSteps): Json {
  return tools.map(({ name, pure, idempotent, limits }) => ({
    name,
    pure,
    idempotent,
    limits: { ...limits },
  }));
}

/** As far as both were told something: one that ends early is told less. */
function sameInputs(a: readonly Json[] | null, b: readonly Json[] | null): Sameness {
  const both = Math.min(a?.length ?? 0, b?.length ?? 0);
  return sameness(a?.slice(0, both) ?? null, b?.slice(0, both) ?? null);
}

/** Null where one of them is not here. */
function inputsOf(steps: readonly RunStep[]): readonly Json[] | null {
  const told = steps.filter(({ kind }) => kind === 'Observation').map(({ content }) => content);
  return told.includes(null) ? null : (told as JsonObject[]);
}

interface MadeCall extends DiffCall {
  readonly name: string;
  readonly result: string | null;
}

/** Those whose content is here. */
function callsOf(steps: readonly RunStep[]): MadeCall[] {
  return steps.flatMap(({ kind, content, event }, at) => {
    if (kind !== 'ToolCall' || content === null) return [];
    const result = steps.slice(at + 1, at + 2).find((next) => next.kind === 'ToolResult')?.content;
    const { tool_id: tool, input = null } = content;
    return [
      {
        event,
        tool: String(tool),
        input,
        name: canonicalize([String(tool), input]),
        result: result === undefined || result === null ? null : canonicalize(result),
      },
    ];
  });
}

/** Equal calls are paired in their order. */
function toolDifference(a: readonly MadeCall[], b: readonly MadeCall[]): ToolDifference {
  const waiting = new Map<string, MadeCall[]>();
  for (const call of b) {
    const equal = waiting.get(call.name);
    if (equal === undefined) waiting.set(call.name, [call]);
    else equal.push(call);
  }
  const onlyA: DiffCall[] = [];
  const otherOutput: { a: DiffCall; b: DiffCall }[] = [];
  for (const call of a) {
    const other = waiting.get(call.name)?.shift();
    if (other === undefined) onlyA.push(plain(call));
    else if (call.result !== null && other.result !== null && call.result !== other.result)
      otherOutput.push({ a: plain(call), b: plain(other) });
  }
  const left = new Set([...waiting.values()].flat());
  const onlyB = b.filter((call) => left.has(call)).map(plain);
  const isSame = onlyA.length === 0 && onlyB.length === 0;
  const isReordered = isSame && a.some(({ name }, at) => name !== b[at]?.name);
  return { onlyA, onlyB, otherOutput, isReordered };
}

function plain({ event, tool, input }: MadeCall): DiffCall {
  return { event, tool, input };
}
