// What an attestation is worth to a verifier: whose it is, whether it is about this run, this pack and these artifacts, whether
// it counts today, and what it says. Each thing that can be wrong has a code of its own. Never throws for bad data.
import { sha256Hex } from '#platform';
import {
  encodeDidKey,
  isDidKey,
  isDsseSignedBy,
  ParseError,
  parseDidKey,
  type VerifierKey,
} from '../core/index.ts';
import {
  type Attestation,
  type HarnessPack,
  parseSignedAttestation,
  type SignedAttestation,
} from '../format/index.ts';
import { shortened } from './findings.ts';

export type AttestationCode =
  | 'ATTESTATION_MALFORMED'
  | 'ATTESTATION_OTHER_SCHEMA'
  | 'ATTESTATION_UNSIGNED' // or by a key that nobody here knows
  | 'ATTESTER_NOT_TRUSTED'
  | 'ATTESTER_DATES' // issued when the attester was not trusted yet, or no more
  | 'ATTESTATION_OTHER_RUN'
  | 'ATTESTATION_OTHER_PACK'
  | 'ATTESTATION_OTHER_ARTIFACTS'
  | 'ATTESTATION_OTHER_VERIFICATION' // than the pack asks for
  | 'ATTESTATION_NOT_YET_VALID'
  | 'ATTESTATION_EXPIRED'
  | 'ATTESTATION_FAIL';

export interface AttesterTrust {
  readonly key: VerifierKey;
  /** The name that it must give itself; the did:key of its key unless it is said. */
  readonly did?: string | undefined;
  /** As attestations write moments. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** What the attestation must be about. */
export interface AttestationOf {
  readonly runId: string;
  readonly origin: string;
  readonly packRoot: string | null;
  readonly packHash: string | null;
  readonly artifactHash: string | null;
  /** How many files they are. */
  readonly artifacts: number | null;
  /** What the run began from. */
  readonly base: Attestation['base'];
  /** The pack itself, where it is at hand. */
  readonly pack?: HarnessPack | undefined;
  /** Null: not compared, where the run may have gained entries since. */
  readonly eventChainRoot: string | null;
  readonly attesters: readonly AttesterTrust[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

export type AttestationCheck =
  | { readonly ok: true; readonly attestation: Attestation }
  | { readonly ok: false; readonly code: AttestationCode; readonly message: string };

/** Clocks of two machines are never the same. */
export const SKEW = 5 * 60_000;

export function checkAttestation(bytes: Uint8Array, of: AttestationOf): AttestationCheck {
  let signed: SignedAttestation;
  try {
    signed = parseSignedAttestation(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const code = error.code === 'UNKNOWN_VERSION' ? 'ATTESTATION_OTHER_SCHEMA' : 'ATTESTATION_MALFORMED';
    return wrong(code, `The attestation can't be read: ${error.message}.`);
  }
  const { attestation } = signed;
  // Work that was not contained while it was tested proves nothing to others. A rubric runs nothing.
  if (attestation.sandbox?.name === 'unprivileged')
    return wrong('ATTESTATION_MALFORMED', "The attestation doesn't name a sandbox that can attest.");
  return (
    wrongSigner(signed, of) ??
    wrongSubject(attestation, of) ??
    wrongVerification(attestation, of.pack) ??
    wrongTime(attestation, of.now) ??
    (attestation.result === 'FAIL'
      ? wrong('ATTESTATION_FAIL', `The attester says FAIL: ${attestation.reason}`)
      : { ok: true, attestation })
  );
}

type Wrong = Extract<AttestationCheck, { ok: false }>;

function wrong(code: AttestationCode, message: string): Wrong {
  return { ok: false, code, message: shortened(message) };
}

function wrongSigner({ envelope, attestation }: SignedAttestation, of: AttestationOf): Wrong | null {
  const { attester, issued } = attestation;
  const signers = of.attesters.filter(({ key }) => isDsseSignedBy(envelope, key.publicKey));
  if (signers.length === 0) {
    // Its own name may say by which key it is signed, and that is not enough to trust it.
    if (isDidKey(attester) && isDsseSignedBy(envelope, parseDidKey(attester)))
      return wrong('ATTESTER_NOT_TRUSTED', `You don't trust the attester ${attester} here.`);
    return wrong(
      'ATTESTATION_UNSIGNED',
      `The attestation by ${attester} is not signed by a key that you know here.`,
    );
  }
  // A key vouches for no name but its own, unless the verifier gave it one.
  const named = signers.filter(({ key, did }) => (did ?? encodeDidKey(key.publicKey)) === attester);
  if (named.length === 0)
    return wrong('ATTESTER_NOT_TRUSTED', `A trusted key signed it, but not under the name ${attester}.`);
  const inTime = named.some(
    ({ from, until }) => (from === undefined || issued >= from) && (until === undefined || issued < until),
  );
  return inTime
    ? null
    : wrong('ATTESTER_DATES', `It was issued at ${issued}, when the attester ${attester} was not trusted.`);
}

function wrongSubject(attestation: Attestation, of: AttestationOf): Wrong | null {
  const { runId, origin, eventChainRoot, packRoot, packHash, artifactHash, artifacts, base } = attestation;
  if (runId !== of.runId || origin !== of.origin)
    return wrong('ATTESTATION_OTHER_RUN', `It is about a different run, ${runId} of ${origin}.`);
  if (of.eventChainRoot !== null && eventChainRoot !== of.eventChainRoot)
    return wrong('ATTESTATION_OTHER_RUN', 'It covers different entries than this run has.');
  if (base?.commit !== of.base?.commit || base?.tree !== of.base?.tree)
    return wrong('ATTESTATION_OTHER_RUN', 'It is about a run that started from a different commit.');
  if (packRoot !== of.packRoot || packHash !== of.packHash)
    return wrong('ATTESTATION_OTHER_PACK', `It is about a different pack, ${packRoot}.`);
  if (artifactHash !== of.artifactHash || artifacts !== of.artifacts)
    return wrong(
      'ATTESTATION_OTHER_ARTIFACTS',
      `It is about different artifacts: ${artifacts} with the hash ${artifactHash}.`,
    );
  return null;
}

/** The pack says how work is judged, and an attester that judged otherwise says nothing about that. */
function wrongVerification({ rubric }: Attestation, pack: HarnessPack | undefined): Wrong | null {
  if (pack === undefined) return null;
  const { verification } = pack.manifest;
  const other = (what: string): Wrong => wrong('ATTESTATION_OTHER_VERIFICATION', what);
  if (verification?.method !== 'rubric')
    return rubric === undefined ? null : other('A model judged by a rubric, but the pack has no rubric.');
  if (rubric === undefined) return other('Tests were run, but the pack asks for a judge with its rubric.');
  const file = pack.files.find(({ path }) => path === verification.rubric);
  if (file === undefined || sha256Hex(file.bytes) !== rubric.rubricHash)
    return other("The rubric is not the pack's.");
  if (rubric.model !== verification.model)
    return other(`The pack asks for the model ${verification.model}, but ${rubric.model} judged.`);
  if (rubric.votes.length !== verification.votes || rubric.threshold !== verification.threshold)
    return other('The number of votes or the threshold is not what the pack says.');
  return null;
}

function wrongTime({ issued, expires }: Attestation, now: number): Wrong | null {
  if (Date.parse(issued) > now + SKEW)
    return wrong('ATTESTATION_NOT_YET_VALID', `It was issued at ${issued}, which is in the future.`);
  if (Date.parse(expires) <= now) return wrong('ATTESTATION_EXPIRED', `It expired at ${expires}.`);
  return null;
}
