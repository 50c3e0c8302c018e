// A run, live: observe, decide, authorise, call, reduce. Each event is computed by the machine first and durable before the
// effect that it announces; nothing goes to the agent that is not on record as it goes there. spec/run.md.
import { canonicalize, type Json, type JsonObject } from '../core/index.ts';
import {
  type DenialCode,
  EVENT_CANONICAL,
  encodeRequest,
  parseContentRef,
  type RunAction,
  type RunEventKind,
  type SessionCounts,
  type SnapshotReason,
  type ToolRequest,
} from '../format/index.ts';
import { escapeReferences, type Intake, Traces } from '../record/index.ts';
import { denialReason, notGranted } from '../rules/index.ts';
import { Authority } from './authorise-call.ts';
import { decidedAction } from './decided-action.ts';
import type { Tool } from './define.ts';
import { writePayload } from './machine.ts';
import { RunError } from './run-error.ts';
import type { NewEvent } from './run-log.ts';
import type { Next, RunParts, RunStatus, RunUsage } from './run-parts.ts';
import { callKey, checkInput, inDoubt, runTool, type ToolEnd } from './tool-run.ts';

/** Payloads up to this stand in the entry. */
const LARGEST_INLINE = 16_384;
/** Kinds that hold facts alone. */
const FACTS: ReadonlySet<RunEventKind> = new Set(['AgentInit', 'Snapshot', 'Recovery']);

