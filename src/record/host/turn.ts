// One event's entries, joined to what its session has seen so far. Pure and synchronous: it runs inside the store's
// exclusive section, on the state as it is then, and may run again. Everything in the events is already clean.
import type { Json, JsonObject } from '../../core/index.ts';
import {
  type AttemptFact,
  type BlockFact,
  type CallAuthority,
  type Contract,
  encodeApproval,
  encodeAuthFail,
  encodeBlockFact,
  encodeCallAuthority,
  encodeCallEvidence,
  encodeContract,
  encodeCrash,
  encodeGap,
  encodeInteraction,
  encodeOverride,
  encodeResultEvidence,
  encodeSessionEnd,
  encodeToolCall,
  encodeToolDenied,
  encodeToolResult,
  encodeTurn,
  type Interaction,
  type Kept,
  type ToolFacts,
  withTraces,
} from '../../format/index.ts';
import type { Mode, NewEntry } from '../../ledger/index.ts';
import { forgetBackground, rememberPrompt, rememberResult, rememberStop } from '../../rules/index.ts';
import {
  type AuthFailure,
  advance,
  type Chain,
  closingOf,
  newChain,
  type SharedSession,
} from '../../session/index.ts';
import { fitting } from '../short.ts';
import { attemptOf } from './event-parts.ts';
import { eventOf, type HooksSeen, soundOf, stampsOf } from './hook-files.ts';
import type { HostEvent, Outcome, Problem } from './host-event.ts';
import { FROM_GATE } from './own-words.ts';
import type { Asked, Prepared, PreparedCall, Seen } from './prepare-event.ts';
import {
  countOn,
  findCall,
  isDone,
  judgeable,
  type OpenCall,
  type SessionState,
  upTo,
  withDone,
  withJob,
  withJobEnd,
  withoutJob,
} from './session-state.ts';
import type { ToldByHost } from './transcript.ts';

const ERROR_CODES: Readonly<Record<Outcome, string | null>> = {
  ok: null,
  error: 'TOOL_ERROR',
  aborted: 'ABORTED',
  timeout: 'TIMEOUT',
};
/** Ids in one gap. */
const MOST_NAMED = 100;
const MOST_NAMED_BYTES = 32_768;

export interface TurnOptions {
  readonly state: SessionState;
  readonly source: string;
  /** Of the entry before. */
  readonly seq: number;
  readonly now: number;
  /** The chain of the session that this is part of, where others have it, too. */
  readonly shared?: SharedSession | null;
  /** The newest block that is known. */
  readonly block?: BlockFact | null;
}

export class Turn {
  state: SessionState;
  /** The seq of the event's own entry. */
  own: number | null = null;
  readonly drafts: NewEntry[] = [];
  /** The chain of a session that it joined, as it is after this. */
  shared: SharedSession | null;
  readonly #source: string;
  readonly #before: number;
  readonly #now: number;
  readonly #block: BlockFact | null;

  constructor(options: TurnOptions) {
    const { state, source, seq, now, shared = null, block = null } = options;
    this.state = upTo(state, seq);
    this.shared = shared;
    this.#source = source;
    this.#before = seq;
    this.#now = now;
    this.#block = block;
  }

