// A proof of one entry, without its ledger: a C2SP tlog-proof, the entry's line (given, or in the proof's `extra`) and
// the keys the verifier pinned. The proof comes from anyone: every part of it is checked, and none believed. It shows
// that a pinned key signed a tree with this entry at this place; which key was due at that place, only the ledger can.
import {
  assertVerifierKeys,
  encodeVerifierKey,
  leafHash,
  openCheckpoint,
  ParseError,
  parseTlogProof,
  type TlogProof,
  type VerifierKey,
  verifyInclusion,
  verifyNote,
} from '../core/index.ts';
import { type Entry, hashOfEntry, parseEntry } from '../format/index.ts';
import { CODES, type Code, type Finding } from './codes.ts';

export interface ProofInput {
  /** The tlog-proof. */
  readonly proof: Uint8Array;
  /** The line, with or without its `\n`; where it is not given, the one in the proof's `extra`. */
  readonly entry?: Uint8Array;
  /** Keys the verifier pinned. */
  readonly keys: readonly VerifierKey[];
}

export interface ProofReport {
  /** UNKNOWN when everything fits but no key was pinned: then nothing says who signed. */
  readonly verdict: 'INTACT' | 'BROKEN' | 'UNKNOWN';
  readonly sentence: string;
  readonly valid: boolean;
  readonly findings: readonly Finding[];
  readonly entry: Entry | null;
  /** What the proof's checkpoint says, believed or not. */
  readonly checkpoint: { readonly origin: string; readonly size: number } | null;
  /** The pinned keys that signed it, as verifier keys. */
  readonly signers: readonly string[];
}

const LINE_FEED = 0x0a;

/** Valid only if the entry is proven and a pinned key signed. */
export function verifyProof({ proof: bytes, entry: given, keys }: ProofInput): ProofReport {
  assertVerifierKeys(keys);
  const findings: Finding[] = [];
  const add = (code: Code, seq: number | null, message: string): void =>
    void findings.push({ code, seq, message });
  const proof = attempt(() => parseTlogProof(bytes));
  if (proof instanceof ParseError) {
    add('PROOF_INVALID', null, proof.message);
    return report(findings, null, null, []);
  }
  const { checkpoint, note } = openCheckpoint(proof.checkpoint);
  const line = given === undefined ? proof.extra : withoutNewline(given);
  const entry = line === undefined ? null : checkEntry(line, proof, add);
  if (line === undefined) add('ENTRY_MISSING', null, 'the proof does not carry the entry: give its line too');
  else if (!verifyInclusion(proof.index, checkpoint.size, leafHash(line), proof.hashes, checkpoint.root)) {
    const text = `this is not entry ${proof.index + 1} of the ${checkpoint.size} that the checkpoint covers`;
    add('NOT_INCLUDED', entry?.seq ?? null, text);
  }
  const own = keys.filter(({ name }) => name === checkpoint.origin);
  const { verified, invalid } = verifyNote(note, own);
  if (invalid.length > 0)
    add('SIGNATURE_INVALID', null, 'the signature by a key that you pinned does not verify');
  else if (keys.length === 0)
    add('NO_PINNED_KEY', null, 'you pinned no key, so anyone may have made this proof');
  else if (verified.length === 0) {
    add(
      'KEY_NOT_TRUSTED',
      null,
      `the checkpoint of ${checkpoint.origin} is not signed by a key that you pinned`,
    );
  }
  return report(
    findings,
    entry,
    { origin: checkpoint.origin, size: checkpoint.size },
    verified.map(encodeVerifierKey),
  );
}

function checkEntry(
  line: Uint8Array,
  proof: TlogProof,
  add: (code: Code, seq: number | null, message: string) => void,
): Entry | null {
  const entry = attempt(() => parseEntry(line));
  if (entry instanceof ParseError) {
    add(entry.code in CODES ? (entry.code as Code) : 'INVALID_JSON', null, entry.message);
    return null;
  }
  const { seq } = entry;
  if (hashOfEntry(entry) !== entry.entry_hash) add('HASH_MISMATCH', seq, `entry ${seq} was changed`);
  if (seq - 1 !== proof.index)
    add('INDEX_MISMATCH', seq, `the proof is for entry ${proof.index + 1}, but this is entry ${seq}`);
  return entry;
}

function report(
  findings: readonly Finding[],
  entry: Entry | null,
  checkpoint: ProofReport['checkpoint'],
  signers: readonly string[],
): ProofReport {
  const broken = findings.some(({ code }) => CODES[code].level === 'fail');
  const [first] = findings;
  const what = `Entry ${entry?.seq} is in the ledger ${checkpoint?.origin} as it was at ${checkpoint?.size} entries`;
  const sentence = broken
    ? `This proof is not valid: ${first?.message}.`
    : signers.length > 0
      ? `${what}, signed by a key that you pinned.`
      : `${what}, but you pinned no key, so anyone may have signed it.`;
  const verdict = broken ? 'BROKEN' : signers.length > 0 ? 'INTACT' : 'UNKNOWN';
  return { verdict, sentence, valid: verdict === 'INTACT', findings, entry, checkpoint, signers };
}

function withoutNewline(line: Uint8Array): Uint8Array {
  return line.at(-1) === LINE_FEED ? line.subarray(0, -1) : line;
}

function attempt<T>(parse: () => T): T | ParseError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}
