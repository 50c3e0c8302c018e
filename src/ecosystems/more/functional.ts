// Haskell, OCaml, Gleam, Elm and Emacs Lisp.
import { add, type LineReader, n, type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, lint, type Reader, type Table } from '../tool.ts';
import { project } from './projects.ts';

/** `emacs --batch -f batch-byte-compile a.el`; without --batch it is an editor. */
const emacs: Reader = (args) => {
  if (!args.some((arg) => /^--?(?:batch|script)$/.test(arg))) return null;
  const text = args.join(' ');
  const files = args.filter((arg) => /\.el$/.test(arg)).slice(0, 8);
  if (/\bert-run-tests-batch|\bbuttercup-run/.test(text))
    return found('test', 'emacs ert', { targets: files });
  if (/\bbatch-byte-compile|byte-compile-file|package-lint|checkdoc/.test(text))
    return found('build', 'emacs byte-compile', { targets: files });
  return found('run', 'emacs --batch', { targets: files });
};

export const programs = (): Table => ({
  emacs,
  stack: project('stack'),
  cabal: project('cabal', { 'new-test': 'test', 'new-build': 'build' }),
  dune: project('dune', { runtest: 'test', exec: 'run' }),
  // What its file imports is compiled with it.
  elm: (args) => (args[0] === 'make' ? found('build', 'elm make') : null),
  gleam: project('gleam', { check: 'types', format: 'format' }),
  hlint: lint('hlint'),
});

// 1 of 2 test suites (4 of 5 test cases) passed.
const cabal: LineReader = (line, report) => {
  const match = /^(\d{1,9}) of (\d{1,9}) test suites \((\d{1,9}) of (\d{1,9}) test cases\) passed\.$/.exec(
    line,
  );
  if (match === null) return false;
  const [good, suites, passed, total] = match.slice(1).map((digits) => n(digits));
  const failed = Math.max((total ?? 0) - (passed ?? 0), Math.min(1, (suites ?? 0) - (good ?? 0)));
  return add(report, 'cabal test', passed ?? 0, failed, 0);
};

export const outputs: readonly Output[] = [
  oneLine('tasty', ' tests passed (', /^All <passed> tests passed \([\d.]+s\)$/),
  oneLine('tasty', ' out of ', /^<failed> out of <total> tests failed \([\d.]+s\)$/),
  // Test Successful in 0.013s. 12 tests run.
  oneLine('alcotest', ' tests run.', /^Test Successful in [\d.]+s\. <passed> tests? run\.$/),
  oneLine('alcotest', ' failures! in ', /^<failed> failures?! in [\d.]+s\. <total> tests? run\.$/),
  { signs: [' test suites ('], read: cabal },
  // Ran 5 tests, 4 results as expected, 1 unexpected, 1 skipped (2026-02-08 10:11:02+0100, 0.012 sec)
  oneLine(
    'ert',
    ' results as expected',
    /^Ran <total> tests?, <passed> results? as expected, <failed> unexpected(?:, <skipped> skipped)? \(/,
  ),
];

export const traits: readonly Traits[] = [
  { name: 'tasty', failing: ['1 out of 3 tests failed (0.01s)'] },
  { name: 'alcotest', failing: ['1 failure! in 0.013s. 3 tests run.'] },
  {
    name: 'cabal test',
    failing: ['0 of 1 test suites (2 of 3 test cases) passed.'],
    bad: /^(?:Error: )?(?:\[Cabal-\d+\]|cabal:?)\s*(?:\n|.*Tests failed for)/m,
  },
  {
    name: 'ert',
    failing: ['Ran 3 tests, 2 results as expected, 1 unexpected (2026-01-01 10:11:02+0000, 0.012 sec)'],
  },
  { name: 'dune', silent: /^File "|^Error: |: command not found/m },
  { name: 'elm', good: /^Success! Compiled \d/m },
  { name: 'gleam', good: /^ +Compiled in [\d.]+s$/m },
];
