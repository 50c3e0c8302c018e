// The attester: takes a pack, a bundle and artifacts, refuses what does not belong together and runs that do not keep to their
// pack, runs the pack's verification in a sandbox, or asks a judge by its rubric, and signs what came of it. Whether the ledger's key is to be trusted is for
// the verifier to say, who holds the attestation against the bundle that it has. What it is given comes from strangers.
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { dsseMessage, encodeDidKey, encodeHex, type Json, ParseError, type Signer } from '../core/index.ts';
import {
  ATTESTATION_TYPE,
  type Attestation,
  artifactRoot,
  attestationText,
  type BundlePayload,
  encodeAttestation,
  encodeSignedAttestation,
  type HarnessPack,
  isGitHash,
  PackError,
  parseArtifacts,
  parseAttestation,
  parseBundle,
  type TreeFile,
} from '../format/index.ts';
import { verifyBundle } from '../verify/index.ts';
import { openPack } from './archive.ts';
import { takeAttempt } from './attempts.ts';
import { AttestError } from './attest-error.ts';
import { openVerification, type VerificationOptions } from './attest-method.ts';
import { decryptPack, type EncryptionKey } from './encryption.ts';
import { type OthersWish, signForOthers, wishedSubjects } from './for-others.ts';

export interface AttestJob {
  /** An archive, or a JWE that is for this attester. */
  readonly pack: Uint8Array;
  readonly bundle: Uint8Array;
  /** A canonical tar. */
  readonly artifacts: Uint8Array;
}

export interface AttesterOptions extends VerificationOptions {
  /** The attester's own, never a ledger's. */
  readonly signer: Signer;
  /** The did:key of the signer unless given. */
  readonly did?: string | undefined;
  /** What encrypted packs are opened with. */
  readonly encryptionKey?: EncryptionKey | undefined;
  /** A directory of the attester's own: it counts attempts there. */
  readonly state: string;
  readonly validDays?: number | undefined;
  /** Who gets what other tools can read. Without it nothing of that kind is signed. */
  readonly others?: OthersWish | undefined;
  readonly now: () => number;
}

/** One year. */
const VALID_DAYS = 365;
const DAY = 86_400_000;
const MOST_JWE = 512 * 1024 * 1024;

/** The bytes of the envelope. `others` is told before they are given. */
export type Attest = (job: AttestJob, signal: AbortSignal, others?: OthersWish) => Promise<Uint8Array>;

/** The signed attestation, PASS or FAIL. Throws AttestError or PackError where there is nothing to say. */
export async function attestJob(
  options: AttesterOptions,
  job: AttestJob,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bundle = openBundle(job.bundle);
  const { pack, isSecret } = await openGivenPack(job.pack, options.encryptionKey, bundle);
  const artifacts = parseArtifacts(job.artifacts, pack.manifest.outputs);
  const artifactHash = assertTogether(pack, artifacts, bundle);
  assertKept(job.bundle, pack, isSecret, options.now());
  // What can't be made is refused before anything runs.
  const subjects = wishedSubjects({ pack, isSecret, artifacts }, options.others);
  const verify = await openVerification(options, { bundle: job.bundle, pack, artifacts, isSecret });
  const id = encodeHex(options.randomBytes(16));
  const { origin, runId } = bundle;
  const about = { origin, runId, packRoot: pack.hashes.root, artifactHash };
  const attempt = takeAttempt(options.state, about, id);
  const outcome = await verify(about, signal);
  const now = options.now();
  const attestation: Attestation = {
    id,
    runId,
    origin,
    bundleHash: sha256Hex(job.bundle),
    eventChainRoot: bundle.eventChainRoot,
    packHash: pack.hashes.packHash,
    packRoot: pack.hashes.root,
    artifactHash,
    artifacts: artifacts.length,
    base: baseOf(bundle),
    dependencies: null,
    ...outcome,
    attempt,
    attester: options.did ?? encodeDidKey(options.signer.publicKey),
    issued: new Date(now).toISOString(),
    expires: new Date(now + (options.validDays ?? VALID_DAYS) * DAY).toISOString(),
  };
  const envelope = sign(options.signer, attestation);
  options.others?.take(signForOthers(options.signer, attestation, subjects));
  return envelope;
}

function openBundle(bytes: Uint8Array): BundlePayload {
  try {
    return parseBundle(bytes).payload;
  } catch (error) {
    if (!(error instanceof PackError || error instanceof ParseError)) throw error;
    throw new AttestError('BAD_BUNDLE', `the bundle can't be read: ${error.message}`, { cause: error });
  }
}

