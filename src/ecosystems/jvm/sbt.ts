// sbt, ScalaTest and MUnit.
import { add, type LineReader, n, type Output, oneLine } from '../report.ts';
import { JAVA, type Language, type Mark, type TestConfig, type Traits } from '../runner.ts';
import { found, type Reader, type Table } from '../tool.ts';
import * as junit from './junit.ts';

/** `sbt "testOnly *Foo"`: each word is a command of its own. */
const sbt: Reader = (args, name) => {
  for (const arg of args) {
    const [command = '', ...words] = arg.trim().split(/\s+/);
    const task = command.slice(command.lastIndexOf('/') + 1).replace(/^\+/, '');
    const packages = command.includes('/') ? [command.slice(0, command.indexOf('/'))] : [];
    if (task === 'test') return found('test', `${name} test`, { packages });
    if (task === 'testOnly' || task === 'testQuick')
      return found('test', `${name} test`, { packages, selectors: words.length > 0 ? words : [task] });
    if (task === 'compile' || task === 'assembly' || task === 'package')
      return found('build', `${name} ${task}`, { packages });
    if (task === 'run' || task === 'runMain') return found('run', `${name} run`, { packages });
    if (task === 'scalafmtCheck' || task === 'scalafmtCheckAll') return found('format', `${name} ${task}`);
    if (task === 'publish') return found('ship', `${name} publish`);
  }
  return null;
};

export const programs = (): Table => ({
  sbt,
  sbtn: sbt,
  mill: (args) => {
    const [task = ''] = args.filter((arg) => !arg.startsWith('-'));
    return /(?:^|[._])test(?:\.test|\.testOnly)?$/.test(task)
      ? found('test', 'mill test', {
          packages: [task.split('.')[0] ?? ''].filter((part) => part !== '__' && part !== '_'),
        })
      : /compile|assembly|jar/.test(task)
        ? found('build', `mill ${task}`)
        : null;
  },
});

// [info] Passed: Total 2, Failed 0, Errors 0, Passed 2
const others: LineReader = (line, report) => {
  const sum =
    /^\[\w+\] (?:Passed|Failed|Error): Total (\d{1,9}), Failed (\d{1,9}), Errors (\d{1,9}), Passed (\d{1,9})(.{0,100})$/.exec(
      line,
    );
  if (!sum) return false;
  // ScalaTest has said the same already.
  if (report.tallies.has('scalatest')) return true;
  const failed = n(sum[2]) + n(sum[3]);
  return add(report, 'sbt', n(sum[4]), failed, n(sum[1]) - failed - n(sum[4]), n(sum[1]));
};

export const outputs: readonly Output[] = [
  // [info] Tests: succeeded 2, failed 0, canceled 0, ignored 0, pending 0
  oneLine(
    'scalatest',
    'succeeded ',
    /^(?:\[\w+\] )?Tests: succeeded <passed>, failed <failed>, canceled <skipped>, ignored <skipped2>, pending <skipped3>$/,
  ),
  { signs: [': Total '], read: others },
];

const UNSUCCESSFUL =
  /^\[error\] (?:Failed tests:|Error during tests:|Total time: |\(.*\) sbt\.TestsFailedException)/m;

export const traits: readonly Traits[] = [
  {
    name: 'scalatest',
    failing: [
      [
        '[info] Tests: succeeded 2, failed 1, canceled 0, ignored 0, pending 0',
        '[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful',
      ],
    ],
    bad: UNSUCCESSFUL,
  },
  {
    name: 'sbt',
    good: /^\[success\] Total time: \d/m,
    failing: [
      [
        '[error] Failed: Total 3, Failed 1, Errors 0, Passed 2',
        '[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful',
        '[error] Total time: 3 s, completed Jan 1, 2026',
      ],
    ],
    bad: UNSUCCESSFUL,
  },
];

const marks: readonly Mark[] = [
  ['test', /(?<![\w.])(?:test|it)\s*(?=\(\s*")|\bin\s*\{/],
  ['skip-own', /(?<![\w.])ignore\s*(?=\(\s*")|\bignore\s*\{/],
];

export const language: Language = { syntax: JAVA, marks: [junit.marks, marks], trivial: junit.trivial };

export const config: TestConfig = { names: 'build\\.sbt' };
