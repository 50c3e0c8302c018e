// The door of the core room: the formats and hashes that everything else rests on. Pure, without `node:`, except for
// the platform's hashes and signatures behind `#platform`, which is not passed on from here.
export {
  type BlockHeight,
  type HeaderClaim,
  type HeaderReason,
  type HeaderRun,
  type HeaderStatus,
  type HeaderVerdict,
  type HeightBasis,
  verifyHeader,
  verifyHeaderRun,
} from './bitcoin-chain.ts';
export { type BitcoinChain, type BlockCheckpoint, MAINNET, REGTEST } from './bitcoin-checkpoints.ts';
export { type BitcoinHeader, headerHash, parseHeader, targetOf } from './bitcoin-header.ts';
export { type Blake3, plainBlake3 } from './blake3.ts';
export {
  type CanonicalOptions,
  canonicalCopy,
  canonicalize,
  canonicalMembers,
  isObject,
  type Json,
  type JsonObject,
  parseCanonicalJson,
} from './canonical-json.ts';
export {
  type Checkpoint,
  encodeCheckpoint,
  openCheckpoint,
  parseCheckpoint,
  parseDecimal,
  signCheckpoint,
} from './checkpoint.ts';
export { encodeDidKey, isDidKey, parseDidKey } from './did.ts';
export { type DidKeys, didDocument, didWebUrl, parseDidDocument } from './did-web.ts';
export { type DsseEnvelope, type DsseSignature, encodeDsse, isDsseSignedBy, parseDsse } from './dsse.ts';
export {
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  isHash,
  parseBase64,
  parseBase64Url,
  parseHex,
  sameBytes,
} from './encoding.ts';
export { type ParseCode, ParseError, type StoreCode, StoreError, UsageError } from './errors.ts';
export { saysMore } from './event-stream-line.ts';
export { globMatcher, matchesGlob, matchesText, mayMatchText } from './glob.ts';
export {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DEEPEST_JSON,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';
export { diffJson } from './json-diff.ts';
export { applyPatch, type Patched, type PatchOperation, parsePatchOperations } from './json-patch.ts';
export { isLoopback } from './loopback.ts';
export {
  CompactRange,
  EMPTY_ROOT,
  HASH_SIZE,
  leafHash,
  leafHashInto,
  nodeHash,
  type OnNode,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts';
export { rootOfMany, subtreesBeside } from './multi-proof.ts';
export {
  MAX_NOTE_BYTES,
  type Note,
  type NoteSignature,
  type NoteVerification,
  parseNote,
  signNote,
  verifyNote,
} from './note.ts';
export {
  assertVerifierKeys,
  encodeSignerKey,
  encodeVerifierKey,
  isKeyName,
  keyId,
  makeSigner,
  makeVerifierKey,
  parseSignerKey,
  parseVerifierKey,
  type Signer,
  type VerifierKey,
} from './note-key.ts';
export {
  encodeOpenTimestamp,
  encodeTimestampTree,
  MAX_TIMESTAMP_BYTES,
  MAX_TIMESTAMP_DEPTH,
  MAX_TIMESTAMP_STEPS,
  MAX_TIMESTAMP_WORK,
  type OpenTimestamp,
  parseOpenTimestamp,
  type Stamped,
  type TimestampBranch,
  type TimestampTree,
} from './open-timestamps.ts';
export type { TimestampAttestation } from './open-timestamps-attestation.ts';
export {
  buildOpenTimestamp,
  calendarDigest,
  MAX_ANSWER_BYTES,
  mergeOpenTimestamps,
  type PendingAttestation,
  pendingAttestations,
  upgradeOpenTimestamp,
} from './open-timestamps-calendar.ts';
export type { TimestampHash, TimestampOperation } from './open-timestamps-operation.ts';
export {
  type AttestationCheck,
  type AttestedBlock,
  type AttestedMessage,
  attestationsOf,
  type TimestampCheck,
  type TimestampCode,
  type TimestampStatus,
  verifyOpenTimestamp,
} from './open-timestamps-verify.ts';
export { asItCame, type JsonDoubt, type PlainJson, parsePlainBytes, parsePlainJson } from './plain-json.ts';
export { encodePublicKeyDer, encodePublicKeyPem } from './public-key-pem.ts';
export {
  dsseMessage,
  eraseMessage,
  gatewayKeyMessage,
  grantsMessage,
  type KeyRotation,
  keyRotateMessage,
  operatorMessage,
  patchMessage,
  planMessage,
  policyMessage,
  receiptMessage,
  replayPolicyMessage,
  runClosingMessage,
  validationMessage,
  validatorKeyMessage,
} from './signed.ts';
export {
  authKeyIdOf,
  type ContentAlgorithm,
  chainHashOf,
  contentCommitment,
  contentCommitments,
  contentKey,
  derivedKey,
  finalHashOf,
  gatewayNonce,
  headChecksumInput,
  LEAF_PREFIX,
  NODE_PREFIX,
  noteKeyIdInput,
  policyHashOf,
  sessionIdOf,
} from './tagged-hashes.ts';
export {
  encodeTilePath,
  parseTilePath,
  proveConsistency,
  proveInclusion,
  proveMany,
  type ReadTile,
  rightEdgeTiles,
  rootFromTiles,
  TILE_WIDTH,
  type Tile,
  TileBuilder,
  type TileSink,
  tilesSince,
} from './tiles.ts';
export { encodeTlogProof, parseTlogProof, type TlogProof } from './tlog-proof.ts';
export { wordSet } from './word-set.ts';
