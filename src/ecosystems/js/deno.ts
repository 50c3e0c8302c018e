// deno test.
import { add, type LineReader, n, type Output } from '../report.ts';
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

// FAILED | 4 passed (2 steps) | 1 failed | 1 ignored (12ms)
const read: LineReader = (line, report) => {
  const match =
    /^(ok|FAILED) \| (\d{1,9}) passed(?: \(\d+ steps?\))? \| (\d{1,9}) failed(?: \(\d+ steps?\))?(.*)$/.exec(
      line,
    );
  if (!match) return false;
  const ignored = n(/ \| (\d{1,9}) ignored/.exec(match[4] ?? '')?.[1]);
  const failed = match[1] === 'FAILED' ? Math.max(1, n(match[3])) : n(match[3]);
  return add(report, 'deno test', n(match[2]), failed, ignored);
};

export const outputs: readonly Output[] = [{ signs: [' passed | ', ' steps) | ', ' step) | '], read }];

export const traits: readonly Traits[] = [{ name: 'deno test', finds: true }];

export const marks: readonly Mark[] = [['skip-here', /^\s*ignore\s*:\s*true\b/]];

export const config: TestConfig = { names: 'deno\\.jsonc?' };
