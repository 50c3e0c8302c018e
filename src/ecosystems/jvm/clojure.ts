// Clojure.

import { add, type LineReader, n, type Output, oneLine, take, wait } from '../report.ts';
import type { Traits } from '../runner.ts';
import { goal } from '../tasks/scripts.ts';
import { each, type Found, found, type Reader, type Table } from '../tool.ts';

const clojure =
  (name: string): Reader =>
  (args): Found | null => {
    const text = args.join(' ');
    if (/(?:^|\s)-[MXT][\w:./-]*test\b|(?:^|\s):?test\b|kaocha/.test(text))
      return found('test', `${name} test`, {
        selectors: args.flatMap((arg, at) =>
          args[at - 1] === '--focus' || args[at - 1] === ':only' ? [arg] : [],
        ),
      });
    return name === 'lein' ? goal('lein')(args, name) : null;
  };

export const programs = (): Table => ({
  ...each('lein clj clojure', clojure),
});

// Ran 5 tests containing 12 assertions.
// 0 failures, 0 errors.
const read: LineReader = (line, report) => {
  const ran = /^Ran (\d{1,9}) tests containing \d{1,9} assertions\.$/.exec(line);
  if (ran) return wait(report, 'clojure ran', n(ran[1]));
  const match = /^(\d{1,9}) failures, (\d{1,9}) errors\.$/.exec(line);
  if (!match || !report.waiting.has('clojure ran')) return false;
  const failed = n(match[1]) + n(match[2]);
  const total = take(report, 'clojure ran');
  return add(report, 'clojure.test', Math.max(0, total - failed), failed, 0, null);
};

export const outputs: readonly Output[] = [
  { signs: [' tests containing '], read },
  // 5 tests, 12 assertions, 1 errors, 2 failures.
  oneLine(
    'kaocha',
    ' assertions, ',
    /^<total> tests?, \d{1,9} assertions?, (?:<skipped> pending, )?(?:<failed> errors?, )?<failed2> failures?\.$/,
  ),
];

export const traits: readonly Traits[] = [
  {
    name: 'clojure.test',
    failing: ['1 failures, 0 errors.', '0 failures, 1 errors.'],
    bad: /^Tests failed\.$/m,
  },
  {
    name: 'kaocha',
    failing: ['3 tests, 3 assertions, 1 failures.', '3 tests, 3 assertions, 1 errors, 0 failures.'],
  },
];
