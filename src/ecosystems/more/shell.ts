// Shells: Bats and ShellSpec, Pester, ShellCheck.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { formatter, lint, plainTest, type Table } from '../tool.ts';

export const programs = (): Table => ({
  bats: plainTest('bats', '-j --jobs -F --formatter -T -o', {
    selectors: '-f --filter --filter-tags',
    dry: '-c --count',
  }),
  shellspec: plainTest('shellspec', '-s --shell -f --format', {
    selectors: '-E --example -T --tag',
    dry: '--list',
  }),
  shellcheck: lint('shellcheck', '-s --shell -e --exclude -f --format -S --severity -i'),
  shfmt: formatter('shfmt', { writes: '-w' }),
});

export const outputs: readonly Output[] = [
  // Tests Passed: 12, Failed: 0, Skipped: 1, Inconclusive: 0, NotRun: 0
  oneLine('pester', 'Tests Passed: ', /^Tests Passed: <passed>, Failed: <failed>, Skipped: <skipped>/),
];

export const traits: readonly Traits[] = [
  { name: 'bats', finds: true },
  { name: 'pester', failing: ['Tests Passed: 2, Failed: 1, Skipped: 0, Inconclusive: 0, NotRun: 0'] },
  { name: 'shellcheck', silent: /^In \S+ line \d|: command not found|openBinaryFile/m },
];
