// AVA.
import { add, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
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

//   2 tests passed
//   1 test failed
//   1 test skipped
//   1 test todo
const read: LineReader = (line, report) => {
  const match =
    /^ {2}(\d{1,9}) (?:(?:tests?|known failures?|hooks?) (passed|failed|skipped|todo)|uncaught exceptions?|unhandled rejections?)$/.exec(
      line,
    );
  return match !== null && wait(report, `ava ${match[2] ?? 'failed'}`, n(match[1]));
};

function flushAva(report: Report): void {
  const [passed, failed] = [take(report, 'ava passed'), take(report, 'ava failed')];
  const skipped = take(report, 'ava skipped') + take(report, 'ava todo');
  if (passed + failed + skipped > 0) add(report, 'ava', passed, failed, skipped);
}

export const outputs: readonly Output[] = [
  { signs: [' passed', ' failed', ' skipped'], read, flush: flushAva },
];

export const traits: readonly Traits[] = [{ name: 'ava', finds: true }];

export const marks: readonly Mark[] = [
  ['assert', /\bt\.(?:is|not|true|false|truthy|falsy|deepEqual|equal|ok|same|throws|like|snapshot)\w*\s*\(/],
];

export const config: TestConfig = { scripts: 'ava', sections: 'ava' };
