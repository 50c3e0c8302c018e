// Conformance vectors of other projects, kept beside this one at ../shared/vectors (transparency-dev/merkle and
// cyberphone/json-canonicalization). They are not part of the package; without them these tests say so and are skipped.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  canonicalize,
  encodeHex,
  parseCanonicalJson,
  verifyConsistency,
  verifyInclusion,
} from '../../src/core/index.ts';

const root = join(import.meta.dirname, '../../../shared/vectors');

function files(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.json')).sort();
}

interface Vector {
  readonly desc: string;
  readonly wantErr: boolean;
  readonly proof: readonly string[] | null;
}
type Inclusion = Vector & { leafIdx: number; treeSize: number; root: string; leafHash: string };
type Consistency = Vector & { size1: number; size2: number; root1: string; root2: string };

const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as T;
const decode = (text: string | null): Uint8Array => new Uint8Array(Buffer.from(text ?? '', 'base64'));

function suite(name: string, directory: string, least: number, run: (file: string) => void): void {
  const found = files(join(root, directory));
  const skipped = found.length === 0;
  describe.skipIf(skipped)(skipped ? `${name}: skipped, no ../shared/vectors/${directory}` : name, () => {
    it('are all there', () => expect(found.length).toBeGreaterThanOrEqual(least));
    it.each(skipped ? ['none'] : found)('%s', run);
  });
}

suite('inclusion proofs of transparency-dev/merkle', 'merkle/inclusion', 90, (file) => {
  const vector = read<Inclusion>('merkle/inclusion', file);
  const proof = (vector.proof ?? []).map(decode);
  const { leafIdx, treeSize } = vector;
  expect(verifyInclusion(leafIdx, treeSize, decode(vector.leafHash), proof, decode(vector.root))).toBe(
    !vector.wantErr,
  );
});

suite('consistency proofs of transparency-dev/merkle', 'merkle/consistency', 90, (file) => {
  const vector = read<Consistency>('merkle/consistency', file);
  const proof = (vector.proof ?? []).map(decode);
  const { size1, size2, root1, root2 } = vector;
  expect(verifyConsistency(size1, decode(root1), size2, decode(root2), proof)).toBe(!vector.wantErr);
});

suite('RFC 8785 vectors of cyberphone/json-canonicalization', 'jcs/input', 6, (file) => {
  const text = canonicalize(read('jcs/input', file));
  const expected = readFileSync(join(root, 'jcs/output', file));
  expect(text).toBe(expected.toString('utf8'));
  const hex = readFileSync(join(root, 'jcs/outhex', file.replace(/json$/, 'txt')), 'utf8').replaceAll(
    /\s/g,
    '',
  );
  expect(encodeHex(new TextEncoder().encode(text))).toBe(hex);
  expect(canonicalize(parseCanonicalJson(expected))).toBe(text);
});
