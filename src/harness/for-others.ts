// What an attester signs besides its own attestation, for tools that do not know ours: a Sigstore bundle with an in-toto
// test result, and a bare envelope with a verification summary. Whoever has the key alone can make them.
import { utf8Encode } from '#platform';
import {
  canonicalize,
  type DsseEnvelope,
  dsseMessage,
  encodeDsse,
  type JsonObject,
  type Signer,
} from '../core/index.ts';
import {
  type Attestation,
  encodeSigstoreBundle,
  type FileHash,
  fileHashes,
  type HarnessPack,
  IN_TOTO_TYPE,
  MOST_SUBJECTS,
  PackError,
  sortedFiles,
  type TreeFile,
  testResultStatement,
  verificationSummary,
} from '../format/index.ts';
import { AttestError } from './attest-error.ts';
import { type LaidFiles, layFiles } from './laid-files.ts';

export interface ForOthers {
  readonly inToto: Uint8Array;
  readonly vsa: Uint8Array;
}

export interface OthersWish {
  /** Whether there is no attestation without them. Else whoever asked is told why there are none. */
  readonly isRequired: boolean;
  take(documents: ForOthers | AttestError): void;
}

export interface Given {
  readonly pack: HarnessPack;
  readonly isSecret: boolean;
  readonly artifacts: readonly TreeFile[];
}

/** An AttestError where there can be none and they are not required. Throws it where they are. */
export function wishedSubjects(given: Given, wish: OthersWish | undefined): FileHash[] | AttestError {
  if (wish === undefined) return [];
  if (wish.isRequired) return subjectsOf(given);
  // Whoever may submit work could learn from its absence which files are in the pack.
  if (given.isSecret)
    return new AttestError(
      'NOT_FOR_OTHERS',
      'for an encrypted pack, a server signs only its own attestation.',
    );
  try {
    return subjectsOf(given);
  } catch (error) {
    if (error instanceof AttestError && error.code === 'NOT_FOR_OTHERS') return error;
    throw error;
  }
}

/** The artifacts that the tests get: others match subjects one by one, and must not take for tested what is not. */
export function subjectsOf({ pack, isSecret, artifacts }: Given): FileHash[] {
  const refuse = (why: string): never => {
    throw new AttestError('NOT_FOR_OTHERS', `${why} Leave out --in-toto and --vsa.`);
  };
  if (pack.manifest.verification?.method === 'rubric')
    refuse('a rubric is not a test, and other tools only know tests.');
  const { taken, leftOut } = lay(pack, isSecret, artifacts);
  // The ones that are missing would tell what is in the pack.
  if (isSecret && taken.length + leftOut < artifacts.length)
    refuse('the encrypted pack has files in place of artifacts, and naming them would reveal the pack.');
  if (taken.length === 0) refuse('the tests get none of the artifacts, so there is no file to name.');
  if (taken.length > MOST_SUBJECTS)
    refuse(`there are ${taken.length} artifacts, but other tools accept at most ${MOST_SUBJECTS}.`);
  return fileHashes(sortedFiles(taken));
}

function lay(pack: HarnessPack, isSecret: boolean, artifacts: readonly TreeFile[]): LaidFiles {
  try {
    return layFiles(pack.files, artifacts);
  } catch (error) {
    // It names a path of the pack.
    if (!isSecret || !(error instanceof PackError)) throw error;
    throw new AttestError('BAD_VERIFICATION', "the artifacts do not fit the pack's files.");
  }
}

export function signForOthers(
  signer: Signer,
  attestation: Attestation,
  subjects: readonly FileHash[] | AttestError,
): ForOthers | AttestError {
  if (subjects instanceof AttestError) return subjects;
  return {
    inToto: encodeSigstoreBundle(
      signed(signer, testResultStatement(attestation, subjects)),
      signer.publicKey,
    ),
    vsa: encodeDsse(signed(signer, verificationSummary(attestation, subjects))),
  };
}

function signed(signer: Signer, statement: JsonObject): DsseEnvelope {
  const payload = utf8Encode(canonicalize(statement));
  const sig = signer.sign(dsseMessage(IN_TOTO_TYPE, payload));
  // Verifiers in Go pass over a signature whose keyid is not the one that they make of the key themselves.
  return { payloadType: IN_TOTO_TYPE, payload, signatures: [{ keyid: '', sig }] };
}