  /** Gives its seq. */
  push(kind: string, payload: JsonObject, cause: number | null = this.state.prompt): number {
    this.drafts.push({ kind, payload, source: this.#source, session_id: this.state.session, cause });
    return this.#before + this.drafts.length;
  }

  /** A session that began under one configuration and goes on under another says so. */
  useConfig(hash: string | null): void {
    const { configHash } = this.state;
    if (configHash === hash) return;
    this.push('config.change', { what: 'counterfoil.yaml', from: configHash, to: hash }, null);
    this.state = { ...this.state, configHash: hash };
  }

  /** One that goes on in another mode says so: the settings may have been changed past the command that records it. */
  useMode(mode: Mode): void {
    const { mode: before } = this.state;
    if (before === mode) return;
    if (before !== undefined) this.push('config.change', { what: 'mode', from: before, to: mode }, null);
    this.state = { ...this.state, mode };
  }

  /**
   * Hooks that were there when they were last looked at and are gone, or stand there in another form: what they would have
   * told is perhaps not told any more. The events of those. At the first look there is nothing to go by but what we write.
   */
  useHooks({ events, blind, files }: HooksSeen): readonly string[] {
    const { unhooked: told = [], hooks: before, ...state } = this.state;
    const gone = (before ?? []).filter((hook) => !events.includes(hook) && !events.includes(soundOf(hook)));
    const missing = before === undefined ? blind : [...new Set(gone.map(eventOf))];
    const start = before === undefined ? { start: true } : {};
    if (missing.some((event) => !told.includes(event)))
      this.push('config.change', { what: 'hooks', missing, ...start }, null);
    // What is missing stays missing until it is back: the next look must not take the loss for the rule.
    const hooks = missing.length === 0 ? events : (before ?? events);
    const unhooked = missing.length === 0 ? {} : { unhooked: missing };
    this.state = { ...state, hooks, hookFiles: stampsOf(files), ...unhooked };
    return missing;
  }

  /** A session that began without a block has one as soon as one is known. */
  anchor(): void {
    if (this.state.unanchored !== true || this.#block === null) return;
    this.push('anchor.block', encodeBlockFact(this.#block), null);
    const { unanchored: _, ...anchored } = this.state;
    this.state = anchored;
  }

  /**
   * Behind the entry of a prompt or a call: has its session a good key? `denies`: what has none is refused. It is told with
   * every prompt, and with a call where nothing was told before.
   */
  authenticate(failure: AuthFailure | null, event: HostEvent, prepared: Prepared, denies: boolean): void {
    const { authFailed = false, ...state } = this.state;
    this.state = failure === null ? state : { ...state, authFailed: true };
    if (failure === null || event.type === 'session.start') return;
    const { reason, key } = failure;
    const at = event.type === 'prompt' ? 'prompt' : 'call';
    if (at === 'prompt' || !authFailed) this.push('auth.fail', encodeAuthFail({ reason, key, at }), this.own);
    const [call] = prepared.calls;
    if (call !== undefined && denies)
      this.#denied(
        call,
        'foil',
        `no good auth key: ${reason}`,
        prepared.words.name ?? event.name,
        (payload) => payload,
        this.#justTold(call),
      );
  }

  /** Behind the entry of a call: it is not made. */
  refuse(event: HostEvent, prepared: Prepared, reason: string): void {
    const [call] = prepared.calls;
    if (call === undefined) return;
    const name = prepared.words.name ?? event.name;
    this.#denied(call, 'foil', reason, name, (payload) => payload, this.#justTold(call));
  }

  /** A refusal of ours is about the call that was told just now, also where an equal one without an id is under way. */
  #justTold(call: PreparedCall): OpenCall | undefined {
    return this.state.calls.find(({ seq }) => seq === this.own) ?? this.#find(call);
  }

  /** `authority` is what a call needs of what its session was granted. */
  take(event: HostEvent, prepared: Prepared, authority: CallAuthority | null = null): void {
    const { traces, facts, words, text } = prepared;
    const name = words.name ?? event.name;
    const traced = (payload: JsonObject): JsonObject => withTraces(payload, traces);
    this.state = countOn(this.state, { redacted: traces.redactions });
    const [call] = prepared.calls;
    switch (event.type) {
      case 'session.start':
        // Its own entry was written when the session began; told twice, it is kept as what it is.
        if (this.state.prompt !== null || this.state.counts.calls > 0)
          this.push('observation', traced({ ...facts, event: name, problem: null, content: null }));
        return;
      case 'session.end':
        this.#end(event.agent, traced, words.reason ?? null);
        return;
      case 'prompt': {
        const chain = this.#chain();
        const sequence = chain === null ? null : chain.sequence + 1;
        const said = encodeTurn('prompt_hash', text, { ...turnFacts(prepared), sequence });
        const seq = this.push('prompt', traced(said), null);
        const promptHash = text?.hash ?? null;
        const { told: _, ...state } = countOn(this.state, { prompts: 1 });
        this.state = { ...state, prompt: seq, promptHash };
        this.own = seq;
        if (prepared.asked !== null) this.#asks(prepared.asked, seq, text);
        return;
      }
      case 'stop':
        this.own = this.push(
          'response',
          traced(
            encodeTurn('response_hash', text, {
              ...turnFacts(prepared),
              stop_hook_active: event.active,
              model: typeof facts.model === 'string' ? facts.model : null,
              ...encodeInteraction(this.#interact(text?.hash ?? null)),
            }),
          ),
        );
        this.state = { ...countOn(this.state, { responses: 1 }), turnEnd: this.#at };
        if (event.told !== undefined) this.state = { ...this.state, told: event.told };
        this.#remember((gate) => rememberStop(gate, event.active));
        return;
      case 'notice':
        this.push(
          'notice',
          traced({
            ...facts,
            origin: words.origin ?? null,
            text: text?.ref ?? null,
            text_hash: text?.hash ?? null,
          }),
        );
        if (event.origin !== FROM_GATE) this.#remember((gate) => forgetBackground(gate, event.text));
        if (prepared.ends !== undefined) this.state = withJobEnd(this.state, prepared.ends);
        return;
      case 'agent.start':
        this.push('agent.start', traced(agentFacts(prepared)));
        return;
      case 'agent.end':
        this.own = this.push('agent.end', traced(encodeTurn('response_hash', text, agentFacts(prepared))));
        return;
      case 'compaction':
        this.push('compaction', traced({ ...facts, phase: event.phase, trigger: words.trigger ?? null }));
        return;
      case 'config.change':
        this.push(
          'config.change',
          traced({
            ...facts,
            what: words.what ?? null,
            detail: text?.ref ?? null,
            detail_hash: text?.hash ?? null,
          }),
        );
        return;
      case 'observation':
        this.push('observation', traced({ ...facts, ...encodeObservation(name, event.problem, text) }));
        return;
      case 'tool.call':
        if ((words.promptId ?? null) !== null) this.#promptMissed();
        if (call !== undefined) this.#call(call, withAuthority(facts, authority), traced);
        return;
      case 'tool.result':
        if (call !== undefined) this.#result(call, event.outcome, event.durationMs, facts, traced);
        return;
      case 'tool.denied':
        if (call !== undefined) this.#denied(call, words.by ?? 'host', words.reason ?? null, name, traced);
        return;
      case 'approval':
        if (call !== undefined) this.#asked(call, traced);
        return;
      case 'tool.batch':
        this.#batch(prepared.calls, name, traced);
    }
  }

  /** Null where another source counts the session's interactions. */
  #chain(): Chain | null {
    if (this.shared === null) return this.state.chain ?? newChain(this.state.session);
    return this.shared.source === this.#source ? this.shared : null;
  }

  #interact(responseHash: string | null): Interaction | null {
    const before = this.#chain();
    if (before === null) return null;
    const { chain, interaction } = advance(before, this.state.promptHash ?? null, responseHash);
    if (this.shared === null) this.state = { ...this.state, chain };
    else this.shared = { ...this.shared, ...chain };
    return interaction;
  }

  #remember(change: (gate: SessionState['gate']) => SessionState['gate']): void {
    this.state = { ...this.state, gate: change(this.state.gate) };
  }

  /** What the prompt asks for, beside it. */
  #asks({ contract, keywords, overrides, crash }: Asked, prompt: number, text: Kept | null): void {
    const seq = contract === null ? null : this.#contract(contract, keywords, prompt, text);
    for (const each of overrides) this.push('override', encodeOverride(each), prompt);
    this.#crashed('contract intake', 'prompt', crash, prompt);
    this.#remember((gate) => rememberPrompt(gate, seq ?? prompt, contract));
  }

  /** Nothing binds to the prompt's other words, and they are content: they are kept as that. */
  #contract(contract: Contract, keywords: Kept | null, prompt: number, objective: Kept | null): number {
    const fields = { ...contract.fields, keywords: [] };
    const words = keywords === null ? {} : { keywords };
    return this.push('contract', encodeContract({ ...contract, fields, objective, ...words }), prompt);
  }

