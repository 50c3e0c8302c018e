// The room's door: judgements that need no machine.
export { readContract } from './contract.ts';
export { contractYaml } from './contract-yaml.ts';
export type { Attempt, Change, Evidence, Run, Weakening } from './evidence.ts';
export { isCache, isCode, isData, isDocument, isGenerated, isTestConfig, isTestFile } from './file-kinds.ts';
