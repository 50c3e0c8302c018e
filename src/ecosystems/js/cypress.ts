// Cypress.
import { add, type LineReader, n, type Output } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { type Table, type Tool, withVerbs } from '../tool.ts';

const cypress: Tool = {
  kind: 'test',
  runner: 'cypress',
  values:
    '-b --browser -c --config -C --config-file -e --env -k --key -p --port -r --reporter -o --reporter-options -t --tag --ci-build-id --group',
  flags: '--headless --headed --record --parallel -q --quiet --component --e2e',
  targets: '-s --spec',
  directory: '-P --project',
  bare: 'nothing',
};

export const programs = (): Table => ({
  cypress: withVerbs('run', 'cypress', { run: cypress }),
});

//   ✔  All specs passed!      00:02    2    2    -    -    -
//   ✖  1 of 2 failed (50%)    00:05    3    2    1    -    -
const read: LineReader = (line, report) => {
  const match =
    /^\s{1,4}\S\s{1,4}(?:All specs passed!|\d{1,6} of \d{1,6} failed \(\d{1,3}%\))\s+[\d:]{4,9}\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})$/.exec(
      line,
    );
  if (!match) return false;
  const [, total, passed, failed, pending, skipped] = match.map((text) => (/^\d+$/.test(text) ? n(text) : 0));
  return add(report, 'cypress', passed ?? 0, failed ?? 0, (pending ?? 0) + (skipped ?? 0), total ?? 0);
};

export const outputs: readonly Output[] = [{ signs: ['All specs passed!', ' failed ('], read }];

export const traits: readonly Traits[] = [
  {
    name: 'cypress',
    failing: [
      '    ✖  1 of 2 failed (50%)                     00:05        3        2        1        -        -  ',
    ],
  },
];

export const config: TestConfig = { scripts: 'cypress', leavesOut: 'excludeSpecPattern' };