async function openGivenPack(
  given: Uint8Array,
  key: EncryptionKey | undefined,
  bundle: BundlePayload,
): Promise<{ readonly pack: HarnessPack; readonly isSecret: boolean }> {
  // A pack that the run says is secret stays so, even if somebody gives it in clear.
  const isNamedSecret = bundle.harness.packEncryption !== 'none';
  if (given[0] !== 0x7b) return { pack: openPack(given), isSecret: isNamedSecret };
  if (key === undefined)
    throw new AttestError(
      'NO_DECRYPTION_KEY',
      'the pack is encrypted, and this attester has no key to open packs with.',
    );
  if (given.length > MOST_JWE) throw new PackError('TOO_LARGE', `a pack has at most ${MOST_JWE} bytes`);
  let sealed: Json;
  try {
    sealed = JSON.parse(utf8Decode(given)) as Json;
  } catch {
    throw new PackError('NOT_ENCRYPTED', 'not an encrypted pack (JWE in general JSON form).');
  }
  return { pack: openPack(await decryptPack(sealed, key)), isSecret: true };
}

/** The hash of the artifacts. */
function assertTogether(pack: HarnessPack, artifacts: readonly TreeFile[], bundle: BundlePayload): string {
  const { harness, outputs } = bundle;
  const refuse = (code: AttestError['code'], message: string): never => {
    throw new AttestError(code, message);
  };
  if (harness.packRoot === null)
    refuse('NO_PACK_BOUND', 'the run names no pack, so nothing says how to judge it. Use foil run --pack.');
  if (harness.packRoot !== pack.hashes.root)
    refuse(
      'OTHER_PACK',
      `the pack has the root ${pack.hashes.root}, but the run names ${harness.packRoot}. Give the pack that the run started with.`,
    );
  if (harness.packHash !== pack.hashes.packHash)
    refuse(
      'OTHER_PACK',
      `the pack has the hash ${pack.hashes.packHash}, but the bundle names ${harness.packHash} with the same root. Make the bundle again.`,
    );
  const { manifest } = pack;
  if (manifest.outputs.length === 0)
    refuse(
      'NO_OUTPUTS',
      'the pack does not say which files a run makes. Name outputs under pack in counterfoil.yaml.',
    );
  if (manifest.verification === null)
    refuse(
      'NO_VERIFICATION',
      'the pack does not say how work is judged. Name a verification under pack in counterfoil.yaml.',
    );
  if (artifacts.length === 0) refuse('NO_ARTIFACTS', "none of the files that the pack's outputs name exist.");
  if (outputs.artifactHash === null)
    refuse(
      'NO_ARTIFACT_HASH',
      'the run recorded no hash of its artifacts, so anyone could submit any files.',
    );
  const artifactHash = artifactRoot(artifacts);
  if (artifactHash !== outputs.artifactHash)
    refuse(
      'OTHER_ARTIFACTS',
      `the artifacts have the hash ${artifactHash}, but the run recorded ${outputs.artifactHash}. Give the files as they were when the run ended.`,
    );
  return artifactHash;
}

/** Whoever can't open the pack relies on it that a run is attested only if it kept to its rules. */
function assertKept(bundle: Uint8Array, pack: HarnessPack, isSecret: boolean, now: number): void {
  const trust = { keys: [], packs: [], gateways: [], attesters: [] };
  const { findings } = verifyBundle(bundle, { trust, now, pack });
  const broken = findings.find(({ level }) => level === 'fail');
  // What its rules are would be told by what they catch.
  if (isSecret && findings.some(({ code }) => code === 'TOOL_DENIED' || code === 'TOOL_UNDISCLOSED'))
    throw new AttestError(
      'RUN_FAILS',
      'the run does not keep to its pack, or its arguments are not shown (--disclose arguments). For an encrypted pack, no details are given.',
    );
  if (broken !== undefined)
    throw new AttestError('RUN_FAILS', `the run does not verify: ${broken.code}: ${broken.message}.`);
  const hidden = findings.find(({ code }) => code === 'TOOL_UNDISCLOSED');
  if (hidden !== undefined) {
    throw new AttestError(
      'POLICY_UNKNOWN',
      `it is unknown whether the run kept to its pack: ${hidden.message}.`,
    );
  }
}

function baseOf({ inputs: { commit, tree } }: BundlePayload): Attestation['base'] {
  if (commit === null || !isGitHash(commit)) return null;
  return { commit, tree: tree !== null && isGitHash(tree) ? tree : null };
}

function sign(signer: Signer, attestation: Attestation): Uint8Array {
  // What a reader would refuse is never signed.
  parseAttestation(encodeAttestation(attestation));
  const payload = utf8Encode(attestationText(attestation));
  const sig = signer.sign(dsseMessage(ATTESTATION_TYPE, payload));
  return encodeSignedAttestation({
    payloadType: ATTESTATION_TYPE,
    payload,
    signatures: [{ keyid: attestation.attester, sig }],
  });
}
