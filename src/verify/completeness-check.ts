// Do the places from which a call of a tool can be seen agree on what happened? A hook tells that the agent ran it, the
// gateway that a model asked for it and was told of its end, the MCP proxy that a server got it. They are joined by the
// host's id of the call, over all sessions: a proxy may have one of its own. A place is held to what it must have seen:
// the gateway only in sessions whose models it serves, hooks while they record, a proxy while it runs.
// Memory is bounded; what is forgotten is judged before it goes. A time in which nothing could be seen is said to be one.
import { type Json, ParseError } from '../core/index.ts';
import {
  type Entry,
  parseGap,
  parseModelToolResult,
  parseModelToolUse,
  type RecordingGap,
} from '../format/index.ts';
import { BLIND_KINDS, BlindTimes } from './blind-times.ts';
import type { Findings } from './findings.ts';
import { oldestKeyOf } from './oldest-key.ts';

/** What it must be shown, besides calls and results with a member `tree`, as hooks write them, or `mcp`. */
export const COMPLETENESS_KINDS = [
  ...BLIND_KINDS,
  'tool.denied',
  'model.call',
  'model.result',
  'model.tool_use',
  'model.tool_result',
];

/** Whose ids are those of the model's API. Of other hosts nobody has seen that. */
const HOOKS = 'hook:claude-code';
const GATEWAY = 'gateway';
const PROXY = 'mcp';

const BOUNDS = { calls: 65_536, sessions: 65_536, gaps: 4096 };

export interface CompletenessCounts {
  /** With an id, from wherever they were seen; and those of them that two places saw. */
  readonly callsSeen: number;
  readonly callsCompared: number;
}

interface Sight {
  readonly seq: number;
  readonly ts: string;
  readonly session: string;
  readonly tool: string;
  readonly hash: string | null;
}

interface Call {
  /** As a model asked for it, and what it was told: that it failed, or not. */
  asked?: Sight;
  told?: { readonly seq: number; readonly error: boolean | null };
  /** As a hook told of it, and of its end. */
  hook?: Sight & {
    readonly isHost: boolean;
    /** The server whose proxy ran then and should have got it. */
    readonly server: string | undefined;
  };
  ended?: { readonly seq: number; readonly isOk: boolean; readonly touchesFiles: boolean };
  /** As a server got it, and what it answered. */
  sent?: Sight & { readonly server: string; readonly isHooked: boolean };
  answered?: { readonly seq: number; readonly isError: boolean };
}

interface Session {
  /** Of the first entry by hooks, and of the first request through the gateway. */
  hooks?: number;
  gateway?: number;
  /** An answer could not be read whole, so what a model asked for may be unknown. */
  isBlurred?: boolean;
}

export class CompletenessCheck {
  readonly #findings: Findings;
  readonly #bounds: typeof BOUNDS;
  /** By the host's id, in the order in which they were first seen. */
  readonly #calls = new Map<string, Call>();
  readonly #oldestCall = oldestKeyOf(this.#calls);
  readonly #sessions = new Map<string, Session>();
  readonly #oldestSession = oldestKeyOf(this.#sessions);
  /** Sessions of hooks, and of proxies with the server's name, that have not ended. */
  readonly #hooked = new Set<string>();
  readonly #servers = new Map<string, string>();
  readonly #blind: BlindTimes;
  readonly #gaps: RecordingGap[] = [];
  readonly #missing = new Set<string>();
  readonly #counts = { callsSeen: 0, callsCompared: 0 };
  /** Calls of hooks that have no result yet, with their sessions; and of each session the newest end of a turn. */
  readonly #open = new Map<number, string>();
  readonly #turnEnds = new Map<string, number>();
  /** Calls that a hook told without an id: they can be compared with nothing. */
  #unnamed = 0;
  #isFull = false;

