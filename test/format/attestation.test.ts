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
import { goodAttestation, judgedAttestation, signed, signedText } from './attestations.ts';

const SCHEMA = join(import.meta.dirname, '../../spec/schema/verification_attestation.v1.json');
const isValid = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
}).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);

const good = encodeAttestation(goodAttestation());
const rubric = encodeAttestation(judgedAttestation());
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

  const judged = (changes: JsonObject): JsonObject => ({
    ...rubric,
    rubric: { ...(rubric.rubric as JsonObject), ...changes },
  });
  const votes = (...scores: (number | null)[]): JsonObject[] =>
    scores.map((score, i) => ({ seq: i + 1, entry_hash: '0'.repeat(64), score }));
  it.each<[string, JsonObject]>([
    ['no rubric', (({ rubric: _, ...rest }) => rest)(rubric)],
    ['a rubric beside tests', { ...good, rubric: rubric.rubric as JsonObject }],
    ['tests beside a rubric', { ...rubric, tests: good.tests as JsonObject }],
    ['a sandbox beside a rubric', { ...rubric, sandbox }],
    ['files that the judge did not get', { ...rubric, left_out: 1 }],
    ['a rubric with more in it', judged({ note: 'x' })],
    ['a score above 100', judged({ score: 101 })],
    ['a score that is not whole', judged({ score: 84.5 })],
    ['a threshold of 0', judged({ threshold: 0 })],
    ['no vote', judged({ votes: [] })],
    ['26 votes', judged({ votes: votes(...Array<number>(26).fill(85)) })],
    ['a vote in words', judged({ votes: [{ seq: 1, entry_hash: '0'.repeat(64), score: 'good' }] })],
    ['a vote without its entry', judged({ votes: [{ seq: 1, score: 85 }] })],
    ['no ledger', judged({ ledger: null })],
  ])('C12 is refused by parser and schema with %s', (_, value) => {
    expect(() => parseAttestation(value)).toThrow(ParseError);
    expect(isValid(value)).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ['a score that is not the median', judged({ score: 90 })],
    ['the mean as its score', judged({ votes: votes(85, 85, 100), score: 90 })],
    ['the upper of two medians', judged({ votes: votes(85, 90), score: 90 })],
    ['half of the votes', judged({ votes: votes(85, 85, null, null), score: 85 })],
    ['votes in another order', judged({ votes: votes(85, 85, 85).reverse() })],
    ['a vote that the checkpoint does not cover', judged({ votes: [{ ...votes(85)[0], seq: 15 }] })],
    ['PASS below the threshold', judged({ threshold: 86 })],
    ['FAIL at the threshold', { ...judged({ threshold: 85 }), result: 'FAIL' }],
  ])('C12 is refused with %s', (_, value) => {
    expect(() => parseAttestation(value)).toThrow(ParseError);
  });

  it('C12 counts a vote that is none as 0, so that it takes more than half of all votes', () => {
    const scored = (score: number, ...scores: (number | null)[]): string =>
      parseAttestation({
        ...judged({ votes: votes(...scores), score }),
        result: score < 70 ? 'FAIL' : 'PASS',
      }).result;
    expect(scored(90, 90, null, 90)).toBe('PASS');
    expect(scored(50, 90, null, 50)).toBe('FAIL');
    expect(scored(0, 100, 100, 100, null, 0, 0, 0)).toBe('FAIL');
    expect(scored(50, 90, 50)).toBe('FAIL');
    expect(scored(90, 90)).toBe('PASS');
  });

  it.each(['a test', 'a rubric'])('C17 is as the example of the specification of %s', (which) => {
    const page = readFileSync(join(import.meta.dirname, '../../spec/attestation.md'), 'utf8');
    const examples = [...page.matchAll(/```json\n(.*)\n```/g)].map(([, text]) => text ?? '');
    const text = (examples[which === 'a test' ? 0 : 1] ?? '')
      .replaceAll(/("[a-z_]+_b64u"):"…"/g, `$1:"${'A'.repeat(43)}"`)
      .replace('"commit":"…"', `"commit":"${'0'.repeat(40)}"`)
      .replaceAll('"…"', `"${'0'.repeat(64)}"`);
    const part = JSON.parse(text) as JsonObject;
    const example = which === 'a test' ? part : { ...rubric, ...part };
    expect(canonicalize(encodeAttestation(parseAttestation(example)))).toBe(canonicalize(example));
    expect(canonicalize(part)).toBe(text);
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
