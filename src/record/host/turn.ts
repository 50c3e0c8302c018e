// One event's entries, joined to what its session has seen so far. Pure and synchronous: it runs inside the store's
// exclusive section, on the state as it is then, and may run again. Everything in the events is already clean.
import type { JsonObject } from '../../core/index.ts';
import {
  type CallAuthority,
  type Contract,
  encodeAuthFail,
  encodeBlockFact,
  encodeCallAuthority,
  encodeContract,
  encodeInteraction,
  encodeOverride,
  encodeSessionEnd,
  encodeTurn,
  type Interaction,
  type Kept,
  withTraces,
} from '../../format/index.ts';
import type { Mode } from '../../ledger/index.ts';
import { forgetBackground, rememberPrompt, rememberStop } from '../../rules/index.ts';
import { type AuthFailure, advance, type Chain, closingOf, newChain } from '../../session/index.ts';
import { eventOf, type HooksSeen, soundOf, stampsOf } from './hook-files.ts';
import type { HostEvent, Problem } from './host-event.ts';
import { FROM_GATE } from './own-words.ts';
import type { Asked, Prepared } from './prepared.ts';
import { countOn, isDone, judgeable, withJobEnd } from './session-state.ts';
import type { ToldByHost } from './transcript.ts';
import { TurnCalls } from './turn-calls.ts';
import { TurnDraft } from './turn-draft.ts';

export class Turn extends TurnDraft {
  readonly #calls = new TurnCalls(this);

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
    if (this.state.unanchored !== true || this.block === null) return;
    this.push('anchor.block', encodeBlockFact(this.block), null);
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
      this.#calls.refused(call, `no good auth key: ${reason}`, prepared.words.name ?? event.name);
  }

  /** Behind the entry of a call: it is not made. */
  refuse(event: HostEvent, prepared: Prepared, reason: string): void {
    const [call] = prepared.calls;
    if (call === undefined) return;
    this.#calls.refused(call, reason, prepared.words.name ?? event.name);
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
        this.state = { ...countOn(this.state, { responses: 1 }), turnEnd: this.at };
        if (event.told !== undefined) this.state = { ...this.state, told: event.told };
        this.remember((gate) => rememberStop(gate, event.active));
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
        if (event.origin !== FROM_GATE) this.remember((gate) => forgetBackground(gate, event.text));
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
        if (call !== undefined) this.#calls.call(call, withAuthority(facts, authority), traced);
        return;
      case 'tool.result':
        if (call !== undefined) this.#calls.result(call, event.outcome, event.durationMs, facts, traced);
        return;
      case 'tool.denied':
        if (call !== undefined)
          this.#calls.denied(call, words.by ?? 'host', words.reason ?? null, name, traced);
        return;
      case 'approval':
        if (call !== undefined) this.#calls.asked(call, traced);
        return;
      case 'tool.batch':
        this.#calls.batch(prepared.calls, name, traced);
    }
  }

  /** Null where another source counts the session's interactions. */
  #chain(): Chain | null {
    if (this.shared === null) return this.state.chain ?? newChain(this.state.session);
    return this.shared.source === this.source ? this.shared : null;
  }

  #interact(responseHash: string | null): Interaction | null {
    const before = this.#chain();
    if (before === null) return null;
    const { chain, interaction } = advance(before, this.state.promptHash ?? null, responseHash);
    if (this.shared === null) this.state = { ...this.state, chain };
    else this.shared = { ...this.shared, ...chain };
    return interaction;
  }

  /** What the prompt asks for, beside it. */
  #asks({ contract, keywords, overrides, crash }: Asked, prompt: number, text: Kept | null): void {
    const seq = contract === null ? null : this.#contract(contract, keywords, prompt, text);
    for (const each of overrides) this.push('override', encodeOverride(each), prompt);
    this.crashed('contract intake', 'prompt', crash, prompt);
    this.remember((gate) => rememberPrompt(gate, seq ?? prompt, contract));
  }

  /** Nothing binds to the prompt's other words, and they are content: they are kept as that. */
  #contract(contract: Contract, keywords: Kept | null, prompt: number, objective: Kept | null): number {
    const fields = { ...contract.fields, keywords: [] };
    const words = keywords === null ? {} : { keywords };
    return this.push('contract', encodeContract({ ...contract, fields, objective, ...words }), prompt);
  }

  #end(agent: string, traced: (payload: JsonObject) => JsonObject, reason: string | null): void {
    const { counts, joined, session, chain = newChain(session) } = this.state;
    if (joined)
      this.push(
        'agent.end',
        traced({ agent, agent_id: null, agent_type: null, reason, counts: { ...counts } }),
      );
    else {
      const end = encodeSessionEnd({ reason, exitCode: null, counts }, closingOf(chain, this.block));
      this.push('session.end', traced(end), null);
    }
    // What is open stays so: a result may come late.
    this.state = { ...this.state, ended: true };
  }

  /** Calls and ends of turns that the host's transcript tells of and nobody told us. */
  compare({ calls, turnEnds, end }: ToldByHost, event: HostEvent['type']): void {
    if (event !== 'stop') this.#turnEnded(turnEnds);
    // A call that is still under way at a prompt may yet be told of.
    if (event === 'prompt') return;
    const { calls: open } = this.state;
    this.missed(
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
    const { turnEnd = this.at } = this.state;
    const missed = ends.filter((at) => at > turnEnd && at <= this.at).sort();
    const [first] = missed;
    if (first === undefined) return;
    this.state = { ...this.state, turnEnd: missed.at(-1) ?? first };
    const why = "the host's transcript shows a turn whose end was never recorded, so nobody judged it";
    this.gap(why, 1, [], first);
  }

  /**
   * A call names the prompt that it answers, and no hook told of any. Hooks for calls may go to the service while those for
   * prompts and ends of turns are commands, which an environment that a repository sets can kill.
   */
  #promptMissed(): void {
    const { prompt, counts } = this.state;
    if (prompt !== null || counts.prompts > 0 || counts.calls > 0) return;
    this.gap('a call belongs to a prompt that was never recorded: hooks for prompts did not run', 1, []);
  }
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
