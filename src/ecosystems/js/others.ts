// Runners of JavaScript that are told by little.
import type { TestConfig } from '../test-config.ts';

export const config: TestConfig = {
  scripts: 'karma wdio web-test-runner babel metro nightwatch protractor stryker',
  names:
    'test[.-]?setup\\.[a-z.]+|setup-?tests?\\.[a-z.]+|\\.taprc|\\.nycrc(?:\\.[a-z]+)?|\\.c8rc(?:\\.json)?|jasmine\\.json|nightwatch\\.json|bunfig\\.toml',
  sections: 'tap c8 nyc',
};
