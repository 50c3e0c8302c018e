// PHPUnit and Pest.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.php,
  marks: [
    ['attribute', /#\[\s*(?:\w+\\)*Test\b/],
    ['suite', /\bclass\s+(?<name>\w+)/],
    ['test', /\bfunction\s+(?<name>test\w*)\s*\(|(?<![\w$>:])(?:it|test)\s*(?=\()/],
    ['declaration', /\bfunction\s+(?<name>(?!test)\w+)\s*\(/],
    ['skip-here', /\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\s*\(/],
    ['only', /->only\s*\(/],
    ['assert', /(?:->|::)assert\w+\s*\(|(?<![\w$>:])expect\s*\(|\bexpectException\w*\s*\(/],
    ['table', /#\[\s*DataProvider|->with\s*\(/],
  ],
  trivial: /assertTrue\s*\(\s*true\s*[,)]|assertEquals\s*\(\s*1\s*,\s*1\s*[,)]|expect\s*\(\s*true\s*\)/i,
};

export const config: TestConfig = {
  names: 'composer\\.json|phpunit(?:\\.dist)?\\.xml(?:\\.dist)?|pest\\.php',
};
