// The room's door: what is known of others' tools.
export { CONFIGS, configWords, isConfigName } from './configs.ts';
export type { Language, Mark, Syntax } from './language.ts';
export { languageOf } from './languages.ts';
export type { TestConfig } from './test-config.ts';
