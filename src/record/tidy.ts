// What a host sends, or a program hands over, is never unrecordable: every value becomes JSON that an entry can hold.
// The value is trusted for nothing: it may be cyclic, endless, a proxy, or throw when it is looked at. It is copied,
// never changed. `lossy` counts the places where the copy says less than, or another thing than, the value did: what
// JSON.stringify would carry (a Date, a member left undefined) is no loss, and an Error keeps what tells about it.
import type { Json, JsonObject } from '../core/index.ts';

export interface Tidied {
  readonly value: Json;
  readonly lossy: number;
}

export interface TidyLimits {
  /** Objects and arrays within one another. What is deeper becomes one string, its JSON text. */
  readonly depth?: number;
  /** Values of any kind. */
  readonly count?: number;
  /** UTF-16 units of all strings and keys together. */
  readonly size?: number;
}

/** An entry may nest 32 deep, itself and its payload counted. Two levels are left to who puts the value there. */
export const TIDY_DEPTH = 28;
const COUNT = 1_000_000;
/** In UTF-8 three times as much at most, which is below the limit of a piece of content. */
const SIZE = 64 * 1024 * 1024;
/** Deeper than this not even the text is kept: every level is a call on the stack. */
const DEEPEST = 400;
const LARGEST_BIGINT_BITS = 4096;

interface Walk {
  readonly depth: number;
  count: number;
  size: number;
  lossy: number;
  /** The objects above the one that is looked at. */
  readonly above: Set<object>;
}

/** Never throws, never changes the value. The result is canonical JSON's to write, with safe integers. */
export function tidy(value: unknown, limits: TidyLimits = {}): Tidied {
  const walk: Walk = {
    depth: limits.depth ?? TIDY_DEPTH,
    count: limits.count ?? COUNT,
    size: limits.size ?? SIZE,
    lossy: 0,
    above: new Set(),
  };
  try {
    return { value: copy(value === undefined ? null : value, 0, walk), lossy: walk.lossy };
  } catch {
    // Nothing is known to get here but a stack that was almost full before the call.
    return { value: '[unreadable]', lossy: walk.lossy + 1 };
  }
}

/**
 * A value to put into a payload as it is: there, an object with a member `$content` would be taken for a reference to
 * content. It is given another name. The same object where there is none.
 */
export function escapeReferences(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const values: readonly Json[] = value;
    const escaped = values.map(escapeReferences);
    return escaped.some((member, i) => member !== values[i]) ? escaped : value;
  }
  const members = value as JsonObject;
  let changed = false;
  const escaped: Record<string, Json> = {};
  for (const key of Object.keys(members)) {
    const member = escapeReferences(members[key] as Json);
    const name = /^\$+content$/.test(key) ? `$${key}` : key;
    changed ||= name !== key || member !== members[key];
    put(escaped, name, member);
  }
  return changed ? escaped : value;
}

/** What `escapeReferences` was given. */
export function unescapeReferences(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(unescapeReferences);
  const plain: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value as JsonObject))
    put(plain, /^\$\$+content$/.test(key) ? key.slice(1) : key, unescapeReferences(member as Json));
  return plain;
}

function copy(value: unknown, depth: number, walk: Walk): Json {
  if (--walk.count < 0) return lost(walk, '[too many values]');
  switch (typeof value) {
    case 'string':
      return text(value, walk);
    case 'boolean':
      return value;
    case 'number':
      return number(value, walk);
    case 'bigint':
      return lost(walk, writeBigint(value));
    case 'undefined':
      return lost(walk, null);
    case 'symbol':
      return lost(walk, text(String(value), walk));
    case 'object':
      if (value === null) return null;
      if (walk.above.has(value)) return lost(walk, '[circular]');
      if (depth >= DEEPEST) return lost(walk, '[nested too deeply]');
      walk.above.add(value);
      try {
        const inner = copyObject(value, depth, walk);
        // What lies below the deepest level was copied too, for this text.
        if (depth !== walk.depth || typeof inner !== 'object' || inner === null) return inner;
        return lost(walk, text(JSON.stringify(inner), walk));
      } catch {
        return lost(walk, '[unreadable]');
      } finally {
        walk.above.delete(value);
      }
    default:
      return lost(walk, '[function]');
  }
}

function copyObject(value: object, depth: number, walk: Walk): Json {
  if (Array.isArray(value)) return copyArray(value, depth, walk);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return copyPlain(value, depth, walk);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? lost(walk, null) : value.toISOString();
  // Also one from another realm: a vm context, a worker's test runner.
  if (value instanceof Error || Object.prototype.toString.call(value) === '[object Error]')
    return copyError(value as Error, depth, walk);
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return copy(value.valueOf(), depth, walk);
  // As text, not in base64: redaction looks at what comes out of here.
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return lost(walk, text(decode(value, walk.size), walk));
  if (value instanceof Map) return lost(walk, copyMap(value, depth, walk));
  if (value instanceof Set)
    return lost(walk, copyArray(take(Set.prototype.values.call(value), walk), depth, walk));
  if (value instanceof RegExp) return lost(walk, text(String(value), walk));
  if (value instanceof Promise) return lost(walk, '[promise]');
  // Its members tell of its machinery, not of what will come out of it; and that is its reader's.
  if (isStream(value)) return lost(walk, '[stream]');
  return copyPlain(value, depth, walk);
}

