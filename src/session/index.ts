// Sessions: what binds them, how they begin, go on and end. The door of this room.
export {
  appendWithSum,
  type BuildWithSum,
  encodeEnding,
  NO_SUM,
  type OpenTally,
  type SumOf,
  type SumOptions,
  type Tally,
} from './append-with-sum.ts';
export {
  type AuthFailure,
  type AuthKeyFile,
  encodeAuthKey,
  isKeyName,
  parseAuthKey,
} from './auth-key.ts';
export {
  type AddedKey,
  addKey,
  type ListedKey,
  presentKey,
  readKeys,
  revokeKey,
  withdrawKey,
} from './auth-key-store.ts';
export { type Auth, type Authenticated, type AuthOptions, authDirectory, openAuth } from './authenticate.ts';
export {
  advance,
  anchorEntry,
  type Begun,
  beginEntries,
  bindBlock,
  branchState,
  type Chain,
  closingOf,
  newChain,
} from './life-cycle.ts';
export { type OpenChain, ownChain, type Step, sharedChain } from './open-chain.ts';
export { type AnchorConfig, type BlockSourceConfig, type Blocks, NO_ANCHOR } from './ports.ts';
export { lookAtDirectory, readPrivate } from './private-file.ts';
export { ancestorsOf, nameOf, wordsOf } from './process-ancestry.ts';
export { type Fate, fateOf, processFact } from './process-identity.ts';
export { SessionTallies } from './session-tallies.ts';
export { SessionTally, type TallyOptions } from './session-tally.ts';
export {
  encodeShared,
  isChain,
  parseShared,
  type SharedSession,
  sharedState,
  unshared,
} from './shared-session.ts';
