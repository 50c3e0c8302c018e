// Bazel, Buck and Pants, which build and test by targets of their own.
import { add, type LineReader, n, type Output } from '../report.ts';
import type { Traits } from '../runner.ts';
import { each, firstBare, found, type Reader, readOptions, type Table } from '../tool.ts';
import { scriptKind } from './scripts.ts';

/** `bazel test //pkg/...`. */
const bazel: Reader = (args) => {
  const at = firstBare({ values: '' }, args);
  const sub = args[at] ?? '';
  const kind = ({ test: 'test', coverage: 'test', build: 'build', run: 'run' } as const)[sub as 'test'];
  if (kind === undefined) return null;
  const read = readOptions(
    {
      kind,
      runner: `bazel ${sub}`,
      values: '-c --config --test_output --jobs',
      selectors: '--test_filter --test_tag_filters',
      dry: '--nobuild',
      bare: 'targets',
    },
    args.slice(at + 1),
  );
  const labels = read.targets.map((label) =>
    label
      .replace(/^-?\/\//, '')
      .replace(/(?:\/?\.\.\.|:all|:\*)$/, '')
      .replace(/:.*$/, ''),
  );
  return { ...read, targets: labels.includes('') ? [] : labels };
};

export const programs = (): Table => ({
  ...each('bazel bazelisk buck2', () => bazel),
  pants: (args) => {
    const named = args.filter((arg) => /^(?:test|lint|check|fmt|package|run)$/.test(arg));
    const kinds = named.map((word) => (word === 'check' ? 'types' : scriptKind(word)));
    // Several goals are one run; the most telling one names it.
    const kind = (['test', 'build', 'types', 'lint', 'format', 'run'] as const).find((one) =>
      kinds.includes(one),
    );
    const goalWord = kind === undefined ? undefined : named[kinds.indexOf(kind)];
    if (kind === undefined || goalWord === undefined) return null;
    const targets = args
      .filter((arg) => !arg.startsWith('-') && !named.includes(arg))
      .map((arg) => arg.replace(/::?$/, ''));
    const dry = args.find((arg) => /^(?:--help|-h|help|list|peek|--list)$/.test(arg)) ?? null;
    return found(kind, `pants ${goalWord}`, { targets: targets.includes('') ? [] : targets, dry });
  },
});

// Executed 1 out of 3 tests: 2 tests pass and 1 fails locally.     programs are counted, not tests
const readBazel: LineReader = (line, report) => {
  const match = /^Executed \d{1,9} out of (\d{1,9}) tests?: (.{1,200})$/.exec(line);
  if (!match) return false;
  const text = match[2] ?? '';
  const passed = n(/(?:^|\s)(\d{1,9}) tests? pass(?:es)?\b/.exec(text)?.[1]);
  const skipped = n(/(?:^|\s)(\d{1,9}) (?:was|were) skipped\b/.exec(text)?.[1]);
  return add(report, 'bazel test', passed, Math.max(0, n(match[1]) - passed - skipped), skipped, null);
};

// ✓ src/geo/distance_test.py:tests succeeded in 0.92s (cached locally).     targets are counted, not tests
const readPants: LineReader = (line, report) => {
  const match =
    /^[\u2713\u2715\u{10102}] \S{1,300} (succeeded|failed)(?: in [\d.]{1,10}s)?(?: \([\w ]{1,40}\))?\.$/u.exec(
      line,
    );
  if (!match) return false;
  return add(report, 'pants test', match[1] === 'failed' ? 0 : 1, match[1] === 'failed' ? 1 : 0, 0, null);
};

export const outputs: readonly Output[] = [
  { signs: [' out of '], read: readBazel },
  { signs: [' succeeded', ' failed'], read: readPants },
];

export const traits: readonly Traits[] = [
  { name: 'bazel test', failing: ['Executed 1 out of 3 tests: 2 tests pass and 1 fails locally.'] },
  {
    name: 'bazel',
    good: /^INFO: Build completed successfully, \d/m,
    bad: /^(?:ERROR: |INFO: Build did NOT complete|FAILED: Build did NOT complete)/m,
    failing: [['ERROR: Build did NOT complete successfully', 'FAILED: Build did NOT complete successfully']],
  },
  // One that failed may stand above those in view: the list begins behind a blank line.
  {
    name: 'pants test',
    failing: [['✕ src/a_test.py:tests failed in 0.92s.', '✕ src/a_test.py:tests failed in 0.92s.']],
    first: /^[ \t]*\n\u2713 /m,
  },
];
