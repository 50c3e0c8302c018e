export { DEFAULT_CALENDARS, DEFAULT_ESPLORA } from './anchor.ts';
export {
  ANCHOR_NOT_ACCEPTED,
  acceptedAnchor,
  anchorHash,
  isAnchorAccepted,
  isPublicAnchor,
} from './anchor-accepted.ts';
export {
  CONFIG_FILE,
  type Config,
  type ContentPolicy,
  DEFAULT_CONFIG,
  parseConfig,
  parseConfigText,
  readConfig,
  redactionName,
} from './config.ts';
export {
  keysAt,
  parseTrust,
  readTrust,
  readTrustFile,
  type Trust,
  trustedOperators,
  userTrustFile,
} from './trust.ts';
export { parseYaml } from './yaml.ts';
