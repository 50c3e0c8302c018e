// A pack as one file, harness-pack.tar.gz. Written by a compressor that is pinned, because zlib's output is not the same
// on every machine; read by zlib itself, one member with a plain header and nothing behind it.
import { crc32, inflateRawSync } from 'node:zlib';
import { gzipSync } from 'fflate';
import {
  encodeTar,
  type HarnessPack,
  MOST_BYTES,
  PackError,
  parseTar,
  readPackFiles,
} from '../format/index.ts';

export const PACK_FILE = 'harness-pack.tar.gz';
/** A compressed pack is never larger than this; its files may take MOST_BYTES, and a block more each. */
export const MOST_ARCHIVE = MOST_BYTES;
const MOST_TAR = 2 * MOST_BYTES;
const LEVEL = 6;
const TRAILER = 8;
/** Magic, deflate, no flags, no time, level 6, Unix. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);

export function encodePack({ files }: HarnessPack): Uint8Array {
  return gzip(encodeTar(files));
}

/** Throws PackError for anything but a pack that holds. */
export function openPack(archive: Uint8Array): HarnessPack {
  if (archive.length > MOST_ARCHIVE)
    throw new PackError('TOO_LARGE', `a pack has at most ${MOST_ARCHIVE} bytes`);
  return readPackFiles(parseTar(gunzip(archive, MOST_TAR)));
}

/** The same bytes for the same tar, on every machine. */
export function gzip(tar: Uint8Array): Uint8Array {
  return gzipSync(tar, { level: LEVEL, mtime: 0 });
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === HEADER[0] && bytes[1] === HEADER[1];
}

/** What `gzip` made, of at most so many bytes. Throws PackError for anything else. */
export function gunzip(archive: Uint8Array, most: number): Uint8Array {
  if (HEADER.some((byte, i) => archive[i] !== byte))
    throw new PackError('NOT_GZIP', 'the file is not gzip, or has a name, a time or a comment in its header');
  let content: Uint8Array;
  let used: number;
  try {
    const { buffer, engine } = inflateRawSync(archive.subarray(HEADER.length), {
      maxOutputLength: most,
      info: true,
    }) as unknown as { buffer: Uint8Array; engine: { bytesWritten: number } };
    [content, used] = [buffer, engine.bytesWritten];
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE')
      throw new PackError('BOMB', `the file unpacks to more than ${most} bytes`);
    throw new PackError('NOT_GZIP', 'the file is damaged or cut short: it does not unpack');
  }
  const trailer = archive.subarray(HEADER.length + used);
  if (trailer.length !== TRAILER)
    throw new PackError(
      trailer.length < TRAILER ? 'NOT_GZIP' : 'TRAILING',
      trailer.length < TRAILER ? 'the file is cut short' : 'there is something after the packed files',
    );
  const view = new DataView(trailer.buffer, trailer.byteOffset);
  if (view.getUint32(0, true) !== crc32(content) || view.getUint32(4, true) !== content.length)
    throw new PackError('NOT_GZIP', 'the file is damaged: its checksum or its length is wrong');
  return content;
}
