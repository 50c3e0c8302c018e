// Decodes the copy of a compressed body, within a bound: what was compressed by a stranger may be any size. The bytes that
// are passed on are never touched.
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface Decoder {
  /** What these bytes add. Undefined once the copy can't be followed: a coding that is broken, or far too much. */
  push(chunk: Uint8Array): Promise<Uint8Array | undefined>;
  /** It can't be followed behind what was given last. */
  readonly lost: boolean;
  close(): void;
}

const CODINGS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};

type Undone = { readonly buffer: Uint8Array; readonly engine: { readonly bytesWritten: number } };
type Undo = (
  body: Uint8Array,
  options: { readonly maxOutputLength: number; readonly info: true },
  done: (error: Error | null, undone: Undone | undefined) => void,
) => void;

/** Newer versions of Node know zstd. */
const UNDO = new Map<string, Undo | undefined>(
  Object.entries({
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    deflate: zlib.inflate,
    br: zlib.brotliDecompress,
    zstd: (zlib as { zstdDecompress?: unknown }).zstdDecompress,
  } as Record<string, unknown>) as [string, Undo][],
);

/**
 * A whole body, decoded. Undefined where it can't be: a coding that is not known here, or several; one that breaks off,
 * or has bytes behind its end, about which readers differ; or more than `most`.
 */
export function decodeBody(
  encoding: string | undefined,
  body: Uint8Array,
  most: number,
): Promise<Uint8Array | undefined> | Uint8Array {
  const coding = encoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return body;
  const undo = UNDO.get(coding);
  if (undo === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    undo(body, { maxOutputLength: most, info: true }, (error, undone) => {
      const isWhole = error === null && undone?.engine.bytesWritten === body.length;
      resolve(isWhole ? undone?.buffer : undefined);
    });
  });
}

/** Null where there is nothing to decode; `unknown` for a coding that is not known here, or several. */
export function openDecoder(encoding: string | undefined, most: number): Decoder | null | 'unknown' {
  const coding = encoding?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return null;
  const make = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
  return make === undefined ? 'unknown' : decoderOf(make(), most);
}

function decoderOf(stream: Transform, most: number): Decoder {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let lost = false;
  let wake = (): void => undefined;
  const lose = (): void => {
    lost = true;
    stream.destroy();
    wake();
  };
  // What came before it broke was made of the bytes at hand, and others may make the same of them.
  stream.on('error', lose);
  stream.on('data', (piece: Uint8Array) => {
    size += piece.length;
    if (size <= most) pieces.push(piece);
    else {
      pieces = [];
      lose();
    }
  });
  return {
    get lost() {
      return lost;
    },
    async push(chunk) {
      if (lost) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        stream.write(chunk, () => resolve());
      });
      // What was made of the chunk is told before its end is, or right behind it.
      await new Promise((resolve) => setImmediate(resolve));
      if (lost && pieces.length === 0) return undefined;
      const decoded = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
      pieces = [];
      return decoded;
    },
    close() {
      lost = true;
      stream.destroy();
    },
  };
}
