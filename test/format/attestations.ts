// A good attestation, for tests that change one thing of it.
import { utf8Encode } from '#platform';
import {
  type DsseEnvelope,
  dsseMessage,
  encodeDidKey,
  makeSigner,
  type Signer,
} from '../../src/core/index.ts';
import {
  ATTESTATION_TYPE,
  type Attestation,
  type AttestedRubric,
  attestationText,
  encodeSignedAttestation,
} from '../../src/format/index.ts';

export function attesterKey(seed = 7): Signer {
  return makeSigner('attester', new Uint8Array(32).fill(seed));
}

export function goodAttestation(changes: Partial<Attestation> = {}): Attestation {
  return {
    id: '0123456789abcdef0123456789abcdef',
    runId: '1'.repeat(64),
    origin: 'counterfoil/0123456789abcdef',
    bundleHash: '2'.repeat(64),
    eventChainRoot: '3'.repeat(64),
    packHash: 'A'.repeat(43),
    packRoot: '4'.repeat(64),
    artifactHash: `${'B'.repeat(42)}A`,
    artifacts: 3,
    leftOut: 1,
    base: { commit: '5'.repeat(40), tree: null },
    dependencies: null,
    method: 'tests_passed',
    result: 'PASS',
    tests: { listed: 2, passed: 2, failed: 0, missing: 0 },
    reason: 'All 2 tests passed.',
    attempt: 1,
    sandbox: {
      name: 'bubblewrap',
      versions: { bubblewrap: '0.8.0', kernel: '6.1.0' },
      limits: [
        { name: 'seconds', value: 300, restsOn: 'timer' },
        { name: 'memory_bytes', value: null, restsOn: 'unbounded' },
      ],
    },
    attester: encodeDidKey(attesterKey().publicKey),
    issued: '2026-11-16T10:00:00.000Z',
    expires: '2027-11-16T10:00:00.000Z',
    ...changes,
  };
}

export function goodRubric(changes: Partial<AttestedRubric> = {}): AttestedRubric {
  return {
    rubricHash: '6'.repeat(64),
    model: 'judge-1',
    threshold: 70,
    votes: [85, null, 90].map((score, i) => ({ seq: 5 + 4 * i, entryHash: `${i}`.repeat(64), score })),
    score: 85,
    ledger: {
      origin: 'counterfoil/fedcba9876543210',
      sessionId: '7'.repeat(64),
      treeSize: 14,
      rootHash: '8'.repeat(64),
    },
    ...changes,
  };
}

/** By rubric, and good as well. */
export function judgedAttestation(changes: Partial<Attestation> = {}): Attestation {
  return goodAttestation({
    method: 'rubric',
    tests: null,
    sandbox: null,
    leftOut: 0,
    rubric: goodRubric(),
    reason: 'The median of 3 votes is 85 of 100, and the pack asks for 70.',
    ...changes,
  });
}

/** Signs whatever text it is given, so that the signature is never what catches a change. */
export function signedText(text: string, signer = attesterKey(), payloadType = ATTESTATION_TYPE): Uint8Array {
  const payload = utf8Encode(text);
  const envelope: DsseEnvelope = {
    payloadType,
    payload,
    signatures: [{ keyid: '', sig: signer.sign(dsseMessage(payloadType, payload)) }],
  };
  return encodeSignedAttestation(envelope);
}

export function signed(changes: Partial<Attestation> = {}, signer = attesterKey()): Uint8Array {
  return signedText(attestationText(goodAttestation(changes)), signer);
}
