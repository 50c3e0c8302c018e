// Checks a proof bundle without Node: what opens its pack is the platform's own stream, which browsers and Node both have.
import {
  BUNDLE_PARTS,
  type HarnessPack,
  PackError,
  parseTar,
  readPackFiles,
  type TreeFile,
} from '../format/index.ts';
import { type BundleOptions, type BundleReport, verifyBundle as verify } from '../verify/index.ts';

/** As in src/harness/archive.ts: a gzip header without a name, a time or a comment. */
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
const MOST_TAR = 512 * 1024 * 1024;

/** Never rejects for what is in the file. */
export async function verifyBundle(
  bundle: Uint8Array | readonly TreeFile[],
  options: Omit<BundleOptions, 'openPack'>,
): Promise<BundleReport> {
  const archive = packIn(bundle);
  if (archive === undefined) return verify(bundle, options);
  let opened: HarnessPack | PackError;
  try {
    opened = readPackFiles(parseTar(await unpacked(archive)));
  } catch (error) {
    if (!(error instanceof PackError)) throw error;
    opened = error;
  }
  return verify(bundle, {
    ...options,
    openPack() {
      if (opened instanceof PackError) throw opened;
      return opened;
    },
  });
}

/** Undefined also where the bundle can't be read, which the verifier has words for. Nothing is hashed for it. */
function packIn(bundle: Uint8Array | readonly TreeFile[]): Uint8Array | undefined {
  try {
    const files = bundle instanceof Uint8Array ? parseTar(bundle) : bundle;
    return files.find(({ path }) => path === BUNDLE_PARTS.pack)?.bytes;
  } catch (error) {
    if (error instanceof PackError) return undefined;
    throw error;
  }
}

async function unpacked(archive: Uint8Array): Promise<Uint8Array> {
  if (HEADER.some((byte, i) => archive[i] !== byte))
    throw new PackError('NOT_GZIP', 'not a gzip file, or one with a name, a time or a comment in its header');
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Blob([archive as Uint8Array<ArrayBuffer>]).stream();
  const reader = stream.pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > MOST_TAR) throw new PackError('BOMB', `unpacks to more than ${MOST_TAR} bytes`);
      pieces.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof PackError) throw error;
    throw new PackError('NOT_GZIP', 'is damaged, or cut short: it does not unpack');
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
