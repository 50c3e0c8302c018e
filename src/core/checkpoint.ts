// C2SP tlog-checkpoint: a signed note of exactly three lines, origin, tree size and root hash. Extension lines are
// refused: nothing audits them. Opening a checkpoint only parses it; verifyNote says who signed.
import { encodeBase64, parseBase64 } from './encoding.ts';
import { ParseError } from './errors.ts';
import { assertSize, HASH_SIZE } from './merkle.ts';
import { type Note, parseNote, signNote } from './note.ts';
import { isKeyName, type Signer } from './note-key.ts';

export interface Checkpoint {
  /** Which log this is: `counterfoil/<ledger id>`. Also the name of the key that signs for it. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** The note text, which is what gets signed: `<origin>\n<size>\n<root, base64>\n`. */
export function encodeCheckpoint({ origin, size, root }: Checkpoint): string {
  assertSize(size);
  if (!isKeyName(origin)) throw new RangeError('an origin holds no space, control character or plus sign');
  if (root.length !== HASH_SIZE) throw new RangeError('a root has 32 bytes');
  return `${origin}\n${size}\n${encodeBase64(root)}\n`;
}

export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n');
  const [origin = '', size = '', root = '', rest] = lines;
  if (lines.length !== 4 || rest !== '') throw new ParseError('MALFORMED', 'a checkpoint has three lines');
  if (!isKeyName(origin)) throw new ParseError('MALFORMED', 'not an origin', 'line 1');
  const rootBytes = parseBase64(root);
  if (rootBytes.length !== HASH_SIZE) throw new ParseError('MALFORMED', 'a root hash has 32 bytes', 'line 3');
  return { origin, size: parseDecimal(size, 'line 2'), root: rootBytes };
}

/** The signer's name must be the origin, so that the key and the log it speaks for can't be told apart. */
export function signCheckpoint(checkpoint: Checkpoint, signer: Signer): Uint8Array {
  if (signer.name !== checkpoint.origin) throw new RangeError("the key's name belongs to another origin");
  return signNote(encodeCheckpoint(checkpoint), [signer]);
}

/** Parses only: no signature has been looked at. */
export function openCheckpoint(bytes: Uint8Array): { checkpoint: Checkpoint; note: Note } {
  const note = parseNote(bytes);
  return { checkpoint: parseCheckpoint(note.text), note };
}

/** ASCII digits without leading zeros, at most 2^53 − 1. */
export function parseDecimal(text: string, path = ''): number {
  const value = Number(text);
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text) || !Number.isSafeInteger(value)) {
    throw new ParseError('BAD_NUMBER', 'not a decimal number from 0 to 2^53 − 1', path);
  }
  return value;
}
