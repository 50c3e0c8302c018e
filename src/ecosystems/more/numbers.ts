// Julia and R.
import { add, type LineReader, n, type Output, oneLine, take } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, type Table } from '../tool.ts';

export const programs = (): Table => ({
  julia: (args) =>
    /Pkg\.test\(/.test(args.join(' '))
      ? found('test', 'julia Pkg.test')
      : found('run', 'julia', { targets: args.filter((arg) => arg.endsWith('.jl')) }),
  Rscript: (args) =>
    /testthat|devtools::test|test_dir|test_file/.test(args.join(' '))
      ? found('test', 'testthat')
      : found('run', 'Rscript', { targets: args.filter((arg) => /\.[rR]$/.test(arg)) }),
});

// Test Summary: | Pass  Fail  Total  Time
// Parser        |   12     1     13  0.4s
const julia: LineReader = (line, report) => {
  const head = /^Test Summary:\s*\|((?:\s+[A-Z][a-z]+)+)\s*$/.exec(line);
  if (head) {
    const columns = (head[1] ?? '').trim().split(/\s+/);
    for (const [at, word] of columns.slice(0, 8).entries()) report.waiting.set(`julia ${word}`, at + 1);
    return true;
  }
  if (!report.waiting.has('julia Total')) return false;
  const row = /^\S[^|]{0,200}\|((?:\s+[\d.msh]+)+)\s*$/.exec(line);
  if (!row) return false;
  const cells = (row[1] ?? '').trim().split(/\s+/);
  // Only the columns that are not empty are written, so a row of another length is a part of the one above.
  const of = (word: string): number => {
    const at = take(report, `julia ${word}`);
    return at === 0 ? 0 : n(cells[at - 1]);
  };
  const [passed, failed] = [of('Pass'), of('Fail') + of('Error')];
  const [skipped, total] = [of('Broken'), of('Total')];
  return add(report, 'julia', passed, failed, skipped, total);
};

export const outputs: readonly Output[] = [
  { signs: ['Test Summary:'], read: julia },
  // [ FAIL 0 | WARN 0 | SKIP 1 | PASS 42 ]
  oneLine('testthat', '[ FAIL ', /^\[ FAIL <failed> \| WARN \d{1,9} \| SKIP <skipped> \| PASS <passed> \]$/),
];

export const traits: readonly Traits[] = [
  {
    name: 'julia',
    failing: ['ERROR: LoadError: Some tests did not pass: 2 passed, 1 failed, 0 errored, 0 broken.'],
    bad: /^ERROR: (?:LoadError: )?(?:Some tests did not pass|There was an error during testing|Package .* errored during testing)/m,
  },
  { name: 'testthat', failing: ['[ FAIL 1 | WARN 0 | SKIP 0 | PASS 2 ]'] },
];
