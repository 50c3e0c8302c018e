// What an event tells of tool calls: calls that begin, results, denials, questions to the person, and batches that
// name calls whose end nobody told.
import type { Json, JsonObject } from '../../core/index.ts';
import {
  type AttemptFact,
  encodeApproval,
  encodeCallEvidence,
  encodeResultEvidence,
  encodeToolCall,
  encodeToolDenied,
  encodeToolResult,
  type ToolFacts,
} from '../../format/index.ts';
import { forgetBackground, rememberResult } from '../../rules/index.ts';
import { attemptOf } from './event-parts.ts';
import type { Outcome } from './host-event.ts';
import type { PreparedCall, Seen } from './prepared.ts';
import { countOn, findCall, isDone, type OpenCall, withDone, withJob, withoutJob } from './session-state.ts';
import type { TurnDraft } from './turn-draft.ts';

const ERROR_CODES: Readonly<Record<Outcome, string | null>> = {
  ok: null,
  error: 'TOOL_ERROR',
  aborted: 'ABORTED',
  timeout: 'TIMEOUT',
};

export class TurnCalls {
  readonly #draft: TurnDraft;

  constructor(draft: TurnDraft) {
    this.#draft = draft;
  }

  call(
    { tool, args, seen, cwd }: PreparedCall,
    facts: JsonObject,
    traced: (payload: JsonObject) => JsonObject,
  ): void {
    const evidence = seen === null ? {} : encodeCallEvidence({ tree: seen.tree, feedsHooks: seen.feeds });
    const started = cwd === undefined ? {} : { cwd };
    const call = encodeToolCall(tool, args, { ...started, ...evidence });
    const seq = this.#draft.push('tool.call', traced({ ...facts, ...call }));
    this.#draft.own = seq;
    const open: OpenCall = {
      seq,
      id: tool.toolUseId,
      tool: tool.tool,
      argsHash: args.hash,
      ...(typeof seen?.tree === 'string' ? { tree: seen.tree } : {}),
      ...started,
      ...(seen?.feeds === true ? { feeds: true } : {}),
    };
    if (seen?.feeds === true) this.#draft.remember((gate) => ({ ...gate, fedBy: gate.fedBy ?? seq }));
    this.#draft.crashed('command', 'tool.call', seen?.crash ?? null, seq);
    this.#draft.state = {
      ...countOn(this.#draft.state, { calls: 1 }),
      calls: [...this.#draft.state.calls, open],
    };
  }

  result(
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
    const seq = this.#draft.push(
      'tool.result',
      traced({ ...facts, ...payload, ...evidence, ...this.#repeated(prepared, open) }),
      open?.seq ?? this.#draft.state.prompt,
    );
    this.#draft.own = seq;
    this.#draft.state = countOn(this.#draft.state, { results: 1 });
    if (seen !== null) this.#evidence(prepared, seen, outcome, open, seq);
    this.#jobs(prepared, open);
    this.#close(open, prepared.tool);
  }

  /** What goes on after the call, and what it tells the end of. */
  #jobs({ leaves = null, ended = null }: PreparedCall, open: OpenCall | undefined): void {
    if (leaves !== null && open?.tree !== undefined)
      this.#draft.state = withJob(this.#draft.state, { ...leaves, tree: open.tree });
    if (ended === null) return;
    this.#draft.state = { ...this.#draft.state, jobs: withoutJob(this.#draft.state, ended.name) };
    if (ended.call !== null && this.#draft.state.gate.background.includes(ended.call)) {
      const { call } = ended;
      this.#draft.remember((gate) => forgetBackground(gate, call));
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
    this.#draft.remember((gate) =>
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
    this.#draft.crashed('command', 'tool.result', seen.crash, seq);
  }

  /** A refusal of ours is about the call that was told just now, also where an equal one without an id is under way. */
  refused(call: PreparedCall, reason: string, seenIn: string): void {
    const own = this.#draft.state.calls.find(({ seq }) => seq === this.#draft.own);
    this.denied(call, 'foil', reason, seenIn, (payload) => payload, own ?? this.#find(call));
  }

  denied(
    prepared: PreparedCall,
    by: string,
    reason: string | null,
    seenIn: string,
    traced: (payload: JsonObject) => JsonObject,
    open = this.#find(prepared),
  ): void {
    if (open?.asked !== undefined) this.#answered(open, open.asked, 'denied', 0, prepared.tool);
    this.#draft.push(
      'tool.denied',
      traced({
        ...encodeToolDenied(prepared.tool, { by, reason, seenIn }),
        ...this.#repeated(prepared, open),
      }),
      open?.seq ?? this.#draft.state.prompt,
    );
    this.#draft.state = countOn(this.#draft.state, { denied: 1 });
    this.#close(open, prepared.tool);
  }

  asked(prepared: PreparedCall, traced: (payload: JsonObject) => JsonObject): void {
    const open = this.#find(prepared);
    const { tool, toolUseId, agentId, argsHash } = prepared.tool;
    const seq = this.#draft.push(
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
      open?.seq ?? this.#draft.state.prompt,
    );
    if (open === undefined) return;
    const calls = this.#draft.state.calls.map((other) =>
      other === open ? { ...other, asked: { seq, at: this.#draft.now } } : other,
    );
    this.#draft.state = { ...this.#draft.state, calls };
  }

  /** How long the person took is what is left of the time since they were asked, without the tool's own. */
  #answered(
    open: OpenCall,
    asked: NonNullable<OpenCall['asked']>,
    state: 'granted' | 'denied',
    tookMs: number,
    { agentId }: ToolFacts,
  ): void {
    const waited = this.#draft.now - asked.at - tookMs;
    this.#draft.push(
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
  batch(calls: readonly PreparedCall[], name: string, traced: (payload: JsonObject) => JsonObject): void {
    const missed: string[] = [];
    const endless: string[] = [];
    for (const prepared of calls) {
      const id = prepared.tool.toolUseId;
      if (id === null) continue;
      const open = this.#draft.state.calls.find((other) => other.id === id);
      if (open === undefined) {
        if (!isDone(this.#draft.state, id)) missed.push(id);
      } else if (prepared.denied === true)
        this.denied(prepared, open.asked === undefined ? 'host' : 'user', null, name, traced);
      else {
        endless.push(id);
        this.#close(open, prepared.tool);
      }
    }
    this.#draft.named(`${name} shows tool calls that ended, but no hook reported how they ended`, endless);
    this.#draft.missed(missed, calls[0]?.tool.agentId ?? null, name);
  }

  #find({ tool, args }: PreparedCall): OpenCall | undefined {
    return findCall(this.#draft.state, { id: tool.toolUseId, tool: tool.tool, argsHash: args.hash });
  }

  /** A second end of one call is kept, and marked: one of the two may not be the host's. */
  #repeated({ tool }: PreparedCall, open: OpenCall | undefined): { [name: string]: Json } {
    const { toolUseId } = tool;
    return open === undefined && toolUseId !== null && isDone(this.#draft.state, toolUseId)
      ? { repeated: true }
      : {};
  }

  #close(open: OpenCall | undefined, { toolUseId: id, agentId }: ToolFacts): void {
    this.#draft.state = {
      ...this.#draft.state,
      calls: this.#draft.state.calls.filter((other) => other !== open),
    };
    if (id !== null && !isDone(this.#draft.state, id))
      this.#draft.state = withDone(this.#draft.state, agentId, [id]);
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
