// Django.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = { names: 'manage\\.py' };