  constructor(
    findings: Findings,
    bounds: Partial<typeof BOUNDS> = {},
    blind: BlindTimes = new BlindTimes(findings),
  ) {
    this.#findings = findings;
    this.#blind = blind;
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  get counts(): CompletenessCounts {
    return this.#counts;
  }

  get unnamed(): number {
    return this.#unnamed;
  }

  /** In the order of the ledger. */
  entry(entry: Entry): void {
    const { session_id: session } = entry;
    this.#blind.entry(entry);
    try {
      if (entry.kind === 'gap') this.#gap(entry);
      else if (session !== null) this.#take(entry, session);
    } catch (error) {
      // What is malformed is for the checks that read all of it: here it was not seen.
      if (!(error instanceof ParseError)) throw error;
    }
  }

  finish(): void {
    for (const [id, call] of this.#calls) this.#judge(id, call);
    this.#calls.clear();
    this.#endless();
    this.#blind.finish();
    if (this.#isFull || this.#blind.isFull) {
      const text = `there is more than this verifier compares at once, so some calls that are far apart weren't compared`;
      this.#findings.add('COMPLETENESS_TOO_MUCH', null, text);
    }
  }

  /** Some hosts tell of no end of a call that they handle by themselves, or that still runs when the turn is over. */
  #endless(): void {
    const calls = [...this.#open].filter(([seq, session]) => seq < (this.#turnEnds.get(session) ?? 0));
    const [first] = calls;
    if (first === undefined) return;
    const many = calls.length === 1 ? 'a tool call has' : `${calls.length} tool calls have`;
    const text = `${many} no result, although the turn has ended: it is unknown what happened to ${calls.length === 1 ? 'it' : 'them'}`;
    this.#findings.add('CALL_ENDLESS', first[0], text);
  }

  #follow({ seq, kind, cause, source }: Entry, session: string): void {
    if (!source.startsWith('hook:')) return;
    if (kind === 'response') this.#turnEnds.set(session, seq);
    else if (kind === 'tool.result' || kind === 'tool.denied') this.#open.delete(cause ?? 0);
    else if (kind === 'tool.call' && this.#open.size < this.#bounds.calls) this.#open.set(seq, session);
  }

  #take(entry: Entry, session: string): void {
    const { seq, kind, source, payload } = entry;
    this.#follow(entry, session);
    if (source === HOOKS && kind !== 'session.end') {
      this.#of(session).hooks ??= seq;
      this.#hooked.add(session);
    }
    if (kind === 'session.end') {
      this.#hooked.delete(session);
      this.#servers.delete(session);
    } else if (kind === 'model.call') {
      if (source === GATEWAY) this.#of(session).gateway ??= seq;
    } else if (kind === 'model.result') {
      if (payload.understood !== 'whole') this.#of(session).isBlurred = true;
    } else if (kind === 'model.tool_use') {
      if (source !== GATEWAY) return;
      const { toolUseId, tool, inputHash, whole } = parseModelToolUse(payload);
      if (toolUseId !== null)
        this.#call(toolUseId).asked ??= sightOf(entry, session, tool, whole ? inputHash : null);
    } else if (kind === 'model.tool_result') {
      if (source !== GATEWAY) return;
      const { toolUseId, error } = parseModelToolResult(payload);
      this.#call(toolUseId).told ??= { seq, error };
    } else if (typeof payload.tool_use_id === 'string') this.#seen(entry, session, payload.tool_use_id);
    else if (kind === 'tool.call' && source.startsWith('hook:')) this.#unnamed++;
  }

  /** By hooks, or by a proxy. */
  #seen(entry: Entry, session: string, id: string): void {
    const { seq, kind, source, payload } = entry;
    const { tool, args_hash: hash, result, files } = payload;
    if (typeof tool !== 'string') return;
    const sight = sightOf(entry, session, tool, typeof hash === 'string' ? hash : null);
    if (source.startsWith('hook:')) {
      if (kind !== 'tool.call' && kind !== 'tool.denied' && kind !== 'tool.result') return;
      const call = this.#call(id);
      call.hook ??= { ...sight, isHost: source === HOOKS, server: this.#proxied(tool) };
      if (kind !== 'tool.result') return;
      const touchesFiles = Array.isArray(files) && files.length > 0;
      call.ended ??= { seq, isOk: result === 'ok', touchesFiles };
    } else if (source === PROXY) {
      const server = serverOf(payload.mcp);
      if (server === undefined) return;
      this.#servers.set(session, server);
      const call = this.#call(id);
      if (kind === 'tool.call') call.sent ??= { ...sight, server, isHooked: this.#hooked.size > 0 };
      else if (kind === 'tool.result') call.answered ??= { seq, isError: result === 'error' };
    }
  }

  /** Judged when nothing more can come: a gap that explains it may stand far behind. */
  #judge(id: string, call: Call): void {
    const { asked, hook, sent } = call;
    const places = [asked, hook, sent].filter((sight) => sight !== undefined).length;
    if (places > 0) this.#counts.callsSeen++;
    if (places > 1) this.#counts.callsCompared++;
    this.#missedByHooks(id, call);
    this.#neverAsked(id, call);
    this.#neverSent(id, call);
    this.#differing(id, call);
  }

  #missedByHooks(id: string, { asked, told, hook, sent }: Call): void {
    if (hook !== undefined) return;
    const name = `${(asked ?? sent)?.tool} (${id})`;
    const askedBehind = asked !== undefined && this.#isBehind(asked, 'hooks');
    // A model may ask for what is then never run; only what it was told of an end shows that it was.
    const ran = sent !== undefined || told !== undefined;
    const isDue = sent === undefined ? askedBehind : asked === undefined ? sent.isHooked : askedBehind;
    const sight = sent ?? asked;
    if (!isDue || !ran || sight === undefined) return;
    const by = sent === undefined ? 'the gateway saw' : 'a server got';
    if (this.#isBlind(id, sight))
      this.#findings.add('CALL_BLIND', sight.seq, `${by} ${name} while hooks could not record`);
    else if (sent === undefined && told?.error === true) {
      const text = `the gateway saw ${name} fail, but no hook reported it: it may have been stopped before it began`;
      this.#findings.add('CALL_UNSEEN', sight.seq, text);
    } else this.#findings.add('CALL_MISSED', sight.seq, `${by} ${name}, but no hook reported it`);
  }

  #neverAsked(id: string, { asked, hook, sent }: Call): void {
    if (asked !== undefined) return;
    const sight = hook ?? sent;
    if (sight === undefined || (hook !== undefined && !hook.isHost)) return;
    if (!this.#isBehind(sight, 'gateway')) return;
    const name = `${sight.tool} (${id})`;
    if (this.#sessions.get(sight.session)?.isBlurred === true) {
      const text = `${name} was run, but it is unknown whether a model asked for it: not all answers could be read`;
      this.#findings.add('CALL_UNSEEN', sight.seq, text);
      return;
    }
    const by = hook === undefined ? 'a server got' : 'a hook reports';
    this.#findings.add('CALL_UNASKED', sight.seq, `${by} ${name}, which no model was seen to ask for`);
  }

  /** A hook says that a server answered, whose proxy got nothing. */
  #neverSent(id: string, { hook, ended, sent }: Call): void {
    if (hook === undefined || !hook.isHost || sent !== undefined || ended?.isOk !== true) return;
    if (hook.server === undefined) return;
    const text = `a hook says that ${hook.tool} (${id}) was answered, but the proxy of ${hook.server} saw no such call`;
    this.#findings.add('CALL_UNSENT', hook.seq, text);
  }

