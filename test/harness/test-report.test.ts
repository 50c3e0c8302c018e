// C10: reports of tests. In doubt a test has not passed: half a report is none, and a name that is there twice is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { ParseError } from '../../src/core/index.ts';
import { judgeTests, noTests, parseReport } from '../../src/harness/test-report.ts';

const tap = (text: string): ReturnType<typeof parseReport> => parseReport(utf8Encode(text), 'tap');
const junit = (text: string): ReturnType<typeof parseReport> => parseReport(utf8Encode(text), 'junit');
const passed = (tests: ReturnType<typeof parseReport>): string[] =>
  tests.filter((test) => test.passed).map(({ names }) => names.at(-1) ?? '');

const TAP = `TAP version 13
# Subtest: a
ok 1 - a
  ---
  duration_ms: 1
  message: |-
    not ok 7 - this is no test
  ...
# Subtest: group
    # Subtest: b \\# 1
    ok 1 - b \\# 1
      ---
      type: 'test'
      ...
    # Subtest: c
    ok 2 - c # SKIP not today
    1..2
ok 2 - group
printed by a program
not ok 3 - d
ok 4 - e # TODO later
1..4
# tests 5
`;

describe('C10 TAP', () => {
  it('is read whole: groups, details, directives, and lines of others', () => {
    const tests = tap(TAP);
    expect(passed(tests)).toEqual(['a', 'group > b # 1', 'group']);
    expect(tests.map(({ names }) => names[0])).toEqual(['a', 'b # 1', 'c', 'group', 'd', 'e']);
    expect(tap(TAP.replaceAll('\n', '\r\n'))).toEqual(tests);
    expect(passed(tap('TAP version 14\n1..2\nok\nok 2 named\n'))).toEqual(['', 'named']);
  });

  it('what is in a group that failed or was skipped has not passed', () => {
    for (const end of ['not ok 1 - g', 'ok 1 - g # skip', 'ok 1 - g # TODO'])
      expect(passed(tap(`TAP version 13\n    ok 1 - a\n    1..1\n${end}\n1..1\n`))).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['no version', 'ok 1 - a\n1..1\n'],
    ['another version', 'TAP version 12\nok 1 - a\n1..1\n'],
    ['a second report', 'TAP version 13\nok 1 - a\n1..1\nTAP version 13\nok 1 - b\n1..1\n'],
    ['no plan', 'TAP version 13\nok 1 - a\n'],
    ['too few tests', 'TAP version 13\n1..2\nok 1 - a\n'],
    ['too many tests', 'TAP version 13\n1..1\nok 1 - a\nok 2 - b\n'],
    ['two plans', 'TAP version 13\n1..1\nok 1 - a\n1..1\n'],
    ['a test behind the plan', 'TAP version 13\nok 1 - a\n1..1\nok 2 - b\n'],
    ['numbers out of order', 'TAP version 13\nok 2 - a\nok 1 - b\n1..2\n'],
    ['a number twice', 'TAP version 13\nok 1 - a\nok 1 - b\n1..2\n'],
    ['a bail out', 'TAP version 13\nok 1 - a\nBail out! no database\n1..1\n'],
    ['a group without a plan', 'TAP version 13\n    ok 1 - a\nok 1 - g\n1..1\n'],
    ['a group without a result', 'TAP version 13\nok 1 - a\n1..1\n    ok 1 - b\n    1..1\n'],
    ['a group in no group', 'TAP version 13\n        ok 1 - a\n        1..1\nok 1 - g\n1..1\n'],
    ['odd indentation', 'TAP version 13\n  ok 1 - a\n1..1\n'],
    ['details without an end', 'TAP version 13\n1..1\nok 1 - a\n  ---\n  x: 1\n'],
  ])('is refused with %s', (_, text) => {
    expect(() => tap(text)).toThrow(ParseError);
  });

  it('is refused where it is cut anywhere before its plan', () => {
    for (let end = 0; end < TAP.indexOf('1..4'); end++)
      expect(() => tap(TAP.slice(0, end))).toThrow(ParseError);
  });
});

const JUNIT = `<?xml version="1.0" encoding="utf-8"?>
<!-- <testcase name="commented out"/> -->
<testsuites tests="6">
  <testsuite name="outer &amp; so">
    <properties><property name="x" value="y"/></properties>
    <testsuite name='inner'>
      <testcase name="a &lt;1&gt; &#x41;&#66;" classname="pkg.Case" time="0.1"><system-out><![CDATA[<failure/>]]></system-out></testcase>
    </testsuite>
    <testcase name="fails"><failure message="1 > 0 &quot;">trace</failure></testcase>
    <testcase name="errs"><error/></testcase>
    <testcase name="skips"><skipped/></testcase>
    <testcase name="odd"><somethingNew/></testcase>
    <testcase name="not run" status="notrun"/>
    <testcase name="runs" status="run" result="completed"/>
  </testsuite>
</testsuites>
`;

