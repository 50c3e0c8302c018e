// What must not be written is taken out here, before anything is hashed or kept. A redactor holds no state but a
// cache: the caller passes the object that counts, so calls may run side by side.
// It trusts neither the names nor the values it is shown, and never changes them: it returns a copy, or the very value
// where there was nothing to take.
import type { Json, JsonObject } from '../core/index.ts';
import { assignmentProbe, elementProbe, flagProbe, type SenseOf } from './assignments.ts';
import { netrcProbe, passwordFlagProbe, pgpassProbe, userProbe } from './commands.ts';
import { basicProbe, bearerProbe } from './headers.ts';
import {
  EXACT,
  HINT,
  NAMED,
  type NameSense,
  NONE,
  NOTHING,
  normalizeName,
  senseOfName,
  WEAK,
} from './key-names.ts';
import { findLongWords, LONG_WORD_RULES } from './long-words.ts';
import { encodeMarker, hasMarker, isMarker, withoutMarkers } from './marker.ts';
import type { RedactOptions } from './options.ts';
import { addPatternProbe } from './pattern.ts';
import {
  askAt,
  askAtPair,
  type Dispatch,
  makeDispatch,
  replaceSpans,
  type Span,
  scanText,
  stepOverMarker,
} from './scan.ts';
import { isReference, looksRandom, looksSecret } from './secret-shape.ts';
import { addressProbe, jwtProbe, privateKeyProbe } from './structures.ts';
import { addTokenProbes } from './token-rules.ts';

/** How often each rule took something. */
export type RedactionCounts = Record<string, number>;

export interface Redactor {
  /** Which rules are active, in one line: the same rules, the same text. */
  readonly id: string;
  /** The text with its secrets replaced by markers such as `[REDACTED:github-token]`. */
  text(value: string, counts?: RedactionCounts): string;
  /** The same for every string within, member names included; and by the names of members. */
  value(json: Json, counts?: RedactionCounts): Json;
}

/** Raised when the rules change what they take, so that a record says by which it was redacted. */
const VERSION = 1;
/** Deeper than any entry may be; what lies below is not written. */
const DEEPEST = 256;
const TOO_DEEP = 'too-deep';
const CACHED_NAMES = 4096;
/** Names of members that are known to hold nothing: objects of one form come in a row. */
const KNOWN_NAMES = 1024;
const LONGEST_KNOWN = 64;

