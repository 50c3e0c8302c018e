// The room's door: judgements that need no machine.
export type { Attempt, Change, Evidence, Run, Weakening } from './evidence.ts';
export { isCache, isCode, isData, isDocument, isGenerated, isTestConfig, isTestFile } from './file-kinds.ts';
export {
  type Before,
  bearsOnTests,
  type ConfigProfile,
  compareTests,
  type Profile,
  parseProfile,
  profileOf,
  type TestProfile,
} from './test-integrity.ts';
