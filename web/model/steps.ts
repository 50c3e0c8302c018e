// Rows as a reader follows them: a call with the permission it waited for and the result or denial it came to is one step.
import type { Lane, Row, Tone } from './session.ts';
import { textOf } from './session.ts';

export interface Step {
  /** What it begins with. */
  readonly row: Row;
  /** What belongs to it besides, in order. */
  readonly parts: readonly Row[];
  readonly seq: number;
  readonly from: number;
  readonly to: number;
  readonly lane: Lane;
  readonly title: string;
  readonly text: string;
  /** What it came to; empty where nothing is known of that. */
  readonly outcome: string;
  readonly tone: Tone;
  readonly agent: string | null;
  readonly permission: Permission | null;
}

export interface Permission {
  /** As the host said it: `asked`, `granted` or `denied`. */
  readonly state: string;
  readonly milliseconds: number | null;
}

interface Open {
  readonly row: Row;
  readonly parts: Row[];
  end: Row | null;
}

const ENDS: ReadonlySet<string> = new Set(['tool.result', 'tool.denied']);

/** With which of the steps has each entry. Yields whenever it may rest. */
export function* readSteps(
  rows: readonly Row[],
): Generator<void, { readonly steps: readonly Step[]; readonly index: ReadonlyMap<number, number> }> {
  const open: Open[] = [];
  const index = new Map<number, number>();
  /** By the numbers of all entries of it that another may answer. */
  const calls = new Map<number, number>();
  for (const row of rows) {
    yield;
    const { kind, cause } = row.entry;
    const at = cause === null ? undefined : calls.get(cause);
    const call = at === undefined ? undefined : open[at];
    const isEnd = ENDS.has(kind);
    // A second end of a call that had one is told apart: one of the two may not be the host's.
    if (at !== undefined && call !== undefined && (kind === 'approval' || (isEnd && call.end === null))) {
      call.parts.push(row);
      index.set(row.seq, at);
      if (isEnd) call.end = row;
      else calls.set(row.seq, at);
      continue;
    }
    index.set(row.seq, open.length);
    if (kind === 'tool.call') calls.set(row.seq, open.length);
    open.push({ row, parts: [], end: null });
  }
  const steps: Step[] = [];
  for (const each of open) {
    yield;
    steps.push(stepOf(each));
  }
  return { steps, index };
}

function stepOf({ row, parts, end }: Open): Step {
  const { seq, at, title, text, agent } = row;
  const isDenied = end?.entry.kind === 'tool.denied';
  return {
    row,
    parts,
    seq,
    from: at,
    to: Math.max(at, ...parts.map((part) => part.at)),
    lane: isDenied ? end.lane : row.lane,
    title: isDenied ? end.title : title,
    text,
    outcome: end?.text ?? '',
    tone: end === null || end.tone === 'plain' ? row.tone : end.tone,
    agent,
    permission: permissionOf(row, parts),
  };
}

function permissionOf(row: Row, parts: readonly Row[]): Permission | null {
  const asked = [row, ...parts].filter(({ entry }) => entry.kind === 'approval');
  const last = asked.at(-1)?.entry.payload;
  if (last === undefined) return null;
  const waited = asked
    .map(({ entry }) => entry.payload.waited_ms)
    .findLast((each): each is number => typeof each === 'number');
  return { state: textOf(last.state) ?? 'asked', milliseconds: waited ?? null };
}

/** The agents within the session that did something, in the order in which they appeared. */
export function branchesOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(({ agent }) => agent ?? []))];
}

const TOLD_BY_US: ReadonlySet<string> = new Set(['claim', 'contract', 'validation', 'gate', 'override']);

/**
 * How an entry came to name another as its cause. `recorded`: the host or the wire named it by an id, or whoever wrote the
 * entry wrote the other one, too. `inferred`: the recorder took what came last.
 */
export function linkBetween(row: Row, cause: Row): 'recorded' | 'inferred' {
  const { kind, payload } = row.entry;
  if (TOLD_BY_US.has(kind) || kind.startsWith('model.') || kind.startsWith('run.')) return 'recorded';
  const id = textOf(payload.tool_use_id);
  return id !== null && id === textOf(cause.entry.payload.tool_use_id) ? 'recorded' : 'inferred';
}
