// The form of attestations and of artifacts: what is written is read back, and everything else is refused, by the parser
// and, as far as a schema can, by the JSON Schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { sha256, utf8Encode } from '#platform';
import {
  canonicalize,
  encodeBase64Url,
  type JsonObject,
  leafHash,
  nodeHash,
  ParseError,
} from '../../src/core/index.ts';
import {
  artifactRoot,
  encodeArtifacts,
  encodeAttestation,
  PackError,
  parseArtifacts,
  parseAttestation,
  parseSignedAttestation,
} from '../../src/format/index.ts';
import { goodAttestation, signed, signedText } from './attestations.ts';

const SCHEMA = join(import.meta.dirname, '../../spec/schema/verification_attestation.v1.json');
const isValid = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
}).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);

const good = encodeAttestation(goodAttestation());
const rubric = encodeAttestation(
  goodAttestation({ method: 'rubric', tests: null, sandbox: null, base: null, artifacts: 0, leftOut: 0 }),
);
const sandbox = good.sandbox as JsonObject;

describe('C10 an attestation', () => {
  it.each([good, rubric, { ...good, attester_did: 'did:web:attest.example.org%3A8443:team' }])(
    'C17 is read as it was written, and fits its schema',
    (value) => {
      expect(encodeAttestation(parseAttestation(value))).toEqual(value);
      isValid(value);
      expect(isValid.errors ?? []).toEqual([]);
    },
  );

  it.each<[string, JsonObject]>([
    ['another schema', { schema: 'verification_attestation.v2' }],
    ['another type', { attestation_type: 'opinion' }],
    ['an added member', { note: 'x' }],
    ['an id in capitals', { attestation_id: 'A'.repeat(32) }],
    ['a run id cut short', { run_id: '1'.repeat(63) }],
    ['a pack hash with padding', { pack_hash_b64u: `${'A'.repeat(43)}=` }],
    ['an artifact hash with stray bits', { artifact_hash_b64u: `${'A'.repeat(42)}B` }],
    ['a negative count', { artifacts: -1 }],
    ['a commit that is a branch', { base: { commit: 'main', tree: null } }],
    ['dependencies in words', { dependencies: 'npm' }],
    ['another method', { verification_method: 'looked_fine' }],
    ['another result', { result: 'pass' }],
    ['no tests', { tests: null }],
    ['no listed test', { tests: { listed: 0, passed: 0, failed: 0, missing: 0 } }],
    ['attempt 0', { attempt: 0 }],
    ['a long reason', { reason: 'x'.repeat(513) }],
    ['no sandbox', { sandbox: null }],
    ['tests of a rubric', { verification_method: 'rubric' }],
    [
      'a limit by nothing',
      { sandbox: { ...sandbox, limits: [{ name: 'x', value: 1, rests_on: 'unbounded' }] } },
    ],
    [
      'no limit by something',
      { sandbox: { ...sandbox, limits: [{ name: 'x', value: null, rests_on: 'timer' }] } },
    ],
    ['an attester by name', { attester_did: 'Alice' }],
    ['a did of another method', { attester_did: 'did:ion:abc' }],
    ['a date without a zone', { issued: '2026-11-16T10:00:00.000' }],
  ])('C17 is refused by parser and schema with %s', (_, change) => {
    const value = { ...good, ...change };
    expect(() => parseAttestation(value)).toThrow(ParseError);
    expect(isValid(value)).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['PASS with a failed test', { tests: { listed: 2, passed: 1, failed: 1, missing: 0 } }],
    ['counts that do not add up', { result: 'FAIL', tests: { listed: 3, passed: 2, failed: 0, missing: 0 } }],
    ['more left out than there is', { left_out: 4 }],
    ['an end before its beginning', { expires: '2026-11-16T10:00:00.000Z' }],
  ])('is refused with %s', (_, change) => {
    expect(() => parseAttestation({ ...good, ...change })).toThrow(ParseError);
  });

  it('C17 is as the example of the specification', () => {
    const page = readFileSync(join(import.meta.dirname, '../../spec/attestation.md'), 'utf8');
    const text = (/```json\n(.*)\n```/.exec(page)?.[1] ?? '')
      .replaceAll(/("[a-z_]+_b64u"):"…"/g, `$1:"${'A'.repeat(43)}"`)
      .replace('"commit":"…"', `"commit":"${'0'.repeat(40)}"`)
      .replaceAll('"…"', `"${'0'.repeat(64)}"`);
    const example = JSON.parse(text) as JsonObject;
    expect(canonicalize(encodeAttestation(parseAttestation(example)))).toBe(text);
    isValid(example);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it.each(Object.keys(good))('C17 is refused without %s', (name) => {
    const { [name]: _, ...others } = good;
    expect(() => parseAttestation(others)).toThrow(ParseError);
    expect(isValid(others)).toBe(false);
  });

  it('is an envelope of its own type, in one encoding, and not too long', () => {
    const bytes = signed();
    expect(parseSignedAttestation(bytes).attestation).toEqual(goodAttestation());
    const text = Buffer.from(bytes).toString();
    for (const other of [
      `${text}\n`,
      ` ${text}`,
      `${' '.repeat(70_000)}${text}`,
      '{}',
      '',
      '[['.repeat(20_000),
    ])
      expect(() => parseSignedAttestation(utf8Encode(other))).toThrow(ParseError);
    expect(() => parseSignedAttestation(signedText(canonicalize(good), undefined, 'text/plain'))).toThrow(
      /not of the type/,
    );
    expect(() => parseSignedAttestation(signedText(JSON.stringify(good)))).toThrow(ParseError);
  });
});

describe('C10 artifacts', () => {
  const files = [
    { path: 'src/b.js', bytes: utf8Encode('b') },
    { path: 'src/a.js', bytes: utf8Encode('a') },
  ];

  it('have the Merkle root of [path, sha256] as their hash, in whichever order they come', () => {
    const leaf = (path: string, bytes: Uint8Array): Uint8Array =>
      leafHash(utf8Encode(canonicalize([path, Buffer.from(sha256(bytes)).toString('hex')])));
    const expected = nodeHash(leaf('src/a.js', utf8Encode('a')), leaf('src/b.js', utf8Encode('b')));
    expect(artifactRoot(files)).toBe(encodeBase64Url(expected));
    expect(artifactRoot([...files].reverse())).toBe(artifactRoot(files));
    expect(artifactRoot(files.slice(1))).not.toBe(artifactRoot(files));
  });

  it('travel as a tar that holds nothing but outputs', () => {
    const archive = encodeArtifacts(files);
    expect(parseArtifacts(archive, ['src/**']).map(({ path }) => path)).toEqual(['src/a.js', 'src/b.js']);
    expect(() => parseArtifacts(archive, ['src/a.js'])).toThrow(PackError);
    expect(() => parseArtifacts(archive, [])).toThrow(/outputs/);
  });
});
