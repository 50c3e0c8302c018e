// Are the events of a run what spec/run.md says, one after the other? Judged without running anything and without the
// machine: sequence, parents, the chain of states, causes, order, memory, snapshots, limits and capabilities. It never
// throws for bad events, and goes on behind one, so that a chain that is broken and mended later is told at both places.
import { canonicalize } from '../../core/index.ts';
import {
  type AgentInit,
  type ContentRef,
  type RunAction,
  type RunEvent,
  type RunEventKind,
  type RunPayload,
  runEventId,
  type SnapshotFact,
  type ToolRequest,
  typeOfEncrypted,
} from '../../format/index.ts';
import type { PatchEffect } from '../../policy/index.ts';
import { RunAuthority } from './run-authority.ts';
import { endFlaw } from './run-end.ts';
import type { RunFlaw, RunFlawCode } from './run-flaw.ts';
import {
  CHANGES_STATE,
  decidesAtOnce,
  mayEndRun,
  NEXT,
  PATCHABLE,
  type Phase,
  phaseAfter,
  REDUCED,
  UNCAUSED,
} from './run-phase.ts';
import { fuelFlaw, RunUsage, resultFlaw } from './run-usage.ts';

export class RunJudge {
  readonly run: string;
  #phase: Phase = 'begin';
  #last: RunEvent | undefined;
  /** What the next event must begin at. */
  #state: string | null = null;
  /** A patch stands behind the last event, and the snapshot of what it left is due. */
  #isPatched = false;
  #init: AgentInit | undefined;
  #initSeq: number | undefined;
  readonly #authority = new RunAuthority((code, message) => this.#flaw(code, message));
  /** The newest event that was reduced, decision, and call without a result. */
  #reduced: number | null = null;
  #decision: number | null = null;
  /** What was decided there, if it can be read. */
  #action: RunAction | undefined;
  /** Somebody went on with the run since then. */
  #isRecovered = false;
  /** An event was reduced, and the agent decided nothing since, nor did anybody go on with the run or stop it there. */
  #isUndecided = false;
  /** A call was denied because the run is being stopped. */
  #isStopped = false;
  #call: number | null = null;
  /** Somebody went on with the run since then. */
  #isCallRecovered = false;
  /** The tool that is called, if that can be read. */
  #called: string | null = null;
  #mayWrite = false;
  /** By the node that wrote. */
  readonly #versions = new Map<number, number>();
  readonly #usage = new RunUsage();
  #flaws: RunFlaw[] = [];

  constructor(run: string) {
    this.run = run;
  }

  /** A `Final` was seen. */
  get isClosed(): boolean {
    return this.#phase === 'closed';
  }

  /** The snapshot behind a patch is missing so far. */
  get isPatched(): boolean {
    return this.#isPatched;
  }

  /** The state of the run now; null before its first event. */
  get state(): string | null {
    return this.#state;
  }

  get events(): number {
    return this.#last === undefined ? 0 : this.#last.sequence + 1;
  }

  /** The next event, at entry `seq`. `payload` is null where it is not here. */
  event(event: RunEvent, payload: RunPayload | null, seq: number): readonly RunFlaw[] {
    this.#flaws = [];
    this.#links(event);
    this.#order(event, payload);
    this.#causes(event);
    if (payload !== null) this.#judge(event, payload, seq);
    this.#advance(event, payload);
    return this.#flaws;
  }

