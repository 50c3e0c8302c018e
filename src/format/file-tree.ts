// A set of files as it is hashed and exchanged: relative paths that mean the same file on every system, sorted, and one
// Merkle root over [path, sha256], so that one file can be shown without the others. Packs and artifacts are such sets.
// spec/pack.md is the specification.
import { sha256Hex, utf8Encode } from '#platform';
import {
  CompactRange,
  canonicalize,
  encodeHex,
  HASH_SIZE,
  isHash,
  leafHash,
  nodeHash,
  parseHex,
  verifyInclusion,
} from '../core/index.ts';
import { PackError } from './pack-error.ts';

export interface TreeFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const MOST_FILES = 20_000;
export const MOST_BYTES = 256 * 1024 * 1024;
const LONGEST_PATH = 1024;
const DEEPEST = 32;

// Control characters, what Windows forbids in a name, and the marks that change how a name is shown.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f<>:"\\|?*\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** Throws PackError unless the path names the same file, inside of its folder, on every system. */
export function assertPath(path: string): void {
  const refuse = (why: string): never => {
    throw new PackError('BAD_PATH', why, shown(path));
  };
  if (path === '') refuse('an empty path');
  if (utf8Encode(path).length > LONGEST_PATH) refuse(`longer than ${LONGEST_PATH} bytes`);
  if (!path.isWellFormed() || path.normalize('NFC') !== path)
    refuse('not Unicode in its composed form (NFC)');
  if (FORBIDDEN.test(path)) refuse('has a character that is not allowed in a path');
  const segments = path.split('/');
  if (segments.length > DEEPEST) refuse(`deeper than ${DEEPEST} folders`);
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') refuse('leads out of its folder');
    if (/[. ]$/.test(segment)) refuse('a name ends in a dot or a space');
    if (DEVICE.test(segment)) refuse('is the name of a device on Windows');
  }
}

/** Sorted by UTF-16 code units, as JCS sorts. Throws PackError for a set that could not lie in one folder everywhere. */
export function sortedFiles<T extends TreeFile>(files: readonly T[]): T[] {
  if (files.length > MOST_FILES) throw new PackError('TOO_MANY_FILES', `more than ${MOST_FILES} files`);
  const names = new Map<string, string>();
  let bytes = 0;
  for (const file of files) {
    assertPath(file.path);
    bytes += file.bytes.length;
    claim(names, file.path, 'file');
    for (let end = file.path.indexOf('/'); end >= 0; end = file.path.indexOf('/', end + 1))
      claim(names, file.path.slice(0, end), 'folder');
  }
  if (bytes > MOST_BYTES) throw new PackError('TOO_LARGE', `more than ${MOST_BYTES} bytes`);
  return [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A name stands for one file, or for one folder written in one way. */
function claim(names: Map<string, string>, path: string, kind: 'file' | 'folder'): void {
  // By way of capitals: small letters alone keep the two forms of the Greek sigma apart.
  const plain = path.normalize('NFKC').toUpperCase().normalize('NFKC').toLowerCase();
  const now = `${kind}:${path}`;
  const before = names.get(plain);
  if (before !== undefined && (kind === 'file' || before !== now))
    throw new PackError(
      'DOUBLED_PATH',
      `names the same file as ${shown(before.slice(before.indexOf(':') + 1))} on some systems`,
      shown(path),
    );
  names.set(plain, now);
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

/** [path, sha256] of each file, in order: what the hashes are made of. */
export type FileHash = readonly [path: string, sha256: string];

export function fileHashes(sorted: readonly TreeFile[]): FileHash[] {
  return sorted.map(({ path, bytes }) => [path, sha256Hex(bytes)]);
}

export function fileLeaf([path, sha256]: FileHash): Uint8Array {
  return leafHash(utf8Encode(canonicalize([path, sha256])));
}

/** 64 hex digits: the RFC 6962 root over the canonical JSON of [path, sha256] of each file, sorted by path. */
export function filesRoot(hashes: readonly FileHash[]): string {
  const range = new CompactRange();
  for (const each of hashes) range.push(fileLeaf(each));
  return encodeHex(range.root());
}

/** That one file is in a set, without the others. */
export interface FileProof {
  readonly index: number;
  readonly size: number;
  /** 64 hex digits each, from the leaf's sibling up. */
  readonly hashes: readonly string[];
}

export function proveFile(hashes: readonly FileHash[], index: number): FileProof {
  const proof: string[] = [];
  let level = hashes.map(fileLeaf);
  for (let at = index; level.length > 1; at = Math.floor(at / 2)) {
    const sibling = level[at % 2 === 0 ? at + 1 : at - 1];
    if (sibling !== undefined) proof.push(encodeHex(sibling));
    // A last one without a sibling goes up as it is: the tree that results is RFC 6962's.
    level = level.flatMap((left, i) => {
      if (i % 2 === 1) return [];
      const right = level[i + 1];
      return [right === undefined ? left : nodeHash(left, right)];
    });
  }
  return { index, size: hashes.length, hashes: proof };
}

/** Never throws: a proof comes from a stranger. */
export function isFileOf(file: FileHash, { index, size, hashes }: FileProof, root: string): boolean {
  if (!isHash(root) || hashes.length > 64 || !hashes.every(isHash)) return false;
  if (!file[0].isWellFormed()) return false;
  return verifyInclusion(
    index,
    size,
    fileLeaf(file),
    hashes.map((hash) => parseHex(hash, HASH_SIZE)),
    parseHex(root, HASH_SIZE),
  );
}
