// Haskell, OCaml, Gleam, Elm and Emacs Lisp.
import { type Output, oneLine } from '../report.ts';
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

export const outputs: readonly Output[] = [
  oneLine('tasty', ' out of ', /^<failed> out of <total> tests failed \([\d.]+s\)$/),
  // Test Successful in 0.013s. 12 tests run.
  oneLine('alcotest', ' tests run.', /^Test Successful in [\d.]+s\. <passed> tests? run\.$/),
  oneLine('alcotest', ' failures! in ', /^<failed> failures?! in [\d.]+s\. <total> tests? run\.$/),
  // 1 of 1 test suites (3 of 3 test cases) passed.
  oneLine(
    'cabal test',
    ' test suites (',
    /^\d{1,9} of \d{1,9} test suites \(<passed> of <total> test cases\) passed\.$/,
  ),
  // Ran 5 tests, 4 results as expected, 1 unexpected, 1 skipped (2026-02-08 10:11:02+0100, 0.012 sec)
  oneLine(
    'ert',
    ' results as expected',
    /^Ran <total> tests?, <passed> results? as expected, <failed> unexpected(?:, <skipped> skipped)? \(/,
  ),
];
