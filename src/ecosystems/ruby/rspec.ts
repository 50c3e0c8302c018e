// RSpec, and the tests of minitest.
import { add, type LineReader, n, type Output } from '../report.ts';
import { type Language, type Mark, RUBY, type TestConfig, type Traits } from '../runner.ts';
import { type Reader, readOptions, type Table, withLines } from '../tool.ts';

const rspec: Reader = (args) => {
  const read = readOptions(
    {
      kind: 'test',
      runner: 'rspec',
      values:
        '-r --require -f --format -o --out -O --options -I --seed --order --default-path --failure-exit-code -P_',
      flags: '-b --backtrace -c --color --fail-fast -p --profile -w --warnings --no-color',
      selectors: '-e --example -E --example-matches -t --tag -P --pattern',
      excludes: '--exclude-pattern',
      narrowing: '--only-failures -n --next-failure',
      dry: '--init -h -v',
    },
    args,
  );
  return withLines({ ...read, selectors: read.selectors.map((word) => word.replace(/^~/, '!')) });
};

export const programs = (): Table => ({ rspec });

// 5 examples, 1 failure, 1 pending, 1 error occurred outside of examples
// 5 examples, 1 failures, 1 errors, 1 pending     of Crystal
const read: LineReader = (line, report) => {
  const match = /^(\d{1,9}) examples?, (\d{1,9}) failures?(.*)$/.exec(line);
  if (!match) return false;
  const rest = match[3] ?? '';
  const outside = n(/, (\d{1,9}) errors? occurred outside of examples/.exec(rest)?.[1]);
  const errors = n(/, (\d{1,9}) errors?(?=,|$)/.exec(rest)?.[1]);
  const pending = n(/, (\d{1,9}) pending/.exec(rest)?.[1]);
  const [total, failed] = [n(match[1]), n(match[2]) + errors];
  return add(report, 'rspec', total - failed - pending, failed + outside, pending, total);
};

export const outputs: readonly Output[] = [{ signs: [' examples, ', ' example, '], read }];

export const traits: readonly Traits[] = [
  {
    name: 'rspec',
    finds: true,
    failing: ['3 examples, 1 failure', '3 examples, 0 failures, 1 error occurred outside of examples'],
  },
];

const marks: readonly Mark[] = [
  ['suite', /^\s*(?:RSpec\.)?[fx]?(?:describe|context|feature)\b\s*\(?(?=["'A-Z:])/],
  ['suite', /^\s*class\s+(?<name>\w+)/],
  ['test', /^\s*def\s+(?<name>test_\w+)/],
  ['test', /^\s*[fx]?(?:it|specify|example|scenario|test)\b\s*\(?\s*(?=["'{]|do\b)/],
  ['skip-own', /^\s*(?:RSpec\.)?x(?:it|specify|example|scenario|describe|context|feature)\b/],
  ['skip-own', /^\s*(?:skip|pending)\b\s*\(?\s*["'][^"']*["']\s*\)?\s*do\b/],
  [
    'skip-own',
    /^\s*(?:RSpec\.)?(?:it|specify|example|scenario|describe|context|feature|test)\b(?=.*(?:\b(?:skip|pending):\s*(?!false|nil)|:(?:skip|pending)\b|\bif: false|\bunless: true))/,
  ],
  ['skip-here', /^\s*(?:skip|pending)\b(?!\s*[=.]|.*\bdo\s*$)/],
  ['only', /^\s*(?:RSpec\.)?f(?:it|describe|context|specify|example|scenario)\b|\bfocus:\s*true|:focus\b/],
  [
    'assert',
    /\b(?:is_)?expect(?:ed\b|\b\s*[({])|^\s*(?:assert|refute)\w*\b|\.(?:must|wont)_\w+|\bshould(?:_not)?\b/,
  ],
  ['table', /\.each\b/],
];

export const language: Language = {
  syntax: RUBY,
  marks: [marks],
  trivial: /\bassert\(?\s*true\s*\)?\s*$|\bexpect\(\s*true\s*\)/,
};

export const config: TestConfig = {
  projects: [['.rspec', 'bundle exec rspec', null]],
  names: '\\.rspec|rakefile',
  lines: [
    ['deselect', /(^|\/)\.rspec$/, /--tag\s+~|--exclude-pattern/],
    ['only', /(^|\/)\.rspec$/, /--pattern[ =]["']?\w+\/\w/],
    ['reach', /(^|\/)rakefile$/i, /\b(?:pattern|test_files)\s*=.*?["']([^"'\s]+)["']/],
  ],
};
