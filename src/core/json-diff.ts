// What leads from one JSON document to another, as operations of RFC 6902. They are not the fewest there could be: members are
// compared by name and elements by place, so that a reader sees where something differs.
import { canonicalize, isObject, type Json, type JsonObject } from './canonical-json.ts';
import { encodePointer, type PatchOperation } from './json-patch.ts';

/** `applyPatch(from, diffJson(from, to))` gives `to`. With more than `most` operations, one replaces the whole. */
export function diffJson(from: Json, to: Json, most = 256): PatchOperation[] {
  const found: PatchOperation[] = [];
  collect(from, to, [], found, most);
  return found.length > most ? [{ op: 'replace', path: '', value: to }] : found;
}

function collect(from: Json, to: Json, at: readonly string[], found: PatchOperation[], most: number): void {
  if (found.length > most || canonicalize(from) === canonicalize(to)) return;
  if (Array.isArray(from) && Array.isArray(to)) elements(from, to, at, found, most);
  else if (isObject(from) && isObject(to)) members(from, to, at, found, most);
  else found.push({ op: 'replace', path: encodePointer(at), value: to });
}

function elements(
  from: readonly Json[],
  to: readonly Json[],
  at: readonly string[],
  found: PatchOperation[],
  most: number,
): void {
  const both = Math.min(from.length, to.length);
  for (let i = 0; i < both && found.length <= most; i++)
    collect(from[i] as Json, to[i] as Json, [...at, String(i)], found, most);
  for (let i = from.length - 1; i >= both && found.length <= most; i--)
    found.push({ op: 'remove', path: encodePointer([...at, String(i)]) });
  for (let i = both; i < to.length && found.length <= most; i++)
    found.push({ op: 'add', path: encodePointer([...at, String(i)]), value: to[i] as Json });
}

function members(
  from: JsonObject,
  to: JsonObject,
  at: readonly string[],
  found: PatchOperation[],
  most: number,
): void {
  for (const name of Object.keys(from).sort()) {
    const path = [...at, name];
    if (found.length > most) return;
    if (Object.hasOwn(to, name)) collect(from[name] as Json, to[name] as Json, path, found, most);
    else found.push({ op: 'remove', path: encodePointer(path) });
  }
  for (const name of Object.keys(to).sort())
    if (!Object.hasOwn(from, name) && found.length <= most)
      found.push({ op: 'add', path: encodePointer([...at, name]), value: to[name] as Json });
}
