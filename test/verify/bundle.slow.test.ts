// A pack that unpacks to more than anybody wants to hold, in a bundle that is signed.
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { MOST_BYTES } from '../../src/format/index.ts';
import { gzipped } from '../harness/pack-vectors.ts';
import { failing, made, NOW, STRICT } from './make-bundles.ts';
import { saidOf, verified } from './run-bundles.ts';

it('PACK_WRONG: a bomb', () => {
  const bomb = gzipped(new Uint8Array(0), deflateRawSync(new Uint8Array(2 * MOST_BYTES + 1)));
  const {
    bytes,
    trust,
    expect: expected,
  } = made(
    'bomb',
    '',
    failing('PACK_WRONG'),
    { pack: STRICT },
    {
      change: ({ parts }) => void parts.set('harness-pack.tar.gz', bomb),
    },
  );
  const report = verified(bytes, trust, NOW);
  expect(saidOf(report)).toEqual(expected);
  expect(report.findings[0]?.message).toContain('unpacks to more than');
});
