// deno test.
import type { Mark } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const marks: readonly Mark[] = [['skip-here', /^\s*ignore\s*:\s*true\b/]];

export const config: TestConfig = { names: 'deno\\.jsonc?' };
