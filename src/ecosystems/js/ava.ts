// AVA.
import type { Mark } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const marks: readonly Mark[] = [
  ['assert', /\bt\.(?:is|not|true|false|truthy|falsy|deepEqual|equal|ok|same|throws|like|snapshot)\w*\s*\(/],
];

export const config: TestConfig = { scripts: 'ava', sections: 'ava' };
