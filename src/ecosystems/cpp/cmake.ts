// CMake, Meson and Ninja, and the linters of C and C++.
import { listed, type Output } from '../report.ts';
import type { Traits } from '../runner.ts';
import { formatter, found, lint, type Reader, readOptions, type Table } from '../tool.ts';

const cmake: Reader = (args) => {
  const at = args.indexOf('--build');
  if (at < 0) return args.includes('--version') || args.length === 0 ? null : found('build', 'cmake');
  const target = args[args.findIndex((arg) => arg === '--target' || arg === '-t') + 1];
  const named = args.some((arg) => arg === '--target' || arg === '-t') ? target : undefined;
  if (named === 'test' || named === 'check') return found('test', `cmake --build --target ${named}`);
  if (named === 'clean') return null;
  return found('build', 'cmake --build');
};

const meson: Reader = (args) => {
  const [sub, ...rest] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'meson test',
        values: '-t --timeout-multiplier --wrap --num-processes -j',
        selectors: '--suite',
        excludes: '--no-suite',
        dry: '--list',
        bare: 'selectors',
      },
      withoutPair(rest, '-C'),
    );
  return sub === 'compile' || sub === 'setup' ? found('build', `meson ${sub}`) : null;
};

function withoutPair(args: readonly string[], option: string): readonly string[] {
  const at = args.indexOf(option);
  return at < 0 ? args : [...args.slice(0, at), ...args.slice(at + 2)];
}

export const programs = (): Table => ({
  cmake,
  meson,
  ninja: (args) => {
    const words = readOptions(
      { kind: 'build', runner: 'ninja', values: '-j -l -k', directory: '-C', dry: '-n -t', flags: '-v' },
      args,
    );
    const [goal] = words.targets;
    const kind = goal === 'test' || goal === 'check' ? 'test' : 'build';
    return { ...words, kind, runner: goal === undefined ? 'ninja' : `ninja ${goal}`, targets: [] };
  },
  'clang-tidy': lint('clang-tidy', '-p --checks'),
  cppcheck: lint('cppcheck', '--enable --std -I --suppress'),
  'clang-format': formatter('clang-format', { writes: '-i' }),
});

export const outputs: readonly Output[] = [
  // Ok:                 18
  // Expected Fail:      0
  // Fail:               0
  listed({
    runner: 'meson test',
    signs: ['Ok: '],
    line: /^(?<word>Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):\s+(?<count>\d{1,9})\s*$/,
    words: {
      Ok: 'passed',
      'Expected Fail': 'passed',
      Fail: 'failed',
      'Unexpected Pass': 'failed',
      Timeout: 'failed',
      Skipped: 'skipped',
    },
  }),
];

export const traits: readonly Traits[] = [
  { name: 'meson test', failing: ['Fail:               1', 'Timeout:            1'], first: /^Fail:/m },
  {
    name: 'cmake',
    good: /^\[100%\] Built target |^\[(\d+)\/\1\] \S|^-- Build files have been written to: /m,
    bad: /^CMake Error|^-- Configuring incomplete, errors occurred|^ninja: (?:error|fatal|build stopped)/m,
    failing: [['ninja: build stopped: subcommand failed.', 'a.c:1:1: error: expected expression']],
  },
  {
    name: 'ninja',
    good: /^ninja: no work to do\.$/m,
    failing: [['ninja: build stopped: subcommand failed.', 'FAILED: a.o ']],
  },
  { name: 'clang-format', shows: /\[-Wclang-format-violations\]$/m },
];
