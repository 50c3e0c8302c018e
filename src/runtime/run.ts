// A run, live: observe, decide, authorise, call, reduce. Each event is computed by the machine first and durable before the
// effect that it announces; nothing goes to the agent that is not on record as it goes there. spec/run.md.
import { canonicalize, type Json, type JsonObject } from '../core/index.ts';
import {
  type DenialCode,
  EVENT_CANONICAL,
  encodeRequest,
  type FinalOutcome,
  LONGEST_CAPABILITY,
  MOST_NEEDS,
  parseContentRef,
  parseRunAction,
  type RunAction,
  type RunEventKind,
  runEventId,
  type SessionCounts,
  type SnapshotReason,
  type ToolRequest,
} from '../format/index.ts';
import { type Decision, type Grants, parseNeed } from '../policy/index.ts';
import { escapeReferences, type Intake, Traces } from '../record/index.ts';
import type { CellCode } from './cell-form.ts';
import type { Agent, Tool } from './define.ts';
import { type Machine, messageOf, writePayload } from './machine.ts';
import type { Models } from './models.ts';
import { asNeeds } from './needs-form.ts';
import { RunError } from './run-error.ts';
import type { NewEvent, RunLog } from './run-log.ts';
import type { ToolCells } from './tool-cells.ts';
import { needsHere, needsOrCall } from './tool-needs.ts';
import { checkInput, runTool, type ToolEnd } from './tool-run.ts';

export interface RunLimits {
  /** Calls of tools. */
  readonly calls: number;
  readonly events: number;
}

export interface SnapshotPolicy {
  /** After so many events. */
  readonly events: number;
  /** After so many bytes of payloads. */
  readonly bytes: number;
}

export interface RunSession {
  readonly id: string;
  assertAuthenticated(): void;
  end(options: { reason: string; counts: SessionCounts }): Promise<void>;
}

/** Who answers calls of tools in place of the tools themselves. */
export interface Answers {
  /** Why a call is neither answered nor made; null where it is. */
  refuse(tool: Tool, input: Json): string | null;
  /** Once; undefined where the tool is to be run. */
  take(tool: Tool, input: Json): ToolEnd | undefined;
}

export interface RunParts {
  readonly session: RunSession;
  readonly agent: Agent;
  readonly machine: Machine;
  readonly log: RunLog;
  readonly intake: Intake;
  /** Whether payloads stand in the entries themselves. */
  readonly inline: boolean;
  readonly grants: Grants;
  /** The work tree. */
  readonly root: string;
  readonly limits: RunLimits;
  readonly snapshots: SnapshotPolicy;
  readonly cells: ToolCells;
  /** By the names of the tools that run in one. */
  readonly cellCodes: ReadonlyMap<string, CellCode>;
  readonly models: Models;
  /** Null where every tool is run. */
  readonly answers: Answers | null;
  /** Where `AgentInit` stands. */
  readonly initSeq: number;
  close(): Promise<void>;
}

/** What is to be done next, as the events on record leave it. */
export type Next =
  | { readonly do: 'decide' | 'wait' }
  | { readonly do: 'act'; readonly decision: number; readonly action: RunAction }
  | { readonly do: 'conclude'; readonly call: number; readonly request: ToolRequest }
  | {
      readonly do: 'close';
      readonly outcome: FinalOutcome;
      readonly reason: string | null;
      readonly result: Json;
    }
  | {
      readonly do: 'final';
      readonly outcome: FinalOutcome;
      readonly reason: string | null;
      readonly result: Json;
    };

export interface RunUsage {
  calls: number;
  denials: number;
  ms: number;
  outputBytes: number;
}

export type RunStatus =
  | { readonly status: 'waiting' }
  | { readonly status: FinalOutcome; readonly reason: string | null; readonly result: Json };

/** Payloads up to this stand in the entry. */
const LARGEST_INLINE = 16_384;
const MOST_JUDGED = 256;
/** Kinds that hold facts alone. */
const FACTS: ReadonlySet<RunEventKind> = new Set(['AgentInit', 'Snapshot', 'Recovery']);

export class Run {
  readonly id: string;
  readonly #parts: RunParts;
  readonly #usage: RunUsage;
  #next: Next;
  #reduced: number | null;
  #sinceSnapshot = { events: 0, bytes: 0 };
  #redacted = 0;
  #busy: Promise<unknown> = Promise.resolve();
  #ended: RunStatus | undefined;
  /** Needs, as they are on this machine, that were held against the grants. */
  readonly #judged = new Map<string, Decision>();

  constructor(
    parts: RunParts,
    at: { readonly next: Next; readonly reduced: number | null; readonly usage: RunUsage },
  ) {
    this.id = parts.session.id;
    this.#parts = parts;
    this.#next = at.next;
    this.#reduced = at.reduced;
    this.#usage = at.usage;
  }

