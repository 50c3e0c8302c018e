// Mocha.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  names: '\\.mocharc(?:\\.[a-z]+)?|mocha\\.opts|mocha[.-]?setup\\.[a-z.]+',
  sections: 'mocha',
};
