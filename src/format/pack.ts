// How content is kept beside the chain. Small pieces share one pack file a session, appended one record after the
// other; large ones have a file each, named by their commitment. spec/content.md is the specification. A pack is
// read by strangers: scanPackHeader gives a header exactly as a writer makes it, or says that there is none.

import { utf8Encode } from '#platform';
import { type ContentAlgorithm, encodeHex, isHash, ParseError, parseHex } from '../core/index.ts';
import type { ContentRef } from './content.ts';
import { BLOB_DIR, PACK_FILE, SALT_DIR } from './layout.ts';

/** Largest content in a pack; what is larger has a file of its own. Writers may draw the line lower. */
export const MAX_PACKED = 1024 * 1024;
/** Longest header line, with its `\n`. */
export const MAX_PACK_HEADER = 'blob keyed-sha256:'.length + 64 + ' 1048576\n'.length;

export type Commitment = Pick<ContentRef, 'algorithm' | 'hash'>;

/** The header of one record: `blob <algorithm>:<64 hex> <bytes>\n`. */
export interface PackHeader extends Commitment {
  readonly bytes: number;
  /** Bytes of the header itself, its `\n` included. */
  readonly length: number;
}

const HEADER = /^blob (keyed-sha256|hmac-sha256|sha256):([0-9a-f]{64}) (0|[1-9][0-9]{0,6})\n/;
const BLOB = /^(keyed-sha256|hmac-sha256|sha256)-([0-9a-f]{64})$/;
const BEGINNINGS = ['blob keyed-sha256:', 'blob hmac-sha256:', 'blob sha256:'];
const LINE_FEED = 0x0a;

/**
 * One record: header, content, `\n`. A writer that finds a pack whose last byte is not `\n` (a write was cut short)
 * writes one `\n` first, so that a reader can find the record after the torn one.
 */
export function encodePackRecord(commitment: Commitment, content: Uint8Array): Uint8Array {
  if (content.length > MAX_PACKED) throw new RangeError(`packed content has at most ${MAX_PACKED} bytes`);
  const header = utf8Encode(`blob ${commitmentText(commitment)} ${content.length}\n`);
  const record = new Uint8Array(header.length + content.length + 1);
  record.set(header);
  record.set(content, header.length);
  record[record.length - 1] = LINE_FEED;
  return record;
}

/** The header that begins at `at`, or undefined where none does. */
export function scanPackHeader(bytes: Uint8Array, at: number): PackHeader | undefined {
  const match = HEADER.exec(ascii(bytes, at, MAX_PACK_HEADER));
  const size = Number(match?.[3]);
  if (match === null || size > MAX_PACKED) return undefined;
  return {
    algorithm: match[1] as ContentAlgorithm,
    hash: match[2] ?? '',
    bytes: size,
    length: match[0].length,
  };
}

/** Could bytes[at, end) be the beginning of a header that was cut short? True for none at all. */
export function isPackHeaderStart(bytes: Uint8Array, at: number, end: number): boolean {
  const text = ascii(bytes, at, Math.min(end - at, MAX_PACK_HEADER));
  if (text.length < end - at) return false;
  const [, name = text, rest] = /^(blob (?:keyed-|hmac-)?sha256:)(.*)$/s.exec(text) ?? [];
  if (rest === undefined) return BEGINNINGS.some((beginning) => beginning.startsWith(name));
  return /^(?:[0-9a-f]{0,64}|[0-9a-f]{64} (?:0|[1-9][0-9]{0,6})?)$/.test(rest);
}

/** The name of a session's pack. */
export function packPath(session: string): string {
  return `${BLOB_DIR}/${assertSession(session)}/${PACK_FILE}`;
}

/** The name of content that has a file of its own. */
export function blobPath(session: string, commitment: Commitment): string {
  return `${BLOB_DIR}/${assertSession(session)}/${encodeBlobName(commitment)}`;
}

export function encodeBlobName({ algorithm, hash }: Commitment): string {
  return `${algorithm}-${hash}`;
}

/** The last part of blobPath. */
export function parseBlobName(name: string): Commitment {
  const match = BLOB.exec(name);
  if (match === null) throw new ParseError('MALFORMED', 'not the name of a blob', name);
  return { algorithm: match[1] as ContentAlgorithm, hash: match[2] ?? '' };
}

export function saltPath(session: string): string {
  return `${SALT_DIR}/${assertSession(session)}`;
}

/** 64 hex digits and `\n`. */
export function encodeSalt(salt: Uint8Array): Uint8Array {
  if (salt.length !== 32) throw new RangeError('a salt has 32 bytes');
  return utf8Encode(`${encodeHex(salt)}\n`);
}

/** The message never quotes the salt. */
export function parseSalt(bytes: Uint8Array): Uint8Array {
  const text = ascii(bytes, 0, bytes.length > 65 ? 0 : 65);
  if (!isHash(text.slice(0, 64)) || text.slice(64) !== '\n') {
    throw new ParseError('MALFORMED', 'a salt is 64 hex digits and a newline');
  }
  return parseHex(text.slice(0, 64), 32);
}

function commitmentText({ algorithm, hash }: Commitment): string {
  if (!isHash(hash)) throw new RangeError('a commitment has 64 hex digits');
  return `${algorithm}:${hash}`;
}

function assertSession(session: string): string {
  if (!isHash(session)) throw new RangeError('a session id has 64 hex digits');
  return session;
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
