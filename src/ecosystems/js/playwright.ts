// Playwright.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = { scripts: 'playwright', leavesOut: 'testIgnore grepInvert' };
