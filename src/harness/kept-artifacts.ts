// Artifacts beside the ledger, each set once, under its hash: whoever knows a run finds what it made. Written whole and
// durable before an entry names them.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  artifactRoot,
  encodeArtifacts,
  PackError,
  parseArtifacts,
  type RunArtifacts,
} from '../format/index.ts';
import { findArtifacts } from './artifacts.ts';
import { writeWhole } from './kept-packs.ts';

const FOLDER = 'artifacts';
const MOST_ARCHIVE = 1024 * 1024 * 1024;

/** `hash` is in base64url, so it can be a name. */
function artifactPlace(ledger: string, hash: string): string {
  if (!/^[\w-]{43}$/.test(hash)) throw new RangeError('a hash has 43 letters of base64url');
  return join(ledger, FOLDER, `${hash}.tar`);
}

/** The files that the outputs name in a work tree, as they are now. Throws PackError where they can't be taken. */
export function keepArtifacts(ledger: string, root: string, outputs: readonly string[]): RunArtifacts {
  const files = findArtifacts(root, outputs);
  const artifactHash = artifactRoot(files);
  const place = artifactPlace(ledger, artifactHash);
  if (statSync(place, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    writeWhole(place, encodeArtifacts(files));
  }
  return {
    artifactHash,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}

/** The archive; undefined where they are not kept here. Throws PackError where they are others than their name says. */
export function keptArtifacts(
  ledger: string,
  hash: string,
  outputs: readonly string[],
): Uint8Array | undefined {
  const place = artifactPlace(ledger, hash);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > MOST_ARCHIVE) throw new PackError('TOO_LARGE', 'no artifacts', place);
  const archive = readFileSync(place);
  if (artifactRoot(parseArtifacts(archive, outputs)) !== hash)
    throw new PackError('WRONG_HASH', "doesn't hold the artifacts that its name says", place);
  return archive;
}