  /** A mistake of ours, where it happened. */
  #crashed(hook: string, event: string, error: string | null, cause: number): void {
    if (error === null) return;
    const at = new Date(this.#now).toISOString();
    this.push('crash', encodeCrash({ hook, event, error, at, from: 'ledger' }), cause);
  }

  #end(agent: string, traced: (payload: JsonObject) => JsonObject, reason: string | null): void {
    const { counts, joined, session, chain = newChain(session) } = this.state;
    if (joined)
      this.push(
        'agent.end',
        traced({ agent, agent_id: null, agent_type: null, reason, counts: { ...counts } }),
      );
    else {
      const end = encodeSessionEnd({ reason, exitCode: null, counts }, closingOf(chain, this.#block));
      this.push('session.end', traced(end), null);
    }
    // What is open stays so: a result may come late.
    this.state = { ...this.state, ended: true };
  }

  #call(
    { tool, args, seen, cwd }: PreparedCall,
    facts: JsonObject,
    traced: (payload: JsonObject) => JsonObject,
  ): void {
    const evidence = seen === null ? {} : encodeCallEvidence({ tree: seen.tree, feedsHooks: seen.feeds });
    const started = cwd === undefined ? {} : { cwd };
    const call = encodeToolCall(tool, args, { ...started, ...evidence });
    const seq = this.push('tool.call', traced({ ...facts, ...call }));
    this.own = seq;
    const open: OpenCall = {
      seq,
      id: tool.toolUseId,
      tool: tool.tool,
      argsHash: args.hash,
      ...(typeof seen?.tree === 'string' ? { tree: seen.tree } : {}),
      ...started,
      ...(seen?.feeds === true ? { feeds: true } : {}),
    };
    if (seen?.feeds === true) this.#remember((gate) => ({ ...gate, fedBy: gate.fedBy ?? seq }));
    this.#crashed('command', 'tool.call', seen?.crash ?? null, seq);
    this.state = { ...countOn(this.state, { calls: 1 }), calls: [...this.state.calls, open] };
  }

