// Infrastructure: Terraform and Molecule, and linters of what every project has.
import { add, type LineReader, n, type Output, oneLine, type Report, take, wait } from '../report.ts';
import type { Traits } from '../runner.ts';
import { build, each, lint, type Table, withVerbs } from '../tool.ts';

export const programs = (): Table => ({
  hadolint: lint('hadolint', '-c --config --ignore'),
  yamllint: lint('yamllint', '-c -d'),
  ...each('actionlint nbqa vale typos codespell', (name) => lint(name)),
  sqlfluff: withVerbs(
    'lint',
    'sqlfluff',
    each('lint fix', () => lint('sqlfluff', '--dialect')),
  ),
  buf: withVerbs('lint', 'buf', { lint: lint('buf'), build: build('buf build') }),
  semgrep: lint('semgrep', '--config'),
});

// INFO     Idempotence completed successfully.
// INFO     Verifier completed successfully.     what a play did on the way counts only where it failed
const molecule: LineReader = (line, report) => {
  if (/^\S{0,8}\s{1,8}(?:Idempotence|Verifier) completed successfully\.$/.test(line))
    return wait(report, 'molecule passed', 1);
  const host = /^\S{1,100}\s{1,40}: ok=\d{1,9} .{0,80}\bunreachable=(\d{1,9}) {1,8}failed=(\d{1,9})/.exec(
    line,
  );
  return host !== null && wait(report, 'molecule failed', n(host[1]) + n(host[2]));
};

function flushMolecule(report: Report): void {
  const [passed, failed] = [take(report, 'molecule passed'), take(report, 'molecule failed')];
  if (passed > 0) add(report, 'molecule', passed, failed, 0, null);
}

export const outputs: readonly Output[] = [
  { signs: ['Verifier completed', 'Idempotence completed'], read: molecule, flush: flushMolecule },
  // Success! 3 passed, 0 failed.
  oneLine(
    'terraform test',
    ' passed, ',
    /^(?:Success!|Failure!) <passed> passed, <failed> failed(?:, <skipped> skipped)?\.$/,
  ),
];

export const traits: readonly Traits[] = [
  { name: 'terraform test', failing: ['Failure! 2 passed, 1 failed.'] },
  {
    name: 'terraform',
    good: /^Success! The configuration is valid\b/m,
    bad: /^│ Error: /m,
    failing: ['│ Error: Unsupported argument'],
  },
  {
    name: 'helm',
    good: /^\d+ chart\(s\) linted, 0 chart\(s\) failed$/m,
    bad: /, [1-9]\d* chart\(s\) failed$/m,
    failing: ['Error: 1 chart(s) linted, 1 chart(s) failed'],
  },
  {
    name: 'ansible-lint',
    good: /^Passed: 0 failure\(s\)/m,
    bad: /^Failed: \d+ failure\(s\)/m,
    failing: ['Failed: 1 failure(s), 0 warning(s) on 12 files.'],
  },
  { name: 'hadolint', silent: /^\S+:\d+ (?:DL|SC)\d|: command not found|^hadolint: /m },
  { name: 'actionlint', silent: /^\S+:\d+:\d+: |: command not found/m },
  { name: 'yamllint', silent: /^ +\d+:\d+ +(?:error|warning) |^\S+:\d+:\d+: \[|: command not found/m },
];
