// Packs beside the ledger, each once, under its root: whoever knows a session finds the pack that it began with. Written
// whole and durable before the session names it.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isHash } from '../core/index.ts';
import { type HarnessPack, PackError } from '../format/index.ts';
import { encodePack, MOST_ARCHIVE, openPack } from './archive.ts';

const FOLDER = 'packs';

export function packPlace(ledger: string, root: string): string {
  if (!isHash(root)) throw new RangeError('a root has 64 hex digits');
  return join(ledger, FOLDER, `${root}.tar.gz`);
}

export function keepPack(ledger: string, pack: HarnessPack): void {
  const place = packPlace(ledger, pack.hashes.root);
  if (statSync(place, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  writeWhole(place, encodePack(pack));
}

/** Whole and durable, or not there. */
export function writeWhole(place: string, bytes: Uint8Array): void {
  const folder = dirname(place);
  const unfinished = `${place}.${process.pid}`;
  const fd = openSync(unfinished, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(unfinished, place);
  sync(folder);
  sync(dirname(folder));
}

/** Undefined where it is not kept here. Throws PackError where it is, and is not that pack. */
export function keptPack(ledger: string, root: string): HarnessPack | undefined {
  const place = packPlace(ledger, root);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > MOST_ARCHIVE) throw new PackError('TOO_LARGE', 'not a pack', place);
  const pack = openPack(readFileSync(place));
  if (pack.hashes.root !== root)
    throw new PackError('WRONG_HASH', 'is not the pack that its name says', place);
  return pack;
}

/** A name is durable once its folder is. */
function sync(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
