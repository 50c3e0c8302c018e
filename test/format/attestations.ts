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