const CRASHED = 'a crash came between the call and its result';

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
  #hasFailed = false;
  readonly #authority: Authority;

  constructor(
    parts: RunParts,
    at: { readonly next: Next; readonly reduced: number | null; readonly usage: RunUsage },
  ) {
    this.id = parts.session.id;
    this.#parts = parts;
    this.#authority = new Authority(parts.grants, parts.root, (need) => this.#asItIs(need));
    this.#next = at.next;
    this.#reduced = at.reduced;
    this.#usage = at.usage;
  }

  /** Tells the agent something and lets it act until it waits or ends. RunError CLOSED once it has ended. */
  observe(value: unknown): Promise<RunStatus> {
    return this.#alone(async () => {
      this.#assertOpen();
      await this.#catchUp();
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
      // Behind the last snapshot only the final event is missing.
      if (this.#next.do !== 'final') {
        const isDenied = await this.#leave(this.#next);
        this.#next = isDenied ? stopped(reason) : this.#stopped(reason);
      }
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
    const whole = async (): Promise<T> => {
      this.#assertWhole();
      try {
        return await work();
      } catch (error) {
        // What the agent knows may not be on record, so nothing is built on it any more.
        this.#hasFailed ||= this.#ended === undefined;
        throw error;
      }
    };
    const mine = this.#busy.then(whole, whole);
    this.#busy = mine.catch(() => undefined);
    return mine;
  }

  #assertWhole(): void {
    if (this.#hasFailed)
      throw new RunError(
        'CLOSED',
        "an earlier step of the run failed, so this process can't continue it. Use recoverRun.",
      );
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

  /** What the events leave half done is finished before the agent is told anything new. */
  async #catchUp(): Promise<void> {
    while (this.#next.do === 'act' || this.#next.do === 'conclude') this.#next = await this.#step(this.#next);
    if (this.#next.do === 'close' || this.#next.do === 'final') await this.#close(this.#next);
  }

  /** What the events leave half done is left so, on record: nothing is called any more. Whether a call was denied for it. */
  async #leave(next: Next): Promise<boolean> {
    if (next.do === 'conclude') await this.#result(next.call, next.request.tool, inDoubt(CRASHED));
    if (next.do !== 'act' || next.action.type !== 'call') return false;
    const { tool, input } = next.action;
    const request = { tool, input, required: [], granted: [] };
    await this.#deny(next.decision, request, 'STOPPED', this.#reasonOf('STOPPED', tool));
    return true;
  }

  /** A failure of the agent's code is not hidden by a stop. */
  #stopped(reason: string): Next {
    const { failure } = this.#parts.machine;
    return failure === null
      ? stopped(reason)
      : { do: 'close', outcome: 'failed', reason: failure, result: null };
  }

  async #step(next: Exclude<Next, { do: 'close' | 'final' | 'wait' }>): Promise<Next> {
    const { machine, log, limits } = this.#parts;
    if (next.do === 'act') return this.#act(next.decision, next.action);
    if (next.do === 'conclude') return this.#conclude(next);
    if (machine.failure !== null)
      return { do: 'close', outcome: 'failed', reason: machine.failure, result: null };
    if (log.next >= limits.events) return stopped(`the run may have ${limits.events} events`);
    const due = this.#dueSnapshot();
    if (due !== null) await this.snapshot(due);
    return this.#decide();
  }

  async #decide(): Promise<Next> {
    const { machine } = this.#parts;
    const failed = (reason: string): Next => ({ do: 'close', outcome: 'failed', reason, result: null });
    const decided = decidedAction(machine);
    if ('failed' in decided) return failed(decided.failed);
    if (!this.#asItIs(decided.action)) return failed('its decision holds what looks like a secret');
    const { action: said, payload, parsed: action } = decided;
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
    if (tool === undefined)
      return this.#deny(decision, plain, 'UNKNOWN_TOOL', this.#reasonOf('UNKNOWN_TOOL', name));
    const checked = await checkInput(tool.schema, input);
    if ('refused' in checked) return this.#deny(decision, plain, 'BAD_INPUT', checked.refused);
    const { request, missing } = this.#authority.authorised(tool, input);
    if (missing !== null) return this.#deny(decision, request, 'NOT_GRANTED', notGranted(missing));
    if (this.#usage.calls >= this.#parts.limits.calls)
      return this.#deny(decision, request, 'CALL_LIMIT', this.#reasonOf('CALL_LIMIT', name));
    if (this.#parts.answers?.refuses(tool, input) === true) {
      const refused = this.#reasonOf('NOT_RECORDED', name);
      await this.#deny(decision, request, 'NOT_RECORDED', refused);
      return this.#stopped(refused);
    }
    this.#parts.session.assertAuthenticated();
    const call = await this.#add('ToolCall', encodeRequest(request), decision);
    await this.#parts.log.flush();
    const answer = this.#parts.answers?.take(tool, input);
    if (answer !== undefined && 'outcome' in answer) return this.#result(call, name, answer);
    return this.#result(call, name, await this.#run(tool, checked.value, call, answer?.key));
  }

  /** A call that a crash left without its result. */
  async #conclude({ call, request, key }: Extract<Next, { do: 'conclude' }>): Promise<Next> {
    const { tool: name, input } = request;
    const tool = this.#parts.agent.tools.find((each) => each.name === name);
    const checked = tool?.idempotent === true ? await checkInput(tool.schema, input) : undefined;
    if (tool === undefined || checked === undefined || 'refused' in checked)
      return this.#result(call, name, inDoubt(CRASHED));
    await this.#parts.log.flush();
    return this.#result(call, name, await this.#run(tool, checked.value, call, key));
  }

  /** Under the key of an earlier try, where there was one. */
  #run(tool: Tool, input: unknown, call: number, ranUnder?: string): Promise<ToolEnd> {
    const { cells, cellCodes, models, nonce } = this.#parts;
    const key = ranUnder ?? callKey(this.id, call, nonce);
    const { name, model, limits } = tool;
    const code = cellCodes.get(name);
    if (code !== undefined) return cells.run(code, name, input, limits);
    if (model === null) return runTool(tool, input, key);
    const ask: Tool['run'] = (body, { signal }) => models.ask({ ...model, tool: name, body }, signal);
    return runTool({ ...tool, run: ask }, input, key);
  }

  #reasonOf(code: Parameters<typeof denialReason>[0], tool: string): string {
    return denialReason(code, { tool, calls: this.#parts.limits.calls });
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

function stopped(reason: string): Next {
  return { do: 'close', outcome: 'stopped', reason, result: null };
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
