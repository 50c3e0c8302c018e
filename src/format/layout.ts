// The names of a ledger's files. A ledger is a directory that any tool can read; this is its map. Names are parsed
// as strictly as contents: a file that is not on the map is nobody's evidence.
import { ParseError } from '../core/index.ts';

export const SEGMENT_DIR = 'ledger';
export const CHECKPOINT_DIR = 'checkpoints';
export const TILE_DIR = 'tile';
export const BLOB_DIR = 'blobs';
export const SALT_DIR = 'salts';
export const KEY_DIR = 'keys';
/** Auth keys, beside the private keys. */
export const AUTH_DIR = 'auth';
/** What recorders must know about sessions, derived from the entries. */
export const STATE_DIR = 'sessions';
/** Proofs of when: OpenTimestamps of checkpoints. */
export const STAMP_DIR = 'stamps';
/** The local service: its token, socket and lock. */
export const SERVICE_DIR = 'service';
/** Mode and port. */
export const SETTINGS_FILE = 'settings';
/** When the ledger was last tidied up. Says nothing about entries. */
export const UPKEEP_FILE = 'upkeep';
/** The bare git repository that tells of sessions. */
export const GIT_DIR = 'git';
export const CHECKPOINT_FILE = 'checkpoint';
export const HEAD_FILE = 'head';
export const LOCK_FILE = 'lock';
/** Small content shares this file in its session's folder under blobs/. */
export const PACK_FILE = 'pack';

/**
 * A run of lines. `first` is the seq of its first line; `part` is above 0 where a crash left bytes that are no
 * entry under the plain name, and writing went on beside them.
 */
export interface Segment {
  readonly first: number;
  readonly part: number;
}

const STATE = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const SEGMENT = /^(\d{16})(?:\.([1-9]\d{0,5}))?\.jsonl(\.gz)?$/;
const CHECKPOINT = /^\d{16}$/;
const STAMP = /^(\d{16})\.(ots|headers\.json|wanted)$/;

/** `ots`: the proof. `headers.json`: the block headers that complete it. `wanted`: something is still to be done for it. */
export type StampPart = 'ots' | 'headers.json' | 'wanted';

export function encodeSegmentName(segment: Segment): string {
  const part = segment.part === 0 ? '' : `.${segment.part}`;
  return `${padded(segment.first)}${part}.jsonl`;
}

/** A segment's file name, gzipped or not. */
export function parseSegmentName(name: string): Segment & { readonly gzipped: boolean } {
  const match = SEGMENT.exec(name);
  const first = Number(match?.[1]);
  if (match === null || !isSize(first)) throw new ParseError('MALFORMED', 'not a segment name', name);
  return { first, part: Number(match[2] ?? 0), gzipped: match[3] !== undefined };
}

export function compareSegments(a: Segment, b: Segment): number {
  return a.first - b.first || a.part - b.part;
}

/** The name under checkpoints/ of the checkpoint of a tree of `size` entries. */
export function encodeCheckpointName(size: number): string {
  return padded(size);
}

/** Throws RangeError for a name that a recorder should not have made. */
export function statePath(name: string): string {
  if (!STATE.test(name) || name.endsWith('.tmp')) throw new RangeError('not the name of a state');
  return `${STATE_DIR}/${name}`;
}

export function parseCheckpointName(name: string): number {
  const size = Number(name);
  if (!CHECKPOINT.test(name) || !isSize(size))
    throw new ParseError('MALFORMED', 'not a checkpoint name', name);
  return size;
}

/** The name under stamps/ of a part of the stamp of the checkpoint of `size` entries. */
export function encodeStampName(size: number, part: StampPart): string {
  return `${padded(size)}.${part}`;
}

export function parseStampName(name: string): { readonly size: number; readonly part: StampPart } {
  const match = STAMP.exec(name);
  const size = Number(match?.[1]);
  if (match === null || !isSize(size)) throw new ParseError('MALFORMED', 'not the name of a stamp', name);
  return { size, part: match[2] as StampPart };
}

function padded(value: number): string {
  if (!isSize(value)) throw new RangeError(`not a size: ${value}`);
  return String(value).padStart(16, '0');
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}
