// `release`: one form, and nothing but ParseError for anything else.
import { describe, expect, it } from 'vitest';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import { encodeRelease, parseRelease, type Release } from '../../src/format/index.ts';

const HASH = 'c'.repeat(64);
const release: Release = {
  name: 'v1.2.0',
  files: [
    { path: '../bin/node', role: 'tool', sha256: HASH, bytes: 9 },
    { path: 'dist/a.js', role: 'artifact', sha256: HASH, bytes: 12 },
  ],
  by: 'ada',
};
const payload = encodeRelease(release);
const [tool, artifact] = payload.files as JsonObject[];

describe('release', () => {
  it('O12 has one form', () => {
    expect(parseRelease(payload)).toEqual(release);
  });

  it.each<[string, JsonObject]>([
    ['a member more', { ...payload, more: 1 }],
    ['no name', { ...payload, name: null }],
    ['no file', { ...payload, files: [] }],
    ['no artifact', { ...payload, files: [tool ?? {}] }],
    ['a file twice', { ...payload, files: [artifact ?? {}, artifact ?? {}] }],
    ['another order', { ...payload, files: [artifact ?? {}, tool ?? {}] }],
    ['another role', { ...payload, files: [{ ...artifact, role: 'test' }] }],
    ['half a hash', { ...payload, files: [{ ...artifact, sha256: HASH.slice(32) }] }],
    ['a file with a member more', { ...payload, files: [{ ...artifact, mode: 1 }] }],
    [
      'too many files',
      { ...payload, files: Array.from({ length: 151 }, (_, i) => ({ ...artifact, path: `f${1000 + i}` })) },
    ],
  ])('O12 is refused: %s', (_, changed) => {
    expect(() => parseRelease(changed)).toThrow(ParseError);
  });
});
