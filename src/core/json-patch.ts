// RFC 6902: a list of operations on a JSON document, which applies as a whole or not at all. Documents are never changed in
// place. Beside the new document stands the inverse: the operations that lead back to the old one.
import { canonicalize, isObject, type Json, type JsonObject } from './canonical-json.ts';
import { ParseError } from './errors.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

export interface Patched {
  readonly document: Json;
  readonly inverse: readonly PatchOperation[];
}

const MOST_OPERATIONS = 256;
const LONGEST_POINTER = 1024;
/** Of the document, in canonical JSON: copies of copies grow fast. */
const LARGEST_DOCUMENT = 16 * 1024 * 1024;

/** Strict: the members that the operation has, and no other. */
export function parsePatchOperations(value: Json | undefined, path = 'operations'): PatchOperation[] {
  if (!Array.isArray(value)) throw new ParseError('BAD_MEMBER', 'not an array', path);
  if (value.length > MOST_OPERATIONS)
    throw new ParseError('BAD_MEMBER', `more than ${MOST_OPERATIONS} operations`, path);
  return value.map((each, i) => parseOperation(each, `${path}[${i}]`));
}

function parseOperation(value: Json, path: string): PatchOperation {
  if (!isObject(value)) throw new ParseError('BAD_MEMBER', 'not an object', path);
  const at = (name: string): string => {
    const text = value[name];
    if (typeof text !== 'string') throw new ParseError('BAD_MEMBER', 'not a string', `${path}.${name}`);
    parsePointer(text, `${path}.${name}`);
    return text;
  };
  const only = (...names: string[]): void => {
    const extra = Object.keys(value).find((name) => name !== 'op' && !names.includes(name));
    if (extra !== undefined) throw new ParseError('BAD_MEMBER', 'unknown member', `${path}.${extra}`);
  };
  const { op } = value;
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      only('path', 'value');
      if (value.value === undefined) throw new ParseError('BAD_MEMBER', 'missing', `${path}.value`);
      return { op, path: at('path'), value: value.value };
    case 'remove':
      only('path');
      return { op, path: at('path') };
    case 'move':
    case 'copy':
      only('path', 'from');
      return { op, path: at('path'), from: at('from') };
    default:
      throw new ParseError('BAD_MEMBER', 'none of add, remove, replace, move, copy, test', `${path}.op`);
  }
}

/** A ParseError names the operation that can't be carried out; then nothing is. */
export function applyPatch(document: Json, operations: readonly PatchOperation[]): Patched {
  let now = document;
  const inverse: PatchOperation[] = [];
  for (const [i, operation] of operations.entries()) {
    const path = `operations[${i}]`;
    const step = applyOne(now, operation, path);
    now = step.document;
    inverse.unshift(...step.inverse);
    if (operation.op === 'copy' && canonicalize(now).length > LARGEST_DOCUMENT)
      throw new ParseError('TOO_LONG', `the document would be larger than ${LARGEST_DOCUMENT} bytes`, path);
  }
  return { document: now, inverse };
}

function applyOne(document: Json, operation: PatchOperation, path: string): Patched {
  const to = parsePointer(operation.path, path);
  switch (operation.op) {
    case 'test':
      if (canonicalize(valueAt(document, to, path)) !== canonicalize(operation.value))
        throw new ParseError('BAD_MEMBER', `the value at "${operation.path}" is different`, path);
      return { document, inverse: [] };
    case 'add':
      return add(document, to, operation.value, path);
    case 'remove':
      return remove(document, to, path);
    case 'replace': {
      const before = valueAt(document, to, path);
      return {
        document: replaceAt(document, to, operation.value),
        inverse: [{ op: 'replace', path: operation.path, value: before }],
      };
    }
    case 'copy':
      return add(document, to, valueAt(document, parsePointer(operation.from, path), path), path);
    case 'move': {
      const from = parsePointer(operation.from, path);
      if (from.length < to.length && from.every((token, i) => token === to[i]))
        throw new ParseError('BAD_MEMBER', "a value can't be moved into itself", path);
      const value = valueAt(document, from, path);
      const taken = remove(document, from, path);
      const put = add(taken.document, to, value, path);
      return { document: put.document, inverse: [...put.inverse, ...taken.inverse] };
    }
  }
}

function add(document: Json, to: readonly string[], value: Json, path: string): Patched {
  const last = to.at(-1);
  if (last === undefined) return { document: value, inverse: [{ op: 'replace', path: '', value: document }] };
  const parents = to.slice(0, -1);
  const parent = valueAt(document, parents, path);
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : indexIn(last, parent.length, path);
    const place = encodePointer([...parents, String(index)]);
    return {
      document: replaceAt(document, parents, parent.toSpliced(index, 0, value)),
      inverse: [{ op: 'remove', path: place }],
    };
  }
  if (!isObject(parent)) throw missing(to, path);
  const place = encodePointer(to);
  const before = Object.hasOwn(parent, last) ? parent[last] : undefined;
  return {
    document: replaceAt(document, parents, { ...parent, [last]: value }),
    inverse: [
      before === undefined ? { op: 'remove', path: place } : { op: 'replace', path: place, value: before },
    ],
  };
}

function remove(document: Json, at: readonly string[], path: string): Patched {
  const last = at.at(-1);
  if (last === undefined) throw new ParseError('BAD_MEMBER', "the whole document can't be removed", path);
  const before = valueAt(document, at, path);
  const parents = at.slice(0, -1);
  const parent = valueAt(document, parents, path);
  const rest = Array.isArray(parent)
    ? parent.toSpliced(Number(last), 1)
    : Object.fromEntries(Object.entries(parent as JsonObject).filter(([name]) => name !== last));
  return {
    document: replaceAt(document, parents, rest),
    inverse: [{ op: 'add', path: encodePointer(at), value: before }],
  };
}

/** What stands there: it must exist. */
function valueAt(document: Json, at: readonly string[], path: string): Json {
  let value = document;
  for (const token of at) {
    let next: Json | undefined;
    if (Array.isArray(value)) next = value[indexIn(token, value.length - 1, path)];
    else if (isObject(value) && Object.hasOwn(value, token)) next = value[token];
    if (next === undefined) throw missing(at, path);
    value = next;
  }
  return value;
}

/** The document with another value at a place that exists. */
function replaceAt(document: Json, at: readonly string[], value: Json): Json {
  const [token, ...rest] = at;
  if (token === undefined) return value;
  if (Array.isArray(document)) {
    const index = Number(token);
    return document.with(index, replaceAt(document[index] as Json, rest, value));
  }
  const members = document as JsonObject;
  return { ...members, [token]: replaceAt(members[token] as Json, rest, value) };
}

function indexIn(token: string, highest: number, path: string): number {
  const index = /^(?:0|[1-9]\d{0,15})$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > highest)
    throw new ParseError('BAD_MEMBER', `"${token.slice(0, 40)}" is no place in the array`, path);
  return index;
}

/** RFC 6901. */
function parsePointer(text: string, path: string): string[] {
  if (text.length > LONGEST_POINTER)
    throw new ParseError('BAD_MEMBER', `longer than ${LONGEST_POINTER} characters`, path);
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text))
    throw new ParseError('BAD_MEMBER', 'not a JSON pointer', path);
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function encodePointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function missing(at: readonly string[], path: string): ParseError {
  return new ParseError('BAD_MEMBER', `there is nothing at "${encodePointer(at).slice(0, 200)}"`, path);
}
