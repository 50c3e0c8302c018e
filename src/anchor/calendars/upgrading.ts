// Completing a stamp: the calendar that promised is asked for the way to a block, and the block's header is fetched and
// checked. An answer is kept only once it proves the checkpoint: a calendar that lies, or answers for something else, adds
// nothing. What was in a proof stays in it. Addresses that a proof names are asked only if the user chose them.
import {
  attestationsOf,
  encodeHex,
  encodeOpenTimestamp,
  type OpenTimestamp,
  ParseError,
  pendingAttestations,
  upgradeOpenTimestamp,
  verifyHeader,
} from '../../core/index.ts';
import {
  encodeStampHeaders,
  encodeStampName,
  parseStampHeaders,
  type StampHeader,
} from '../../format/index.ts';
import { verifyStamp } from '../../verify/index.ts';
import {
  type CalendarFailure,
  type CalendarReply,
  calendarAddress,
  chosenAddresses,
  failure,
  fetchTimestamp,
} from './calendar.ts';
import type { StampPorts } from './ports.ts';
import {
  encodeWanted,
  infoOf,
  listStamps,
  proofOf,
  type ReadStamp,
  readStamp,
  type StampInfo,
} from './stamp-state.ts';
import { settle } from './stamping.ts';

/** Promises of one stamp that are asked after, and blocks of one answer that are looked up: honest ones have one or two. */
const MOST_ASKED = 8;
const MOST_BLOCKS = 4;

export interface UpgradeOutcome {
  readonly stamp: StampInfo;
  /** It was not complete, and is now. */
  readonly completed: boolean;
  /** Calendars that have nothing yet. */
  readonly waiting: readonly string[];
  readonly failures: readonly CalendarFailure[];
}

export interface UpgradeOptions {
  /** Only those among the newest so many stamps; all unless given. */
  readonly most?: number;
  progress?(done: number, total: number): void;
}

/** Completes what can be. Inside files.exclusive. Gives what became of each that was pending, lowest first. */
export async function upgradeStamps(
  ports: StampPorts,
  { most = Number.POSITIVE_INFINITY, progress = () => undefined }: UpgradeOptions = {},
): Promise<UpgradeOutcome[]> {
  const chosen = (await listStamps(ports, most))
    .filter(({ state }) => state === 'pending')
    .map(({ size }) => size);
  const run: Run = { ...ports, down: new Set(), headers: new Map() };
  const outcomes: UpgradeOutcome[] = [];
  for (const size of chosen) {
    progress(outcomes.length, chosen.length);
    if (ports.signal?.aborted) break;
    outcomes.push(await upgradeOne(run, size));
  }
  progress(outcomes.length, chosen.length);
  return outcomes;
}

/** One pass over the stamps: who did not answer once is not waited for again, a header is fetched once. */
interface Run extends StampPorts {
  readonly down: Set<string>;
  readonly headers: Map<number, Promise<Uint8Array | null>>;
}

async function upgradeOne(run: Run, size: number): Promise<UpgradeOutcome> {
  const stamp = await readStamp(run, size);
  const proof = proofOf(stamp);
  if (proof === undefined) return { stamp: infoOf(stamp), completed: false, waiting: [], failures: [] };
  const waiting: string[] = [];
  const failures: CalendarFailure[] = [];
  // It may lead to a block already, whose header was not at hand before.
  let found: Completed | Refused = await complete(run, stamp, proof, proof);
  if (!found.ok) {
    for (const { message, reply } of await askAll(run, proof)) {
      if (reply.outcome === 'pending') waiting.push(reply.calendar);
      else if (reply.outcome === 'problem') failures.push(reply);
      else {
        found = await tryAnswer(run, stamp, proof, message, reply);
        if (found.ok) break;
        if (found.failure === null) waiting.push(reply.calendar);
        else failures.push(found.failure);
      }
    }
  }
  if (found.ok) await keep(run, stamp, found);
  const after = infoOf(await readStamp(run, size));
  return { stamp: after, completed: after.state === 'complete', waiting, failures };
}

async function askAll(
  run: Run,
  proof: OpenTimestamp,
): Promise<{ readonly message: Uint8Array; readonly reply: CalendarReply }[]> {
  const chosen = chosenAddresses(run.calendars);
  const { signal, timeout, down } = run;
  const asked = pendingAttestations(proof).slice(0, MOST_ASKED);
  const replies = await Promise.all(
    asked.map(async ({ uri, message }): Promise<{ message: Uint8Array; reply: CalendarReply }> => {
      const address = calendarAddress(uri);
      if (address === undefined || !chosen.has(address))
        return {
          message,
          reply: failure(uri, 'not-configured', 'is named in the proof, but it is not one of your calendars'),
        };
      if (down.has(address))
        return {
          message,
          reply: failure(uri, 'unreachable', 'did not answer before, and was not asked again'),
        };
      const reply = await fetchTimestamp(address, message, { signal, timeout });
      return { message, reply };
    }),
  );
  for (const { reply } of replies) {
    if (reply.outcome === 'problem' && (reply.problem === 'unreachable' || reply.problem === 'time-out'))
      down.add(calendarAddress(reply.calendar) ?? '');
  }
  return replies;
}

