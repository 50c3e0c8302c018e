// Cypress.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = { scripts: 'cypress', leavesOut: 'excludeSpecPattern' };
