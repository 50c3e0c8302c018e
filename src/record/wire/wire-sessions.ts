// Which session a request on the wire is of: the one that the host's hooks record, one that the client names, or one of
// its connection. What a client says of itself is its own word; a session's id is taken only if the ledger has it.
import { redactionName } from '../../config/index.ts';
import { isHash, type JsonObject } from '../../core/index.ts';
import { encodeSessionEnd, type SessionStart, withTraces } from '../../format/index.ts';
import {
  type Clock,
  encodeBlock,
  grantsStanding,
  type NewEntry,
  type OperatorTrail,
  readOperatorTrail,
} from '../../ledger/index.ts';
import {
  anchorEntry,
  appendWithSum,
  beginEntries,
  bindBlock,
  branchState,
  closingOf,
  encodeEnding,
  type OpenChain,
  ownChain,
  parseShared,
  SessionTally,
  sharedChain,
  sharedState,
} from '../../session/index.ts';
import { authFailEntry, authRefused } from '../auth-guard.ts';
import { parseState, stateName } from '../host/session-state.ts';
import { Traces } from '../intake.ts';
import { AskedCalls } from '../model/asked-calls.ts';
import { KeptMessages, MessageMemory } from '../model/message-memory.ts';
import { tellTaken } from '../program/notes.ts';
import { appendFailed } from '../record-error.ts';
import {
  type JoinedSession,
  type Known,
  UnknownSession,
  type WireCaller,
  type WirePlace,
  type WireSessionsOptions,
} from './wire-session.ts';

/** A session that a client named ends when nobody has used it for so long. */
const FORGOTTEN = 30 * 60_000;
const MOST_KNOWN = 1024;
/** Why a session ended whose key is no longer good. */
const RENEWED = 'another key';

