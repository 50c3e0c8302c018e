// What takes too long for every run.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../src/core/platform/browser.ts';

it('SHA-256 of browsers: a length in bits that takes more than 32 of them', () => {
  const large = new Uint8Array(2 ** 29 + 3);
  expect(sha256Hex(large)).toBe(createHash('sha256').update(large).digest('hex'));
});
