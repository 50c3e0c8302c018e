// Redaction of data: every string within, names of members included, and by the names of members. Never changes what
// it is given: it returns a copy, or the very value where there was nothing to take.
import type { Json, JsonObject } from '../core/index.ts';
import { argumentSpans } from './arguments.ts';
import { count, type RedactionCounts } from './counts.ts';
import { senseOfTyped, sensesOfColumns, sensesOfParameters } from './fields.ts';
import { isKeyMember } from './json-web-keys.ts';
import type { SenseOf } from './key-names.ts';
import { EXACT, HINT, type NameSense, NONE, NOTHING, STRONG, WEAK } from './key-names.ts';
import { encodeMarker, hasMarker, isMarker, withoutMarkers } from './marker.ts';
import { replaceSpans, type Span } from './scan.ts';
import { hintHolds, isReference, looksSecret, weakHolds } from './secret-shape.ts';

/** Deeper than any entry may be; what lies below is not written. */
const DEEPEST = 256;
const TOO_DEEP = 'too-deep';
/** Names of members that are known to hold nothing: objects of one form come in a row. */
const KNOWN_NAMES = 1024;
const LONGEST_KNOWN = 64;
const PRIVATE_KEY: NameSense = { level: STRONG, id: 'private-key' };
const SECRET: NameSense = { level: STRONG, id: 'secret' };
/** Members of an object that names something, and those that hold its value. */
const LABELS = ['name', 'key', 'Name', 'Key', 'header', 'variable', 'env', 'k', 'ParameterKey'];
const VALUES: ReadonlySet<string> = new Set([
  'value',
  'Value',
  'val',
  'v',
  'defaultValue',
  'default',
  'ParameterValue',
]);
const COMMANDS = ['command', 'cmd', 'program', 'executable', 'file'];
const ARGUMENTS: ReadonlySet<string> = new Set(['args', 'argv', 'arguments']);

export interface TextRules {
  text(value: string, counts?: RedactionCounts): string;
  spansOf(value: string): readonly Span[];
  isOn(id: string): boolean;
}

type Counts = RedactionCounts | undefined;