export function makeRedactor(options: RedactOptions = {}): Redactor {
  const removed = new Set(options.remove ?? []);
  const isOn = (id: string) => !removed.has(id);
  const senseOf = makeSenseOf(options, isOn);
  const dispatch = dispatchFor(options, isOn, senseOf);
  const hasLongWords = LONG_WORD_RULES.some(isOn);

  const text = (value: string, counts?: RedactionCounts): string => {
    if (value.length < 4) return value;
    const { spans, codes } = scanText(value, dispatch);
    const all = hasLongWords && value.length >= 24 ? withLongWords(value, codes, spans, isOn) : spans;
    if (counts !== undefined) for (const { id } of all) count(counts, id);
    return replaceSpans(value, all);
  };

  const known = new Set<string>();
  const nameOf = (name: string, counts: RedactionCounts | undefined): string => {
    if (known.has(name)) return name;
    const next = text(name, counts);
    if (next === name && name.length <= LONGEST_KNOWN) {
      if (known.size >= KNOWN_NAMES) known.clear();
      known.add(name);
    }
    return next;
  };

  const walk = (json: Json, counts: RedactionCounts | undefined, under: NameSense, depth: number): Json => {
    if (typeof json === 'string') return isTaken(json, under) ? mark(under.id, counts) : text(json, counts);
    if (typeof json === 'number') return under.level === EXACT ? mark(under.id, counts) : json;
    if (typeof json !== 'object' || json === null) return json;
    if (depth === DEEPEST) return mark(TOO_DEEP, counts);
    return isArray(json) ? walkArray(json, counts, under, depth) : walkObject(json, counts, under, depth);
  };

  const walkArray = (
    list: readonly Json[],
    counts: RedactionCounts | undefined,
    under: NameSense,
    depth: number,
  ): Json => {
    let copy: Json[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] ?? null;
      const sense = under.level === NONE ? senseAfterFlag(list[i - 1], item) : under;
      const next = walk(item, counts, sense, depth + 1);
      if (next !== item && copy === undefined) copy = list.slice();
      if (copy !== undefined) copy[i] = next;
    }
    return copy ?? list;
  };

  /** `['--password', 'x']`: arguments that were split already. */
  const senseAfterFlag = (flag: Json | undefined, item: Json): NameSense => {
    if (typeof flag !== 'string' || typeof item !== 'string' || !/^--?[A-Za-z][\w-]{2,63}$/.test(flag))
      return NOTHING;
    return item.startsWith('-') ? NOTHING : senseOfText(flag);
  };

  /** A name is judged as it will be written; what a marker in it says is no name. */
  const senseOfMember = (name: string): NameSense => {
    const own = hasMarker(name) ? withoutMarkers(name) : name;
    return own === '' ? NOTHING : senseOf(own, 0, own.length);
  };

  /** The same for a name that stands in a value, and only if it is nothing but a name. */
  const senseOfText = (name: string): NameSense => {
    const sense = senseOf(name, 0, name.length);
    return sense.level === NONE || text(name) !== name ? NOTHING : sense;
  };

  const walkObject = (
    object: JsonObject,
    counts: RedactionCounts | undefined,
    under: NameSense,
    depth: number,
  ): Json => {
    const names = Object.keys(object);
    const labelled = under.level === NONE ? senseOfLabel(object) : NOTHING;
    // Made at the first change: mostly there is none.
    let members: [string, Json][] | undefined;
    for (const [at, name] of names.entries()) {
      const member = object[name] ?? null;
      const nextName = nameOf(name, counts);
      const own = under.level === NONE ? (name === 'value' ? labelled : senseOfMember(nextName)) : under;
      const next = walk(member, counts, own, depth + 1);
      if (members === undefined && (next !== member || nextName !== name))
        members = names.slice(0, at).map((before): [string, Json] => [before, object[before] ?? null]);
      members?.push([nextName, next]);
    }
    return members === undefined ? object : makeObject(members, names);
  };

  /** `{ name: 'DB_PASSWORD', value: '…' }`: headers and variables as lists. */
  const senseOfLabel = (object: JsonObject): NameSense => {
    const label = object.name ?? object.key ?? object.Name ?? object.Key;
    if (typeof label !== 'string' || !Object.hasOwn(object, 'value')) return NOTHING;
    return /^[\w.-]{1,64}$/.test(label) ? senseOfText(label) : NOTHING;
  };

  return {
    get id() {
      return describe(options);
    },
    text,
    value: (json, counts) => walk(json, counts, NOTHING, 0),
  };
}

function isArray(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json);
}

function isTaken(value: string, { level }: NameSense): boolean {
  if (level === NONE || value === '' || isMarker(value) || isReference(value)) return false;
  if (level === WEAK) return looksRandom(value);
  return level === HINT ? looksSecret(value) : true;
}

function mark(id: string, counts: RedactionCounts | undefined): string {
  if (counts !== undefined) count(counts, id);
  return encodeMarker(id);
}

function count(counts: RedactionCounts, id: string): void {
  counts[id] = (counts[id] ?? 0) + 1;
}

/** Members are defined, not assigned: `__proto__` is a name like any other. Names made equal are told apart by `#2`. */
function makeObject(members: readonly [string, Json][], originals: readonly string[]): JsonObject {
  const taken = new Set(originals.filter((name, i) => members[i]?.[0] === name));
  const next = new Map<string, number>();
  return Object.fromEntries(
    members.map(([name, json], i): [string, Json] => {
      if (name === originals[i]) return [name, json];
      let unique = name;
      let number = next.get(name) ?? 1;
      while (taken.has(unique)) unique = `${name}#${++number}`;
      next.set(name, number);
      taken.add(unique);
      return [unique, json];
    }),
  );
}

