// What a message is for, as far as recording goes. Whatever is not named here does something, or may: a request to a
// server is a call, all else is told. What carries nothing at all, word for word, is counted and not told.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import type { Direction } from './message.ts';
import { memberAt } from './message.ts';

export type Purpose = 'call' | 'told' | 'handshake';

/** Requests to a server that only ask what it is and has. */
const LISTS: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);
/** Without them there is nobody who could tell the client that its calls are refused. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized']);

export function purposeOf(direction: Direction, method: string): Purpose {
  if (direction === 'to-server' && HANDSHAKE.has(method)) return 'handshake';
  if (direction === 'to-client' || method === 'ping' || LISTS.has(method)) return 'told';
  return method.startsWith('notifications/') ? 'told' : 'call';
}

/** A request for something that needs no words, and has none: its answer tells. */
export function isBare(method: string, value: Json | undefined): boolean {
  if (method !== 'ping' && method !== 'roots/list' && !LISTS.has(method)) return false;
  return isObject(value) && restOf(value, REQUEST) === null;
}

/** An answer that says nothing but that there is one. */
export function isEmptyAnswer(value: Json | undefined): boolean {
  const result = memberAt(value, 'result');
  return isObject(value) && isObject(result) && sizeOf(result) === 0 && restOf(value, RESPONSE) === null;
}

/** Progress in numbers alone. */
export function isPlainProgress(value: Json | undefined): boolean {
  const params = memberAt(value, 'params');
  if (!isObject(value) || !isObject(params)) return false;
  const { progressToken, progress, total = 0, ...rest } = params;
  const isPlain = typeof progress === 'number' && typeof total === 'number' && sizeOf(rest) === 0;
  return isPlain && isHandle(progressToken) && restOf({ ...value, params: {} }, REQUEST) === null;
}

/** Members of a message that its entry has a place for, and of its params. */
interface Known {
  readonly members: readonly string[];
  readonly params: readonly string[];
}

export const REQUEST: Known = { members: ['jsonrpc', 'id', 'method', 'params'], params: [] };
export const TOOL_CALL: Known = { ...REQUEST, params: ['name', 'arguments'] };
export const RESPONSE: Known = { members: ['jsonrpc', 'id', 'result', 'error'], params: [] };

/** What a message says besides, and nobody would see; null where there is nothing. */
export function restOf(value: JsonObject, known: Known): JsonObject | null {
  const rest: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === 'params' && known.members.includes(name)) {
      const more = paramsBeside(member, known.params);
      if (more !== null) rest.params = more;
    } else if (!known.members.includes(name) || (name === 'id' && !isHandle(member))) rest[name] = member;
  }
  return sizeOf(rest) === 0 ? null : rest;
}

function paramsBeside(params: Json, names: readonly string[]): Json | null {
  if (!isObject(params)) return params;
  const rest: { [name: string]: Json } = {};
  for (const [name, member] of Object.entries(params)) {
    if (names.includes(name)) continue;
    const more = name === '_meta' ? metaBeside(member) : member;
    if (more !== null) rest[name] = more;
  }
  return sizeOf(rest) === 0 ? null : rest;
}

/** The token that progress is told under, and the host's id, which entries have by itself. */
function metaBeside(meta: Json): Json | null {
  if (!isObject(meta)) return meta;
  const { progressToken, 'claudecode/toolUseId': id, ...rest } = meta;
  const odd = {
    ...(progressToken === undefined || isHandle(progressToken) ? {} : { progressToken }),
    ...(id === undefined || typeof id === 'string' ? {} : { 'claudecode/toolUseId': id }),
  };
  return sizeOf(rest) + sizeOf(odd) === 0 ? null : { ...rest, ...odd };
}

/** An id as programs make them. A longer or freer one could carry words past the record, so it is told. */
const HANDLE = /^[\w.:/@+=-]{1,64}$/;

function isHandle(value: Json | undefined): boolean {
  return value === null || typeof value === 'number' || (typeof value === 'string' && HANDLE.test(value));
}

function sizeOf(value: JsonObject): number {
  return Object.keys(value).length;
}
