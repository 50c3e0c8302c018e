// Blocks from a file, for machines without a network: raw headers of 80 bytes one after another, or JSON with height,
// hash and header of each. In a raw file a height is a place in it, so the first header must be one whose height is
// known; those around a block must link, which finds a file put together from pieces without hashing all of a long one.
// Who looks up many blocks pays once for each 2,016 headers, as long as the file stays as it is.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import {
  type BitcoinChain,
  headerHash,
  parseHeader,
  verifyHeader,
  verifyHeaderRun,
} from '../../core/index.ts';
import { parseHeaderText } from './esplora.ts';
import { type BlockSource, type ClaimedBlock, SourceError, shownPath } from './source.ts';

const HEADER = 80;
/** Headers that are checked together. */
const STRETCH = 2016;
const MAX_JSON = 4 * 1024 * 1024;
const NO_BLOCK = '0'.repeat(64);

/** What was found out about a file that has not changed since. */
interface Known {
  readonly state: string;
  list?: readonly unknown[] | null;
  /** Stretches that link, each with the one before it. */
  readonly linked: Set<number>;
}

export function headersFile(path: string, chain: BitcoinChain): BlockSource {
  let known: Known | undefined;
  const look = async (height: number | null): Promise<ClaimedBlock> => {
    const fd = openPlain(path);
    try {
      const { size, ino, mtimeMs } = fstatSync(fd);
      const state = `${ino} ${size} ${mtimeMs}`;
      if (known?.state !== state) known = { state, linked: new Set() };
      if (known.list === undefined)
        known.list = size <= MAX_JSON && isText(fd, size) ? parseList(readAt(fd, 0, size)) : null;
      return known.list === null
        ? fromRaw(fd, size, chain, height, known.linked)
        : fromList(known.list, height);
    } finally {
      closeSync(fd);
    }
  };
  return { name: shownPath(path), newest: () => look(null), at: (height) => look(height) };
}

function fromRaw(
  fd: number,
  size: number,
  chain: BitcoinChain,
  height: number | null,
  linked: Set<number>,
): ClaimedBlock {
  const count = size / HEADER;
  if (count < 1 || !Number.isInteger(count))
    throw new SourceError('MALFORMED', 'neither JSON nor a whole number of 80-byte headers');
  const first = heightOfFirst(readAt(fd, 0, HEADER), chain);
  const index = height === null ? count - 1 : height - first;
  if (!(index >= 0 && index < count)) throw new SourceError('HEIGHT_UNKNOWN', 'has no block at that height');
  const stretch = Math.floor(index / STRETCH);
  if (!linked.has(stretch)) {
    const from = Math.max(0, stretch - 1) * STRETCH;
    const until = Math.min(count, (stretch + 1) * STRETCH);
    const bytes = readAt(fd, from * HEADER, (until - from) * HEADER);
    const { status, reason, at = 0 } = verifyHeaderRun(bytes, { height: first + from }, chain);
    if (status !== 'pass')
      throw new SourceError(
        reason === 'OK' ? 'MALFORMED' : reason,
        `header ${from + at} of the file: ${reason}`,
      );
    linked.add(stretch);
  }
  const header = readAt(fd, index * HEADER, HEADER);
  return { height: first + index, hash: headerHash(header), header };
}

function heightOfFirst(header: Uint8Array, chain: BitcoinChain): number {
  if (parseHeader(header).prevHash === NO_BLOCK) return 0;
  const { height } = verifyHeader(header, {}, { chain });
  if (height === undefined)
    throw new SourceError('HEIGHT_UNKNOWN', 'begins neither with the first block nor at a checkpoint');
  return height.value;
}

function fromList(listed: readonly unknown[], height: number | null): ClaimedBlock {
  let best: ClaimedBlock | undefined;
  for (const each of listed) {
    const { height: own, hash, header } = (each ?? {}) as Record<string, unknown>;
    if (typeof own !== 'number' || typeof header !== 'string')
      throw new SourceError('MALFORMED', 'an entry of the list has no height or no header');
    if (height === null ? own <= (best?.height ?? -1) : own !== height) continue;
    const bytes = parseHeaderText(header);
    best = { height: own, hash: typeof hash === 'string' ? hash : headerHash(bytes), header: bytes };
  }
  if (best === undefined)
    throw new SourceError('HEIGHT_UNKNOWN', height === null ? 'has no block' : 'has no block at that height');
  return best;
}

/** Maybe: the version of a raw header can begin like a list, too. */
function isText(fd: number, size: number): boolean {
  const [first] = readAt(fd, 0, Math.min(1, size));
  return first === 0x5b || first === 0x7b;
}

/** A list, or one under `headers`. Null where it is not JSON. */
function parseList(bytes: Uint8Array): readonly unknown[] | null {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
  const list = Array.isArray(value) ? value : (value as { headers?: unknown }).headers;
  if (!Array.isArray(list)) throw new SourceError('MALFORMED', 'JSON, but not a list of headers');
  return list;
}

/** A pipe or a device could be read for ever. */
function openPlain(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new SourceError('UNREADABLE', `can't be read (${String((error as { code?: unknown }).code)})`);
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw new SourceError('UNREADABLE', 'not a plain file');
}

function readAt(fd: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const read = readSync(fd, bytes, at, length - at, position + at);
    if (read === 0) throw new SourceError('UNREADABLE', 'became shorter while foil read it');
    at += read;
  }
  return bytes;
}
