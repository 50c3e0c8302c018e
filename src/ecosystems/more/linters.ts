// Linters of whom no more is known than that a file has their name: `.markdownlint.json`, `.solhint.json`, `.lintrc`. Each member of it
// that is on, or has a level, is a rule.
import type { Checker } from '../runner.ts';

export const checkers: readonly Checker[] = [
  {
    of: 'lint',
    names: '\\.?(?!(?:es|ox|py)lint)(?:[a-z]+-?)?(?:lint|hint)(?:rc|-cli2)?(?:\\.(?:jsonc?|ya?ml|toml))?',
    settings: [
      [/^(?!(?:.*\.)?(?:env|globals?|files|extends|parser\w*|ignore\w*|browser|node)(?:\.|$))/, 'holds'],
    ],
  },
];
