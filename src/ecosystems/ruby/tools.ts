// Rake, Cucumber, and the linters of Ruby.
import { type Output, oneLine } from '../report.ts';
import type { Checker, Traits } from '../runner.ts';
import { goal, goals } from '../tasks/scripts.ts';
import { found, lint, plainTest, type Table, types, withVerbs } from '../tool.ts';

export const programs = (): Table => ({
  rake: (args) => {
    const words = args.filter((arg) => !/^\w+=/.test(arg));
    if (words.some((arg) => /^-(?:T|P|n|D)$|^--(?:tasks|dry-run|prereqs)$/.test(arg)))
      return found('test', 'rake', { dry: words[0] ?? '' });
    const selectors = args.flatMap((arg) => /^TEST(?:OPTS)?=(.+)$/.exec(arg)?.[1] ?? []);
    const read = goals(
      'rake',
      found('test', 'rake', { targets: words.filter((arg) => !arg.startsWith('-')) }),
      'test',
    );
    return read && { ...read, selectors };
  },
  thor: goal('thor'),
  cucumber: plainTest('cucumber', '-f -r -p', { selectors: '-t --tags -n --name', dry: '-d' }),
  rubocop: lint('rubocop', '-c --config --only --except --format -f', {
    rewrites: '-a -A --autocorrect --autocorrect-all --auto-correct',
  }),
  standardrb: lint('standardrb', '', { rewrites: '--fix' }),
  brakeman: lint('brakeman'),
  srb: withVerbs('types', 'sorbet', { tc: types('sorbet') }),
  steep: withVerbs('types', 'steep', { check: types('steep') }),
});

export const outputs: readonly Output[] = [
  // 3 scenarios (1 failed, 2 passed)
  oneLine(
    'cucumber',
    ' scenario',
    /^<total> scenarios? \((?:<failed> failed,? ?)?(?:<skipped> (?:skipped|undefined|pending),? ?)*(?:<passed> passed)?\)$/,
  ),
];

export const traits: readonly Traits[] = [
  { name: 'cucumber', failing: ['3 scenarios (1 failed, 2 passed)'] },
  {
    name: 'rubocop',
    good: /^\d+ files? inspected, no offenses detected\b/m,
    bad: /^\d+ files? inspected, [1-9]\d* offenses? detected(?!.*, [1-9]\d* offenses? corrected)/m,
    failing: ['3 files inspected, 1 offense detected, 1 offense autocorrectable'],
  },
  { name: 'standardrb', silent: /^standard: |^ {2}\S+:\d+:\d+: |: command not found/m },
  { name: 'sorbet', good: /^No errors! Great job\./m, bad: /^Errors: [1-9]/m, failing: ['Errors: 1'] },
];

export const checkers: readonly Checker[] = [
  {
    of: 'lint',
    names: '\\.rubocop\\.ya?ml',
    settings: [
      [/\.Enabled$/, 'holds'],
      [/(?:^|\.)Exclude$/, 'leaves-out'],
    ],
  },
];
