// RSpec, and the tests of minitest.
import { type Language, SYNTAXES } from '../language.ts';
import type { TestConfig } from '../test-config.ts';

export const language: Language = {
  syntax: SYNTAXES.ruby,
  marks: [
    ['suite', /^\s*(?:RSpec\.)?[fx]?(?:describe|context|feature)\b\s*\(?(?=["'A-Z:])/],
    ['suite', /^\s*class\s+(?<name>\w+)/],
    ['test', /^\s*def\s+(?<name>test_\w+)/],
    ['test', /^\s*[fx]?(?:it|specify|example|scenario|test)\b\s*\(?\s*(?=["'{]|do\b)/],
    ['skip-own', /^\s*x(?:it|specify|example|scenario|describe|context|feature)\b/],
    ['skip-own', /^\s*(?:skip|pending)\b\s*\(?\s*["'][^"']*["']\s*\)?\s*do\b/],
    [
      'skip-own',
      /^\s*(?:RSpec\.)?(?:it|specify|example|scenario|describe|context|feature|test)\b.*(?:\b(?:skip|pending):\s*(?!false|nil)|:(?:skip|pending)\b)/,
    ],
    ['skip-here', /^\s*(?:skip|pending)\b(?!\s*[=.]|.*\bdo\s*$)/],
    ['only', /^\s*f(?:it|describe|context|specify|example|scenario)\b|\bfocus:\s*true|:focus\b/],
    ['assert', /\bexpect\b\s*[({]|^\s*(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\bshould(?:_not)?\b/],
    ['table', /\.each\b/],
  ],
  trivial: /\bassert\(?\s*true\s*\)?\s*$|\bexpect\(\s*true\s*\)/,
};

export const config: TestConfig = {
  names: '\\.rspec|rakefile',
  lines: [['deselect', /(^|\/)\.rspec$/, /--tag\s+~|--exclude-pattern/]],
};
