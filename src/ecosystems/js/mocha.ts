// Mocha.
import { listed, type Output } from '../report.ts';
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

export const outputs: readonly Output[] = [
  // 5 passing (12ms)
  // 1 pending
  // 2 failing
  listed({
    runner: 'mocha',
    signs: [' passing'],
    line: /^\s*(?<count>\d{1,9}) (?<word>passing|pending|failing)(?: \([^)]*\))?$/,
    words: { passing: 'passed', pending: 'skipped', failing: 'failed' },
    first: 'passing',
  }),
];

export const traits: readonly Traits[] = [{ name: 'mocha', finds: true, failing: ['  1 failing'] }];

export const config: TestConfig = {
  names: '\\.mocharc(?:\\.[a-z]+)?|mocha\\.opts|mocha[.-]?setup\\.[a-z.]+',
  sections: 'mocha',
  leavesOut: 'grep fgrep',
};
