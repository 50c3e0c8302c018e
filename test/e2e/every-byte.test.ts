// What flipping bytes of a small ledger does, here at one byte in seven; every-byte.slow.test.ts does it at every byte.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeHex } from '../../src/core/index.ts';
import type { Report } from '../../src/verify/index.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { attempt, copyWithFlip, flipEach, foil, named, smallLedger, withSmallLedger } from './every-byte.ts';

withSmallLedger();

describe('K6a one byte of a ledger made by the command flipped, at one byte in seven', () => {
  flipEach(7);

  it('through the command: exit 4 for a segment, a tile, a checkpoint, content; 0 for the head, which an append rebuilds', () => {
    for (const path of [
      ...named(/\.jsonl$/),
      ...named(/^tile\//),
      'checkpoint',
      ...named(/^checkpoints\//),
      ...named(/^blobs\//),
    ]) {
      const { exit, output } = attempt(['verify'], copyWithFlip(path, 40));
      expect([path, exit]).toEqual([path, 4]);
      expect(output).toContain('BROKEN');
      expect(output).toContain(path);
    }
    const copy = copyWithFlip('head', 40);
    expect(attempt(['verify'], copy).exit).toBe(0);
    expect(attempt(['append', 'note'], copy).exit).toBe(0);
    const report = JSON.parse(foil(['verify', '--json'], copy)) as Report;
    expect(report.facets.truncation.findings.map(({ code }) => code)).not.toContain('HEAD_DAMAGED');
  });

  it('a flipped private key: sealing refuses', () => {
    const [path = ''] = named(/^keys\//);
    const { exit, output } = attempt(['checkpoint'], copyWithFlip(path, 60));
    expect(exit).toBe(1);
    expect(output).toMatch(/key/);
    expect(output).not.toContain(encodeHex(smallLedger().key.publicKey));
  });

  it('a valid head that is ahead of the log: appends refuse, BROKEN', () => {
    const copy = join(temporary(fastDirectory), 'copy');
    cpSync(smallLedger().directory, copy, { recursive: true });
    const [segment = ''] = named(/\.jsonl$/).slice(-1);
    const bytes = readFileSync(join(copy, segment));
    writeFileSync(join(copy, segment), bytes.subarray(0, bytes.lastIndexOf(0x0a, bytes.length - 2) + 1));
    const append = attempt(['append', 'note'], copy);
    expect(append.exit).toBe(1);
    expect(append.output).toContain('foil recover');
    const verify = attempt(['verify'], copy);
    expect(verify.exit).toBe(4);
    expect(verify.output).toContain('HEAD_AHEAD');
  });
});