  /** A patch that is applied or undone behind the last event. Whether it counts was judged before. */
  patch({ id, change, before, after, undo }: PatchEffect): readonly RunFlaw[] {
    this.#flaws = [];
    if (change.target === 'module') this.#authority.isRewritten = true;
    const what = `patch ${id.number} was ${undo ? 'reverted' : 'applied'}`;
    if (!PATCHABLE.has(this.#phase)) this.#flaw('RUN_PATCH', `${what} where the run is not open`);
    else if (before !== this.#state)
      this.#flaw('RUN_PATCH', `${what} where the run has a different state than the one it was made for`);
    this.#state = after;
    this.#isPatched = true;
    this.#mayWrite = false;
    // The agent may think again.
    if (this.#phase === 'waiting') this.#phase = 'ready';
    return this.#flaws;
  }

  #flaw(code: RunFlawCode, message: string): void {
    this.#flaws.push({ code, message });
  }

  #links({ sequence, parent, kind, stateBefore, stateAfter }: RunEvent): void {
    const last = this.#last;
    const due = last === undefined ? 0 : last.sequence + 1;
    if (sequence !== due) this.#flaw('RUN_SEQUENCE', `event ${sequence} is in the place of event ${due}`);
    const before = last === undefined ? null : runEventId(this.run, last.sequence);
    if (parent !== before)
      this.#flaw('RUN_PARENT', `the parent of event ${sequence} is not the event before`);
    if (stateBefore !== this.#state)
      this.#flaw(
        'RUN_STATE_CHAIN',
        `event ${sequence} begins at a different state than the event before it ended at`,
      );
    else if (!CHANGES_STATE.has(kind) && stateBefore !== stateAfter)
      this.#flaw('RUN_STATE_CHAIN', `event ${sequence} is a ${kind}, which changes no state`);
  }

  #order({ sequence, kind }: RunEvent, payload: RunPayload | null): void {
    const phase = this.#phase;
    const isOfPatch = payload?.kind === 'Snapshot' && payload.fact.reason === 'patch';
    if (isOfPatch !== this.#isPatched)
      this.#flaw(
        'RUN_SNAPSHOT',
        isOfPatch
          ? `event ${sequence} is a snapshot with the reason patch, but no patch comes before it`
          : `event ${sequence} is in the place of the snapshot of the patched state`,
      );
    if (isOfPatch) return;
    if (kind === 'MemoryWrite') {
      if (!this.#mayWrite)
        this.#flaw('RUN_MEMORY', `event ${sequence} writes memory, but follows no event that was reduced`);
      return;
    }
    if (kind === 'Recovery') {
      if (phase === 'begin' || phase === 'closed')
        this.#flaw('RUN_ORDER', `event ${sequence} recovers a run that is not open`);
      return;
    }
    if (!NEXT[phase].includes(kind)) this.#misplaced(sequence, kind);
    else if (payload?.kind === 'Snapshot') {
      const { reason } = payload.fact;
      const isFirst = phase === 'begun';
      const isLast = phase === 'ending';
      if ((reason === 'first') !== isFirst || (isLast && reason !== 'last'))
        this.#flaw(
          'RUN_SNAPSHOT',
          `event ${sequence} is a snapshot with the reason ${reason}, in the wrong place`,
        );
    } else if (kind === 'Decision' && this.#reduced === null)
      this.#flaw('RUN_ORDER', `event ${sequence} decides before anything was observed`);
  }

  /** A snapshot that should stand here is missed by name. */
  #misplaced(sequence: number, kind: RunEventKind): void {
    const phase = this.#phase;
    if (phase === 'begun')
      this.#flaw('RUN_SNAPSHOT', `event ${sequence} is a ${kind}, in the place of the first snapshot`);
    else if (phase === 'calling')
      this.#flaw('RUN_DENIAL', `event ${sequence} is a ${kind}, in the place of a call or its denial`);
    else if (kind === 'Final' && phase !== 'closed')
      this.#flaw('RUN_SNAPSHOT', `event ${sequence} closes the run without its last snapshot`);
    else {
      const due = NEXT[phase].join(' or ');
      this.#flaw(
        'RUN_ORDER',
        `event ${sequence} is a ${kind}, where only ${due === '' ? 'nothing' : due} is allowed`,
      );
    }
  }

