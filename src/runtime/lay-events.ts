// The events of a run as lines for the cell of a replay, and what must come of each. What the cell must find by itself is left
// out of its lines. spec/run.md.
import { type Blake3, canonicalize, type JsonObject } from '../core/index.ts';
import { type RunEvent, runEventId } from '../format/index.ts';
import { declarationsOf } from './agent-declarations.ts';
import type { Expected } from './compare-replay.ts';
import type { CellLine } from './replay-form.ts';
import type { PlacedEffect } from './run-patches.ts';
import { REDUCED } from './survey-run.ts';

/** Kinds that the cell is given. At the others, writes of memory may still be to come. */
export const GIVEN: ReadonlySet<string> = new Set([
  'AgentInit',
  'Observation',
  'ToolResult',
  'Denial',
  'MemoryWrite',
  'Decision',
  'Snapshot',
  'Final',
]);
/** Kinds whose payload it must find by itself, or needs for nothing. */
export const FOUND: ReadonlySet<string> = new Set(['MemoryWrite', 'Decision', 'Snapshot', 'Final']);

/** The lines for the cell, and what must come of them. */
export class Laying {
  readonly expected: Expected[] = [];
  readonly executed = new Map<number, string>();
  readonly #pure: ReadonlySet<string>;
  readonly #hash: Blake3;
  readonly #snapshot: number | null;
  readonly #shown: number | undefined;
  #patches = 0;
  #call: JsonObject | undefined;
  /** Writes since the newest decision whose value may have been withheld. */
  #withheld: { mayBeWithheld: boolean }[] = [];
  /** The newest decision is here and is not to fail, or there is none. */
  #mayHaveFailed = true;
  /** The newest event that was reduced is a call that was denied to stop the run. */
  #isStopping = false;
  #lines = '';

  /** `pure` are the tools to be run again; `snapshot` the event that the cell begins at, `shown` one to show. */
  constructor(pure: ReadonlySet<string>, hash: Blake3, snapshot: number | null, shown: number | undefined) {
    this.#shown = shown;
    this.#snapshot = snapshot;
    this.#pure = pure;
    this.#hash = hash;
  }

  /** The payload is null where it is not here; `text` is its JSON, where that is at hand. */
  take(
    { sequence, kind, stateAfter, payloadHash }: RunEvent,
    payload: JsonObject | null,
    text: string | null,
  ): void {
    let output: string | null = null;
    if (kind === 'ToolCall') this.#call = payload ?? {};
    if (REDUCED.has(kind)) this.#isStopping = payload?.code === 'STOPPED';
    const { tool_id: tool, outcome } = payload ?? {};
    if (
      kind === 'ToolResult' &&
      outcome === 'ok' &&
      this.#pure.has(String(tool)) &&
      this.#call !== undefined
    ) {
      output = this.#hash(canonicalize({ output: payload?.output ?? null }));
      this.executed.set(sequence, String(tool));
      this.#line([sequence, 'Execute', { tool: String(tool), input: this.#call.input ?? null }]);
    }
    const isGiven = GIVEN.has(kind);
    const failure = this.#failure(kind, payload);
    const isStopped = kind === 'Final' && outcome === 'stopped' && !this.#isStopping;
    if (failure !== null) this.#line([sequence, kind, { fails: true }]);
    else if (isStopped) this.#line([sequence, kind, { stops: true }]);
    else if (isGiven) {
      const isEmpty = FOUND.has(kind) || kind === 'AgentInit' || payload === null;
      this.#lines += `[${sequence},"${kind}",${isEmpty ? '{}' : (text ?? JSON.stringify(payload))}]\n`;
    }
    this.expected.push({
      sequence,
      stateAfter,
      decision: kind === 'Decision' ? payloadHash : null,
      output,
      declared: kind === 'AgentInit' ? declarationsOf(payload ?? {}) : null,
      memory: this.#memory(kind, payloadHash, payload),
      bytes: kind === 'Snapshot' ? bytesOf(payload) : null,
      failure,
      isStopped,
      isTold: isGiven || sequence === this.#snapshot,
      patch: null,
    });
    if (sequence === this.#shown) this.#line([sequence, 'Show', {}]);
  }

  /** Why the run says that the agent's code failed; null where it says nothing of the kind. */
  #failure(kind: RunEvent['kind'], payload: JsonObject | null): string | null {
    if (kind === 'Decision') {
      const { action } = payload ?? {};
      this.#mayHaveFailed = action !== undefined && !Object.hasOwn(action as JsonObject, 'fail');
    }
    if (kind !== 'Final' || payload?.outcome !== 'failed' || !this.#mayHaveFailed) return null;
    return String(payload.reason);
  }

  /** A value that looks like a secret is null on record, and ends the run, unless a crash comes before that. */
  #memory(kind: RunEvent['kind'], hash: string, payload: JsonObject | null): Expected['memory'] {
    if (kind === 'Recovery') this.#withheld = [];
    if (kind === 'Decision') for (const write of this.#withheld.splice(0)) write.mayBeWithheld = false;
    if (kind !== 'MemoryWrite') return null;
    const write = { hash, mayBeWithheld: payload === null || payload.value === null };
    this.#withheld.push(write);
    return write;
  }

  /** Behind the event with this sequence. */
  patch(sequence: number, { id, change, undo, after }: PlacedEffect, code: string | null): void {
    const number = this.#patches++;
    this.#line([sequence, 'Patch', { id, change, undo, number, code }]);
    const patch = { id: runEventId(id.run, id.number), number };
    const nothing = {
      decision: null,
      output: null,
      declared: null,
      memory: null,
      bytes: null,
      failure: null,
      isStopped: false,
    };
    this.expected.push({ ...nothing, sequence, stateAfter: after, isTold: true, patch });
  }

  /** Once. */
  drain(): string {
    const lines = this.#lines;
    this.#lines = '';
    return lines;
  }

  #line(line: CellLine): void {
    this.#lines += `${JSON.stringify(line)}\n`;
  }
}

/** Null where the snapshot was withheld, because it looks like a secret. */
function bytesOf(payload: JsonObject | null): number | null {
  const { bytes, snapshot } = payload ?? {};
  return typeof bytes !== 'number' || (bytes === 0 && snapshot === null) ? null : bytes;
}