  #result(
    prepared: PreparedCall,
    outcome: Outcome,
    durationMs: number | null,
    facts: JsonObject,
    traced: (payload: JsonObject) => JsonObject,
  ): void {
    const open = this.#find(prepared);
    if (open?.asked !== undefined)
      this.#answered(open, open.asked, 'granted', Math.max(0, durationMs ?? 0), prepared.tool);
    const payload = encodeToolResult(prepared.tool, {
      result: outcome,
      errorCode: ERROR_CODES[outcome],
      output: prepared.output,
      exit: prepared.exit,
      durationMs: durationMs !== null && durationMs >= 0 ? durationMs : null, // by a clock that was set back
      tests: prepared.tests,
      files: prepared.files,
    });
    const { seen } = prepared;
    const evidence =
      seen === null ? {} : encodeResultEvidence({ ...seen, attempts: attemptsOf(prepared, seen, outcome) });
    const seq = this.push(
      'tool.result',
      traced({ ...facts, ...payload, ...evidence, ...this.#repeated(prepared, open) }),
      open?.seq ?? this.state.prompt,
    );
    this.own = seq;
    this.state = countOn(this.state, { results: 1 });
    if (seen !== null) this.#evidence(prepared, seen, outcome, open, seq);
    this.#jobs(prepared, open);
    this.#close(open, prepared.tool);
  }

  /** What goes on after the call, and what it tells the end of. */
  #jobs({ leaves = null, ended = null }: PreparedCall, open: OpenCall | undefined): void {
    if (leaves !== null && open?.tree !== undefined)
      this.state = withJob(this.state, { ...leaves, tree: open.tree });
    if (ended === null) return;
    this.state = { ...this.state, jobs: withoutJob(this.state, ended.name) };
    if (ended.call !== null && this.state.gate.background.includes(ended.call)) {
      const { call } = ended;
      this.#remember((gate) => forgetBackground(gate, call));
    }
  }

  /** What the gate will want to know of it at the end of the turn. */
  #evidence(
    prepared: PreparedCall,
    seen: Seen,
    outcome: Outcome,
    open: OpenCall | undefined,
    seq: number,
  ): void {
    const { tool, exit, tests, files } = prepared;
    const { workspaceRoot: root } = tool;
    this.#remember((gate) =>
      rememberResult(gate, {
        ...seen,
        seq,
        id: tool.toolUseId,
        tool: tool.tool,
        outcome,
        exit,
        tests,
        treeBefore: open?.tree ?? null,
        files: files.map(({ path, op }) => ({ path: within(path, root), op })),
        attempts: attemptsOf(prepared, seen, outcome) ?? [],
        callSeq: open?.seq ?? null,
        repeated: 'repeated' in this.#repeated(prepared, open),
      }),
    );
    this.#crashed('command', 'tool.result', seen.crash, seq);
  }

  #denied(
    prepared: PreparedCall,
    by: string,
    reason: string | null,
    seenIn: string,
    traced: (payload: JsonObject) => JsonObject,
    open = this.#find(prepared),
  ): void {
    if (open?.asked !== undefined) this.#answered(open, open.asked, 'denied', 0, prepared.tool);
    this.push(
      'tool.denied',
      traced({
        ...encodeToolDenied(prepared.tool, { by, reason, seenIn }),
        ...this.#repeated(prepared, open),
      }),
      open?.seq ?? this.state.prompt,
    );
    this.state = countOn(this.state, { denied: 1 });
    this.#close(open, prepared.tool);
  }

  #asked(prepared: PreparedCall, traced: (payload: JsonObject) => JsonObject): void {
    const open = this.#find(prepared);
    const { tool, toolUseId, agentId, argsHash } = prepared.tool;
    const seq = this.push(
      'approval',
      traced(
        encodeApproval({
          state: 'asked',
          tool,
          toolUseId: toolUseId ?? open?.id ?? null,
          agentId,
          argsHash,
          waitedMs: null,
        }),
      ),
      open?.seq ?? this.state.prompt,
    );
    if (open === undefined) return;
    const calls = this.state.calls.map((other) =>
      other === open ? { ...other, asked: { seq, at: this.#now } } : other,
    );
    this.state = { ...this.state, calls };
  }

  /** How long the person took is what is left of the time since they were asked, without the tool's own. */
  #answered(
    open: OpenCall,
    asked: NonNullable<OpenCall['asked']>,
    state: 'granted' | 'denied',
    tookMs: number,
    { agentId }: ToolFacts,
  ): void {
    const waited = this.#now - asked.at - tookMs;
    this.push(
      'approval',
      encodeApproval({
        state,
        tool: open.tool,
        toolUseId: open.id,
        agentId,
        argsHash: open.argsHash,
        waitedMs: waited >= 0 ? Math.round(waited) : null, // a clock was set back
      }),
      asked.seq,
    );
  }

  /**
   * A call that is over and never had a result was denied if the host says so. Otherwise it may have run while no hook
   * told of results, and its end was missed. A call that nobody told of before was missed as a whole.
   */
  #batch(calls: readonly PreparedCall[], name: string, traced: (payload: JsonObject) => JsonObject): void {
    const missed: string[] = [];
    const endless: string[] = [];
    for (const prepared of calls) {
      const id = prepared.tool.toolUseId;
      if (id === null) continue;
      const open = this.state.calls.find((other) => other.id === id);
      if (open === undefined) {
        if (!isDone(this.state, id)) missed.push(id);
      } else if (prepared.denied === true)
        this.#denied(prepared, open.asked === undefined ? 'host' : 'user', null, name, traced);
      else {
        endless.push(id);
        this.#close(open, prepared.tool);
      }
    }
    this.#named(`${name} tells of tool calls that ended, and no hook told how they ended`, endless);
    this.#missed(missed, calls[0]?.tool.agentId ?? null, name);
  }

  /** Calls and ends of turns that the host's transcript tells of and nobody told us. */
  compare({ calls, turnEnds, end }: ToldByHost, event: HostEvent['type']): void {
    if (event !== 'stop') this.#turnEnded(turnEnds);
    // A call that is still under way at a prompt may yet be told of.
    if (event === 'prompt') return;
    const { calls: open } = this.state;
    this.#missed(
      judgeable(this.state, calls).filter(
        (id) => !isDone(this.state, id) && !open.some((call) => call.id === id),
      ),
      null,
      "the host's transcript",
    );
    this.state = { ...this.state, transcriptOffset: end };
  }

  /** A hook for the end of a turn can be left out, by the program of a repository or by a fault. Nobody judged that turn. */
  #turnEnded(ends: readonly string[]): void {
    const { turnEnd = this.#at } = this.state;
    const missed = ends.filter((at) => at > turnEnd && at <= this.#at).sort();
    const [first] = missed;
    if (first === undefined) return;
    this.state = { ...this.state, turnEnd: missed.at(-1) ?? first };
    const why = "the host's transcript tells of a turn whose end was never recorded, so nobody judged it";
    this.#gap(why, 1, [], first);
  }

  #missed(ids: readonly string[], agent: string | null, name: string): void {
    if (ids.length === 0) return;
    this.#named(`${name} tells of tool calls that were never recorded`, ids);
    this.state = withDone(this.state, agent, ids);
  }

  #named(why: string, ids: readonly string[]): void {
    if (ids.length > 0) this.#gap(why, ids.length, fitting(ids.slice(0, MOST_NAMED), MOST_NAMED_BYTES));
  }

  /**
   * A call names the prompt that it answers, and no hook told of any. Hooks for calls may go to the service while those for
   * prompts and ends of turns are commands, which an environment that a repository sets can kill.
   */
  #promptMissed(): void {
    const { prompt, counts } = this.state;
    if (prompt !== null || counts.prompts > 0 || counts.calls > 0) return;
    this.#gap('a call tells of a prompt that was never recorded: hooks for prompts did not run', 1, []);
  }

  #gap(why: string, events: number, calls: readonly string[], since = this.#at): void {
    this.push('gap', encodeGap({ reason: 'unrecorded', since, until: this.#at, events, why, calls }));
  }

  get #at(): string {
    return new Date(this.#now).toISOString();
  }

  #find({ tool, args }: PreparedCall): OpenCall | undefined {
    return findCall(this.state, { id: tool.toolUseId, tool: tool.tool, argsHash: args.hash });
  }

  /** A second end of one call is kept, and marked: one of the two may not be the host's. */
  #repeated({ tool }: PreparedCall, open: OpenCall | undefined): { [name: string]: Json } {
    const { toolUseId } = tool;
    return open === undefined && toolUseId !== null && isDone(this.state, toolUseId)
      ? { repeated: true }
      : {};
  }

  #close(open: OpenCall | undefined, { toolUseId: id, agentId }: ToolFacts): void {
    this.state = { ...this.state, calls: this.state.calls.filter((other) => other !== open) };
    if (id !== null && !isDone(this.state, id)) this.state = withDone(this.state, agentId, [id]);
  }
}

