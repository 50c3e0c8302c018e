// A run as somebody who compares runs sees it: its steps, without what is bound to one run alone, such as ids, hashes, times
// and snapshots. Payloads are proven to be those that their events name; what is not here is null.
import { canonicalize, type Json, type JsonObject, ParseError, plainBlake3 } from '../core/index.ts';
import {
  type AgentInit,
  type ContentRef,
  parseRunPayload,
  type RunEvent,
  type RunEventKind,
} from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { payloadOf, type ReadContent, readEvents, readInit } from './read-run.ts';

export interface RunSource {
  readonly log: LogReader;
  readonly run: string;
  readonly first: number;
  readonly key: Uint8Array | null;
  readonly read: ReadContent;
}

/** Members that say what happened; the others tell how long it took, or under which grant. */
const MEMBERS: Readonly<Partial<Record<RunEventKind, readonly string[]>>> = {
  Observation: ['value'],
  Decision: ['action'],
  ToolCall: ['tool_id', 'input'],
  ToolResult: ['tool_id', 'output', 'outcome', 'error'],
  Denial: ['tool_id', 'input', 'code'],
  MemoryWrite: ['key', 'value'],
  Final: ['outcome', 'reason', 'result'],
};

export interface RunStep {
  readonly event: number;
  readonly kind: RunEventKind;
  /** Null where it is not here. */
  readonly content: JsonObject | null;
}

export interface RunSteps {
  readonly run: string;
  readonly init: AgentInit;
  readonly steps: readonly RunStep[];
  /** `state_hash_after` by event. */
  readonly stateHashes: readonly string[];
  /** As the run hashes; null where the key is not here. */
  readonly hash: ((text: string) => string) | null;
  /** The state that a fork began with, in canonical JSON; null for another run, or where it is not here. */
  readonly start: string | null;
  /** The states that snapshots tell, the first and the newest; null where they are not here. */
  readonly begin: JsonObject | null;
  readonly end: { readonly event: number; readonly state: JsonObject } | null;
}

/** Throws ParseError and RunError for a run that can't be read. */
export async function readRunSteps(source: RunSource): Promise<RunSteps> {
  const { log, run, first, key, read } = source;
  const { init, seq } = await readInit(log, run, first);
  const isReadable = init.hashes === 'blake3' || key !== null;
  const hash = plainBlake3(init.hashes === 'blake3' ? undefined : (key ?? undefined));
  const steps: RunStep[] = [];
  const stateHashes: string[] = [];
  const snapshots: { readonly event: RunEvent; readonly ref: ContentRef }[] = [];
  for await (const events of readEvents(log, run, seq, (await log.head()).seq))
    for (const { event } of events) {
      const members = MEMBERS[event.kind];
      stateHashes[event.sequence] = event.stateAfter;
      if (event.kind === 'Snapshot' && event.payload !== null) {
        const parsed = parseRunPayload(event.kind, event.payload);
        const ref = parsed.kind === 'Snapshot' ? parsed.fact.snapshot : null;
        if (ref !== null) snapshots.push({ event, ref });
      }
      if (members === undefined) continue;
      const payload = isReadable ? await payloadOf(event, read, hash) : null;
      const content =
        payload === null ? null : Object.fromEntries(members.map((name) => [name, payload[name] as Json]));
      steps.push({ event: event.sequence, kind: event.kind, content });
    }
  const stateAt = async (at: number): Promise<{ event: number; state: JsonObject } | null> => {
    const found = snapshots.at(at);
    const bytes = found === undefined || !isReadable ? undefined : await read(found.ref);
    const text = bytes === undefined ? null : stateText(bytes);
    if (found === undefined || text === null) return null;
    // A snapshot proves nothing by itself: the event names the hash of the state.
    if (hash(text) !== found.event.stateAfter) return null;
    return { event: found.event.sequence, state: comparable(JSON.parse(text) as JsonObject) };
  };
  const [begin, end] = [await stateAt(0), await stateAt(-1)];
  const started = init.parent === null ? undefined : await read(init.parent.start);
  return {
    run,
    init,
    steps,
    stateHashes,
    hash: isReadable ? hash : null,
    start: started === undefined ? null : stateText(started),
    begin: begin?.state ?? null,
    end,
  };
}

/** The four members that the hash of a state is of; null for what is no snapshot. */
export function stateText(bytes: Uint8Array): string | null {
  try {
    const {
      run_id: _,
      sequence: __,
      state_hash: ___,
      ...state
    } = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
    return canonicalize(state);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ParseError || error instanceof TypeError)
      return null;
    throw error;
  }
}

/** The agent's state, and what it remembers by key. */
export function comparable({ memory, state }: JsonObject): JsonObject {
  const { documents = [] } = (memory ?? {}) as { readonly documents?: readonly JsonObject[] };
  return {
    memory: Object.fromEntries(documents.map(({ key, value }) => [String(key), value as Json])),
    state: state as Json,
  };
}
