// The public module for auditors and browsers, `counterfoil/verify` and the stand-alone verify.js: check a ledger, a bundle or a
// proof without trusting the machine that made it, without a network and without Node.
export { ParseError, parseVerifierKey, type VerifierKey } from '../core/index.ts';
export { type Entry, parseEntry } from '../format/index.ts';
export {
  type BundleFinding,
  type BundleReport,
  type BundleTrust,
  type Code,
  type Counts,
  type Facet,
  type FacetReport,
  type FileInfo,
  type Files,
  type Finding,
  filesFromMap,
  type Mark,
  type ProofInput,
  type ProofReport,
  type Range,
  type Report,
  type Status,
  type VerifyOptions,
  verifyLedger,
  verifyProof,
} from '../verify/index.ts';
export { verifyBundle } from './verify-bundle.ts';
