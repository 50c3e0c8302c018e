// AVA.
import { listed, type Output } from '../report.ts';
import type { Mark, TestConfig, Traits } from '../runner.ts';
import type { Table, Tool } from '../tool.ts';

const ava: Tool = {
  kind: 'test',
  runner: 'ava',
  values: '-c --concurrency --config -T --timeout --node-arguments',
  flags:
    '-v --verbose -s --serial -t --tap -w --watch --fail-fast -u --update-snapshots --no-worker-threads --match-no-tests',
  selectors: '-m --match',
  rewrites: '-u --update-snapshots',
};

export const programs = (): Table => ({ ava });

export const outputs: readonly Output[] = [
  //   2 tests passed
  //   1 test failed
  //   1 test skipped
  //   1 test todo
  listed({
    runner: 'ava',
    signs: [' passed', ' failed', ' skipped'],
    line: /^ {2}(?<count>\d{1,9}) (?:(?:tests?|known failures?|hooks?) (?<word>passed|failed|skipped|todo)|uncaught exceptions?|unhandled rejections?)$/,
    words: { passed: 'passed', failed: 'failed', skipped: 'skipped', todo: 'skipped' },
  }),
];

export const traits: readonly Traits[] = [
  {
    name: 'ava',
    finds: true,
    failing: ['  1 test failed', '  1 uncaught exception', '  1 unhandled rejection'],
    bad: /^ {2}✖ Timed out while running tests/m,
  },
];

export const marks: readonly Mark[] = [
  ['assert', /\bt\.(?:is|not|true|false|truthy|falsy|deepEqual|equal|ok|same|throws|like|snapshot)\w*\s*\(/],
];

export const config: TestConfig = { scripts: 'ava', sections: 'ava' };