  #differing(id: string, { asked, told, hook, ended, sent, answered }: Call): void {
    if (hook === undefined) return;
    const name = `${hook.tool} (${id})`;
    const got = sent && mcpToolName(sent.server, sent.tool);
    if ((asked ?? hook).tool !== hook.tool) {
      const text = `a hook reports ${name}, but the model asked for ${asked?.tool}`;
      this.#findings.add('CALL_DIFFERS', hook.seq, text);
    } else if (got !== undefined && got !== hook.tool)
      this.#findings.add('CALL_DIFFERS', hook.seq, `a hook reports ${name}, but a server got ${got}`);
    // Hashes are under a salt of the session. Where a file is touched, hosts put in members of their own.
    const wire = [asked, sent].find((sight) => sight?.session === hook.session && sight.hash !== null);
    if (wire !== undefined && hook.hash !== null && hook.hash !== wire.hash && ended?.touchesFiles !== true) {
      const text = `for ${name} the hook reports different arguments than the ${wire === asked ? 'model asked for' : 'server got'}; a host may have tidied them`;
      this.#findings.add('CALL_ARGUMENTS_DIFFER', hook.seq, text);
    }
    if (ended?.isOk === true && (told?.error === true || answered?.isError === true)) {
      const who =
        told?.error === true ? 'the model was told that it failed' : 'the server said that it failed';
      this.#findings.add('RESULT_DIFFERS', ended.seq, `a hook says that ${name} succeeded, but ${who}`);
    }
  }

  /** Does the place see what happens in that session, from before this on? */
  #isBehind({ session, seq }: Sight, place: 'hooks' | 'gateway'): boolean {
    const since = this.#sessions.get(session)?.[place];
    return since !== undefined && since <= seq;
  }

  #proxied(tool: string): string | undefined {
    if (!tool.startsWith('mcp__')) return undefined;
    return [...this.#servers.values()].find((server) => tool.startsWith(`mcp__${wordOf(server)}__`));
  }

  #isBlind(id: string, { ts }: Sight): boolean {
    return (
      this.#missing.has(id) ||
      this.#gaps.some(({ since, until }) => since <= ts && ts <= until) ||
      this.#blind.within('', ts, ts) !== undefined
    );
  }

  #gap(entry: Entry): void {
    const gap = parseGap(entry.payload);
    if (gap.reason !== 'unrecorded' && gap.reason !== 'off') return;
    if (this.#gaps.length < this.#bounds.gaps) this.#gaps.push(gap);
    else this.#isFull = true;
    for (const id of gap.calls) {
      if (this.#missing.size < this.#bounds.calls) this.#missing.add(id);
      else this.#isFull = true;
    }
  }

  #of(session: string): Session {
    let known = this.#sessions.get(session);
    if (known === undefined) {
      known = {};
      this.#sessions.set(session, known);
      if (this.#sessions.size > this.#bounds.sessions) {
        this.#sessions.delete(this.#oldestSession() ?? '');
        this.#isFull = true;
      }
    }
    return known;
  }

  #call(id: string): Call {
    let call = this.#calls.get(id);
    if (call === undefined) {
      call = {};
      this.#calls.set(id, call);
      if (this.#calls.size > this.#bounds.calls) {
        const oldest = this.#oldestCall() ?? '';
        const forgotten = this.#calls.get(oldest);
        this.#calls.delete(oldest);
        if (forgotten !== undefined) this.#judge(oldest, forgotten);
        this.#isFull = true;
      }
    }
    return call;
  }
}

function sightOf({ seq, ts }: Entry, session: string, tool: string, hash: string | null): Sight {
  return { seq, ts, session, tool, hash };
}

export function serverOf(mcp: Json | undefined): string | undefined {
  if (typeof mcp !== 'object' || mcp === null || !('server' in mcp)) return undefined;
  return typeof mcp.server === 'string' ? mcp.server : undefined;
}

/** How hosts name a tool of an MCP server. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${wordOf(server)}__${wordOf(tool)}`;
}

/** As hosts write the names of servers and tools. */
function wordOf(name: string): string {
  return name.replace(/[^\w-]/g, '_');
}
