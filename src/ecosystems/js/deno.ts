// deno test.
import { type Output, oneLine } from '../report.ts';
import type { Mark, TestConfig, Traits } from '../runner.ts';
import { type Table, types, whole, withVerbs } from '../tool.ts';
import { jsLint } from './linters.ts';

export const programs = (): Table => ({
  deno: withVerbs('run', 'deno', {
    test: {
      kind: 'test',
      runner: 'deno test',
      values: '-c --config --import-map --reporter --junit-path --lock --coverage --shuffle --env-file',
      flags: '-A --allow-all --parallel --watch --doc --trace-leaks --no-check --unstable --fail-fast',
      selectors: '--filter',
      excludes: '--ignore',
      dry: '--no-run',
    },
    check: types('deno check', '-c --config --import-map'),
    lint: jsLint('deno lint', '-c --config --ignore --rules-include --rules-exclude'),
    fmt: { kind: 'format', runner: 'deno fmt', values: '-c --config --ignore --ext', flags: '--check' },
    compile: whole('build', 'deno compile', { dry: '-h -v' }),
    bench: { kind: 'run', runner: 'deno bench' },
  }),
});

export const outputs: readonly Output[] = [
  // FAILED | 4 passed (2 steps) | 1 failed | 1 ignored (12ms)
  oneLine(
    'deno test',
    ' passed',
    /^(?:ok|(?<bad>FAILED)) \| <passed> passed(?: \(\d+ steps?\))? \| <failed> failed(?: \(\d+ steps?\))?(?:.*? \| <skipped> ignored)?/,
  ),
];

export const traits: readonly Traits[] = [
  {
    name: 'deno test',
    finds: true,
    failing: [['FAILED | 2 passed | 1 failed (12ms)', 'error: Test failed']],
    bad: /^error: (?:Test failed|Type checking failed)/m,
  },
  {
    name: 'deno',
    good: /^Checked \d+ files?$/m,
    bad: /^Found [1-9]\d* problems?$|^error: /m,
    failing: [['error: Found 1 not formatted file in 12 files', 'TS2322 [ERROR]: Type is not assignable']],
  },
];

export const marks: readonly Mark[] = [['skip-here', /^\s*ignore\s*:\s*true\b/]];

export const config: TestConfig = { names: 'deno\\.jsonc?' };
