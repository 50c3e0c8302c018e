// Packs of spec/vectors/pack that are too large to be kept there. They take half a gigabyte of memory while they unpack.
import { Buffer } from 'node:buffer';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openPack } from '../../src/harness/index.ts';
import { tarHeader } from '../format/tar-writer.ts';
import { gzipped, refusalOf } from './pack-vectors.ts';

describe('a pack that is too large', () => {
  const zeros = new Uint8Array(64 * 1024 * 1024);
  const piece = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH });

  /** Compressed zeros, without compressing all of them: pieces that end at a byte can stand behind each other. */
  function compressed(front: Uint8Array, pieces: number, more: number): Uint8Array {
    const rest = new Uint8Array(more);
    const stream = [
      deflateRawSync(front, { finishFlush: constants.Z_FULL_FLUSH }),
      ...Array.from({ length: pieces }, () => piece),
      deflateRawSync(rest),
    ];
    let sum = crc32(front);
    for (let i = 0; i < pieces; i++) sum = crc32(zeros, sum);
    const archive = gzipped(rest, Buffer.concat(stream));
    const view = new DataView(archive.buffer, archive.length - 8);
    view.setUint32(0, crc32(rest, sum), true);
    view.setUint32(4, front.length + pieces * zeros.length + more, true);
    return archive;
  }

  it('BOMB: bomb', () => {
    const bomb = compressed(new Uint8Array(0), 8, 1);
    expect(bomb.length).toBeLessThan(1_000_000);
    expect(refusalOf(() => openPack(bomb))).toBe('BOMB');
  });

  it('TOO_LARGE: too-large', () => {
    const size = 268_435_457;
    const large = compressed(tarHeader('static/zeros', size), 4, 1 + 511 + 1024);
    expect(refusalOf(() => openPack(large))).toBe('TOO_LARGE');
    // A byte less has no other fault than that it is no pack.
    const fits = compressed(tarHeader('static/zeros', size - 1), 4, 1024);
    expect(refusalOf(() => openPack(fits))).toBe('NO_MANIFEST');
  });
});
