// C10, C14: what an attestation is worth to a verifier. Each fault is signed again, so that the signature is not what
// catches it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, encodeDidKey } from '../../src/core/index.ts';
import { type Attestation, encodeAttestation } from '../../src/format/index.ts';
import { type AttestationCode, type AttestationOf, checkAttestation } from '../../src/verify/index.ts';
import { attesterKey, goodAttestation, signed, signedText } from '../format/attestations.ts';

const good = goodAttestation();
const NOW = Date.parse('2026-11-17T10:00:00.000Z');
const of = (changes: Partial<AttestationOf> = {}): AttestationOf => ({
  runId: good.runId,
  origin: good.origin,
  packRoot: good.packRoot,
  packHash: good.packHash,
  artifactHash: good.artifactHash,
  artifacts: good.artifacts,
  base: good.base,
  eventChainRoot: good.eventChainRoot,
  attesters: [{ key: attesterKey() }],
  now: NOW,
  ...changes,
});
const codeOf = (bytes: Uint8Array, changes: Partial<AttestationOf> = {}): AttestationCode | 'ok' => {
  const check = checkAttestation(bytes, of(changes));
  return check.ok ? 'ok' : check.code;
};
const other = attesterKey(8);
const key = attesterKey();

describe('C10 an attestation is checked', () => {
  it('counts for its run, pack and artifacts, by a trusted attester, today', () => {
    expect(checkAttestation(signed(), of())).toEqual({ ok: true, attestation: good });
    expect(codeOf(signed(), { eventChainRoot: null })).toBe('ok');
    expect(codeOf(signed(), { attesters: [{ key: other }, { key, did: good.attester }] })).toBe('ok');
    const web = { attester: 'did:web:attest.example.org' };
    expect(codeOf(signed(web), { attesters: [{ key, did: web.attester }] })).toBe('ok');
    // Clocks differ a little.
    expect(codeOf(signed(), { now: Date.parse(good.issued) - 60_000 })).toBe('ok');
  });

  it.each<[AttestationCode, string, Partial<Attestation>]>([
    ['ATTESTATION_OTHER_RUN', 'another run', { runId: 'a'.repeat(64) }],
    ['ATTESTATION_OTHER_RUN', 'another ledger', { origin: 'counterfoil/ffffffffffffffff' }],
    ['ATTESTATION_OTHER_RUN', 'other entries', { eventChainRoot: 'a'.repeat(64) }],
    ['ATTESTATION_OTHER_PACK', "another pack's root", { packRoot: 'a'.repeat(64) }],
    ['ATTESTATION_OTHER_PACK', "another pack's hash", { packHash: `${'C'.repeat(42)}A` }],
    ['ATTESTATION_OTHER_ARTIFACTS', 'other artifacts', { artifactHash: `${'C'.repeat(42)}A` }],
    ['ATTESTATION_EXPIRED', 'an end that is over', { expires: '2026-11-17T10:00:00.000Z' }],
    ['ATTESTATION_NOT_YET_VALID', 'a beginning to come', { issued: '2026-11-17T11:00:00.000Z' }],
    ['ATTESTATION_FAIL', 'FAIL', { result: 'FAIL', tests: { listed: 2, passed: 1, failed: 1, missing: 0 } }],
    ['ATTESTATION_FAIL', 'FAIL with all tests passed', { result: 'FAIL' }],
    ['ATTESTER_NOT_TRUSTED', "another's name", { attester: encodeDidKey(other.publicKey) }],
  ])('%s: %s, signed again', (code, _, changes) => {
    expect(codeOf(signed(changes))).toBe(code);
  });

  it('ATTESTATION_OTHER_…: a run without a pack or artifacts has no attestation', () => {
    expect(codeOf(signed(), { packRoot: null, packHash: null })).toBe('ATTESTATION_OTHER_PACK');
    expect(codeOf(signed(), { artifactHash: null })).toBe('ATTESTATION_OTHER_ARTIFACTS');
  });

  it('C14 is worth nothing by an attester that is not trusted, or under another name', () => {
    expect(codeOf(signed(), { attesters: [] })).toBe('ATTESTER_NOT_TRUSTED');
    expect(codeOf(signed({ attester: encodeDidKey(other.publicKey) }, other))).toBe('ATTESTER_NOT_TRUSTED');
    expect(codeOf(signed(), { attesters: [{ key, did: 'did:web:example.org' }] })).toBe(
      'ATTESTER_NOT_TRUSTED',
    );
    const web = signed({ attester: 'did:web:evil.example' });
    // Nobody here gave the key that name.
    expect(codeOf(web, { attesters: [{ key }] })).toBe('ATTESTER_NOT_TRUSTED');
    expect(codeOf(web, { attesters: [{ key, did: 'did:web:example.org' }] })).toBe('ATTESTER_NOT_TRUSTED');
  });

  it('is worth nothing unless the key of its attester signed it', () => {
    expect(codeOf(signed({}, other))).toBe('ATTESTATION_UNSIGNED');
    expect(codeOf(signed({ attester: 'did:web:example.org' }, other))).toBe('ATTESTATION_UNSIGNED');
    const [before, after] = [signed(), signed({ reason: 'All 2 tests passed!' })].map((bytes) =>
      JSON.parse(Buffer.from(bytes).toString()),
    );
    const moved = Buffer.from(canonicalize({ ...after, signatures: before.signatures }));
    expect(codeOf(moved)).toBe('ATTESTATION_UNSIGNED');
  });

  it("C14 counts within the attester's dates alone, ends included on one side", () => {
    const dates = (from?: string, until?: string): AttestationCode | 'ok' =>
      codeOf(signed(), { attesters: [{ key, from, until }] });
    expect([
      dates(good.issued),
      dates('2026-11-16T10:00:00.001Z'),
      dates(undefined, '2026-11-16T10:00:00.001Z'),
      dates(undefined, good.issued),
    ]).toEqual(['ok', 'ATTESTER_DATES', 'ok', 'ATTESTER_DATES']);
  });

  it('is told apart: malformed, or of a form that is not known here', () => {
    const value = encodeAttestation(good);
    const { reason: _, ...less } = value;
    expect(codeOf(signedText(canonicalize(less)))).toBe('ATTESTATION_MALFORMED');
    expect(codeOf(signedText(JSON.stringify(value)))).toBe('ATTESTATION_MALFORMED');
    expect(codeOf(signedText('['.repeat(20_000)))).toBe('ATTESTATION_MALFORMED');
    expect(codeOf(new Uint8Array(1_000_000))).toBe('ATTESTATION_MALFORMED');
    const newer = signedText(canonicalize({ ...value, schema: 'verification_attestation.v2' }));
    expect(codeOf(newer)).toBe('ATTESTATION_OTHER_SCHEMA');
    const typed = signedText(canonicalize(value), key, 'application/vnd.in-toto+json');
    expect(codeOf(typed)).toBe('ATTESTATION_OTHER_SCHEMA');
  });

  it('never throws, and no changed byte counts', () => {
    const bytes = signed();
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const changed = bytes.map((old, i) => (i === at ? byte : old));
        const isSame = bytes[at] === byte;
        const keyid = JSON.parse(Buffer.from(bytes).toString()).signatures[0].keyid as string;
        expect(keyid).toBe('');
        expect(codeOf(changed) === 'ok').toBe(isSame);
      }),
    );
  });
});
