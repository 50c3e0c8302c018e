// JUnit, TestNG, Kotest, in Java and Kotlin.
import {
  add,
  behind,
  flushListed,
  type LineReader,
  n,
  type Output,
  type Report,
  take,
  wait,
} from '../report.ts';
import { JAVA, type Language, type Mark, type TestConfig, type Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table } from '../tool.ts';
import { BUILD_FAILED } from './maven.ts';

const java: Reader = (args) => {
  const text = args.join(' ');
  if (
    /org\.junit\.runner\.JUnitCore|org\.junit\.platform\.console|junit-platform-console|org\.testng\.TestNG/.test(
      text,
    )
  ) {
    const read = readOptions(
      {
        kind: 'test',
        runner: 'junit',
        values: '-cp -classpath --class-path -jar',
        selectors: '-c --select-class -p --select-package -m --select-method -t -T',
        flags: '--scan-class-path --scan-classpath',
        bare: 'nothing',
      },
      args,
    );
    const classes = args.filter(
      (arg) => /^[a-z\w.]*[A-Z]\w*$/.test(arg) && !/JUnitCore|ConsoleLauncher|TestNG/.test(arg),
    );
    return { ...read, selectors: read.selectors.length > 0 ? read.selectors : classes };
  }
  const at = args.indexOf('-jar');
  if (at >= 0) return found('run', 'java -jar', { targets: args.slice(at + 1, at + 2) });
  if (args.some((arg) => /^--?version$|^-help$|^--help$/.test(arg)))
    return found('run', 'java', { dry: args[0] ?? '' });
  const read = readOptions(
    {
      kind: 'run',
      runner: 'java',
      values: '-cp -classpath --class-path --module-path -p -m --add-modules --add-opens',
    },
    args,
  );
  return { ...read, targets: read.targets.slice(0, 1) };
};

export const programs = (): Table => ({ java });

// surefire:  [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1
//            with `Time elapsed` for a class: those count only where the sum was cut off
// JUnit 4:   OK (5 tests), or Tests run: 5,  Failures: 1
// JUnit 5:   [         5 tests successful      ]
// [INFO] Tests are skipped.
const read: LineReader = (line, report) => {
  if (/^\[[A-Z]+\]\s+Tests are skipped\.$/.test(line)) return add(report, 'surefire', 0, 0, 0);
  const match = /^(?:\[[A-Z]+\]\s+)?Tests run: (\d{1,9}),\s+Failures: (\d{1,9})(.*)$/.exec(line);
  if (match) {
    const rest = match[3] ?? '';
    const failed = n(match[2]) + behind(rest, 'Errors');
    const skipped = behind(rest, 'Skipped');
    const passed = n(match[1]) - failed - skipped;
    if (rest.includes('Time elapsed')) {
      wait(report, 'surefire passed', passed);
      wait(report, 'surefire failed', failed);
      return wait(report, 'surefire skipped', skipped);
    }
    return add(report, rest === '' ? 'junit' : 'surefire', passed, failed, skipped, n(match[1]));
  }
  const old = /^OK \((\d{1,9}) tests?\)$/.exec(line);
  if (old) return add(report, 'junit', n(old[1]), 0, 0);
  const box = /^\[\s*(\d{1,9}) tests (found|skipped|aborted|successful|failed)\s*\]$/.exec(line);
  if (!box) return false;
  if (box[2] === 'found') flushJunit(report);
  return wait(report, `junit ${box[2]}`, n(box[1]));
};

function flushJunit(report: Report): void {
  const complete = report.waiting.has('junit successful') && report.waiting.has('junit failed');
  const skipped = take(report, 'junit skipped') + take(report, 'junit aborted');
  const [passed, failed] = [take(report, 'junit successful'), take(report, 'junit failed')];
  const total = take(report, 'junit found');
  if (complete) add(report, 'junit', passed, failed, skipped, total);
}

function flushSurefire(report: Report): void {
  flushJunit(report);
  flushListed(report, 'surefire');
}

export const outputs: readonly Output[] = [
  { signs: ['Tests run: ', 'OK (', ' tests successful', 'Tests are skipped.'], read, flush: flushSurefire },
];

/** A module that does not compile, or a goal behind the tests, has no count: what tells of it is the end of the build. */
export const traits: readonly Traits[] = [
  {
    name: 'surefire',
    failing: [
      ['[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0', '[INFO] BUILD FAILURE'],
      ['[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0', '[INFO] BUILD FAILURE'],
    ],
    bad: BUILD_FAILED,
  },
  {
    name: 'junit',
    failing: [['[         1 tests failed          ]', 'Tests run: 3,  Failures: 1', 'FAILURES!!!']],
    bad: /^FAILURES!!!$/m,
  },
];

export const marks: readonly Mark[] = [
  ['attribute', /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/],
  ['suite', /\b(?:class|object)\s+(?<name>\w+)/],
  ['declaration', /\b(?:void|fun)\s+(?<name>\w+)\s*\(|\bfun\s*(?=`)/],
  [
    'skip-next',
    /@(?:[\w.]+\.)?(?:Disabled|Ignore|EnabledIf|EnabledOn)\w*\b|@Test\s*\([^)]{0,120}\benabled\s*=\s*false/,
  ],
  [
    'skip-here',
    /\bassume(?:True|False|That|NotNull)\s*\(|\bAssumptions\.abort\s*\(|\bthrow\s+new\s+(?:SkipException|TestAbortedException)\b/,
  ],
  ['skip-own', /(?<![\w.])x(?:it|test|should|describe|context)\s*(?=\()/],
  ['assert', /\b(?:assert|expect|verify)\w*\s*(?:<\w+>\s*)?[({]|\bAssert\w*\.\w+\s*\(|\bshould\w+\b/],
  ['table', /@ParameterizedTest\b|@(?:Value|Csv|Method|Enum)Source\b/],
  ['cases', /@(?:Value|Csv)Source\s*\([^{]*(?=\{)/],
];

export const trivial =
  /\bassert(?:True|That)\s*\(\s*true\s*[,)]|\bassertEquals\s*\(\s*(?:true\s*,\s*true|1\s*,\s*1)\s*[,)]/;

export const language: Language = { syntax: JAVA, marks: [marks], trivial };

export const config: TestConfig = {
  names: 'testng\\.xml',
  lines: [
    [
      'deselect',
      /\.xml(\.dist)?$/,
      /<exclude\b[^>]{0,80}>.{0,160}<\/exclude>|<excludes?>[^<]*Test|<exclude\b.*\bname=/,
    ],
  ],
};
