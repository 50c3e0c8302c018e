// Mocha.
import { add, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const MOCHA: Tool = {
  kind: 'test',
  runner: 'mocha',
  values:
    '-r --require -R --reporter -O --reporter-option --reporter-options -t --timeout --timeouts --config --package --extension -u --ui -s --slow -j --jobs --retries --file --watch-files --watch-ignore --import --loader -n --node-option',
  flags:
    '--recursive --bail -b --exit --parallel -p --watch -w --color -c --colors --forbid-only --forbid-pending --full-trace --diff --check-leaks --sort -S --invert -i --delay --inline-diffs -A --async-only --allow-uncaught',
  selectors: '-g --grep -f --fgrep',
  excludes: '--ignore --exclude',
  targets: '--spec',
  dry: '--list-interfaces --list-reporters -h -V',
};

const mocha: Reader = (args) => {
  const read = readOptions(MOCHA, args);
  const inverted = args.includes('-i') || args.includes('--invert');
  return inverted ? { ...read, selectors: read.selectors.map((word) => `!${word}`) } : read;
};

export const programs = (): Table => ({ mocha });

// 5 passing (12ms)
// 1 pending
// 2 failing
const read: LineReader = (line, report) => {
  const match = /^\s*(\d{1,9}) (passing|pending|failing)(?: \([^)]*\))?$/.exec(line);
  if (!match) return false;
  if (match[2] === 'passing') flushMocha(report);
  else if (!report.waiting.has('mocha passing')) return false;
  return wait(report, `mocha ${match[2]}`, n(match[1]));
};

function flushMocha(report: Report): void {
  if (!report.waiting.has('mocha passing')) return;
  const [failed, skipped] = [take(report, 'mocha failing'), take(report, 'mocha pending')];
  add(report, 'mocha', take(report, 'mocha passing'), failed, skipped);
}

export const outputs: readonly Output[] = [{ signs: [' passing'], read, flush: flushMocha }];

export const traits: readonly Traits[] = [{ name: 'mocha', finds: true, failing: ['  1 failing'] }];

export const config: TestConfig = {
  names: '\\.mocharc(?:\\.[a-z]+)?|mocha\\.opts|mocha[.-]?setup\\.[a-z.]+',
  sections: 'mocha',
  leavesOut: 'grep fgrep',
};