interface Completed {
  readonly ok: true;
  readonly proof: OpenTimestamp;
  readonly headers: readonly StampHeader[];
}
/** Null: it leads to no block yet. */
interface Refused {
  readonly ok: false;
  readonly failure: CalendarFailure | null;
}

async function tryAnswer(
  run: Run,
  stamp: ReadStamp,
  proof: OpenTimestamp,
  message: Uint8Array,
  { calendar, bytes }: Extract<CalendarReply, { outcome: 'answer' }>,
): Promise<Completed | Refused> {
  let candidate: OpenTimestamp;
  try {
    candidate = upgradeOpenTimestamp(proof, message, bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return {
      ok: false,
      failure: failure(calendar, 'not-a-proof', `does not answer with a proof (${error.message})`),
    };
  }
  return complete(run, stamp, candidate, proof, calendar);
}

/** Is the candidate proven by a block that the proof before it did not have, or had no header of? */
async function complete(
  run: Run,
  stamp: ReadStamp,
  candidate: OpenTimestamp,
  before: OpenTimestamp,
  calendar = '',
): Promise<Completed | Refused> {
  const refuse = (...about: [CalendarFailure['problem'], string]): Refused => ({
    ok: false,
    failure: calendar === '' ? null : failure(calendar, ...about),
  });
  const had = new Set(candidate === before ? [] : blocksOf(before).map(({ id }) => id));
  const heights = new Set(blocksOf(candidate).flatMap(({ id, height }) => (had.has(id) ? [] : [height])));
  const [first] = heights;
  if (first === undefined) return { ok: false, failure: null };
  const known: StampHeader[] = [];
  let problem: Refused | undefined;
  for (const height of [...heights].slice(0, MOST_BLOCKS)) {
    const header = await headerOf(run, height);
    if (header === null) {
      problem ??= refuse('no-header', `names block ${height}, whose header no block source could give`);
      continue;
    }
    const { status, reason } = verifyHeader(header, { height }, { chain: run.chain });
    if (status === 'pass') known.push({ height, header });
    else problem ??= refuse('bad-header', `names block ${height}, whose header is wrong (${reason})`);
  }
  const verdict =
    stamp.checkpoint === undefined
      ? undefined
      : verifyStamp({
          checkpoint: stamp.checkpoint,
          proof: encodeOpenTimestamp(candidate),
          headers: stamp.headers,
          known,
          chain: run.chain,
        });
  if (verdict?.block !== undefined) {
    const { height, header } = verdict.block;
    return { ok: true, proof: candidate, headers: [{ height, header }] };
  }
  return problem ?? refuse('other-root', `names block ${first}, which doesn't prove it`);
}

/** Every block that is named, and of what: two can be named for one height, of which one is right. */
function blocksOf(proof: OpenTimestamp): { readonly id: string; readonly height: number }[] {
  return attestationsOf(proof).flatMap(({ attestation, message }) =>
    attestation.kind === 'bitcoin'
      ? [{ id: `${attestation.height} ${encodeHex(message)}`, height: attestation.height }]
      : [],
  );
}

function headerOf({ headers, headerAt }: Run, height: number): Promise<Uint8Array | null> {
  const known = headers.get(height);
  if (known !== undefined) return known;
  const asked = headerAt(height).catch(() => null);
  headers.set(height, asked);
  return asked;
}

/** The header before the proof that needs it; the note first, so that the ledger is told whatever happens between. */
async function keep(run: Run, stamp: ReadStamp, { proof, headers }: Completed): Promise<void> {
  const { files, now } = run;
  const name = (part: Parameters<typeof encodeStampName>[1]) => encodeStampName(stamp.size, part);
  if (stamp.wanted === null) await files.write(name('wanted'), encodeWanted(now()));
  await files.write(
    name('headers.json'),
    encodeStampHeaders([...readableHeaders(stamp.headers), ...headers]),
  );
  await files.write(name('ots'), encodeOpenTimestamp(proof));
  await settle(run, stamp.size, stamp.wanted !== null);
}

/** A file that can't be read is replaced. */
function readableHeaders(bytes: Uint8Array | undefined): StampHeader[] {
  try {
    return bytes === undefined ? [] : parseStampHeaders(bytes);
  } catch {
    return [];
  }
}