export class WireSessions {
  readonly #options: WireSessionsOptions;
  #trail: OperatorTrail | undefined;
  readonly #now: Clock;
  readonly #known = new Map<string, Promise<Known>>();
  readonly #connections = new Map<object, Promise<Known>>();
  readonly #messages = new KeptMessages();
  /** Of names whose session has ended: the next one goes on from it. */
  readonly #before = new Map<string, string>();
  /** Sessions that nobody comes to any more, and that end with what still goes on in them. */
  readonly #leaving = new Set<Known>();
  /** Ends of those that are being written. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: WireSessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Begins one where there is none: durable when it resolves. UnknownSession; RecordError where it can't begin. */
  async join(caller: WireCaller): Promise<JoinedSession> {
    const { session, host } = caller;
    if (isHash(session))
      return this.#use(await this.#recorded(session), ...(await this.#joining(session, host)));
    if (host !== null && session === null) {
      const bytes = await this.#options.store.readState(stateName(host.agent, host.session));
      const state = parseState(bytes);
      if (state !== undefined && !state.ended)
        return this.#use(
          await this.#recorded(state.session, {
            agent: host.agent,
            pack: state.pack ?? null,
            gateway: null,
            replay: null,
          }),
          state.prompt,
          state.authKey ?? null,
        );
      return this.#use(await this.#named(`${host.agent} ${host.session}`, host.agent, host.session));
    }
    if (session !== null) return this.#use(await this.#named(`client ${session}`, 'client', session));
    return this.#use(await this.#connected(caller.connection));
  }

  /**
   * What is known of a session that was named by its id: its newest prompt, where the host's hooks record to it, and its
   * auth key, for as long as the session lasts. The id of one that has ended is no key.
   */
  async #joining(
    session: string,
    host: WireCaller['host'],
  ): Promise<[prompt: number | null, authKey: string | null]> {
    const { store } = this.#options;
    const state =
      host === null ? undefined : parseState(await store.readState(stateName(host.agent, host.session)));
    const { authKey: key } = parseShared(await store.readState(sharedState(session)), session);
    if (state?.session !== session) return [null, key];
    return [state.prompt, key ?? (state.ended ? null : (state.authKey ?? null))];
  }

  /** Sessions that a client is likely to come back to. */
  get open(): number {
    return this.#connections.size + this.#known.size + this.#leaving.size + this.#ending.size;
  }

  /** A connection has closed: what it had for a session is over. */
  async leave(connection: object): Promise<void> {
    const known = this.#connections.get(connection);
    if (known === undefined) return;
    this.#connections.delete(connection);
    await this.#end(await known, 'connection closed');
  }

  /** Ends those that nobody used for long. */
  async tidy(): Promise<void> {
    const now = this.#now();
    for (const [name, knowing] of [...this.#known]) {
      const known = await knowing.catch(() => undefined);
      if (known === undefined || known.uses > 0 || now - known.lastUsed < FORGOTTEN) continue;
      this.#known.delete(name);
      if (known.own) await this.#endNamed(name, known, 'idle');
    }
  }

  /** Ends all that began here. Never rejects: what can't be written stays open. */
  async close(): Promise<void> {
    const connected = [...this.#connections.values()];
    const named = [...this.#known.values()];
    const leaving = [...this.#leaving];
    this.#connections.clear();
    this.#known.clear();
    this.#leaving.clear();
    const knowing = await Promise.allSettled([...connected, ...named, ...leaving]);
    for (const each of knowing) {
      const known = each.status === 'fulfilled' ? each.value : undefined;
      if (known?.own) await this.#end(known, 'service left').catch(() => undefined);
    }
    await Promise.all(this.#ending);
  }

  #use(known: Known, prompt: number | null = null, authKey: string | null = known.authKey): JoinedSession {
    known.uses++;
    known.lastUsed = this.#now();
    const { id, agent, memory, asked, place, pack, gateway, replay, chain } = known;
    if (known.unanchored) void this.#anchor(known);
    const { fileMembers } = this.#options;
    return {
      id,
      memory,
      asked,
      prompt,
      chain,
      place,
      pack,
      gateway,
      replay,
      authorize: () => this.#authorize(known, prompt, authKey),
      fileMembers: fileMembers && ((tool, input) => fileMembers(agent, tool, input)),
      done: () => {
        known.uses--;
        known.lastUsed = this.#now();
        if (known.uses === 0 && this.#leaving.delete(known)) this.#endSoon(known);
      },
    };
  }

  /** `whose` where it is known that there is such a session. */
  #recorded(id: string, whose?: Pick<Known, 'agent' | 'pack' | 'gateway' | 'replay'>): Promise<Known> {
    return this.#remembered(id, async () => {
      const found =
        whose === undefined ? await this.#options.find(id) : { ...whose, root: null, interaction: null };
      if (found === undefined) throw new UnknownSession('this ledger has no such session');
      const { source } = this.#options;
      const chain = found.interaction === source ? sharedChain(id, source) : null;
      const place = await this.#options.place(found.root);
      const { agent, pack, gateway, replay } = found;
      return this.#made(id, { agent, pack, gateway, replay, authKey: null }, place, chain, false);
    });
  }

  /** What the models of a host's session asked for, where this process saw it. */
  async asked(session: string): Promise<AskedCalls | undefined> {
    return (await this.#known.get(session)?.catch(() => undefined))?.asked;
  }

  async #named(name: string, agent: string, agentSession: string): Promise<Known> {
    const begin = () => this.#begin(agent, agentSession, this.#before.get(name) ?? null);
    const knowing = this.#remembered(name, begin);
    const known = await knowing;
    if (!this.#isRenewed(known)) return known;
    // Who came at the same time may have seen to it.
    if (this.#known.get(name) === knowing) {
      this.#known.delete(name);
      this.#goesOn(name, known);
      if (known.uses > 0) this.#leaving.add(known);
      else await this.#end(known, RENEWED).catch(() => undefined);
    }
    return this.#remembered(name, begin);
  }

  /** Has a session of ours no good key, and is there one by now? Then it begins anew. */
  #isRenewed(known: Known): boolean {
    const auth = this.#options.guard?.auth;
    if (auth === undefined || !known.own) return false;
    return auth.check(known.authKey) !== null && auth.isPresented();
  }

  async #connected(connection: object): Promise<Known> {
    const knowing = this.#connections.get(connection) ?? this.#beginFor(connection, null);
    const known = await knowing;
    if (!this.#isRenewed(known)) return known;
    if (this.#connections.get(connection) === knowing) {
      this.#beginFor(connection, known.id);
      if (known.uses > 0) this.#leaving.add(known);
      else await this.#end(known, RENEWED).catch(() => undefined);
    }
    return this.#connections.get(connection) ?? this.#beginFor(connection, known.id);
  }

  #beginFor(connection: object, resumes: string | null): Promise<Known> {
    const known = this.#begin('client', null, resumes);
    this.#connections.set(connection, known);
    known.catch(() => this.#connections.delete(connection));
    return known;
  }

  #remembered(name: string, make: () => Promise<Known>): Promise<Known> {
    let known = this.#known.get(name);
    if (known === undefined) {
      known = make();
      this.#known.set(name, known);
      known.catch(() => this.#known.delete(name));
      const [oldest] = this.#known.keys();
      if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#forget(oldest);
    }
    return known;
  }

  #forget(name: string): void {
    const knowing = this.#known.get(name);
    this.#known.delete(name);
    knowing
      ?.then((known) => (known.own ? this.#endNamed(name, known, 'too many sessions') : undefined))
      .catch(() => undefined);
  }

  #made(
    id: string,
    whose: Pick<Known, 'agent' | 'authKey' | 'pack' | 'gateway' | 'replay'>,
    place: WirePlace,
    chain: OpenChain | null,
    own: boolean,
  ): Known {
    const [memory, asked] = [new MessageMemory(id, this.#messages), new AskedCalls()];
    const lastUsed = this.#now();
    const unused = { first: undefined, unanchored: false, toldFor: undefined, lastUsed, uses: 0 };
    return { id, ...whose, memory, asked, place, chain, own, ...unused };
  }

  /** Is its key still good? It is told once for each prompt. */
  async #authorize(known: Known, prompt: number | null, authKey: string | null): Promise<void> {
    const { guard, store, source } = this.#options;
    const failure = guard?.auth.check(authKey) ?? null;
    if (failure === null) known.toldFor = undefined;
    if (guard === undefined || failure === null) return;
    if (known.toldFor !== prompt) {
      const entry = authFailEntry({ source, session_id: known.id, cause: prompt }, failure, 'call');
      await store.append((head) => encodeBlock([entry], head, this.#now()));
      known.toldFor = prompt;
    }
    if (guard.enforced()) throw authRefused(failure);
  }

  /** For a session that began without a block, once one is known. What can't be written is tried again. */
  async #anchor(known: Known): Promise<void> {
    const block = known.place.blocks?.known() ?? null;
    if (block === null) return;
    known.unanchored = false;
    const { store, source } = this.#options;
    try {
      await store.append((head) => encodeBlock([anchorEntry(source, known.id, block)], head, this.#now()));
    } catch {
      known.unanchored = true;
    }
  }

  /** Reads on from where it last read; it writes nothing, since a ledger that is gone must stay gone. */
  async #grantsHash(): Promise<string | null> {
    const { store, operators } = this.#options;
    this.#trail = await readOperatorTrail(store, this.#trail);
    return (await grantsStanding(this.#trail, operators)).inForce?.grantsHash ?? null;
  }

  async #begin(agent: string, agentSession: string | null, resumes: string | null): Promise<Known> {
    const { store, source } = this.#options;
    try {
      const place = await this.#options.place(null);
      const { intake, config, redaction } = place;
      const traces = new Traces();
      const start: SessionStart = {
        agent,
        agentSession: agentSession === null ? null : intake.word(agentSession, traces),
        workspaceRoot: place.root === null ? null : intake.word(place.root, traces),
        trigger: 'request',
        resumes,
        pack: null,
        capabilities: await this.#grantsHash(),
        interaction: source,
        interactionKind: 'model.result',
        mode: this.#options.mode?.() ?? 'guard',
        content: config.content,
        hashes: config.hashes,
        redaction: redactionName(redaction),
        configHash: config.hash,
        transcript: null,
        hostProcess: null,
      };
      const { blocks } = place;
      const block = (await blocks?.newest()) ?? null;
      const bound = bindBlock(block, blocks !== undefined);
      const auth = this.#options.guard?.auth.begin();
      let id = '';
      let first = 0;
      const append = (told: readonly NewEntry[]) =>
        store.append((head, _, shared) => {
          const finish = (payload: JsonObject): JsonObject => withTraces(payload, traces);
          const begun = beginEntries(head, { source, start, bound, shared, finish, auth });
          id = begun.session;
          first = head.seq + 1;
          return { ...encodeBlock([...begun.drafts, ...told], head, this.#now()), ...begun.states };
        }, branchState(bound));
      await tellTaken(this.#options.notes, source, append);
      const whose = { agent, authKey: auth?.key?.id ?? null, pack: null, gateway: null, replay: null };
      const known = this.#made(id, whose, place, ownChain(id), true);
      known.first = first;
      known.unanchored = blocks !== undefined && block === null;
      if ((auth?.failure ?? null) !== null) known.toldFor = null;
      return known;
    } catch (error) {
      throw appendFailed('the beginning of the session', error);
    }
  }

  async #endNamed(name: string, known: Known, reason: string): Promise<void> {
    this.#goesOn(name, known);
    await this.#end(known, reason);
  }

  /** After what was under way in it. Never rejects: what can't be written stays open. */
  #endSoon(known: Known): void {
    const ending = this.#end(known, RENEWED)
      .catch(() => undefined)
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** The next session of this name resumes it. */
  #goesOn(name: string, { id }: Known): void {
    if (this.#before.size >= MOST_KNOWN) this.#before.clear();
    this.#before.set(name, id);
  }

  async #end(known: Known, reason: string): Promise<void> {
    const { store, source } = this.#options;
    const counts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };
    const block = (await known.place.blocks?.latest()) ?? null;
    const chain = known.chain ?? ownChain(known.id);
    const tally = () => new SessionTally(store, { session: known.id, first: known.first });
    await chain.exclusive(() =>
      appendWithSum(store, { tally, required: true }, (head, _state, _shared, sum) => {
        const closing = closingOf(chain.current(undefined), block);
        const payload = encodeSessionEnd({ reason, exitCode: null, counts }, closing);
        const end = { kind: 'session.end', source, session_id: known.id, payload };
        return encodeEnding([end], head, this.#now(), sum);
      }),
    );
  }
}
