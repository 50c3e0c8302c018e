// Stamping a checkpoint: calendars are asked to promise that a block will prove it. What could not be done is a file,
// `<size>.wanted`, and is tried again later. A later checkpoint covers all before it, so of several that wait only the
// newest is stamped. In this order: wanted, proof, entry in the ledger, wanted no more; a crash anywhere is made good.
import { sha256 } from '#platform';
import {
  attestationsOf,
  buildOpenTimestamp,
  calendarDigest,
  encodeOpenTimestamp,
  mergeOpenTimestamps,
  type OpenTimestamp,
  ParseError,
  pendingAttestations,
} from '../../core/index.ts';
import { encodeStampName, stampedNote } from '../../format/index.ts';
import {
  type CalendarFailure,
  type CalendarReply,
  calendarAddress,
  failure,
  submitDigest,
} from './calendar.ts';
import type { StampPorts } from './ports.ts';
import { encodeWanted, factOf, infoOf, namesOf, proofOf, readStamp, type StampInfo } from './stamp-state.ts';

/** Promises that a stamp should have where so many calendars are known: one may vanish before it keeps its own. */
const ENOUGH = 2;
const NONCE_BYTES = 16;
/** Of the 64 KiB of a proof, so much may be promises: what completes it must fit in, too. */
const ROOM_FOR_PROMISES = 49_152;

export interface StampOutcome {
  readonly stamp: StampInfo;
  /** Calendars that promised something just now. */
  readonly promised: readonly string[];
  readonly failures: readonly CalendarFailure[];
}

/** Notes that the checkpoint of `size` entries is to be stamped. Nobody is asked yet. */
export async function wantStamp({ files, now }: StampPorts, size: number): Promise<void> {
  const name = encodeStampName(size, 'wanted');
  if ((await files.read(name, 1)) === undefined) await files.write(name, encodeWanted(now()));
}

/** Works off what is wanted. Inside files.exclusive. Gives what became of the newest; undefined where nothing was. */
export async function stampWanted(ports: StampPorts): Promise<StampOutcome | undefined> {
  const wanted = [...(await namesOf(ports))].filter(([, parts]) => parts.has('wanted'));
  const newest = wanted.at(-1)?.[0];
  for (const [size, parts] of wanted) {
    if (parts.has('ots')) await settle(ports, size, true);
    else if (size !== newest) await ports.files.remove(encodeStampName(size, 'wanted'));
  }
  return newest === undefined ? undefined : stampOne(ports, newest);
}

async function stampOne(ports: StampPorts, size: number): Promise<StampOutcome> {
  const { files, random, signal, timeout } = ports;
  const before = await readStamp(ports, size);
  const there = proofOf(before);
  const missing = missingPromises(ports, there);
  if (
    before.checkpoint === undefined ||
    before.state === 'damaged' ||
    before.state === 'complete' ||
    missing === 0
  )
    return { stamp: infoOf(before), promised: [], failures: [] };
  const digest = sha256(stampedNote(before.checkpoint));
  const nonce = random(NONCE_BYTES);
  const message = calendarDigest(digest, nonce);
  const replies = await Promise.all(
    toAsk(ports, there).map((calendar) => submitDigest(calendar, message, { signal, timeout })),
  );
  let proof = there;
  const promised: string[] = [];
  const failures: CalendarFailure[] = [];
  for (const reply of replies) {
    const added = addPromise(proof, reply, digest, nonce);
    if ('outcome' in added) failures.push(added);
    else {
      proof = added;
      promised.push(reply.calendar);
    }
  }
  if (proof !== undefined && promised.length > 0) {
    await files.write(encodeStampName(size, 'ots'), encodeOpenTimestamp(proof));
    // With a proof before, the ledger may have been told of it.
    await settle(ports, size, there !== undefined);
  }
  return { stamp: infoOf(await readStamp(ports, size)), promised, failures };
}

/** The proof with what one calendar promised, or why it is not. */
function addPromise(
  proof: OpenTimestamp | undefined,
  reply: CalendarReply,
  digest: Uint8Array,
  nonce: Uint8Array,
): OpenTimestamp | CalendarFailure {
  const { calendar } = reply;
  if (reply.outcome === 'problem') return reply;
  if (reply.outcome === 'pending') return failure(calendar, 'refused', "doesn't accept digests");
  try {
    const alone = buildOpenTimestamp(digest, nonce, [reply.bytes]);
    if (attestationsOf(alone).some(({ attestation }) => attestation.kind === 'bitcoin'))
      return failure(calendar, 'premature', 'already names a block for a digest that is only a moment old');
    const merged = proof === undefined ? alone : mergeOpenTimestamps(proof, alone);
    return encodeOpenTimestamp(merged).length > ROOM_FOR_PROMISES
      ? failure(calendar, 'too-large', 'gives an answer that is too large for the proof')
      : merged;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return failure(calendar, 'not-a-proof', `does not answer with a proof (${error.message})`);
  }
}

/** Those who have not promised it, as far as can be told; all where all have. */
function toAsk({ calendars }: StampPorts, proof: OpenTimestamp | undefined): readonly string[] {
  const asked = new Set(
    proof === undefined ? [] : pendingAttestations(proof).map(({ uri }) => calendarAddress(uri)),
  );
  const others = calendars.filter((calendar) => !asked.has(calendarAddress(calendar)));
  return others.length > 0 ? others : calendars;
}

function missingPromises({ calendars }: StampPorts, proof: OpenTimestamp | undefined): number {
  const have = proof === undefined ? 0 : pendingAttestations(proof).length;
  return Math.max(0, Math.min(ENOUGH, calendars.length) - have);
}

/** Tells the ledger what the proof is by now, and takes the note away where nothing more is wanted. */
export async function settle(ports: StampPorts, size: number, look: boolean): Promise<void> {
  const stamp = await readStamp(ports, size);
  const fact = factOf(stamp);
  if (fact === undefined) return;
  if (!look || !(await ports.ledger.isRecorded(size, fact.state))) await ports.ledger.record(fact);
  if (stamp.wanted !== null && (fact.state === 'complete' || missingPromises(ports, proofOf(stamp)) === 0))
    await ports.files.remove(encodeStampName(size, 'wanted'));
}
