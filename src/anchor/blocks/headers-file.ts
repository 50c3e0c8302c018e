// Blocks from a file, for machines without a network: raw headers of 80 bytes one after another, or JSON with height,
// hash and header of each. In a raw file a height is a place in it, so the first header must be one whose height is
// known; the last 2,016 must link, which finds a file put together from pieces without hashing all of a long one.
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
const MOST_LINKED = 2016;
const MAX_JSON = 4 * 1024 * 1024;
const NO_BLOCK = '0'.repeat(64);

export function headersFile(path: string, chain: BitcoinChain): BlockSource {
  const look = async (height: number | null): Promise<ClaimedBlock> => {
    const fd = openPlain(path);
    try {
      const { size } = fstatSync(fd);
      const listed = size <= MAX_JSON && isText(fd, size) ? parseList(readAt(fd, 0, size)) : null;
      return listed === null ? fromRaw(fd, size, chain, height) : fromList(listed, height);
    } finally {
      closeSync(fd);
    }
  };
  return { name: shownPath(path), newest: () => look(null), at: (height) => look(height) };
}

function fromRaw(fd: number, size: number, chain: BitcoinChain, height: number | null): ClaimedBlock {
  const count = size / HEADER;
  if (count < 1 || !Number.isInteger(count))
    throw new SourceError('MALFORMED', 'neither JSON nor a whole number of 80-byte headers');
  const first = heightOfFirst(readAt(fd, 0, HEADER), chain);
  const index = height === null ? count - 1 : height - first;
  if (index < 0 || index >= count) throw new SourceError('HEIGHT_UNKNOWN', 'has no block at that height');
  const from = Math.max(0, index + 1 - MOST_LINKED);
  const bytes = readAt(fd, from * HEADER, (index + 1 - from) * HEADER);
  const run = verifyHeaderRun(bytes, { height: first + from }, chain);
  if (run.status !== 'pass' && run.reason !== 'OK')
    throw new SourceError(run.reason, `header ${from + (run.at ?? 0)} of the file: ${run.reason}`);
  const header = bytes.subarray(-HEADER);
  return { height: first + index, hash: headerHash(header), header };
}

function heightOfFirst(header: Uint8Array, chain: BitcoinChain): number {
  if (parseHeader(header).prevHash === NO_BLOCK) return 0;
  const { height } = verifyHeader(header, {}, { chain });
  if (height === undefined)
    throw new SourceError('HEIGHT_UNKNOWN', 'does not begin with the first block, nor at a checkpoint');
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
  if (best === undefined) throw new SourceError('HEIGHT_UNKNOWN', 'has no block at that height');
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
  if (!Array.isArray(list)) throw new SourceError('MALFORMED', 'JSON, but no list of headers');
  return list;
}

/** A pipe or a device could be read for ever. */
function openPlain(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new SourceError('UNREADABLE', `can not be read (${String((error as { code?: unknown }).code)})`);
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
    if (read === 0) throw new SourceError('UNREADABLE', 'became shorter while it was read');
    at += read;
  }
  return bytes;
}
