// What passes between `foil mcp wrap` under the agent's user and the service: lines of JSON over the service's socket,
// after an HTTP upgrade. The wrapper tells and the service records; nothing of the ledger comes back but places in it.
// Neither side believes the other: what is not exactly such a message ends the connection.
import { isHash, type Json, type JsonObject, ParseError } from '../core/index.ts';
import type { CallEnd, Digest, FileOption, Missed, WireCall, WireObservation } from '../record/index.ts';

export const WIRE_PATH = '/v1/wire';
export const WIRE_PROTOCOL = 'counterfoil-wire';
/** Bytes of a line. What is kept of a message is at most 4 MiB of it, which JSON may write longer. */
export const LONGEST_WIRE_LINE = 16 * 1024 * 1024;

/** Whose calls these are. */
export interface WireAbout {
  /** What the server is called. */
  readonly agent: string;
  readonly cwd: string;
  readonly role: string | null;
}

export type WireRequest =
  | { readonly do: 'begin'; readonly id: number; readonly about: WireAbout }
  | { readonly do: 'call'; readonly id: number; readonly call: WireCall }
  | { readonly do: 'result'; readonly id: number; readonly seq: number; readonly end: CallEnd }
  | { readonly do: 'observe'; readonly id: number; readonly seen: WireObservation }
  | { readonly do: 'missed'; readonly id: number; readonly missed: Missed }
  | { readonly do: 'end'; readonly id: number; readonly reason: string; readonly exitCode: number | null };

/** `seq` of a call. Errors are a word: no path and no message of an error that may hold one. */
export interface WireReply {
  readonly id: number;
  readonly seq: number | null;
  readonly error: string | null;
}

/** What entries may say of a message beside what every one says: a caller's word must not stand for the recorder's. */
const BESIDE: ReadonlySet<string> = new Set([
  'mcp',
  'oversized',
  'progress',
  'cancelled',
  'lines',
  'tools_hash',
  'tools',
  'changed',
]);
const RESULTS = ['ok', 'error', 'aborted', 'timeout'] as const;
const LONGEST_PATH = 4096;
const MOST_CALLS = 100;

export function encodeWireLine(message: WireRequest | WireReply): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

export function parseWireReply(line: string): WireReply {
  const { id, seq, error } = objectOf(parseJson(line));
  return {
    id: count(id, 'id'),
    seq: seq === null ? null : count(seq, 'seq'),
    error: error === null ? null : text(error, 'error'),
  };
}

export function parseWireRequest(line: string): WireRequest {
  const message = objectOf(parseJson(line));
  const id = count(message.id, 'id');
  switch (message.do) {
    case 'begin': {
      const { agent, cwd, role } = objectOf(message.about, 'about');
      return {
        do: 'begin',
        id,
        about: {
          agent: text(agent, 'agent'),
          cwd: text(cwd, 'cwd', LONGEST_PATH),
          role: textOrNull(role, 'role'),
        },
      };
    }
    case 'call':
      return { do: 'call', id, call: parseCall(objectOf(message.call, 'call')) };
    case 'result':
      return {
        do: 'result',
        id,
        seq: count(message.seq, 'seq'),
        end: parseEnd(objectOf(message.end, 'end')),
      };
    case 'observe':
      return { do: 'observe', id, seen: parseSeen(objectOf(message.seen, 'seen')) };
    case 'missed':
      return { do: 'missed', id, missed: parseMissed(objectOf(message.missed, 'missed')) };
    case 'end':
      return {
        do: 'end',
        id,
        reason: text(message.reason, 'reason'),
        exitCode: message.exitCode === null ? null : integer(message.exitCode, 'exitCode'),
      };
    default:
      throw bad('do');
  }
}

function parseCall(call: JsonObject): WireCall {
  return {
    tool: text(call.tool, 'tool'),
    args: call.args ?? null,
    digest: digestOf(call.digest),
    toolUseId: textOrNull(call.toolUseId, 'toolUseId'),
    file: fileOf(call.file),
    caller: call.caller === undefined ? undefined : text(call.caller, 'caller'),
    beside: besideOf(call.beside),
  };
}

function parseEnd(end: JsonObject): CallEnd {
  const result = RESULTS.find((each) => each === end.result);
  if (result === undefined) throw bad('result');
  const { durationMs } = end;
  return {
    result,
    errorCode: textOrNull(end.errorCode, 'errorCode'),
    ...(end.output === undefined ? {} : { output: end.output }),
    digest: digestOf(end.digest),
    durationMs: durationMs === null ? null : integer(durationMs, 'durationMs'),
    beside: besideOf(end.beside),
  };
}

function parseSeen(seen: JsonObject): WireObservation {
  const { cause } = seen;
  return {
    event: text(seen.event, 'event'),
    problem: textOrNull(seen.problem, 'problem'),
    ...(seen.content === undefined ? {} : { content: seen.content }),
    digest: digestOf(seen.digest),
    cause: cause === undefined || cause === null ? null : count(cause, 'cause'),
    beside: besideOf(seen.beside),
  };
}

function parseMissed(missed: JsonObject): Missed {
  const { calls } = missed;
  if (!Array.isArray(calls) || calls.length > MOST_CALLS) throw bad('calls');
  const since = time(missed.since, 'since');
  return {
    since,
    until: Math.max(since, time(missed.until, 'until')),
    events: count(missed.events, 'events'),
    why: text(missed.why, 'why'),
    calls: calls.map((call) => text(call, 'calls')),
  };
}

function besideOf(value: Json | undefined): JsonObject {
  const beside = objectOf(value, 'beside');
  for (const name of Object.keys(beside)) if (!BESIDE.has(name)) throw bad('beside');
  return beside;
}

function digestOf(value: Json | undefined): Digest | undefined {
  if (value === undefined) return undefined;
  const { sha256, bytes } = objectOf(value, 'digest');
  if (!isHash(sha256)) throw bad('digest');
  return { sha256, bytes: count(bytes, 'digest') };
}

function fileOf(value: Json | undefined): FileOption | undefined {
  if (value === undefined) return undefined;
  const { path, members, resultMembers } = objectOf(value, 'file');
  return {
    path: text(path, 'file', LONGEST_PATH),
    members: names(members),
    ...(resultMembers === undefined ? {} : { resultMembers: names(resultMembers) }),
  };
}

function names(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value) || value.length > MOST_CALLS) throw bad('file');
  return value.map((name) => text(name, 'file'));
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON');
  }
}

function objectOf(value: unknown, name = 'message'): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw bad(name);
}

/** The recorder shortens what entries hold; this only keeps a name from being a document. */
function text(value: unknown, name: string, longest = 1024 * 1024): string {
  if (typeof value === 'string' && value.length <= longest) return value;
  throw bad(name);
}

function textOrNull(value: unknown, name: string): string | null {
  return value === null ? null : text(value, name);
}

function integer(value: unknown, name: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw bad(name);
}

function count(value: unknown, name: string): number {
  if (integer(value, name) < 0) throw bad(name);
  return value as number;
}

/** A moment that a date can hold. */
function time(value: unknown, name: string): number {
  if (count(value, name) > 8.64e15) throw bad(name);
  return value as number;
}

function bad(name: string): ParseError {
  return new ParseError('BAD_MEMBER', 'has an invalid value', name);
}
