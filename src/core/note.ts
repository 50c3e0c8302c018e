// C2SP signed notes: a text, a blank line, and one line a signature (`— <name> <base64 of key id and signature>`).
// Parsing proves nothing about who signed: verifyNote does, against keys the caller trusts, and keeps three outcomes
// apart. A signature by a key nobody knows is ignored; a bad one by a known key never is.
import { ed25519Verify, utf8Decode, utf8Encode } from '#platform';
import { encodeBase64, parseBase64 } from './encoding.ts';
import { ParseError } from './errors.ts';
import { isKeyName, type Signer, type VerifierKey } from './note-key.ts';

export interface NoteSignature {
  readonly name: string;
  readonly keyId: number;
  readonly signature: Uint8Array;
}

export interface Note {
  /** What is signed: it ends in a newline, and the signatures cover that newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteVerification {
  readonly verified: VerifierKey[];
  /** Known keys whose signature is wrong, or which sign more than once. */
  readonly invalid: VerifierKey[];
  /** Signature lines by keys that are not among those given. */
  readonly unknown: number;
}

export const MAX_NOTE_BYTES = 65_536;
export const MAX_NOTE_SIGNATURES = 64;
const KEY_ID_BYTES = 4;

export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MAX_NOTE_BYTES) throw new ParseError('TOO_LONG', 'a note has at most 64 KiB');
  const whole = decode(bytes);
  if (!isNoteText(whole)) throw new ParseError('MALFORMED', 'a control character, or no newline at the end');
  // The last blank line is the one: signature lines are never empty, while a text may hold blank lines.
  const split = whole.lastIndexOf('\n\n');
  if (split < 0) throw new ParseError('MALFORMED', 'no blank line before the signatures');
  const lines = whole.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_NOTE_SIGNATURES)
    throw new ParseError('TOO_LONG', 'a note has at most 64 signatures');
  return { text: whole.slice(0, split + 1), signatures: lines.map(parseSignature) };
}

/** Throws RangeError for a text that parseNote would not give back, and for no signer or the same one twice. */
export function signNote(text: string, signers: readonly Signer[]): Uint8Array {
  if (!text.isWellFormed() || !isNoteText(text)) throw new RangeError('not a text for a note');
  const names = new Set(signers.map((signer) => `${signer.name} ${signer.id}`));
  if (signers.length === 0 || signers.length > MAX_NOTE_SIGNATURES || names.size !== signers.length) {
    throw new RangeError('a note has from 1 to 64 different signers');
  }
  const message = utf8Encode(text);
  const lines = signers.map((signer) => {
    const { name, id: keyId } = signer;
    return encodeSignature({ name, keyId, signature: signer.sign(message) });
  });
  const note = utf8Encode(`${text}\n${lines.join('')}`);
  if (note.length > MAX_NOTE_BYTES) throw new RangeError('a note has at most 64 KiB');
  return note;
}

export function verifyNote(note: Note, keys: readonly VerifierKey[]): NoteVerification {
  const message = utf8Encode(note.text);
  const result: { verified: VerifierKey[]; invalid: VerifierKey[]; unknown: number } = {
    verified: [],
    invalid: [],
    unknown: 0,
  };
  const lines = new Map<string, NoteSignature[]>();
  for (const line of note.signatures) {
    const signer = `${line.name} ${line.keyId}`;
    lines.set(signer, [...(lines.get(signer) ?? []), line]);
  }
  for (const [signer, [line, ...repeated]] of lines) {
    const known = keys.filter((key) => `${key.name} ${key.id}` === signer);
    const [first] = known;
    if (line === undefined || first === undefined) {
      result.unknown += 1 + repeated.length;
      continue;
    }
    // The id has 32 bits, so two known keys may share one; each is tried.
    const good = known.find((key) => ed25519Verify(key.publicKey, message, line.signature));
    if (good !== undefined && repeated.length === 0) result.verified.push(good);
    else result.invalid.push(good ?? first);
  }
  return result;
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8');
  }
}

function isNoteText(text: string): boolean {
  return text.endsWith('\n') && !/[^\n\P{Cc}]/u.test(text);
}

function encodeSignature({ name, keyId, signature }: NoteSignature): string {
  const bytes = new Uint8Array(KEY_ID_BYTES + signature.length);
  new DataView(bytes.buffer).setUint32(0, keyId);
  bytes.set(signature, KEY_ID_BYTES);
  return `— ${name} ${encodeBase64(bytes)}\n`;
}

function parseSignature(line: string, index: number): NoteSignature {
  const path = `signature ${index + 1}`;
  const match = /^— ([^ ]+) ([A-Za-z0-9+/=]+)$/.exec(line);
  const [, name = '', base64 = ''] = match ?? [];
  if (!isKeyName(name)) throw new ParseError('MALFORMED', 'not a signature line', path);
  const bytes = parseBase64(base64);
  if (bytes.length <= KEY_ID_BYTES) throw new ParseError('MALFORMED', 'no signature after the key id', path);
  const keyId = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return { name, keyId, signature: bytes.slice(KEY_ID_BYTES) };
}
