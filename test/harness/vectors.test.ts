// spec/vectors/pack: packs and disclosures that another implementation made from the specification. It computed the
// hashes, and built each refused pack so that it has one fault only.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../../src/core/index.ts';
import { encodeTar, fileHashes, openDisclosure } from '../../src/format/index.ts';
import { encodePack, openPack } from '../../src/harness/index.ts';
import { tarFile, tarOf } from '../format/tar-writer.ts';
import { gzipped, packVectors, readVector, refusalOf } from './pack-vectors.ts';

const { accepted, refused, disclosures } = packVectors;
const kept = refused.flatMap(({ file, ...each }) => (file === undefined ? [] : [{ ...each, file }]));

describe('packs that must be accepted', () => {
  it.each(accepted)('C2 $name has the hashes that another implementation computed', (vector) => {
    const { hashes, files } = openPack(readVector(vector.file));
    expect(fileHashes(files)).toEqual(vector.files);
    expect(hashes).toEqual({
      root: vector.root,
      packHash: vector.pack_hash_b64u,
      staticHash: vector.static_hash,
      configHash: vector.config_hash,
      toolPolicyHash: vector.tool_policy_hash,
    });
  });

  it.each(accepted)('C1 $name has the one encoding of its archive', ({ file }) => {
    const archive = readVector(file);
    const opened = openPack(archive);
    expect(Buffer.compare(encodeTar(opened.files), inflateRawSync(archive.subarray(10)))).toBe(0);
    expect(openPack(encodePack(opened))).toEqual(opened);
  });

  it('C2 have a root that covers what the pack hash does not', () => {
    const [small, rubric] = ['small', 'rubric'].map((name) => accepted.find((each) => each.name === name));
    expect(rubric?.pack_hash_b64u).toBe(small?.pack_hash_b64u);
    expect(rubric?.root).not.toBe(small?.root);
  });
});

describe('packs that must be refused', () => {
  it.each(kept)('$code: $name', ({ file, code }) => {
    expect(refusalOf(() => openPack(readVector(file)))).toBe(code);
  });

  it('TOO_MANY_FILES: too-many-files', () => {
    const names = Array.from({ length: 20_001 }, (_, i) => `static/${String(i + 1).padStart(5, '0')}`);
    const members = names.map((name) => tarFile(name));
    expect(refusalOf(() => openPack(gzipped(tarOf(...members))))).toBe('TOO_MANY_FILES');
    // One less has no other fault than that it is no pack.
    expect(refusalOf(() => openPack(gzipped(tarOf(...members.slice(1)))))).toBe('NO_MANIFEST');
  });

  it('are there for every code that the specification gives a reader', () => {
    const page = readFileSync(join(import.meta.dirname, '../../spec/pack.md'), 'utf8');
    const codes = [...page.matchAll(/\(`([A-Z_]+)`\)/g)].map(([, code = '']) => code);
    // Said of making a pack, not of reading one.
    const wanted = new Set(codes.filter((code) => code !== 'SECRET'));
    expect(wanted.size).toBeGreaterThan(15);
    expect([...new Set(refused.map(({ code }) => code))].sort()).toEqual([...wanted].sort());
  });

  it('are all in the index', () => {
    const folder = join(import.meta.dirname, '../../spec/vectors/pack');
    const files = ['accepted', 'refused'].flatMap((each) =>
      readdirSync(join(folder, each)).map((name) => `${each}/${name}`),
    );
    expect([...accepted, ...kept].map(({ file }) => file).sort()).toEqual(files.sort());
  });
});

describe('disclosures', () => {
  it.each(disclosures.filter(({ valid }) => valid))('C2 accepts $name', ({ disclosure }) => {
    const opened = openDisclosure(disclosure);
    expect(opened.root).toBe(disclosure.root);
    expect(opened.path).toBe(disclosure.path);
    expect(Buffer.from(opened.bytes).toString('base64')).toBe(disclosure.content_b64);
  });

  it.each(disclosures.filter(({ valid }) => !valid))('refuses $name', ({ disclosure }) => {
    expect(() => openDisclosure(disclosure)).toThrow(ParseError);
  });
});
