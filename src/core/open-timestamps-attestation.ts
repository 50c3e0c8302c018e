// The leaves of an OpenTimestamps proof: who is said to vouch that a message was there by some time. A block of Bitcoin
// can be checked; a calendar's promise is none; what is not known here is kept as it is. Nothing in it is signed, and an
// address of a calendar comes from whoever wrote the file: nobody may be asked merely because it is named here.
import { utf8Decode, utf8Encode } from '#platform';
import { encodeHex, parseHex } from './encoding.ts';
import { ParseError } from './errors.ts';
import {
  type ByteReader,
  byteReader,
  encodeVarbytes,
  encodeVaruint,
  joinBytes,
} from './open-timestamps-bytes.ts';

export type TimestampAttestation =
  | { readonly kind: 'bitcoin' | 'litecoin'; readonly height: number }
  | { readonly kind: 'pending'; readonly uri: string }
  | { readonly kind: 'unknown'; readonly tag: Uint8Array; readonly payload: Uint8Array };

const TAG_BYTES = 8;
const MAX_PAYLOAD_BYTES = 8192;
const MAX_URI_BYTES = 1000;
const MAX_HEIGHT = 0xffff_ffff;

const TAGS = {
  bitcoin: '0588960d73d71901',
  litecoin: '06869a0d73d71b45',
  pending: '83dfe30d2ef90c8e',
} as const;
const KINDS = new Map<string, keyof typeof TAGS>([
  [TAGS.bitcoin, 'bitcoin'],
  [TAGS.litecoin, 'litecoin'],
  [TAGS.pending, 'pending'],
]);

/** After the 00 that says: an attestation. */
export function parseAttestation(reader: ByteReader): TimestampAttestation {
  const tag = reader.bytes(TAG_BYTES);
  const payload = reader.varbytes(0, MAX_PAYLOAD_BYTES);
  const kind = KINDS.get(encodeHex(tag));
  if (kind === undefined) return { kind: 'unknown', tag, payload };
  try {
    return parsePayload(kind, byteReader(payload));
  } catch (error) {
    if (error instanceof ParseError) throw reader.error(error.code, `${kind} attestation, ${error.message}`);
    throw error;
  }
}

function parsePayload(kind: keyof typeof TAGS, reader: ByteReader): TimestampAttestation {
  if (kind !== 'pending') {
    const height = reader.varuint(MAX_HEIGHT);
    reader.end();
    return { kind, height };
  }
  const uri = reader.varbytes(0, MAX_URI_BYTES);
  reader.end();
  if (!uri.every(isUriByte)) throw reader.error('MALFORMED', 'a character that no calendar’s address has');
  return { kind, uri: utf8Decode(uri) };
}

/** Letters, digits and `-._/:`. No `@ ? # %` and no brackets: nothing that could make it mean another host. */
function isUriByte(c: number): boolean {
  return (c >= 0x2d && c <= 0x3a) || (c >= 0x41 && c <= 0x5a) || c === 0x5f || (c >= 0x61 && c <= 0x7a);
}

export function encodeAttestation(attestation: TimestampAttestation): Uint8Array {
  return joinBytes([attestationTag(attestation), encodeVarbytes(payloadOf(attestation))]);
}

function payloadOf(attestation: TimestampAttestation): Uint8Array {
  if (attestation.kind === 'unknown') return attestation.payload;
  if (attestation.kind === 'pending') return encodeVarbytes(utf8Encode(attestation.uri));
  return encodeVaruint(attestation.height);
}

/** Eight bytes. An unknown attestation must not have the tag of one that is known. */
export function attestationTag(attestation: TimestampAttestation): Uint8Array {
  if (attestation.kind !== 'unknown') return parseHex(TAGS[attestation.kind]);
  const { tag } = attestation;
  if (tag.length !== TAG_BYTES || KINDS.has(encodeHex(tag)))
    throw new RangeError('not the tag of an unknown attestation');
  return tag;
}

/** Different for different attestations, and in the order in which the reference implementation writes them. */
export function attestationOrder(attestation: TimestampAttestation): string {
  const tag = encodeHex(attestationTag(attestation));
  if (attestation.kind === 'unknown') return tag + encodeHex(attestation.payload);
  if (attestation.kind === 'pending') return tag + encodeHex(utf8Encode(attestation.uri));
  return tag + attestation.height.toString(16).padStart(8, '0');
}
