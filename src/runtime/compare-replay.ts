// What a replay's report is worth: line by line against what is on record. The report comes from hostile code, so what it
// leaves out or says twice counts against it, and only the same hash at every event is a match.

import type { JsonObject } from '../core/index.ts';
import { isWordOf, type RecordedDivergence } from '../format/index.ts';
import { declaredOtherwise } from './agent-declarations.ts';

export interface Expected {
  readonly sequence: number;
  readonly stateAfter: string;
  /** The hash of a decision's payload. */
  readonly decision: string | null;
  /** The hash of a tool's output, where it was run again. */
  readonly output: string | null;
  /** What `AgentInit` says of the agent. */
  readonly declared: JsonObject | null;
  /** The hash of a memory write's payload, and whether its value may be null in place of what was written. */
  readonly memory: { readonly hash: string; readonly mayBeWithheld: boolean } | null;
  /** How long a snapshot is, as it says; null where it was withheld. */
  readonly bytes: number | null;
  /** Why the agent's code failed, as the last event says. */
  readonly failure: string | null;
  /** The last event says that somebody stopped the run: then the agent's code did not fail before that. */
  readonly isStopped: boolean;
  /** Whether the cell has a word for it; else the state is that of the event before. */
  readonly isTold: boolean;
  /** A patch behind the event, by its id and which of those laid out it is; null for the event itself. */
  readonly patch: { readonly id: string; readonly number: number } | null;
}

export interface Divergence {
  readonly event: number;
  /** The id of the patch behind the event that did not do what it says; null where the event itself differs. */
  readonly patch: string | null;
  readonly what: RecordedDivergence['what'];
  readonly expected: string;
  readonly got: string;
  /** What made it differ, as far as that is known. */
  readonly why: string | null;
}

export interface Compared {
  readonly outcome: 'matches' | 'diverges' | 'unknown';
  readonly divergence: Divergence | null;
  /** The event from which on nothing could be rebuilt. */
  readonly unknownAt: number | null;
  /** Rebuilt, behind the last event that was. */
  readonly finalStateHash: string | null;
  /** The state that was asked for, as canonical JSON. */
  readonly state: string | null;
  /** Why the replay broke down. */
  readonly broke: string | null;
}

interface Told {
  readonly states: Map<number, string>;
  readonly patches: Map<number, string>;
  readonly decisions: Map<number, string>;
  readonly outputs: Map<number, string>;
  readonly declared: Map<number, string>;
  readonly writes: Map<number, string>;
  readonly bytes: Map<number, string>;
  readonly failures: Map<number, string>;
  readonly asked: Map<number, string>;
  readonly twice: Set<number>;
  state: string | null;
  broke: string | null;
}

/** Where the code came to nothing at all. */
export const NOTHING = 'nothing';

export interface CompareOptions {
  readonly unknownAt: number | null;
  /** Whether this Node is the one that the run ran on: others word their errors differently. */
  readonly isSameNode: boolean;
}

export function compare(
  expected: readonly Expected[],
  report: string,
  { unknownAt, isSameNode }: CompareOptions,
): Compared {
  const told = parseReport(report);
  let hash: string | null = null;
  let divergence: Divergence | null = null;
  for (const each of expected) {
    if (each.patch !== null) hash = told.patches.get(each.patch.number) ?? null;
    else if (each.isTold && each.decision === null) hash = told.states.get(each.sequence) ?? null;
    divergence =
      each.patch === null
        ? (differs(each, hash, told) ?? misstates(each, told, isSameNode))
        : differsBehind(each, each.patch.id, hash);
    if (divergence !== null) break;
  }
  const outcome =
    divergence !== null ? 'diverges' : unknownAt !== null || told.broke !== null ? 'unknown' : 'matches';
  return { outcome, divergence, unknownAt, finalStateHash: hash, state: told.state, broke: told.broke };
}

function differsBehind(
  { sequence, stateAfter }: Expected,
  id: string,
  hash: string | null,
): Divergence | null {
  if (hash === stateAfter) return null;
  const why =
    hash === '-'
      ? "the patch can't be carried out on this state, or its inverse doesn't restore it"
      : 'the patch leads to a different state than it says';
  const got = hash === '-' ? NOTHING : (hash ?? NOTHING);
  return { event: sequence, patch: id, what: 'state_hash', expected: stateAfter, got, why };
}

