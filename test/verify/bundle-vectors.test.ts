// spec/vectors/bundle: bundles that must pass, and bundles that must not, each with every code that is found. They are made
// anew here and must come out as the same bytes. UPDATE_VECTORS=1 writes them.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUNDLE_CODES } from '../../src/verify/index.ts';
import { attestedBundles } from './attested-bundles.ts';
import { committedBundles } from './committed-bundles.ts';
import { gatedBundles } from './gated-bundles.ts';
import { goodBundles, NOW } from './make-bundles.ts';
import {
  type BundleVector,
  FOLDER,
  ONLY_HERE,
  readBundle,
  readCases,
  saidOf,
  verified,
} from './run-bundles.ts';
import { wrongBundles } from './wrong-bundles.ts';

const cases = [
  ...goodBundles(),
  ...attestedBundles(),
  ...gatedBundles(),
  ...committedBundles(),
  ...wrongBundles(),
];
const MOST_BYTES = 2_800_000;
const isBundle = (name: string): boolean => name.endsWith('.bundle');

/** Those that are kept. Bundles that differ in what is trusted alone share a file. */
function vectors(): (BundleVector & { readonly bytes: Uint8Array })[] {
  const files = new Map<string, string>();
  return cases
    .filter(({ name }) => !ONLY_HERE.has(name))
    .map(({ name, done, bytes, trust, expect }) => {
      const content = Buffer.from(bytes).toString('latin1');
      const file = files.get(content) ?? `${name}.bundle`;
      files.set(content, file);
      return { name, file, done, trust, now: NOW, expect, bytes };
    });
}

const made = vectors();

if (process.env.UPDATE_VECTORS === '1') {
  // The encrypted pack lies there, too, and can't be made again.
  for (const name of readdirSync(FOLDER).filter(isBundle)) rmSync(join(FOLDER, name));
  for (const { file, bytes } of made) writeFileSync(join(FOLDER, file), bytes);
  const lines = made.map(({ bytes: _, ...vector }) => JSON.stringify(vector));
  writeFileSync(join(FOLDER, 'cases.json'), `[\n${lines.join(',\n')}\n]\n`);
}

const kept = readCases();

describe('spec/vectors/bundle', () => {
  it('is made as the maker makes it', () => {
    expect(kept).toEqual(made.map(({ bytes: _, ...vector }) => vector));
    for (const { name, file, bytes } of made)
      expect(Buffer.compare(readBundle({ file }), bytes), name).toBe(0);
    const files = readdirSync(FOLDER).filter(isBundle);
    expect(files.sort()).toEqual([...new Set(kept.map(({ file }) => file))].sort());
    const bytes = readdirSync(FOLDER).reduce((sum, name) => sum + statSync(join(FOLDER, name)).size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('C5 has a bundle for every code', () => {
    const found = new Set(kept.flatMap(({ expect: { codes } }) => codes));
    expect(Object.keys(BUNDLE_CODES).filter((code) => !found.has(code))).toEqual([]);
  });

  it('names every case once, and leaves out only what there is', () => {
    const names = cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...ONLY_HERE].filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(kept)('$expect.verdict: $name', (vector) => {
    const report = verified(readBundle(vector), vector.trust, vector.now);
    expect(saidOf(report)).toEqual(vector.expect);
  });
});

describe('bundles that are not kept', () => {
  it.each(cases.filter(({ name }) => ONLY_HERE.has(name)))('$expect.verdict: $name', (each) => {
    expect(saidOf(verified(each.bytes, each.trust, NOW))).toEqual(each.expect);
  });
});
