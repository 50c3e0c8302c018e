// Payloads of the ledger's own kinds: what opens it, rotates its key, and records what a crash or an archive did.
// Parsers are by hand and exact: an unknown member is an error, so that a newer writer's meaning is never guessed.
import { type Json, type JsonObject, ParseError, parseBase64 } from '../core/index.ts';
import { parseSegmentName } from './layout.ts';
import { count, exactly, hash, moment, text, texts } from './members.ts';

export const FORMAT = 'counterfoil/1';

/** `ledger.open`: the first entry. The nonce makes the ledger's id unique; the key signs its first epoch. */
export interface LedgerOpen {
  readonly nonce: string;
  /** Ed25519, 64 hex digits. */
  readonly publicKey: string;
}

/** `key.rotate`: the old key's checkpoint over all before, and its signature under the new key. */
export interface KeyRotate {
  /** The old key's signed note over everything before this entry. */
  readonly checkpoint: string;
  readonly publicKey: string;
  /** By the old key, over keyRotateMessage. */
  readonly signature: Uint8Array;
}

/**
 * `gap`: bytes a crash left that are no entry, acknowledged entries that storage lost, or a time in which things
 * happened that a recorder knows it did not record.
 */
export type Gap =
  | {
      readonly reason: 'torn';
      readonly file: string;
      readonly offset: number;
      readonly bytes: number;
      readonly sha256: string;
    }
  | { readonly reason: 'lost'; readonly from: number; readonly to: number; readonly headHash: string }
  | RecordingGap;

/** Why a gap with the reason `off` is there, where a note had paused the recording. */
export const PAUSED = 'recording was paused';

/** The ledger is whole; what it tells of is not. `off`: a person had switched recording off. */
export interface RecordingGap {
  readonly reason: 'unrecorded' | 'off';
  /** The first and the last moment known, by the recorder's clock. */
  readonly since: string;
  readonly until: string;
  /** How many events are known to be missing; null where nobody counted. */
  readonly events: number | null;
  /** In words. */
  readonly why: string;
  /** The host's ids of the calls that are missing, where known. */
  readonly calls: readonly string[];
}

/** `archive`: closed segments that were gzipped, with the hashes of both forms. */
export interface Archive {
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly gzSha256: string;
  }[];
}

/** The name a ledger signs under, from the hash of its first entry. */
export function originOf(openHash: string): string {
  return `counterfoil/${openHash.slice(0, 16)}`;
}

export function encodeLedgerOpen(open: LedgerOpen): JsonObject {
  return { format: FORMAT, nonce: open.nonce, public_key: open.publicKey };
}

export function parseLedgerOpen(payload: JsonObject): LedgerOpen {
  exactly(payload, ['format', 'nonce', 'public_key']);
  if (payload.format !== FORMAT) throw new ParseError('UNKNOWN_VERSION', `not ${FORMAT}`, 'payload.format');
  return { nonce: hash(payload, 'nonce'), publicKey: hash(payload, 'public_key') };
}

export function encodeKeyRotate(rotate: Omit<KeyRotate, 'signature'> & { signature: string }): JsonObject {
  return { checkpoint: rotate.checkpoint, public_key: rotate.publicKey, signature: rotate.signature };
}

export function parseKeyRotate(payload: JsonObject): KeyRotate {
  exactly(payload, ['checkpoint', 'public_key', 'signature']);
  return {
    checkpoint: text(payload, 'checkpoint'),
    publicKey: hash(payload, 'public_key'),
    signature: parseBase64(text(payload, 'signature')),
  };
}

export function encodeGap(gap: Gap): JsonObject {
  if (gap.reason === 'torn')
    return { reason: 'torn', file: gap.file, offset: gap.offset, bytes: gap.bytes, sha256: gap.sha256 };
  if (gap.reason === 'lost') return { reason: 'lost', from: gap.from, to: gap.to, head_hash: gap.headHash };
  const { reason, since, until, events, why, calls } = gap;
  return { reason, since, until, events, why, calls: [...calls] };
}

export function parseGap(payload: JsonObject): Gap {
  if (payload.reason === 'torn') {
    exactly(payload, ['reason', 'file', 'offset', 'bytes', 'sha256']);
    const file = text(payload, 'file');
    parseSegmentName(file);
    return {
      reason: 'torn',
      file,
      offset: count(payload, 'offset'),
      bytes: count(payload, 'bytes'),
      sha256: hash(payload, 'sha256'),
    };
  }
  if (payload.reason === 'lost') {
    exactly(payload, ['reason', 'from', 'to', 'head_hash']);
    return {
      reason: 'lost',
      from: count(payload, 'from'),
      to: count(payload, 'to'),
      headHash: hash(payload, 'head_hash'),
    };
  }
  if (payload.reason === 'unrecorded' || payload.reason === 'off') {
    exactly(payload, ['reason', 'since', 'until', 'events', 'why', 'calls']);
    return {
      reason: payload.reason,
      since: moment(payload, 'since'),
      until: moment(payload, 'until'),
      events: payload.events === null ? null : count(payload, 'events'),
      why: text(payload, 'why'),
      calls: texts(payload, 'calls'),
    };
  }
  throw new ParseError('BAD_MEMBER', 'none of `torn`, `lost`, `unrecorded`, `off`', 'payload.reason');
}

export function encodeArchive(archive: Archive): JsonObject {
  return {
    files: archive.files.map(({ name, bytes, sha256, gzSha256 }) => ({
      name,
      bytes,
      sha256,
      gz_sha256: gzSha256,
    })),
  };
}

export function parseArchive(payload: JsonObject): Archive {
  exactly(payload, ['files']);
  if (!Array.isArray(payload.files)) throw new ParseError('BAD_MEMBER', 'not an array', 'payload.files');
  return {
    files: payload.files.map((file: Json) => {
      if (typeof file !== 'object' || file === null || Array.isArray(file)) {
        throw new ParseError('BAD_MEMBER', 'not an object', 'payload.files');
      }
      const members = file as JsonObject;
      exactly(members, ['name', 'bytes', 'sha256', 'gz_sha256']);
      const name = text(members, 'name');
      parseSegmentName(name);
      return {
        name,
        bytes: count(members, 'bytes'),
        sha256: hash(members, 'sha256'),
        gzSha256: hash(members, 'gz_sha256'),
      };
    }),
  };
}