  /** Tells the agent something and lets it act until it waits or ends. RunError CLOSED once it has ended. */
  observe(value: unknown): Promise<RunStatus> {
    return this.#alone(async () => {
      this.#assertOpen();
      await this.#reduce('Observation', { value: this.#clean(value) }, null);
      this.#next = { do: 'decide' };
      return this.#advance();
    });
  }

  /** Goes on where the events leave it: for a run that was recovered. */
  resume(): Promise<RunStatus> {
    return this.#alone(() => this.#advance());
  }

  /** Ends it before the agent does. Again is no harm. */
  stop(reason = 'stopped by the program'): Promise<RunStatus> {
    return this.#alone(async () => {
      if (this.#ended !== undefined) return this.#ended;
      this.#next = { do: 'close', outcome: 'stopped', reason, result: null };
      return this.#advance();
    });
  }

  /** Lets go of the ledger. A run that has not ended can be recovered later. */
  async close(): Promise<void> {
    await this.#busy.catch(() => undefined);
    await this.#parts.close();
  }

  /** The writes that the newest reduction asked for, as events. */
  async rememberPending(): Promise<void> {
    const { machine } = this.#parts;
    for (let [write] = machine.pending; write !== undefined; [write] = machine.pending) {
      const { key, value, cause } = write;
      const clean = this.#asItIs(value);
      const payload = writePayload(write);
      machine.apply({ sequence: this.#parts.log.next, kind: 'MemoryWrite', payload });
      if (!clean) machine.failure ??= `what it remembers as ${key} looks like a secret`;
      await this.#add('MemoryWrite', clean ? payload : { ...payload, value: null }, cause);
    }
  }

  async snapshot(reason: SnapshotReason): Promise<void> {
    const { machine, intake, session, log, initSeq } = this.#parts;
    const document = machine.snapshot(log.next - 1);
    const kept = this.#asItIs(document) ? await intake.keep(session.id, document) : null;
    const payload = {
      reason,
      state_hash: machine.hash,
      init_seq: initSeq,
      bytes: kept?.bytes ?? 0,
      snapshot: kept?.ref ?? null,
    };
    await this.#add('Snapshot', payload, log.next - 1);
    this.#sinceSnapshot = { events: 0, bytes: 0 };
  }

  /** Gives its sequence. It is on record after the next flush. */
  async record(kind: 'Recovery', payload: JsonObject): Promise<number> {
    return this.#add(kind, payload, null);
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#busy.then(work, work);
    this.#busy = mine.catch(() => undefined);
    return mine;
  }

  #assertOpen(): void {
    if (this.#ended !== undefined) throw new RunError('CLOSED', 'the run has ended. Start another one.');
  }

  async #advance(): Promise<RunStatus> {
    for (;;) {
      const next = this.#next;
      if (this.#ended !== undefined) return this.#ended;
      if (next.do === 'close' || next.do === 'final') return this.#close(next);
      if (next.do === 'wait') {
        await this.#parts.log.flush();
        return { status: 'waiting' };
      }
      this.#next = await this.#step(next);
    }
  }

  async #step(next: Exclude<Next, { do: 'close' | 'final' | 'wait' }>): Promise<Next> {
    const { machine, log, limits } = this.#parts;
    if (next.do === 'act') return this.#act(next.decision, next.action);
    if (next.do === 'conclude') return this.#conclude(next.call, next.request);
    if (machine.failure !== null)
      return { do: 'close', outcome: 'failed', reason: machine.failure, result: null };
    if (log.next >= limits.events)
      return {
        do: 'close',
        outcome: 'stopped',
        reason: `the run may have ${limits.events} events`,
        result: null,
      };
    const due = this.#dueSnapshot();
    if (due !== null) await this.snapshot(due);
    return this.#decide();
  }

  async #decide(): Promise<Next> {
    const { machine } = this.#parts;
    const decided = machine.decide();
    const failed = (reason: string): Next => ({ do: 'close', outcome: 'failed', reason, result: null });
    if (decided === null) return failed(machine.failure ?? 'decide failed');
    let action: RunAction;
    try {
      action = parseRunAction(decided.action);
    } catch (error) {
      return failed(`decide gave no action: ${messageOf(error)}`);
    }
    if (!this.#asItIs(decided.action)) return failed('its decision holds what looks like a secret');
    const { action: said, payload } = decided;
    const decision = await this.#add('Decision', { action: said }, this.#reduced, payload);
    return { do: 'act', decision, action };
  }

  async #act(decision: number, action: RunAction): Promise<Next> {
    if (action.type === 'wait') return { do: 'wait' };
    if (action.type === 'finish')
      return { do: 'close', outcome: 'finished', reason: null, result: action.result };
    if (action.type === 'fail')
      return { do: 'close', outcome: 'failed', reason: action.reason, result: null };
    const { tool: name, input } = action;
    const tool = this.#parts.agent.tools.find((each) => each.name === name);
    const plain = { tool: name, input, required: [], granted: [] };
    if (tool === undefined) return this.#deny(decision, plain, 'UNKNOWN_TOOL', `there is no tool ${name}`);
    const checked = await checkInput(tool.schema, input);
    if ('refused' in checked) return this.#deny(decision, plain, 'BAD_INPUT', checked.refused);
    const { request, missing } = this.#authorise(tool, input);
    if (missing !== null) return this.#deny(decision, request, 'NOT_GRANTED', `${missing} is not granted`);
    const { calls } = this.#parts.limits;
    if (this.#usage.calls >= calls)
      return this.#deny(decision, request, 'CALL_LIMIT', `the run may make ${calls} calls`);
    const refused = this.#parts.answers?.refuse(tool, input) ?? null;
    if (refused !== null) {
      await this.#deny(decision, request, 'NOT_RECORDED', refused);
      return { do: 'close', outcome: 'stopped', reason: refused, result: null };
    }
    this.#parts.session.assertAuthenticated();
    const call = await this.#add('ToolCall', encodeRequest(request), decision);
    await this.#parts.log.flush();
    const answer = this.#parts.answers?.take(tool, input);
    return this.#result(call, name, answer ?? (await this.#run(tool, checked.value, call)));
  }

  /** A call that a crash left without its result. */
  async #conclude(call: number, { tool: name, input }: ToolRequest): Promise<Next> {
    const tool = this.#parts.agent.tools.find((each) => each.name === name);
    const checked = tool?.idempotent === true ? await checkInput(tool.schema, input) : undefined;
    if (tool === undefined || checked === undefined || 'refused' in checked)
      return this.#result(call, name, {
        outcome: 'unknown',
        output: null,
        error: 'a crash came between the call and its result',
        ms: 0,
        outputBytes: 0,
        fuel: null,
      });
    await this.#parts.log.flush();
    return this.#result(call, name, await this.#run(tool, checked.value, call));
  }

  #run(tool: Tool, input: unknown, call: number): Promise<ToolEnd> {
    const { cells, cellCodes, models } = this.#parts;
    const { name, model, limits } = tool;
    const code = cellCodes.get(name);
    if (code !== undefined) return cells.run(code, name, input, limits);
    const key = runEventId(this.id, call);
    if (model === null) return runTool(tool, input, key);
    const ask: Tool['run'] = (body, { signal }) => models.ask({ ...model, tool: name, body }, signal);
    return runTool({ ...tool, run: ask }, input, key);
  }

  #authorise(tool: Tool, input: Json): { request: ToolRequest; missing: string | null } {
    const { capabilities, name } = tool;
    const plain = { tool: name, input, required: [], granted: [] };
    let declared: readonly string[];
    try {
      declared = asNeeds(
        typeof capabilities === 'function' ? capabilities(JSON.parse(canonicalize(input))) : capabilities,
      );
    } catch (error) {
      return { request: plain, missing: `what it needs (${messageOf(error)})` };
    }
    const required = needsHere(needsOrCall(name, declared).slice(0, MOST_NEEDS + 1), this.#parts.root);
    const granted = new Set<string>();
    // Links may lead to a longer path than was declared.
    if (required.some((text) => text.length > LONGEST_CAPABILITY))
      return { request: plain, missing: `a path of more than ${LONGEST_CAPABILITY} characters` };
    let missing: string | null = required.length > MOST_NEEDS ? `more than ${MOST_NEEDS} needs` : null;
    for (const text of required) {
      const { allowed, by } = this.#judge(text);
      if (!allowed) missing ??= text;
      else if (by !== null) granted.add(by);
    }
    return {
      request: { tool: name, input, required: required.slice(0, MOST_NEEDS), granted: [...granted] },
      missing,
    };
  }

  /** The grants of a run never change, and its calls need the same again and again. */
  #judge(need: string): Decision {
    const known = this.#judged.get(need);
    if (known !== undefined) return known;
    const parsed = parseNeed(need);
    const decision = parsed === null ? { allowed: false, by: null } : this.#parts.grants.decide(parsed);
    if (this.#judged.size >= MOST_JUDGED) this.#judged.clear();
    this.#judged.set(need, decision);
    return decision;
  }

  async #deny(cause: number, request: ToolRequest, code: DenialCode, reason: string): Promise<Next> {
    this.#usage.denials++;
    const told = { code, denial_reason: this.#word(reason) };
    await this.#reduce('Denial', { ...encodeRequest(request), ...told }, cause);
    return { do: 'decide' };
  }

  async #result(
    call: number,
    tool: string,
    { outcome, output, error, ms, outputBytes, fuel }: ToolEnd,
  ): Promise<Next> {
    this.#usage.calls++;
    this.#usage.ms += ms;
    this.#usage.outputBytes += outputBytes;
    const payload = {
      error: error === null ? null : this.#word(error),
      fuel_consumed: fuel,
      outcome,
      output: outcome === 'ok' ? this.#clean(output) : null,
      success: outcome === 'ok',
      tool_id: tool,
      usage: { ms, output_bytes: outputBytes },
    };
    await this.#reduce('ToolResult', payload, call);
    return { do: 'decide' };
  }

  /** The event is what the agent gets, and what it makes of it stands in the event. */
  async #reduce(
    kind: 'Observation' | 'ToolResult' | 'Denial',
    payload: JsonObject,
    cause: number | null,
  ): Promise<void> {
    const { machine, log } = this.#parts;
    machine.apply({ sequence: log.next, kind, payload });
    this.#reduced = await this.#add(kind, payload, cause);
    if (machine.pending.length > 0) await this.rememberPending();
  }

  /** `text` is the canonical JSON of the payload. Nobody has to wait for one that stands in its entry. */
  #add(
    kind: RunEventKind,
    payload: JsonObject,
    cause: number | null,
    text = canonicalize(payload, EVENT_CANONICAL),
  ): number | Promise<number> {
    const { machine, log, inline } = this.#parts;
    this.#sinceSnapshot.events++;
    this.#sinceSnapshot.bytes += text.length;
    const payloadHash = machine.hashOfText(text);
    const stateAfter = machine.hash;
    return (inline || FACTS.has(kind)) && fits(text)
      ? log.add({ kind, text, content: null, payloadHash, stateAfter, cause })
      : this.#addContent({ kind, payloadHash, stateAfter, cause }, payload);
  }

  async #addContent(event: Omit<NewEvent, 'text' | 'content'>, payload: JsonObject): Promise<number> {
    const { log, intake, session } = this.#parts;
    const { ref } = await intake.keep(session.id, payload);
    return log.add({ ...event, text: null, content: ref === null ? null : parseContentRef(ref) });
  }

  #dueSnapshot(): SnapshotReason | null {
    const { events, bytes } = this.#parts.snapshots;
    const since = this.#sinceSnapshot;
    if (since.events >= events) return 'count';
    return since.bytes >= bytes ? 'bytes' : null;
  }

  async #close(next: Extract<Next, { do: 'close' | 'final' }>): Promise<RunStatus> {
    const { log, session } = this.#parts;
    const { outcome, result } = next;
    const reason = next.reason === null ? null : this.#word(next.reason);
    if (next.do === 'close') await this.snapshot('last');
    const { calls, denials, ms, outputBytes } = this.#usage;
    const usage = { calls, denials, ms, output_bytes: outputBytes };
    await this.#add('Final', { outcome, reason, result, usage }, log.next - 1);
    await log.flush();
    await session.end({ reason: outcome, counts: countsOf(this.#usage, this.#redacted) });
    this.#ended = { status: outcome, reason, result };
    return this.#ended;
  }

  /** What came from outside, as it may be written. */
  #clean(value: unknown): Json {
    const traces = new Traces();
    const clean = escapeReferences(this.#parts.intake.clean(value, traces));
    this.#redacted += traces.redactions;
    return clean;
  }

  #word(text: string): string {
    const traces = new Traces();
    const word = this.#parts.intake.word(text, traces);
    this.#redacted += traces.redactions;
    return word;
  }

  /** Whether the agent's own words may be written as they are. */
  #asItIs(value: Json): boolean {
    return isClean(this.#parts.intake, value);
  }
}

/** A UTF-16 unit has three bytes at most, so of most texts the bytes need not be counted. */
function fits(text: string): boolean {
  return 3 * text.length <= LARGEST_INLINE || Buffer.byteLength(text) <= LARGEST_INLINE;
}

/** Whether redaction leaves it as it is. `value` is plain JSON, so that its tidy copy is the same unless something was lost. */
export function isClean(intake: Intake, value: Json): boolean {
  const traces = new Traces();
  const tidied = intake.tidy(value, traces);
  return traces.lossy === 0 && escapeReferences(intake.redact(tidied, traces)) === tidied;
}

/** As the end of a session tells them. */
export function countsOf({ calls, denials }: RunUsage, redacted = 0): SessionCounts {
  return { prompts: 0, responses: 0, calls, results: calls, denied: denials, redacted };
}