  #causes({ sequence, kind, cause }: RunEvent): void {
    const due = this.#dueCause(kind);
    if (cause === (due === null ? null : runEventId(this.run, due))) return;
    const code = kind === 'MemoryWrite' ? 'RUN_MEMORY' : 'RUN_CAUSE';
    this.#flaw(
      code,
      cause === null
        ? `event ${sequence} is a ${kind} but names no cause`
        : `event ${sequence} is a ${kind}, but ${cause.slice(65)} can't be its cause`,
    );
  }

  #dueCause(kind: RunEventKind): number | null {
    if (UNCAUSED.has(kind)) return null;
    if (kind === 'Decision' || kind === 'MemoryWrite') return this.#reduced;
    if (kind === 'ToolCall' || kind === 'Denial') return this.#decision;
    if (kind === 'ToolResult') return this.#call;
    return this.#last?.sequence ?? null;
  }

  #judge({ sequence, stateAfter }: RunEvent, payload: RunPayload, seq: number): void {
    if (payload.kind === 'AgentInit') this.#begin(payload.init, sequence, seq);
    else if (payload.kind === 'Decision') this.#thought(payload.action, sequence);
    else if (payload.kind === 'ToolCall') {
      this.#decided(payload.request, sequence);
      this.#authority.call(payload.request, sequence, this.#usage.calls);
    } else if (payload.kind === 'Denial') {
      this.#decided(payload.request, sequence);
      this.#authority.denial(payload, sequence, this.#usage.calls);
    } else if (payload.kind === 'ToolResult') this.#resulted(payload, sequence);
    else if (payload.kind === 'Final') this.#ended(payload, sequence);
    else if (payload.kind === 'MemoryWrite') {
      const { nodeId, counter } = payload.version;
      const due = (this.#versions.get(nodeId) ?? 0) + 1;
      const node = this.#init?.parent?.node ?? 0;
      if (this.#init !== undefined && nodeId !== node)
        this.#flaw('RUN_MEMORY', `event ${sequence} writes as node ${nodeId}, but the run is node ${node}`);
      if (counter !== due)
        this.#flaw('RUN_MEMORY', `event ${sequence} writes version ${counter}, but ${due} was expected`);
      this.#versions.set(nodeId, counter);
    } else if (payload.kind === 'Snapshot') this.#kept(payload.fact, stateAfter, sequence);
    else if (payload.kind === 'Recovery') this.#goesOn(payload, sequence);
  }

  /** A run looks at how many events it has, then keeps a snapshot if one is due, then decides. */
  #thought(action: RunAction, sequence: number): void {
    this.#action = action;
    const most = this.#init?.limits.events;
    const before = this.#last?.kind === 'Snapshot' ? sequence - 1 : sequence;
    if (most !== undefined && before >= most)
      this.#flaw(
        'RUN_LIMIT',
        `event ${sequence} is a decision after ${before} events, but the run may have only ${most}`,
      );
  }

  #kept({ stateHash, initSeq, bytes, snapshot }: SnapshotFact, state: string, sequence: number): void {
    if (stateHash !== state || initSeq !== this.#initSeq)
      this.#flaw(
        'RUN_SNAPSHOT',
        `event ${sequence} is a snapshot of a different state than the run has there`,
      );
    // Where nothing is kept, only a replay knows how long it is.
    const due = snapshot === null ? bytes : plainBytes(snapshot);
    if (bytes !== due)
      this.#flaw(
        'RUN_SNAPSHOT',
        `event ${sequence} says that its snapshot has ${bytes} bytes, but it has ${due}`,
      );
  }

  #goesOn({ at, inDoubt }: Extract<RunPayload, { kind: 'Recovery' }>, sequence: number): void {
    const open = this.#call === null ? null : runEventId(this.run, this.#call);
    if (at !== this.#last?.sequence || inDoubt !== open)
      this.#flaw(
        'RUN_CAUSE',
        `event ${sequence} continues from a different event or call than the run was at`,
      );
  }

  /** Is it the call that the agent decided on? */
  #decided({ tool, input }: ToolRequest, sequence: number): void {
    const action = this.#action;
    if (action?.type !== 'call') return;
    if (action.tool !== tool || canonicalize(action.input) !== canonicalize(input))
      this.#flaw(
        'RUN_CAUSE',
        `event ${sequence} is about a different call than event ${this.#decision} decided`,
      );
  }

  #begin(init: AgentInit, sequence: number, seq: number): void {
    if (this.#init !== undefined) {
      this.#flaw('RUN_CAPABILITIES', `event ${sequence} begins the run again, with its own capabilities`);
      return;
    }
    this.#init = init;
    this.#initSeq = seq;
    this.#authority.begin(init);
  }

  #resulted(payload: Extract<RunPayload, { kind: 'ToolResult' }>, sequence: number): void {
    const { tool, usage, outcome } = payload;
    if (outcome === 'unknown' && !this.#isCallRecovered && (this.#init?.parent ?? null) === null)
      this.#flaw(
        'RUN_CAUSE',
        `event ${sequence} is unknown, although nothing came between the call and its result`,
      );
    if (this.#call !== null && this.#called !== null && tool !== this.#called)
      this.#flaw('RUN_CAUSE', `event ${sequence} is about a different tool than event ${this.#call} called`);
    const fact = this.#authority.tool(tool);
    const most = fact?.limits.outputBytes;
    if (most !== undefined && usage.outputBytes > most)
      this.#flaw(
        'RUN_LIMIT',
        `event ${sequence}: tool '${tool}' gave ${usage.outputBytes} bytes, but may give only ${most}`,
      );
    // An evaluation is answered by what its parent's tool gave, and a patch may have put another tool in place.
    const isItsOwn = !this.#authority.isRewritten && this.#init?.parent?.replay !== 'evaluation';
    const own = isItsOwn ? fact : undefined;
    const over = fuelFlaw(payload, own);
    if (over !== null) this.#flaw('RUN_LIMIT', `event ${sequence}: tool '${tool}' ${over}`);
    const flaw = resultFlaw(payload, own);
    if (flaw !== null) this.#flaw('RUN_USAGE', `event ${sequence}: tool '${tool}' ${flaw}`);
  }

  #ended(payload: Extract<RunPayload, { kind: 'Final' }>, sequence: number): void {
    const { denials } = payload.usage;
    if (denials !== this.#usage.denials)
      this.#flaw(
        'RUN_DENIAL',
        `event ${sequence} counts ${denials} denials, but ${this.#usage.denials} are on record`,
      );
    const isUnread = this.#decision !== null && this.#action === undefined;
    if (this.#isStopped && payload.outcome !== 'stopped')
      this.#flaw(
        'RUN_CAUSE',
        `event ${sequence} is ${payload.outcome}, although a call was denied to stop the run`,
      );
    if (payload.outcome === 'stopped' && this.#isUndecided && sequence - 1 < (this.#init?.limits.events ?? 0))
      this.#flaw('RUN_CAUSE', `event ${sequence} is stopped where the agent had to decide`);
    const end = isUnread ? null : endFlaw(this.#action ?? null, payload, this.#isRecovered);
    if (end !== null) this.#flaw('RUN_CAUSE', `event ${sequence} ${end}`);
    const used = this.#usage.flawOf(payload.usage);
    if (used !== null) this.#flaw('RUN_USAGE', `event ${sequence} ${used}`);
  }

  /** From here on this event counts as it stands. */
  #advance(event: RunEvent, payload: RunPayload | null): void {
    const { kind, sequence } = event;
    this.#last = event;
    this.#state = event.stateAfter;
    this.#isPatched = false;
    if (kind === 'Recovery') {
      this.#isRecovered = true;
      this.#isCallRecovered = true;
      this.#isUndecided = false;
      this.#usage.recovered();
    }
    if (kind === 'Recovery' || kind === 'MemoryWrite') return;
    this.#mayWrite = REDUCED.has(kind);
    if (REDUCED.has(kind) || decidesAtOnce(kind, payload)) this.#reduced = sequence;
    if (REDUCED.has(kind)) this.#isUndecided = !mayEndRun(payload);
    if (kind === 'Denial') this.#usage.denials++;
    this.#isStopped ||= payload?.kind === 'Denial' && payload.code === 'STOPPED';
    if (kind === 'Decision') {
      this.#isUndecided = false;
      this.#decision = sequence;
      this.#isRecovered = false;
      if (payload === null) this.#action = undefined;
    }
    if (kind === 'ToolCall') {
      this.#usage.calls++;
      this.#isCallRecovered = false;
      this.#call = sequence;
      this.#called = payload?.kind === 'ToolCall' ? payload.request.tool : null;
    }
    if (kind === 'ToolResult') {
      this.#call = null;
      this.#usage.result(payload?.kind === 'ToolResult' ? payload : null, event.content !== null);
    }
    this.#phase = phaseAfter(kind, payload, this.#phase);
  }
}

/** Of the content itself, where it is kept encrypted. spec/content.md. */
function plainBytes(ref: ContentRef): number {
  return typeOfEncrypted(ref) === undefined ? ref.bytes : ref.bytes - ENCRYPTED_MORE;
}

/** The mark before it, the nonce and the tag. */
const ENCRYPTED_MORE = 18 + 12 + 16;