/** The redactor's `value`. */
export function makeWalk(
  { text, spansOf, isOn }: TextRules,
  senseOf: SenseOf,
): (json: Json, counts?: RedactionCounts) => Json {
  const known = new Set<string>();
  const nameOf = (name: string, counts: Counts): string => {
    if (known.has(name)) return name;
    const next = text(name, counts);
    if (next === name && name.length <= LONGEST_KNOWN) {
      if (known.size >= KNOWN_NAMES) known.clear();
      known.add(name);
    }
    return next;
  };

  const walk = (json: Json, counts: Counts, under: NameSense, depth: number, command = ''): Json => {
    if (typeof json === 'string') return isTaken(json, under) ? mark(under.id, counts) : text(json, counts);
    if (typeof json === 'number') return under.level === EXACT ? mark(under.id, counts) : json;
    if (typeof json !== 'object' || json === null) return json;
    if (depth === DEEPEST) return mark(TOO_DEEP, counts);
    return isArray(json)
      ? walkArray(json, counts, under, depth, command)
      : walkObject(json, counts, under, depth);
  };

  const walkArray = (
    list: readonly Json[],
    counts: Counts,
    under: NameSense,
    depth: number,
    command: string,
  ): Json => {
    let copy: Json[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] ?? null;
      const sense = under.level === NONE ? senseBehind(list[i - 1], item) : under;
      const next = walk(item, counts, sense, depth + 1);
      if (next !== item && copy === undefined) copy = list.slice();
      if (copy !== undefined) copy[i] = next;
    }
    return under.level === NONE ? withoutArguments(copy ?? list, command, counts) : (copy ?? list);
  };

  /** `['mysql', '-pX']`: read as one command, and what lies within one word is taken from it. */
  const withoutArguments = (list: readonly Json[], command: string, counts: Counts): readonly Json[] => {
    const found = argumentSpans(list, command, spansOf);
    if (found.size === 0) return list;
    return list.map((item, i) => {
      const spans = found.get(i);
      if (spans === undefined || typeof item !== 'string') return item;
      if (counts !== undefined) for (const { id } of spans) count(counts, id);
      return replaceSpans(item, spans);
    });
  };

  /** `['--password', 'x']`: arguments that were split already; `['X-Api-Key', '…']`: a header as a list. */
  const senseBehind = (name: Json | undefined, item: Json): NameSense => {
    if (typeof name !== 'string' || typeof item !== 'string') return NOTHING;
    if (/^--?[A-Za-z][\w-]{2,63}$/.test(name)) return item.startsWith('-') ? NOTHING : senseOfText(name);
    if (!/^[A-Za-z][\w.-]{2,63}$/.test(name) || !looksSecret(item)) return NOTHING;
    const sense = senseOfText(name);
    return sense.level >= STRONG ? sense : NOTHING;
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

  const walkObject = (object: JsonObject, counts: Counts, above: NameSense, depth: number): Json => {
    // Of a list of keys, a JSON web key says by itself which of its members are private.
    const under = above.level === WEAK && typeof object.kty === 'string' ? NOTHING : above;
    const names = Object.keys(object);
    const labelled = under.level === NONE ? senseOfLabel(object) : NOTHING;
    const command = commandOf(object);
    // Made at the first change: mostly there is none.
    let members: [string, Json][] | undefined;
    for (const [at, name] of names.entries()) {
      const member = object[name] ?? null;
      const nextName = nameOf(name, counts);
      const own = under.level === NONE ? senseWithin(object, name, nextName, labelled) : under;
      const cells = own.level === NONE ? withoutColumns(object, name, member, counts) : member;
      const next = walk(cells, counts, own, depth + 1, ARGUMENTS.has(name) ? command : '');
      if (members === undefined && (next !== member || nextName !== name))
        members = names.slice(0, at).map((before): [string, Json] => [before, object[before] ?? null]);
      members?.push([nextName, next]);
    }
    return members === undefined ? object : makeObject(members, names);
  };

  /** `{ columns: ['user', 'password'], rows: [['bob', '…']] }`: the rows without what their columns say is secret. */
  const withoutColumns = (object: JsonObject, name: string, member: Json, counts: Counts): Json => {
    if (typeof member !== 'object' || member === null || !isArray(member)) return member;
    const parameters = sensesOfParameters(object, name, senseOf);
    const senses = parameters ?? sensesOfColumns(object, name, senseOf);
    if (senses === undefined) return member;
    const cell = (item: Json, column: number): Json => {
      const sense = senses[column] ?? NOTHING;
      return sense.level === NONE || typeof item === 'object' ? item : walk(item, counts, sense, 0);
    };
    if (parameters !== undefined && !member.some((item) => typeof item === 'object' && item !== null))
      return member.map(cell);
    return member.map((row) =>
      typeof row === 'object' && row !== null && isArray(row) ? row.map(cell) : row,
    );
  };

  const senseWithin = (
    object: JsonObject,
    name: string,
    nextName: string,
    labelled: NameSense,
  ): NameSense => {
    if (labelled.level !== NONE && VALUES.has(name)) return labelled;
    if (isOn('private-key') && isKeyMember(object, name)) return PRIVATE_KEY;
    if (object.kind === 'Secret' && (name === 'data' || name === 'stringData') && isOn('secret'))
      return SECRET;
    const typed = senseOfTyped(object, name, senseOf);
    return typed.level === NONE ? senseOfMember(nextName) : typed;
  };

  /** `{ name: 'DB_PASSWORD', value: '…' }`: headers and variables as lists. */
  const senseOfLabel = (object: JsonObject): NameSense => {
    for (const member of LABELS) {
      const label = object[member];
      if (typeof label === 'string' && /^[\w.-]{1,64}$/.test(label)) return senseOfText(label);
    }
    return NOTHING;
  };

  return (json, counts) => walk(json, counts, NOTHING, 0);
}

/** What the object runs, if it says so: `{ command: 'mysql', args: ['-p…'] }`. */
function commandOf(object: JsonObject): string {
  for (const member of COMMANDS) {
    const command = object[member];
    if (typeof command === 'string' && command.length <= 128) return command;
  }
  return '';
}

function isArray(json: readonly Json[] | JsonObject): json is readonly Json[] {
  return Array.isArray(json);
}

function isTaken(value: string, { level, id }: NameSense): boolean {
  if (level === NONE || value === '' || isMarker(value) || isReference(value)) return false;
  if (level === WEAK) return weakHolds(id, value);
  return level === HINT ? hintHolds(id, value) : true;
}

function mark(id: string, counts: Counts): string {
  if (counts !== undefined) count(counts, id);
  return encodeMarker(id);
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
