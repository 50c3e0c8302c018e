// Content that the owner of a run chose to disclose: each piece is what its name commits to, an entry of the run names it, and
// arguments of a call are those that the call's `args_hash` is of.
import { hmacSha256, sha256Hex, utf8Decode, utf8Encode } from '#platform';
import {
  type ContentAlgorithm,
  canonicalize,
  encodeHex,
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
  parseHex,
} from '../core/index.ts';
import {
  asContentRef,
  BUNDLE_PARTS,
  type Bundle,
  contentRefs,
  parseBlobName,
  startsEncrypted,
  typeOfEncrypted,
} from '../format/index.ts';
import type { BundledEntries } from './bundle-entries.ts';
import type { BundleFindings } from './bundle-findings.ts';

const CONTENT = 'content/';

/** Nothing was changed: the program that wrote the entry left the hash out. */
export const NO_ARGS_HASH =
  'the call has no args_hash, so nothing says that the arguments that are shown are all of them';

/** By its commitment. */
export type Disclosed = ReadonlyMap<string, Uint8Array>;

/** Content that is shown, is what its name commits to, and is named by an entry of the run. */
export function checkContent(
  { parts }: Pick<Bundle, 'parts'>,
  run: BundledEntries['run'],
  findings: BundleFindings,
): Disclosed {
  const shown = new Map<string, Uint8Array>();
  const [keys, named] = [keysOf(parts.get(BUNDLE_PARTS.keys), findings), namedIn(run)];
  for (const [path, bytes] of parts) {
    if (!path.startsWith(CONTENT)) continue;
    try {
      const { algorithm, hash } = parseBlobName(path.slice(CONTENT.length));
      const name = `${algorithm}:${hash}`;
      if (commitmentOf(algorithm, keys.get(name), bytes) !== hash)
        throw new ParseError(
          'MALFORMED',
          'this is not the content that its name commits to',
          path.slice(CONTENT.length),
        );
      if (!named.has(name))
        throw new ParseError('MALFORMED', 'no entry of the run names it', path.slice(CONTENT.length));
      shown.set(name, bytes);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      const seq = named.get(path.slice(CONTENT.length).replace(/-(?=[^-]*$)/, ':')) ?? null;
      findings.add('CONTENT_WRONG', seq, `${CONTENT}${error.message}`);
    }
  }
  for (const name of keys.keys())
    if (!parts.has(`${CONTENT}${name.replace(':', '-')}`))
      findings.add('CONTENT_WRONG', null, `${BUNDLE_PARTS.keys}: ${name} is not shown`);
  checkArguments(run, shown, findings);
  return shown;
}

/** Paths of content that is not what its name commits to, as far as its key is there. For whoever shows it, or has no bundle. */
export function wrongContent(parts: Bundle['parts']): string[] {
  const keys = keysOf(parts.get(BUNDLE_PARTS.keys), { add: () => undefined });
  return [...parts].flatMap(([path, bytes]) => {
    if (!path.startsWith(CONTENT)) return [];
    const [, algorithm = '', hash = ''] = /^(.+)-([^-]+)$/.exec(path.slice(CONTENT.length)) ?? [];
    const key = keys.get(`${algorithm}:${hash}`);
    const found = commitmentOf(algorithm as ContentAlgorithm, key, bytes);
    return found === undefined || found === hash ? [] : [path];
  });
}

/** A call that refers to other arguments than it has the hash of would be judged by what it did not do. */
function checkArguments(run: BundledEntries['run'], shown: Disclosed, findings: BundleFindings): void {
  for (const { entry } of run) {
    if (entry.kind !== 'tool.call') continue;
    const ref = referenceIn(entry.payload);
    const bytes = ref && shown.get(`${ref.algorithm}:${ref.hash}`);
    const { args_hash: said = null } = entry.payload;
    if (ref === undefined || bytes === undefined) continue;
    // The hash is of the arguments, and what is kept is their ciphertext.
    if (typeOfEncrypted(ref) !== undefined && startsEncrypted(bytes)) continue;
    // With plain hashes the entry has another hash than the name of what is kept.
    if (said === ref.hash || said === sha256Hex(bytes)) continue;
    const why = said === null ? NO_ARGS_HASH : "the arguments that are shown don't match args_hash";
    findings.add('CONTENT_WRONG', entry.seq, why);
  }
}

export interface Arguments {
  /** Undefined where they are not shown, not all of them, or in no form that a recorder keeps them in. */
  readonly args: Json | undefined;
  /** False: nothing but the entry's own word says that they are those of its `args_hash`. */
  readonly isHeld: boolean;
}

export function argumentsOf(payload: JsonObject, shown: Disclosed): Arguments {
  const { args = null, args_hash: hash } = payload;
  // Null stands where arguments were hashed and not kept.
  if (args === null) return { args: undefined, isHeld: false };
  const ref = referenceIn(payload);
  if (ref !== undefined)
    return { args: readArguments(ref.type, shown.get(`${ref.algorithm}:${ref.hash}`)), isHeld: true };
  if (canonicalize(args).includes('"$content":')) return { args: undefined, isHeld: false };
  const bytes = utf8Encode(typeof args === 'string' ? args : canonicalize(args));
  return { args, isHeld: hash === sha256Hex(bytes) };
}

function referenceIn({ args }: JsonObject): ReturnType<typeof asContentRef> {
  return args === undefined ? undefined : asContentRef(args);
}

function readArguments(type: string | undefined, bytes: Uint8Array | undefined): Json | undefined {
  if (bytes === undefined) return undefined;
  try {
    if (type === 'text/plain') return utf8Decode(bytes);
    // One form alone: a member that is there twice, or deeper than anybody looks, would hide something.
    return type === 'application/json' ? parseCanonicalJson(bytes) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where it can't be computed. Under the older algorithm a key would be the salt, which opens everything. */
function commitmentOf(
  algorithm: ContentAlgorithm,
  key: string | undefined,
  bytes: Uint8Array,
): string | undefined {
  if (algorithm === 'sha256') return sha256Hex(bytes);
  if (algorithm !== 'keyed-sha256' || key === undefined) return undefined;
  return encodeHex(hmacSha256(parseHex(key, 32), bytes));
}

/** The first entry that names each. */
function namedIn(run: BundledEntries['run']): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  for (const { entry } of run) {
    try {
      for (const { algorithm, hash } of contentRefs(entry.payload))
        if (!names.has(`${algorithm}:${hash}`)) names.set(`${algorithm}:${hash}`, entry.seq);
    } catch (error) {
      // A malformed reference names nothing.
      if (!(error instanceof ParseError)) throw error;
    }
  }
  return names;
}

function keysOf(
  part: Uint8Array | undefined,
  findings: Pick<BundleFindings, 'add'>,
): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  if (part === undefined) return keys;
  try {
    const value = parseCanonicalJson(part);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ParseError('BAD_MEMBER', 'not an object');
    for (const [name, key] of Object.entries(value)) {
      if (!isHash(key)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', name);
      keys.set(name, key);
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    findings.add('CONTENT_WRONG', null, `${BUNDLE_PARTS.keys}: ${error.message}`);
  }
  return keys;
}
