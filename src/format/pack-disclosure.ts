// One file of a pack, shown with the proof that it is in it, and nothing of the others.
import { sha256Hex } from '#platform';
import { encodeBase64, type Json, type JsonObject, ParseError, parseBase64 } from '../core/index.ts';
import { fileHashes, isFileOf, proveFile } from './file-tree.ts';
import type { HarnessPack } from './harness-pack.ts';
import { asObject, count, exactly, hash, shortText, shortTexts } from './members.ts';

export const DISCLOSURE_SCHEMA = 'pack_disclosure.v1';

export interface Disclosure {
  /** Of the pack: 64 hex digits. */
  readonly root: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Undefined where the pack has no such file. */
export function discloseFile({ files, hashes }: HarnessPack, path: string): JsonObject | undefined {
  const index = files.findIndex((file) => file.path === path);
  const file = files[index];
  if (file === undefined) return undefined;
  const { size, hashes: proof } = proveFile(fileHashes(files), index);
  return {
    schema: DISCLOSURE_SCHEMA,
    root: hashes.root,
    path,
    content_b64: encodeBase64(file.bytes),
    index,
    size,
    hashes: [...proof],
  };
}

const LONGEST = 2 ** 29;

/** Throws ParseError where it is malformed, or does not prove what it says. */
export function openDisclosure(value: Json): Disclosure {
  const at = 'disclosure';
  const given = asObject(value, at);
  exactly(given, ['schema', 'root', 'path', 'content_b64', 'index', 'size', 'hashes'], at);
  if (given.schema !== DISCLOSURE_SCHEMA)
    throw new ParseError('UNKNOWN_VERSION', `only ${DISCLOSURE_SCHEMA} is known`, `${at}.schema`);
  const root = hash(given, 'root', at);
  const path = shortText(given, 'path', 1024, at);
  const bytes = parseBase64(shortText(given, 'content_b64', LONGEST, at));
  const proof = {
    index: count(given, 'index', at),
    size: count(given, 'size', at),
    hashes: shortTexts(given, 'hashes', 64, 64, at),
  };
  if (!isFileOf([path, sha256Hex(bytes)], proof, root))
    throw new ParseError('MALFORMED', `does not prove that ${path} is in the pack ${root}`, at);
  return { root, path, bytes };
}
