// How a proof comes about: a digest is blinded and sent to calendars, each answers with a tree that ends in its promise,
// and later with one that ends in a block. Answers come from servers that may lie: they are bounded, they can only add to
// a proof, and whether what they add is true is for verifyOpenTimestamp to say. Nothing is sent or received here.
import { sha256 } from '#platform';
import { sameBytes } from './encoding.ts';
import { ParseError } from './errors.ts';
import { HASH_SIZE } from './merkle.ts';
import {
  branchOrder,
  encodeOpenTimestamp,
  encodeTimestampTree,
  type GrowingBranch,
  type GrowingTree,
  type OpenTimestamp,
  parseOpenTimestamp,
  parseTimestampTree,
  type TimestampTree,
} from './open-timestamps.ts';
import { byteReader, joinBytes } from './open-timestamps-bytes.ts';
import { walkAttestations } from './open-timestamps-verify.ts';

export const MAX_ANSWER_BYTES = 10_000;
const NONCE_BYTES = 16;

export interface PendingAttestation {
  /** As the proof has it: ask there only if you would without the proof. */
  readonly uri: string;
  /** What the calendar knows it by. */
  readonly message: Uint8Array;
  /** The proof leads on from this message to a block already, rightly or not. */
  readonly upgraded: boolean;
}

/** What calendars are sent. The nonce, 16 random bytes, keeps them from recognising the digest. */
export function calendarDigest(digest: Uint8Array, nonce: Uint8Array): Uint8Array {
  if (digest.length !== HASH_SIZE) throw new RangeError('a SHA-256 has 32 bytes');
  if (nonce.length !== NONCE_BYTES) throw new RangeError('a nonce has 16 bytes');
  return sha256(joinBytes([digest, nonce]));
}

/**
 * A proof for a SHA-256 from what calendars answered to calendarDigest; their order makes no difference.
 * Throws ParseError where an answer is malformed, or all together are too much.
 */
export function buildOpenTimestamp(
  digest: Uint8Array,
  nonce: Uint8Array,
  answers: readonly Uint8Array[],
): OpenTimestamp {
  if (answers.length === 0) throw new RangeError('a proof needs an answer');
  const { length } = calendarDigest(digest, nonce);
  const tree: GrowingTree = [];
  for (const answer of answers) mergeTree(tree, parseCalendarAnswer(answer, length));
  const hashed: GrowingTree = [{ operation: { op: 'sha256' }, next: tree }];
  return bounded({
    hash: 'sha256',
    digest,
    tree: [{ operation: { op: 'append', argument: nonce }, next: hashed }],
  });
}

/** All that calendars promised, in the order of the file. */
export function pendingAttestations(proof: OpenTimestamp): PendingAttestation[] {
  const found: { uri: string; message: Uint8Array; tree: TimestampTree | undefined }[] = [];
  const upgraded = new Set<TimestampTree | undefined>();
  walkAttestations(proof, ({ attestation, message }, above) => {
    if (attestation.kind === 'pending')
      found.push({ uri: attestation.uri, message, tree: above.at(-1)?.tree });
    if (attestation.kind === 'bitcoin') for (const { tree } of above) upgraded.add(tree);
  });
  return found.map(({ uri, message, tree }) => ({ uri, message, upgraded: upgraded.has(tree) }));
}

/**
 * The proof with a calendar's answer about `message`, which must be one of its pending ones. Nothing is taken out, the
 * same answer twice adds nothing. Throws ParseError where the answer is malformed or too much; RangeError for a message
 * that is not pending.
 */
export function upgradeOpenTimestamp(
  proof: OpenTimestamp,
  message: Uint8Array,
  answer: Uint8Array,
): OpenTimestamp {
  const addition = parseCalendarAnswer(answer, message.length);
  const copy = { ...proof, tree: copyTree(proof) };
  let place: TimestampTree | undefined;
  walkAttestations(copy, (attested, above) => {
    if (attested.attestation.kind === 'pending' && sameBytes(attested.message, message))
      place ??= above.at(-1)?.tree;
  });
  if (place === undefined) throw new RangeError('nothing is pending for that message');
  // It is one of the copy's, which is ours to change.
  mergeTree(place as GrowingTree, addition);
  return bounded(copy);
}

/**
 * All that two proofs of one digest have. Nothing is taken out of either. Throws ParseError where both together are too
 * much; RangeError for proofs of different things.
 */
export function mergeOpenTimestamps(proof: OpenTimestamp, other: OpenTimestamp): OpenTimestamp {
  if (proof.hash !== other.hash || !sameBytes(proof.digest, other.digest))
    throw new RangeError('two proofs of different things');
  const tree = copyTree(proof);
  mergeTree(tree, copyTree(other));
  return bounded({ ...proof, tree });
}

function copyTree({ tree, digest }: OpenTimestamp): GrowingTree {
  return parseTimestampTree(byteReader(encodeTimestampTree(tree)), digest.length);
}

/** An answer promises or attests something: an error page, or a tree of what is not known here, is none. */
function parseCalendarAnswer(bytes: Uint8Array, length: number): GrowingTree {
  if (bytes.length > MAX_ANSWER_BYTES) throw new ParseError('TOO_LONG', 'an answer has at most 10,000 bytes');
  const reader = byteReader(bytes);
  const tree = parseTimestampTree(reader, length);
  reader.end();
  if (!vouches(tree))
    throw new ParseError('MALFORMED', 'an answer that neither promises nor attests anything');
  return tree;
}

function vouches(tree: TimestampTree): boolean {
  const open = [tree];
  for (let branches = open.pop(); branches !== undefined; branches = open.pop()) {
    for (const branch of branches) {
      if ('next' in branch) open.push(branch.next);
      else if (branch.attestation.kind === 'pending' || branch.attestation.kind === 'bitcoin') return true;
    }
  }
  return false;
}

function bounded(proof: OpenTimestamp): OpenTimestamp {
  try {
    return parseOpenTimestamp(encodeOpenTimestamp(proof));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw error.cause instanceof ParseError ? error.cause : new ParseError('TOO_LONG', error.message);
  }
}

/** Adds what is new, message by message, and puts the branches of each that it touches in order. */
function mergeTree(target: GrowingTree, addition: GrowingTree): void {
  const open = [{ target, addition }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const known = new Map<string, GrowingBranch>();
    const add = (branch: GrowingBranch, whereNew: GrowingBranch): void => {
      const order = branchOrder(branch);
      const same = known.get(order) ?? whereNew;
      known.set(order, same);
      if (same !== branch && 'next' in same && 'next' in branch) {
        open.push({ target: same.next, addition: branch.next });
      }
    };
    // What was there stays as it is, unless the answer touches it. What is new is put in order all the way down, so that
    // the same answer again changes nothing.
    for (const branch of pair.target) add(branch, branch);
    for (const branch of pair.addition) add(branch, 'next' in branch ? { ...branch, next: [] } : branch);
    const ordered = [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, branch]) => branch);
    pair.target.splice(0, pair.target.length, ...ordered);
  }
}
