// The hash that foil.cjs starts with, against the one that everything else uses.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as node from '../../src/core/platform/node.ts';
import * as start from '../../src/core/platform/start.ts';

describe('the platform of the first milliseconds', () => {
  it('exports the same names', () => {
    expect(Object.keys(start).sort()).toEqual(Object.keys(node).sort());
  });

  it('is SHA-256 by the examples of FIPS 180-4', () => {
    expect(start.sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(start.sha256Hex('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
    expect(start.sha256Hex('a'.repeat(1_000_000))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    );
  });

  it('gives what node gives for every length over three blocks', () => {
    for (let length = 0; length <= 200; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      expect(start.sha256Hex(data), `${length} bytes`).toBe(node.sha256Hex(data));
      expect(start.sha256(data)).toEqual(node.sha256(data));
    }
  });

  it('gives what node gives for anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.string({ unit: 'grapheme' }), (data, text) => {
        expect(start.sha256Hex(data)).toBe(node.sha256Hex(data));
        expect(start.sha256Hex(text)).toBe(node.sha256Hex(text));
        const stream = start.sha256Stream();
        stream.update(data.subarray(0, 100));
        stream.update(data.subarray(100));
        expect(stream.hex()).toBe(node.sha256Hex(data));
        const [a, b] = [new Uint8Array(40), new Uint8Array(40)];
        start.sha256Into(data, a, 4);
        node.sha256Into(data, b, 4);
        expect(a).toEqual(b);
      }),
    );
  });

  it('keeps node:crypto, streams and threads out of what every hook loads', () => {
    const loadedBy = (file: string): string[] => {
      const built = readFileSync(join(import.meta.dirname, '../../dist', file), 'utf8');
      return [...new Set([...built.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name ?? ''))].sort();
    };
    expect(loadedBy('foil.cjs')).toEqual(['node:fs', 'node:vm']);
    expect(loadedBy('start.script')).toEqual(['node:fs', 'node:path']);
  });

  it('is one file that a shell can start, and functions in pure ASCII', () => {
    const dist = join(import.meta.dirname, '../../dist');
    expect(readFileSync(join(dist, 'foil.cjs'), 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
    const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.script'),
    );
    expect(scripts).toEqual(expect.arrayContaining(['start.script', 'gate.script', 'cli/main.script']));
    for (const name of scripts)
      expect(/^[\0-\x7f]*$/.test(readFileSync(join(dist, name), 'latin1')), name).toBe(true);
  });

  it('has a gate of at most 400 kB, without the grammar of a shell', () => {
    const dist = join(import.meta.dirname, '../../dist');
    expect(statSync(join(dist, 'gate.script')).size).toBeLessThanOrEqual(400_000);
    // Words of the shell's grammar: see scripts/read-commands-later.mjs.
    const isIn = (name: string): boolean =>
      readFileSync(join(dist, name), 'latin1').includes('"CommandExpansion"');
    expect([isIn('gate.script'), isIn('core.script'), isIn('lines.script')]).toEqual([false, false, true]);
  });
});
