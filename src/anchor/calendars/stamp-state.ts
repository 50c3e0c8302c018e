// A stamp as its files tell: wanted, pending, complete or damaged. Read anew each time; nothing is remembered, and nothing
// under stamps/ is believed that does not verify.
import { sha256, utf8Decode, utf8Encode } from '#platform';
import { encodeHex, MAX_TIMESTAMP_BYTES, type OpenTimestamp, parseOpenTimestamp } from '../../core/index.ts';
import {
  type AnchorStamp,
  encodeStampName,
  isTimestamp,
  MAX_STAMP_HEADERS_BYTES,
  parseStampName,
  type StampHeader,
  type StampPart,
} from '../../format/index.ts';
import { type StampVerdict, verifyStamp } from '../../verify/index.ts';
import type { StampPorts } from './ports.ts';

/**
 * `wanted`: asked for, and nobody has promised anything yet. `pending`: promised. `complete`: a block proves it, and its
 * header is here. `damaged`: the proof can't be read or is of something else.
 */
export type StampState = 'wanted' | 'pending' | 'complete' | 'damaged';

export interface StampInfo {
  readonly size: number;
  readonly state: StampState;
  /** Why it is damaged, or what is wrong in it besides. */
  readonly problem: string | null;
  /** Something is still to be done for it, since then; null where nothing is. */
  readonly wanted: string | null;
  /** Absent where there is no proof. */
  readonly verdict?: StampVerdict;
  /** When the proof was last written, in milliseconds since 1970; null where there is none. */
  readonly changed: number | null;
}

/** A stamp and the bytes it was read from. */
export interface ReadStamp extends StampInfo {
  readonly checkpoint: Uint8Array | undefined;
  readonly bytes: Uint8Array | undefined;
  readonly headers: Uint8Array | undefined;
}

type Reading = Pick<StampPorts, 'files' | 'ledger' | 'chain'>;

/** Every stamp there is, or the newest so many, lowest first. */
export async function listStamps(ports: Reading, most = Number.POSITIVE_INFINITY): Promise<StampInfo[]> {
  const named = [...(await namesOf(ports))];
  const infos: StampInfo[] = [];
  for (const [size, parts] of named.slice(Math.max(0, named.length - most))) {
    infos.push(infoOf(await readStamp(ports, size, parts)));
  }
  return infos;
}

/** Without the bytes. */
export function infoOf({ checkpoint: _, bytes: __, headers: ___, ...info }: ReadStamp): StampInfo {
  return info;
}

/** The sizes that have a stamp or want one, lowest first, and when each part was written. */
export async function namesOf({
  files,
}: Pick<StampPorts, 'files'>): Promise<Map<number, Map<StampPart, number>>> {
  const found = new Map<number, Map<StampPart, number>>();
  for (const { name, changed } of await files.list()) {
    const parsed = parsedName(name);
    if (parsed === undefined) continue;
    const parts = found.get(parsed.size) ?? new Map<StampPart, number>();
    found.set(parsed.size, parts.set(parsed.part, changed));
  }
  return new Map(
    [...found].filter(([, parts]) => parts.has('ots') || parts.has('wanted')).sort(([a], [b]) => a - b),
  );
}

/** What is there now, with `known` headers beside those of its file. */
export async function readStamp(
  { files, ledger, chain }: Reading,
  size: number,
  parts: ReadonlyMap<StampPart, number> = new Map(),
  known: readonly StampHeader[] = [],
): Promise<ReadStamp> {
  const read = (part: StampPart, most: number) => files.read(encodeStampName(size, part), most + 1);
  const checkpoint = await ledger.checkpoint(size);
  const bytes = await read('ots', MAX_TIMESTAMP_BYTES);
  const headers = await read('headers.json', MAX_STAMP_HEADERS_BYTES);
  const wanted = wantedSince(await read('wanted', MAX_WANTED));
  const base = { size, wanted, checkpoint, bytes, headers, changed: parts.get('ots') ?? null };
  if (checkpoint === undefined)
    return { ...base, state: 'damaged', problem: `there is no checkpoint of ${size} entries` };
  if (bytes === undefined) return { ...base, state: 'wanted', problem: null };
  const verdict = verifyStamp({ checkpoint, proof: bytes, headers, known, chain });
  return { ...base, ...judge(verdict), verdict };
}

function judge({ status, code, problem }: StampVerdict): Pick<StampInfo, 'state' | 'problem'> {
  if (status === 'pass') return { state: 'complete', problem: null };
  if (problem !== undefined) return { state: 'damaged', problem };
  if (code === 'OTHER_DIGEST') return { state: 'damaged', problem: 'the proof is not for this checkpoint' };
  if (status === 'fail') return { state: 'pending', problem: "it names a block that doesn't prove it" };
  return {
    state: 'pending',
    problem: code === 'NO_HEADER' ? 'it names a block whose header is not available' : null,
  };
}

/** That an entry names; honest proofs have a few. */
const MOST_CALENDARS = 16;

/** What is to be said of it in the ledger; undefined where it is neither pending nor complete. */
export function factOf({ size, state, verdict, bytes }: ReadStamp): AnchorStamp | undefined {
  if ((state !== 'pending' && state !== 'complete') || bytes === undefined) return undefined;
  if (verdict?.digest === undefined) return undefined;
  const { digest, calendars, block } = verdict;
  return {
    size,
    digest: encodeHex(digest),
    state,
    calendars: calendars.slice(0, MOST_CALENDARS),
    block: block === undefined ? null : { ...block, header: encodeHex(block.header) },
    proofSha256: encodeHex(sha256(bytes)),
  };
}

/** Of a stamp that is not damaged. */
export function proofOf({ state, bytes }: ReadStamp): OpenTimestamp | undefined {
  return state === 'damaged' || bytes === undefined ? undefined : parseOpenTimestamp(bytes);
}

function parsedName(name: string): ReturnType<typeof parseStampName> | undefined {
  try {
    return parseStampName(name);
  } catch {
    return undefined; // a temporary file, the lock
  }
}

const MAX_WANTED = 256;

export function encodeWanted(now: number): Uint8Array {
  return utf8Encode(`{"asked":"${new Date(now).toISOString()}","v":1}\n`);
}

/** The file's being there is what counts; what is in it is for people. */
function wantedSince(bytes: Uint8Array | undefined): string | null {
  if (bytes === undefined) return null;
  try {
    const { asked } = JSON.parse(utf8Decode(bytes)) as { asked?: unknown };
    if (isTimestamp(asked)) return asked;
  } catch {
    // Below.
  }
  return new Date(0).toISOString();
}
