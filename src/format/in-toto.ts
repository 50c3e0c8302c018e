// An attestation as other tools know one: an in-toto Statement v1 with the predicate test-result v0.1, and one with the
// predicate of SLSA's verification summaries (VSA) v1. Both are made of the attestation and of the hashes of files alone,
// so that nothing of a pack's tests gets into them. spec/attestation.md, "For other tools", says what they mean.
import { sha256, utf8Encode } from '#platform';
import {
  canonicalize,
  type DsseEnvelope,
  encodeBase64,
  encodePublicKeyDer,
  type JsonObject,
} from '../core/index.ts';
import type { Attestation } from './attestation.ts';
import type { FileHash } from './file-tree.ts';

export const IN_TOTO_TYPE = 'application/vnd.in-toto+json';
export const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
export const VERIFICATION_SUMMARY = 'https://slsa.dev/verification_summary/v1';
const STATEMENT = 'https://in-toto.io/Statement/v1';
const SIGSTORE_BUNDLE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** sigstore-go, and with it cosign, refuses statements with more. */
export const MOST_SUBJECTS = 1024;

export function testResultStatement(attestation: Attestation, subjects: readonly FileHash[]): JsonObject {
  return statement(subjects, TEST_RESULT, {
    result: resultOf(attestation),
    configuration: [packOf(attestation)],
    url: `urn:counterfoil:run:${attestation.runId}`,
  });
}

export function verificationSummary(attestation: Attestation, subjects: readonly FileHash[]): JsonObject {
  const pack = packOf(attestation);
  const result = resultOf(attestation);
  return statement(subjects, VERIFICATION_SUMMARY, {
    verifier: { id: attestation.attester },
    timeVerified: attestation.issued,
    // What a verifier must name. It decides which tests count, and a summary of other tests must not pass for one of those.
    resourceUri: pack.uri,
    policy: pack,
    inputAttestations: [{ digest: { sha256: attestation.bundleHash } }],
    verificationResult: result,
    // Tests say nothing about any level of SLSA. FAILED is what its specification wants here.
    verifiedLevels: result === 'PASSED' ? [] : [result],
  });
}

function statement(subjects: readonly FileHash[], predicateType: string, predicate: JsonObject): JsonObject {
  if (subjects.length === 0 || subjects.length > MOST_SUBJECTS)
    throw new RangeError(`a statement has 1 to ${MOST_SUBJECTS} subjects`);
  const subject = subjects.map(([name, hash]) => ({ name, digest: { sha256: hash } }));
  return { _type: STATEMENT, subject, predicateType, predicate };
}

function resultOf({ result }: Attestation): string {
  return result === 'PASS' ? 'PASSED' : 'FAILED';
}

/** The root is no hash of one file's bytes, so it is not called sha256. */
function packOf({ packRoot }: Attestation): { uri: string; digest: JsonObject } {
  return { uri: `urn:counterfoil:pack:${packRoot}`, digest: { counterfoilPackRoot: packRoot } };
}

/** A Sigstore bundle with a plain key and no transparency log. */
export function encodeSigstoreBundle(
  { payloadType, payload, signatures }: DsseEnvelope,
  publicKey: Uint8Array,
): Uint8Array {
  return utf8Encode(
    canonicalize({
      mediaType: SIGSTORE_BUNDLE,
      // As cosign names keys.
      verificationMaterial: { publicKey: { hint: encodeBase64(sha256(encodePublicKeyDer(publicKey))) } },
      dsseEnvelope: {
        payload: encodeBase64(payload),
        payloadType,
        signatures: signatures.map(({ sig }) => ({ sig: encodeBase64(sig) })),
      },
    }),
  );
}
