// The door of the harness room: packs that freeze what shaped an agent, bundles of its runs, and their attestation.
export { encodePack, gunzip, gzip, isGzip, MOST_ARCHIVE, openPack, PACK_FILE } from './archive.ts';
export { findArtifacts } from './artifacts.ts';
export {
  type Attest,
  type AttesterOptions,
  type AttestJob,
  attestJob,
} from './attest.ts';
export { type AttestCode, AttestError } from './attest-error.ts';
export { attestingSandbox } from './attest-method.ts';
export {
  type BundleParts,
  gatherBundle,
  isBundledUnowned,
  type LinePlaces,
  MOST_BUNDLE,
  signBundle,
} from './create-bundle.ts';
export { createPack, type PackParts } from './create-pack.ts';
export { changedVariables, diffPacks, shapingChanges } from './diff-packs.ts';
export {
  decryptPack,
  ENCRYPTED_FILE,
  type EncryptionKey,
  encryptionKeyId,
  encryptPack,
  parseEncryptionKey,
} from './encryption.ts';
export type { ForOthers, OthersWish } from './for-others.ts';
export type { Answer, Judge, JudgeSession } from './judge.ts';
export { keepArtifacts, keptArtifacts } from './kept-artifacts.ts';
export { keepPack, keptPack } from './kept-packs.ts';
export type { Question } from './rubric.ts';
export {
  runVerification,
  type VerificationOutcome,
  type VerificationRun,
} from './verification-run.ts';
export { assertVoteReceipts } from './vote-receipts.ts';
export { readWhole } from './walk.ts';
