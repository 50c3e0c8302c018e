// The ledger's entries as a log in the KAIZA format: a line for every tool call that came to an end, one way or the
// other, and for what bears on them. Sessions and roles are mapped to that format's forms, and the lines chained by its
// own rule, so the log stands for itself. Nothing in it is signed. spec/kaiza.md says which entry becomes which line.
import { isHash, type Json, type JsonObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { encodeKaizaEntry, KAIZA_GENESIS, type KaizaFacts } from './kaiza.ts';

export interface KaizaExport {
  /** The lines that are due with this entry, each with its `\n`; mostly none or one. */
  add(entry: Entry): string;
  /** Lines of the calls that have no result yet. Nothing may be added afterwards. */
  end(): { readonly text: string; readonly open: number };
}

const NIL = '00000000-0000-0000-0000-000000000000';
/** Calls without a result, and sessions without an end, that are remembered; what is older is let go. */
const MOST_OPEN = 10_000;

export function exportKaiza(): KaizaExport {
  let seq = 0;
  let prevHash = KAIZA_GENESIS;
  const roots = new Map<string, string>();
  /** By session, then by the call's seq. */
  const calls = new Map<string, Map<number, Entry>>();
  let open = 0;

  const line = (facts: KaizaFacts): string => {
    seq++;
    const encoded = encodeKaizaEntry(facts, seq, prevHash);
    prevHash = encoded.hash;
    return `${encoded.line}\n`;
  };
  const rootOf = ({ payload, session_id }: Entry): string =>
    textOf(payload.workspace_root) ?? roots.get(session_id ?? '') ?? '';
  const unanswered = (session: string): string => {
    const left = calls.get(session);
    calls.delete(session);
    open -= left?.size ?? 0;
    return [...(left?.values() ?? [])].map((call) => line(openFacts(call, rootOf(call)))).join('');
  };
  const oldestCall = (): string => {
    const [session, left] = calls.entries().next().value ?? ['', new Map<number, Entry>()];
    const [at, call] = left.entries().next().value ?? [];
    if (at === undefined || call === undefined) return '';
    left.delete(at);
    if (left.size === 0) calls.delete(session);
    open--;
    return line(openFacts(call, rootOf(call)));
  };

  return {
    add(entry) {
      const { kind, cause, payload } = entry;
      const session = entry.session_id ?? '';
      if (kind === 'tool.call') {
        const left = calls.get(session) ?? new Map<number, Entry>();
        calls.set(session, left.set(entry.seq, entry));
        return ++open > MOST_OPEN ? oldestCall() : '';
      }
      if (kind === 'tool.result' || kind === 'tool.denied') {
        const left = calls.get(session);
        if (cause !== null && left?.delete(cause)) {
          open--;
          if (left.size === 0) calls.delete(session);
        }
        return line(
          kind === 'tool.result' ? resultFacts(entry, rootOf(entry)) : deniedFacts(entry, rootOf(entry)),
        );
      }
      if (!Object.hasOwn(EVENTS, kind)) return '';
      if (kind === 'session.start') {
        const [oldest] = roots.size >= MOST_OPEN ? roots.keys() : [];
        if (oldest !== undefined) roots.delete(oldest);
        roots.set(session, textOf(payload.workspace_root) ?? '');
      }
      const before = kind === 'session.end' ? unanswered(session) : '';
      const text = before + line(eventFacts(entry, rootOf(entry)));
      if (kind === 'session.end') roots.delete(session);
      return text;
    },
    end() {
      const left = open;
      return { text: [...calls.keys()].map(unanswered).join(''), open: left };
    },
  };
}

/** Entries that are no calls of tools, and whether they tell of a failure: then its code. */
const EVENTS: Readonly<Record<string, (payload: JsonObject) => string | null>> = {
  'session.start': () => null,
  'session.end': () => null,
  'plan.propose': () => null,
  'plan.approve': () => null,
  gap: ({ reason }) => textOf(reason)?.toUpperCase() ?? 'TORN',
  'auth.fail': () => 'AUTH_FAIL',
  crash: () => 'CRASH',
};

function resultFacts(entry: Entry, root: string): KaizaFacts {
  const { payload } = entry;
  const { result, exit_code: exit } = payload;
  const how =
    result === 'ok'
      ? typeof exit === 'number' && exit !== 0
        ? 'returned'
        : 'completed successfully'
      : result === 'aborted'
        ? 'was aborted'
        : result === 'timeout'
          ? 'timed out'
          : 'failed';
  const code = textOf(payload.error_code);
  return {
    ...toolFacts(entry, root, `${how}${typeof exit === 'number' ? `, exit code ${exit}` : ''}`),
    result: result === 'ok' ? 'ok' : 'error',
    // Its words have no place in `result`, and must not be lost.
    error_code: code ?? (result === 'aborted' || result === 'timeout' ? result.toUpperCase() : null),
    result_hash: hashOf(payload.result_hash),
  };
}

function deniedFacts(entry: Entry, root: string): KaizaFacts {
  const by = textOf(entry.payload.by) ?? 'somebody';
  return { ...toolFacts(entry, root, `was denied by ${by}`), result: 'error', error_code: 'DENIED' };
}

function openFacts(entry: Entry, root: string): KaizaFacts {
  return { ...toolFacts(entry, root, 'has no result on record'), result: 'error', error_code: 'NO_RESULT' };
}

function toolFacts(entry: Entry, root: string, how: string): KaizaFacts {
  const { payload, seq, cause, kind } = entry;
  const tool = textOf(payload.tool) ?? '?';
  const places = kind === 'tool.call' || cause === null ? `entry ${seq}` : `entries ${cause}, ${seq}`;
  return {
    ...sharedFacts(entry, root),
    tool,
    intent: textOf(payload.intent),
    plan_hash: textOf(payload.plan_hash),
    phase_id: textOf(payload.phase_id),
    args_hash: hashOf(payload.args_hash),
    invariant_id: textOf(payload.invariant_id),
    notes: textOf(payload.notes) ?? `${tool} ${how} (ledger ${places})`,
  };
}

function eventFacts(entry: Entry, root: string): KaizaFacts {
  const { kind, payload, seq } = entry;
  const code = EVENTS[kind]?.(payload) ?? null;
  return {
    ...sharedFacts(entry, root),
    plan_hash: textOf(payload.plan_hash),
    result: code === null ? 'ok' : 'error',
    error_code: code,
    notes: `${kind} (ledger entry ${seq})`,
  };
}

function sharedFacts({ kind, ts, session_id, payload }: Entry, root: string): KaizaFacts {
  const planning = payload.role === 'planner' || (kind.startsWith('plan.') && payload.role !== 'executor');
  return {
    ts,
    ...(payload.buffered === true ? { buffered: true as const } : {}),
    session_id: session_id === null ? NIL : uuidOf(session_id),
    role: planning ? 'ANTIGRAVITY' : 'WINDSURF',
    workspace_root: root,
    tool: kind,
    intent: null,
    plan_hash: null,
    phase_id: null,
    args_hash: null,
    result: 'ok',
    error_code: null,
    invariant_id: null,
    result_hash: null,
    notes: '',
  };
}

/** The first 128 bits of a session's id as a UUID of version 8 (RFC 9562): its first 12 digits are the session's. */
export function uuidOf(session: string): string {
  const variant = (8 + (Number.parseInt(session.charAt(16), 16) % 4)).toString(16);
  return `${session.slice(0, 8)}-${session.slice(8, 12)}-8${session.slice(13, 16)}-${variant}${session.slice(17, 20)}-${session.slice(20, 32)}`;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function hashOf(value: Json | undefined): string | null {
  return isHash(value) ? value : null;
}
