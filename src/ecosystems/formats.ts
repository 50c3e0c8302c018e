// Reports in forms that several runners write: TAP, JUnit XML, JSON.
import { add, type LineReader, n, type Output, type Report, take, wait } from './report.ts';

// "numPassedTests": 4 of jest and its kin, "passes": 4 of mocha, on one line or on many.
const JSON_COUNTS =
  /"(numPassedTests|numFailedTests|numPendingTests|passes|failures|pending)":\s{0,4}(\d{1,9})(?=\s{0,4}(?:[,}]|$))/g;

const json: LineReader = (line, report) => {
  let any = false;
  for (const [, word = '', count] of line.matchAll(JSON_COUNTS)) {
    const [failed, skipped] = [/fail/i.test(word), /pend/i.test(word)];
    any = add(
      report,
      'json',
      failed || skipped ? 0 : n(count),
      failed ? n(count) : 0,
      skipped ? n(count) : 0,
    );
  }
  return any;
};

// <testsuites tests="12" failures="0" …>, or without one its <testsuite …>s
const junitXml: LineReader = (line, report) => {
  if (/<testsuites [^>]{0,500}\btests="/.test(line)) report.waiting.set('xml all', 1);
  for (const [tag] of line.matchAll(/<testsuites? [^>]{1,1000}>/g)) {
    if (tag.startsWith('<testsuite ') && report.waiting.has('xml all')) continue;
    const of = (name: string): number => n(new RegExp(`\\s${name}="(\\d{1,9})"`).exec(tag)?.[1]);
    const [total, failed, skipped] = [
      of('tests'),
      of('failures') + of('errors'),
      of('skipped') + of('disabled'),
    ];
    add(report, 'junit xml', total - failed - skipped, failed, skipped, total);
  }
  return /^\s*<testsuites?[\s>]/.test(line);
};

// 1..3
// ok 1 - adds
// not ok 2 - takes away
// ok 3 # SKIP no network
// Writers of TAP that sum up nothing: reporters of other runners, bats, pg_prove. Deeper tests are indented, and are not
// counted again.
const tap: LineReader = (line, report) => {
  if (/^1\.\.\d{1,9}(?:\s|$)/.test(line)) return wait(report, 'tap plan', 1);
  const match = /^(not )?ok\b(?:\s+\d{1,9})?(?:\s(.*))?$/.exec(line);
  if (!match) return false;
  const skipped = /#\s*(?:skip|todo)/i.test(match[2] ?? '');
  return wait(report, skipped ? 'tap point skipped' : match[1] ? 'tap point failed' : 'tap point passed', 1);
};

function flushTap(report: Report): void {
  const plans = take(report, 'tap plan');
  const [passed, failed] = [take(report, 'tap point passed'), take(report, 'tap point failed')];
  const skipped = take(report, 'tap point skipped');
  // A sum of the same points is the better report.
  if (plans > 0 && report.tallies.size === 0) add(report, 'tap', passed, failed, skipped);
}

export const outputs: readonly Output[] = [
  { signs: ['"numPassedTests"', '"passes"'], read: json },
  { signs: ['<testsuite'], read: junitXml },
];

/** Read last of all: its points are also what others sum up. */
export const PLAIN_TAP: Output = { signs: ['1..'], read: tap, flush: flushTap };