/** What it tried to get at, and whether it did. Null where it tried nothing. */
function attemptsOf(
  { tool, exit, files, sought }: PreparedCall,
  seen: Seen,
  outcome: Outcome,
): AttemptFact[] | null {
  const ok = outcome === 'ok' && (exit.code ?? 0) === 0;
  const way = tool.tool;
  const attempts: AttemptFact[] = [
    ...seen.attempts.map((each) => attemptOf(each, ok)),
    ...(sought === null ? [] : [attemptOf({ ...sought, way }, ok)]),
    ...files
      .filter(({ op }) => op === 'read')
      .map(({ path }) => ({
        capability: 'read' as const,
        status: null,
        way,
        target: within(path, tool.workspaceRoot),
        ok,
      })),
  ];
  return attempts.length === 0 ? null : attempts;
}

/** As it lies in the workspace. */
function within(path: string, root: string | null): string {
  return root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

export function encodeObservation(event: string, problem: Problem | null, content: Kept | null): JsonObject {
  return {
    event,
    problem,
    content: content?.ref ?? null,
    content_bytes: content?.bytes ?? null,
    content_hash: content?.hash ?? null,
  };
}

function turnFacts({ facts, words }: Prepared): JsonObject {
  return { ...facts, prompt_id: words.promptId ?? null, agent_id: words.agentId ?? null };
}

function agentFacts({ facts, words }: Prepared): JsonObject {
  return { ...facts, agent_id: words.agentId ?? null, agent_type: words.agentType ?? null };
}

function withAuthority(facts: JsonObject, authority: CallAuthority | null): JsonObject {
  return authority === null ? facts : { ...facts, authority: encodeCallAuthority(authority) };
}
