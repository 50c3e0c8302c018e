// Jasmine, and Karma, which runs it in browsers.
import { add, type LineReader, n, type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { plainTest, type Table, whole, withVerbs } from '../tool.ts';

export const programs = (): Table => ({
  jasmine: plainTest('jasmine', '--config --reporter --helper --seed --require', { selectors: '--filter' }),
  karma: withVerbs('test', 'karma', { start: whole('test', 'karma') }, { bare: 'nothing' }),
});

// Chrome 124 (Linux): Executed 92 of 92 (1 FAILED) (1.8 secs / 1.6 secs)     earlier lines of the sort are on the way
const karma: LineReader = (line, report) => {
  const match =
    /: Executed (\d{1,9}) of (\d{1,9})(?: \(skipped (\d{1,9})\))?(?: SUCCESS| \((\d{1,9}) FAILED\)) \([\d.]+ secs \/ [\d.]+ secs\)$/.exec(
      line,
    );
  if (!match) return false;
  const [skipped, failed, total] = [n(match[3]), n(match[4]), n(match[2])];
  return n(match[1]) + skipped < total || add(report, 'karma', n(match[1]) - failed, failed, skipped, total);
};

export const outputs: readonly Output[] = [
  // 2 specs, 0 failures, 1 pending spec
  oneLine('jasmine', ' spec', /^<total> specs?, <failed> failures?(?:, <skipped> pending specs?)?$/),
  { signs: [': Executed '], read: karma },
];

export const traits: readonly Traits[] = [
  {
    name: 'jasmine',
    failing: ['2 specs, 1 failure'],
    bad: /^Incomplete: |^\d+ specs?, .*\bsuite (?:error|failure)/m,
  },
  {
    name: 'karma',
    failing: [
      [
        'Chrome 124 (Linux x86_64): Executed 3 of 3 (1 FAILED) (0.8 secs / 0.6 secs)',
        'TOTAL: 1 FAILED, 2 SUCCESS',
      ],
    ],
    bad: /^TOTAL: [1-9]\d* FAILED|: Executed \d{1,9} of \d{1,9} .{0,80}(?:ERROR|DISCONNECTED)\b/m,
  },
];