function differs(each: Expected, hash: string | null, told: Told): Divergence | null {
  const { sequence: event, stateAfter, decision, output, declared, memory } = each;
  const why = whyAt(event, told);
  const at = { event, patch: null };
  if (output !== null && told.outputs.get(event) !== output)
    return {
      ...at,
      what: 'output',
      expected: output,
      got: told.outputs.get(event) ?? NOTHING,
      why: 'a tool that is said to be pure gave another output when it ran again',
    };
  if (decision !== null) {
    const got = told.decisions.get(event);
    return got === decision
      ? null
      : { ...at, what: 'decision', expected: decision, got: got ?? NOTHING, why };
  }
  const other = declared === null ? null : declaredOtherwise(declared, told.declared.get(event));
  if (other !== null)
    return { ...at, what: 'declaration', ...other, why: "the agent's code says so about itself" };
  if (memory !== null) {
    const [written = NOTHING, withheld] = told.writes.get(event)?.split(' ') ?? [];
    const isSame = written === memory.hash || (memory.mayBeWithheld && withheld === memory.hash);
    if (!isSame)
      return {
        ...at,
        what: 'memory',
        expected: memory.hash,
        got: written,
        why: why ?? 'the reducer wrote something else, or nothing',
      };
  }
  if (hash !== stateAfter)
    return { ...at, what: 'state_hash', expected: stateAfter, got: hash ?? NOTHING, why };
  // The same this time, and by chance.
  return why === null
    ? null
    : { ...at, what: 'state_hash', expected: stateAfter, got: 'not the same twice', why };
}

const LONGEST_WORD = 128;

/** What the record says of a snapshot or of the end, and the code does not. */
function misstates(
  { sequence: event, bytes, failure, isStopped }: Expected,
  { bytes: sizes, failures }: Told,
  isSameNode: boolean,
): Divergence | null {
  const other = (expected: string, got: string, why: string): Divergence => {
    const word = (text: string): string => text.slice(0, LONGEST_WORD).toWellFormed();
    return { event, patch: null, what: 'declaration', expected: word(expected), got: word(got), why };
  };
  const size = sizes.get(event) ?? NOTHING;
  if (bytes !== null && size !== String(bytes))
    return other(
      `bytes ${bytes}`,
      `bytes ${size}`,
      "the snapshot of this state doesn't have the length that it says",
    );
  if (failure === null && !isStopped) return null;
  const told = failures.get(event);
  const came = parsedText(told);
  if (failure === null)
    return told === 'null'
      ? null
      : other(
          'outcome stopped',
          `reason ${came ?? NOTHING}`,
          "the agent's code failed, and nobody stopped it",
        );
  return isFailure(failure, came, isSameNode)
    ? null
    : other(
        `reason ${failure}`,
        came === null ? NOTHING : `reason ${came}`,
        "the agent's code did not fail in this way",
      );
}

/** Whether something looks like a secret is not known in the cell. */
const SECRET = /^(?:its decision holds what|what it remembers as .*) looks like a secret$/s;
/** The reason on record is what the code came to, redacted and cut short. */
function isFailure(reason: string, came: string | null, isSameNode: boolean): boolean {
  if (came === null) return SECRET.test(reason);
  if (!isSameNode) return reason.split(':')[0] === came.split(':')[0];
  return isWordOf(reason, came);
}

/** Null for what is no text. */
function parsedText(json: string | undefined): string | null {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

function whyAt(event: number, { asked, twice, broke }: Told): string | null {
  const name = asked.get(event);
  if (name !== undefined) return `the agent asked for ${name} while it worked on this event`;
  if (twice.has(event))
    return 'the reducer keeps something outside its state: for one event it gave two states';
  return broke;
}

function parseReport(report: string): Told {
  const told: Told = {
    states: new Map(),
    patches: new Map(),
    decisions: new Map(),
    outputs: new Map(),
    declared: new Map(),
    writes: new Map(),
    bytes: new Map(),
    failures: new Map(),
    asked: new Map(),
    twice: new Set(),
    state: null,
    broke: null,
  };
  const lines = report.split('\n');
  for (const line of lines) {
    const [letter, digits = '', value = ''] = split(line);
    const sequence = Number(digits);
    if (letter === 's') told.states.set(sequence, value);
    else if (letter === 'p') told.patches.set(sequence, value);
    else if (letter === 'd') told.decisions.set(sequence, value);
    else if (letter === 'x') told.outputs.set(sequence, value);
    else if (letter === 'a') told.declared.set(sequence, value);
    else if (letter === 'm') told.writes.set(sequence, value);
    else if (letter === 'b') told.bytes.set(sequence, value);
    else if (letter === 'f') told.failures.set(sequence, value);
    else if (letter === 'g') told.asked.set(sequence, value.slice(0, 100).replaceAll('"', ''));
    else if (letter === 't') told.twice.add(sequence);
    else if (letter === 'v') told.state = value;
    else if (letter === '!') told.broke = line.slice(2, 1000);
  }
  if (lines.at(-2) !== '.') told.broke ??= 'the replay did not finish';
  return told;
}

function split(line: string): readonly string[] {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  if (first < 0) return [line];
  return second < 0
    ? [line.slice(0, first), line.slice(first + 1)]
    : [line.slice(0, first), line.slice(first + 1, second), line.slice(second + 1)];
}
