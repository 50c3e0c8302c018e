// ExUnit, and eunit of Erlang.
import { add, countOf, type LineReader, type Output, oneLine } from '../report.ts';
import { ELIXIR, type Language, type Mark, type TestConfig, type Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table, type Tool, withLines } from '../tool.ts';

/** `mix test test/a_test.exs:12`. */
const mix: Reader = (args) => {
  const [task = '', ...rest] = args;
  // `mix do a + b` runs several; the last is what it ends with.
  if (task === 'test' || task === 'coveralls' || task.startsWith('coveralls.')) {
    const tool: Tool = {
      kind: 'test',
      runner: 'mix test',
      values:
        '--seed --max-failures --max-cases --timeout --formatter --slowest --exit-status --partitions --repeat-until-failure',
      flags: '--trace --cover --color --force --no-start --no-compile --warnings-as-errors --raise',
      selectors: '--only',
      excludes: '--exclude',
      narrowing: '--failed --stale',
    };
    return withLines(readOptions(tool, rest));
  }
  if (task === 'compile') return found('build', 'mix compile');
  if (task === 'format')
    return found('format', 'mix format', { rewrites: !rest.includes('--check-formatted') });
  if (task === 'credo') return found('lint', 'mix credo');
  if (task === 'dialyzer') return found('types', 'mix dialyzer');
  if (task === 'run' || task === 'phx.server')
    return found('run', `mix ${task}`, { targets: rest.filter((arg) => arg.endsWith('.exs')) });
  return task === 'ecto.migrate' || task === 'hex.publish' ? found('ship', `mix ${task}`) : null;
};

export const programs = (): Table => ({
  mix,
  rebar3: (args) =>
    /^(?:eunit|ct|proper)$/.test(args[0] ?? '')
      ? found('test', `rebar3 ${args[0]}`, { selectors: args.slice(1).filter((arg) => arg.startsWith('--')) })
      : args[0] === 'compile'
        ? found('build', 'rebar3 compile')
        : args[0] === 'dialyzer'
          ? found('types', 'rebar3 dialyzer')
          : null,
  elixir: (args) => found('run', 'elixir', { targets: args.filter((arg) => /\.exs?$/.test(arg)) }),
});

// ExUnit:  3 doctests, 5 tests, 1 failure, 1 excluded, 1 skipped     (bats writes the same, with fewer words)
const read: LineReader = (line, report) => {
  if (
    !/^(?:\d{1,9} (?:doctests?|propert(?:y|ies)|features?), )*\d{1,9} tests?, \d{1,9} failures?(?:, \d{1,9} [a-z ]{1,20})*$/.test(
      line,
    )
  )
    return false;
  const count = (...words: string[]): number => words.reduce((sum, word) => sum + countOf(line, word), 0);
  const total = count(
    'doctest',
    'doctests',
    'property',
    'properties',
    'feature',
    'features',
    'test',
    'tests',
  );
  const [failed, invalid] = [count('failure', 'failures'), count('invalid')];
  const skipped = count('skipped') + count('excluded') + count('not run');
  return add(report, 'exunit', total - failed - invalid - skipped, failed + invalid, skipped, total);
};

export const outputs: readonly Output[] = [
  { signs: [' failure'], read },
  //   All 5 tests passed.
  oneLine('eunit', 'All ', /^ {2}All <passed> tests passed\.$/),
  oneLine('eunit', 'Passed: ', /^\s*Failed: <failed>\.\s+Skipped: <skipped>\.\s+Passed: <passed>\.$/),
];

export const traits: readonly Traits[] = [
  { name: 'exunit', failing: ['3 tests, 1 failure'] },
  { name: 'eunit', failing: ['  Failed: 1.  Skipped: 0.  Passed: 2.'] },
  {
    name: 'mix',
    good: /^Generated \S+ app$|^done \(passed successfully\)$/m,
    bad: /^\*\* \(|^== Compilation error in file |\bmods\/funs, found [1-9]|^done \(warnings were emitted\)|^Compilation failed due to warnings/m,
    failing: [
      ['** (Mix) mix format failed due to --check-formatted.', '== Compilation error in file lib/a.ex =='],
    ],
  },
];

const marks: readonly Mark[] = [
  ['suite', /^\s*describe\s+(?=")|^\s*defmodule\s+(?<name>[\w.]+)/],
  ['test', /^\s*(?:test|property)\s+(?=")/],
  ['skip-next', /^\s*@tag\s+(?::skip\b|skip:\s*(?!false))/],
  ['skip-here', /^\s*@describetag\s+(?::skip\b|skip:\s*(?!false))/],
  ['skip-file', /^\s*@moduletag\s+(?::skip\b|skip:\s*(?!false))/],
  ['assert', /\b(?:assert|refute)\w*\b/],
  ['table', /^\s*for\s+.*<-/],
];

export const language: Language = { syntax: ELIXIR, marks: [marks], trivial: /\bassert\(?\s*true\s*\)?\s*$/ };

export const config: TestConfig = {
  projects: [['mix.exs', 'mix test', 'mix compile']],
  names: 'mix\\.exs',
  lines: [['deselect', /(^|\/)mix\.exs$|test_helper\.exs$/, /\bexclude:\s*\[/]],
};
