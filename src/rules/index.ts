// The room's door: judgements that need no machine.
export { type FoilFinal, type FoilFinalClaim, parseFoilFinal } from './claims/final-block.ts';
export { type FoundClaims, findClaims, type Phrases } from './claims/find-claims.ts';
export type { Attempt, Change, Evidence, Run, Weakening } from './evidence.ts';
export { isCache, isCode, isData, isDocument, isGenerated, isTestConfig, isTestFile } from './file-kinds.ts';
export { type Bypass, findOverrides, type Override } from './overrides.ts';
