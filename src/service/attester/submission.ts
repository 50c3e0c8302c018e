// What is posted to an attester: one canonical tar (spec/pack.md) with the pack, the bundle and the artifacts, so that the
// same submission always has the same bytes, and its SHA-256 is a name for it.
import { encodeTar, PackError, parseTar, type TreeFile } from '../../format/index.ts';
import { ENCRYPTED_FILE, PACK_FILE } from '../../harness/index.ts';

export interface Submission {
  readonly pack: Uint8Array;
  readonly bundle: Uint8Array;
  readonly artifacts: Uint8Array;
}

const BUNDLE_FILE = 'bundle.tar';
const ARTIFACTS_FILE = 'artifacts.tar';
const OPEN_BRACE = 0x7b;

/** Throws PackError where the parts are too large together. */
export function encodeSubmission({ pack, bundle, artifacts }: Submission): Uint8Array {
  const name = pack[0] === OPEN_BRACE ? ENCRYPTED_FILE : PACK_FILE;
  return encodeTar([
    { path: name, bytes: pack },
    { path: BUNDLE_FILE, bytes: bundle },
    { path: ARTIFACTS_FILE, bytes: artifacts },
  ]);
}

/** Throws PackError for anything but exactly the three files. Nothing is said of what is in them. */
export function parseSubmission(body: Uint8Array): Submission {
  const files = parseTar(body);
  const known = [PACK_FILE, ENCRYPTED_FILE, BUNDLE_FILE, ARTIFACTS_FILE];
  const stray = files.find(({ path }) => !known.includes(path));
  if (stray !== undefined) throw new PackError('STRAY_FILE', 'does not belong in a submission', stray.path);
  const packs = files.filter(({ path }) => path === PACK_FILE || path === ENCRYPTED_FILE);
  if (packs.length > 1)
    throw new PackError('STRAY_FILE', 'a submission must have exactly one pack, encrypted or not');
  return {
    pack: part(packs, packs[0]?.path ?? PACK_FILE),
    bundle: part(files, BUNDLE_FILE),
    artifacts: part(files, ARTIFACTS_FILE),
  };
}

function part(files: readonly TreeFile[], name: string): Uint8Array {
  const found = files.find(({ path }) => path === name);
  if (found === undefined) throw new PackError('MISSING_FILE', 'is not in the submission', name);
  return found.bytes;
}