describe('C10 JUnit XML', () => {
  it('is read whole: suites, classes, and what is known of a case', () => {
    const tests = junit(JUNIT);
    expect(tests[0]?.names).toEqual([
      'a <1> AB',
      'pkg.Case > a <1> AB',
      'inner > a <1> AB',
      'outer & so > inner > a <1> AB',
    ]);
    expect(tests.filter((test) => test.passed).map(({ names }) => names[0])).toEqual(['a <1> AB', 'runs']);
    expect(tests).toHaveLength(7);
    expect(junit('<testsuite><testcase name="a"/></testsuite>')).toEqual([{ names: ['a'], passed: true }]);
  });

  it.each([
    ['nothing', ''],
    ['no root', '<?xml version="1.0"?>\n'],
    ['another root', '<html><testcase name="a"/></html>'],
    ['two roots', '<testsuite/><testsuite/>'],
    ['text behind the root', '<testsuite/>x'],
    ['a second declaration', `${JUNIT}${JUNIT}`],
    ['a document type', '<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'],
    ['an unknown entity', '<testsuite><testcase name="&a;"/></testsuite>'],
    ['a lone ampersand', '<testsuite><testcase name="a & b"/></testsuite>'],
    ['a name twice', '<testsuite><testcase name="a" name="b"/></testsuite>'],
    ['an element that is not closed', '<testsuite><testcase name="a"></testsuite>'],
    ['an instruction', '<testsuite><?php x ?></testsuite>'],
    ['a case in a case', '<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>'],
    ['a case in other output', '<testsuite><system-out><testcase name="b"/></system-out></testsuite>'],
    ['too much depth', `${'<testsuite>'.repeat(100)}${'</testsuite>'.repeat(100)}`],
    ['a comment without an end', '<testsuite><!-- </testsuite>'],
  ])('is refused with %s', (_, text) => {
    expect(() => junit(text)).toThrow(ParseError);
  });

  it('is refused where it is cut anywhere', () => {
    for (let end = 0; end < JUNIT.lastIndexOf('>'); end++)
      expect(() => junit(JUNIT.slice(0, end))).toThrow(ParseError);
  });

  it('takes a long message, and many cases, in one pass', () => {
    const message = 'x'.repeat(2_000_000);
    const cases = '<testcase name="b"/>'.repeat(50_000);
    const text = `<testsuite>${cases}<testcase name="a"><failure message="${message}">${message}</failure></testcase></testsuite>`;
    expect(junit(text)).toHaveLength(50_001);
  });
});

it('C10 a report throws nothing but ParseError', () => {
  expect(() => parseReport(Uint8Array.of(0xff, 0xfe), 'tap')).toThrow(ParseError);
  const piece = fc.constantFrom(...TAP.split('\n'), ...JUNIT.split(/(?=<)/), '\n', '    ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('tap', 'junit'), (pieces, form) => {
      try {
        parseReport(utf8Encode(pieces.join(form === 'tap' ? '\n' : '')), form);
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError);
      }
    }),
  );
});

describe('C10 listed tests', () => {
  const reported = [
    { names: ['a', 'x > a'], passed: true },
    { names: ['a', 'y > a'], passed: true },
    { names: ['b', 'b'], passed: true },
    { names: ['c'], passed: false },
  ];
  it.each([
    [['b', 'x > a', 'y > a'], { passed: 3, failed: 0, missing: 0 }, null],
    [['a'], { passed: 0, failed: 0, missing: 1 }, { name: 'a', why: 'twice' }],
    [['b', 'c'], { passed: 1, failed: 1, missing: 0 }, { name: 'c', why: 'failed' }],
    [['b', 'd', 'c'], { passed: 1, failed: 1, missing: 1 }, { name: 'd', why: 'missing' }],
    [['__proto__', 'B'], { passed: 0, failed: 0, missing: 2 }, { name: '__proto__', why: 'missing' }],
  ])('%j must each be there once, and pass', (listed, counts, first) => {
    expect(judgeTests(listed, reported)).toEqual({ tests: { listed: listed.length, ...counts }, first });
    expect(noTests(listed)).toEqual({ listed: listed.length, passed: 0, failed: 0, missing: listed.length });
  });
});