function isStream(value: object): boolean {
  const { pipe, getReader, getWriter } = value as Record<string, unknown>;
  return [pipe, getReader, getWriter].some((member) => typeof member === 'function');
}

function copyPlain(value: object, depth: number, walk: Walk): Json {
  const members = value as Record<string, unknown>;
  const toJson = read(members, 'toJSON', walk);
  if (typeof toJson === 'function') {
    try {
      const json: unknown = toJson.call(value, '');
      // It may give itself back, or another that has a toJSON of its own: asked once, as JSON.stringify does.
      if (typeof json === 'object' && json !== null && json !== value && !walk.above.has(json)) {
        return Array.isArray(json)
          ? copyArray(json, depth, walk)
          : copyMembers(json as Record<string, unknown>, depth, walk);
      }
      if (json !== value) return copy(json === undefined ? null : json, depth, walk);
    } catch {
      walk.lossy++;
    }
  }
  return copyMembers(members, depth, walk);
}

function copyMembers(members: Record<string, unknown>, depth: number, walk: Walk): Json {
  const out: Record<string, Json> = {};
  for (const key of Object.keys(members)) {
    if (walk.count <= 0) {
      walk.lossy++;
      break;
    }
    const member = read(members, key, walk);
    if (member === undefined) continue;
    add(out, key, () => copy(member, depth + 1, walk), walk);
  }
  return out;
}

function copyArray(values: readonly unknown[], depth: number, walk: Walk): Json {
  const out: Json[] = [];
  const length = values.length;
  for (let i = 0; i < length; i++) {
    if (walk.count <= 0) {
      out.push(lost(walk, `[${length - i} more]`));
      break;
    }
    out.push(copy(read(values as unknown as Record<string, unknown>, String(i), walk), depth + 1, walk));
  }
  return out;
}

/** With text for keys an object, else pairs. */
function copyMap(map: Map<unknown, unknown>, depth: number, walk: Walk): Json {
  const pairs = take(Map.prototype.entries.call(map) as IterableIterator<[unknown, unknown]>, walk);
  if (!pairs.every(([key]) => typeof key === 'string')) return copyArray(pairs, depth, walk);
  const out: Record<string, Json> = {};
  for (const [key, member] of pairs) {
    if (walk.count <= 0) break;
    add(out, key as string, () => copy(member, depth + 1, walk), walk);
  }
  return out;
}

/** No more than may be kept. The iterator is the language's own: one that a class brings along may never end. */
function take<T>(values: Iterable<T>, walk: Walk): T[] {
  const taken: T[] = [];
  for (const value of values) {
    if (taken.length > walk.count) break;
    taken.push(value);
  }
  return taken;
}

/** Without the stack, which tells of the machine and not of what happened. */
function copyError(error: Error, depth: number, walk: Walk): Json {
  const members: Record<string, unknown> = {};
  const source = error as unknown as Record<string, unknown>;
  for (const key of new Set(['name', 'message', 'code', 'cause', 'errors', ...Object.keys(error)])) {
    const member = read(source, key, walk);
    if (member !== undefined && key !== 'stack') put(members, key, member);
  }
  return copyMembers(members, depth, walk);
}

function read(members: Record<string, unknown>, key: string, walk: Walk): unknown {
  try {
    return members[key];
  } catch {
    walk.lossy++;
    return '[unreadable]';
  }
}

/** The key first: a member so large that nothing fits beside it still has its name. */
function add(out: Record<string, Json>, key: string, member: () => Json, walk: Walk): void {
  const name = text(key, walk);
  // Two keys that differed only in what was lost of them.
  if (Object.hasOwn(out, name)) walk.lossy++;
  put(out, name, member());
}

/** `out.__proto__ = x` would be no member. */
function put<T>(out: Record<string, T>, key: string, member: T): void {
  if (key !== '__proto__') out[key] = member;
  else
    Object.defineProperty(out, key, { value: member, enumerable: true, writable: true, configurable: true });
}

function text(value: string, walk: Walk): string {
  let kept = value;
  if (kept.length > walk.size) {
    walk.lossy++;
    kept = `${kept.slice(0, walk.size)}[${kept.length - walk.size} more]`;
  }
  walk.size = Math.max(0, walk.size - value.length);
  if (kept.isWellFormed()) return kept;
  walk.lossy++;
  return kept.toWellFormed();
}

function number(value: number, walk: Walk): Json {
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) {
    return Object.is(value, -0) ? lost(walk, '-0') : value;
  }
  return lost(walk, String(value));
}

/** The time to write one grows with the square of its length. */
function writeBigint(value: bigint): string {
  return BigInt.asIntN(LARGEST_BIGINT_BITS, value) === value ? String(value) : '[bigint]';
}

function decode(value: ArrayBuffer | ArrayBufferView, most: number): string {
  const bytes =
    value instanceof ArrayBuffer
      ? new Uint8Array(value)
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, most));
}

function lost<T extends Json>(walk: Walk, value: T): T {
  walk.lossy++;
  return value;
}
