// Where a fork begins, as its parent's events tell: whether the agent decides there or waits, and what the parent was told
// and what its tools gave behind that event.
import { type Json, type JsonObject, plainBlake3 } from '../core/index.ts';
import { type AgentInit, parseRunPayload, type ResultOutcome, type RunEvent } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { unescapeReferences } from '../record/index.ts';
import { codeVersions, type KeptCode } from './patched-code.ts';
import { payloadOf, type ReadContent, readEvents, readInit } from './read-run.ts';
import type { RecordedCall } from './recorded-calls.ts';
import { RunError } from './run-error.ts';
import { readPatches } from './run-patches.ts';

export interface ForkPointParts {
  readonly log: LogReader;
  readonly run: string;
  /** Where its session begins, or an entry before that. */
  readonly first: number;
  readonly at: number;
  readonly read: ReadContent;
  /** Of its hashes; null where the salt is gone. */
  readonly key: Uint8Array | null;
  /** Look at nothing behind it: there it is damaged. */
  readonly isLast?: boolean;
}

export interface ForkPoint {
  readonly init: AgentInit;
  readonly stateHash: string;
  readonly decides: boolean;
  /** Null where one of them is not here. */
  readonly observations: readonly Json[] | null;
  readonly calls: readonly RecordedCall[];
}

/** RunError where the run has no such event, or none that a fork can begin behind. */
export async function readForkPoint(parts: ForkPointParts): Promise<ForkPoint> {
  const { log, run, first, at, isLast = false } = parts;
  const { init, seq } = await readInit(log, run, first);
  const { seq: end } = await log.head();
  const hash = plainBlake3(init.hashes === 'blake3' ? undefined : (parts.key ?? undefined));
  const before = new Before(init);
  const behind = new Behind();
  let stateHash: string | undefined;
  reading: for await (const events of readEvents(log, run, seq, end))
    for (const { event } of events) {
      const payload = NEEDED.has(event.kind) ? await payloadOf(event, parts.read, hash) : null;
      if (event.sequence <= at) before.take(event, payload);
      behind.take(event, payload, event.sequence > at);
      if (event.sequence === at) stateHash = event.stateAfter;
      if (isLast && event.sequence >= at) break reading;
      if (event.sequence === at + 1 && event.kind === 'MemoryWrite')
        throw new RunError(
          'NO_EVENT',
          `event ${at + 1} still writes what event ${at} led to. Fork after the last such write.`,
        );
    }
  if (stateHash === undefined) throw new RunError('NO_EVENT', `the run has no event ${at}.`);
  return { init, stateHash, decides: before.decides, ...behind.found };
}

/** The code that was in force behind that event. RunError where it is not here, or the run has no such event. */
export async function codeAt({
  log,
  run,
  first,
  at,
  read,
}: Omit<ForkPointParts, 'key' | 'isLast'>): Promise<KeptCode> {
  const { init, seq } = await readInit(log, run, first);
  const { seq: end } = await log.head();
  const versions = await codeVersions(init, [...(await readPatches(log, run, end)).effects.values()], read);
  for await (const events of readEvents(log, run, seq, end)) {
    const found = events.find(({ event }) => event.sequence === at);
    const version = found && versions.findLast((each) => each.seq <= found.seq);
    if (version !== undefined) return version.code;
  }
  throw new RunError('NO_EVENT', `the run has no event ${at}.`);
}

const NEEDED: ReadonlySet<string> = new Set(['Observation', 'Decision', 'ToolCall', 'ToolResult']);

/** Whether the agent would decide now, or waits to be told something. */
class Before {
  decides: boolean;

  constructor({ parent }: AgentInit) {
    this.decides = parent?.decides === true;
  }

  take({ kind, sequence }: RunEvent, payload: JsonObject | null): void {
    if (kind === 'Observation' || kind === 'ToolResult' || kind === 'Denial') this.decides = true;
    if (kind !== 'Decision') return;
    if (payload === null) throw new RunError('CONTENT_GONE', `the decision at event ${sequence} is missing.`);
    const parsed = parseRunPayload(kind, payload);
    if (parsed.kind === 'Decision' && parsed.action.type === 'wait') this.decides = false;
  }
}

class Behind {
  #observations: Json[] | null = [];
  readonly #calls: RecordedCall[] = [];
  #call: { readonly tool: string; readonly input: Json } | undefined;

  get found(): Pick<ForkPoint, 'observations' | 'calls'> {
    return { observations: this.#observations, calls: this.#calls };
  }

  /** A fork may begin between a call and its result, and then takes the decision again. */
  take({ kind }: RunEvent, payload: JsonObject | null, isBehind: boolean): void {
    if (kind === 'Observation' && isBehind) {
      if (payload === null) this.#observations = null;
      else this.#observations?.push(unescapeReferences(payload.value ?? null));
    } else if (kind === 'ToolCall') {
      const parsed = payload === null ? null : parseRunPayload(kind, payload);
      this.#call = parsed?.kind === 'ToolCall' ? parsed.request : undefined;
    } else if (kind === 'ToolResult') {
      if (isBehind && payload !== null && this.#call !== undefined)
        this.#calls.push({ tool: this.#call.tool, input: this.#call.input, end: endOf(payload) });
      this.#call = undefined;
    }
  }
}

/** Throws ParseError for what is no result. */
function endOf(payload: JsonObject): RecordedCall['end'] {
  parseRunPayload('ToolResult', payload);
  const usage = payload.usage as { readonly ms: number; readonly output_bytes: number };
  return {
    outcome: payload.outcome as ResultOutcome,
    output: unescapeReferences(payload.output ?? null),
    error: payload.error as string | null,
    ms: usage.ms,
    outputBytes: usage.output_bytes,
    fuel: payload.fuel_consumed as number | null,
  };
}