function makeSenseOf(options: RedactOptions, isOn: (id: string) => boolean): SenseOf {
  const added = (options.keys?.add ?? []).map(normalizeName);
  const removed = new Set((options.keys?.remove ?? []).map(normalizeName));
  const cache: ({ readonly name: string; readonly sense: NameSense } | undefined)[] = new Array(CACHED_NAMES);
  const judge = (name: string): NameSense => {
    if (added.length > 0 || removed.size > 0) {
      const normal = normalizeName(name);
      if (added.some((own) => normal === own || normal.endsWith(` ${own}`)))
        return { level: EXACT, id: NAMED };
      if (removed.has(normal)) return NOTHING;
    }
    const sense = senseOfName(name);
    return isOn(sense.id) ? sense : NOTHING;
  };
  // Asked at every `:` and `=`: no string is made for a name that was judged before.
  return (text, start, end) => {
    const length = end - start;
    const edges =
      text.charCodeAt(start) * 61 + text.charCodeAt(end - 1) * 7 + text.charCodeAt(start + (length >> 1));
    const slot = (edges * 31 + length * 1021) & (CACHED_NAMES - 1);
    const known = cache[slot];
    if (known !== undefined && known.name.length === length && text.startsWith(known.name, start))
      return known.sense;
    const name = text.slice(start, end);
    const sense = judge(name);
    if (name.length <= 64) cache[slot] = { name, sense };
    return sense;
  };
}

function dispatchFor(options: RedactOptions, isOn: (id: string) => boolean, senseOf: SenseOf): Dispatch {
  const dispatch = makeDispatch();
  const assignment = assignmentProbe(senseOf);
  askAt(dispatch, '=', [assignment]);
  askAt(dispatch, ':', isOn('command-password') ? [pgpassProbe, assignment] : [assignment]);
  askAt(dispatch, '>', [elementProbe(senseOf)]);
  askAtPair(dispatch, '[R', stepOverMarker);
  askAtPair(dispatch, '--', flagProbe(senseOf));
  for (const rule of options.add ?? []) addPatternProbe(dispatch, rule);
  addTokenProbes(dispatch, isOn);
  if (isOn('private-key')) askAtPair(dispatch, 'N ', privateKeyProbe);
  if (isOn('jwt')) askAtPair(dispatch, 'yJ', jwtProbe);
  if (isOn('url-password')) askAtPair(dispatch, '//', addressProbe);
  if (isOn('auth')) {
    for (const pair of ['r ', 'R ']) askAtPair(dispatch, pair, bearerProbe);
    for (const pair of ['c ', 'C ']) askAtPair(dispatch, pair, basicProbe);
  }
  if (isOn('command-password')) {
    for (const pair of ['u ', 'r ']) askAtPair(dispatch, pair, userProbe);
    for (const pair of ['-p', '-a']) askAtPair(dispatch, pair, passwordFlagProbe);
    askAtPair(dispatch, 'd ', netrcProbe);
  }
  return dispatch;
}

/** The spans, and between them those of long words. */
function withLongWords(
  text: string,
  codes: Uint16Array,
  spans: readonly Span[],
  isOn: (id: string) => boolean,
): readonly Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const span of spans) {
    findLongWords(text, codes, from, span.start, isOn, found);
    found.push(span);
    from = span.end;
  }
  findLongWords(text, codes, from, text.length, isOn, found);
  return found;
}

function describe(options: RedactOptions): string {
  const add = (options.add ?? []).map(({ id, pattern }) => `${id}=${pattern}`).sort();
  const sorted = (list: readonly string[] | undefined) => [...(list ?? [])].sort();
  const { keys } = options;
  return JSON.stringify([VERSION, add, sorted(options.remove), sorted(keys?.add), sorted(keys?.remove)]);
}
