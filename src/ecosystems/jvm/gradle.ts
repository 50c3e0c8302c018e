// Gradle.
import type { CheckKind } from '../../format/index.ts';
import {
  add,
  flushListed,
  type LineReader,
  type Output,
  oneLine,
  type Report,
  take,
  wait,
} from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { type Reader, readOptions, type Table } from '../tool.ts';
import { ORDER } from './maven.ts';

function taskKind(task: string): CheckKind | null {
  const base = task.slice(task.lastIndexOf(':') + 1);
  if (
    /^(?:check|test|.*Test|connected.*AndroidTest|test[A-Z].*|allTests|integrationTest|koverVerify)$/.test(
      base,
    )
  )
    return 'test';
  if (base === 'build') return 'test';
  if (
    /^(?:assemble.*|bundle.*|compile.*|classes|testClasses|jar|war|shadowJar|bootJar|installDist|install[A-Z].*)$/.test(
      base,
    )
  )
    return 'build';
  if (/^(?:lint.*|ktlintCheck|detekt|checkstyle.*|pmd.*|spotbugs.*|apiCheck)$/.test(base)) return 'lint';
  if (/^(?:spotlessCheck|spotlessApply|ktlintFormat|spotlessJavaCheck)$/.test(base)) return 'format';
  if (/^(?:run|bootRun|execute)$/.test(base)) return 'run';
  return /^(?:publish.*|deploy.*|upload.*|release|flywayMigrate|update)$/.test(base) ? 'ship' : null;
}

const gradle: Reader = (args) => {
  const read = readOptions(
    {
      kind: 'build',
      runner: 'gradle',
      values:
        '-b --build-file -c --settings-file -g --gradle-user-home -I --init-script --max-workers --console --warning-mode --priority -PtestFilter',
      flags:
        '-q -i -d -s -S --info --stacktrace --debug --quiet --daemon --no-daemon --parallel --continue --offline --rerun-tasks --build-cache --scan --refresh-dependencies --rerun',
      selectors: '--tests',
      directory: '-p --project-dir',
      dry: '-m -v -h -t_',
    },
    args.filter((arg) => !/^-[DP]./.test(arg)),
  );
  const left = leftOut(args);
  const tasks = read.targets.filter((task) => !left.includes(task));
  const kinds = tasks.map(taskKind);
  let kind = ORDER.find((one) => kinds.includes(one));
  if (kind === undefined) return null;
  // `build -x test` is a build.
  if (
    kind === 'test' &&
    left.some((task) => /(?:^|:)(?:test|check)$/.test(task)) &&
    !tasks.some((task) => /(?:^|:)test$/.test(task))
  )
    kind = 'build';
  const goal = tasks.find((task) => taskKind(task) === kind || taskKind(task) === 'test') ?? '';
  const base = goal.slice(goal.lastIndexOf(':') + 1);
  const packages = goal.includes(':')
    ? [goal.slice(0, goal.lastIndexOf(':')).replace(/^:/, '').replaceAll(':', '/')].filter(
        (part) => part !== '',
      )
    : [];
  return { ...read, kind, runner: `gradle ${base}`, targets: [], packages };
};

function leftOut(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => (args[at - 1] === '-x' || args[at - 1] === '--exclude-task' ? [arg] : []));
}

export const programs = (): Table => ({ gradle, gradlew: gradle });

// FooTest > bar() PASSED                     where the build says so
const read: LineReader = (line, report) => {
  // Where it says no more than this, tasks are counted, and there is no total. What was up to date had passed.
  const task =
    /^> Task :(?:[\w.-]+:)*(?:test|check|\w*Test)(?: (NO-SOURCE|SKIPPED|UP-TO-DATE|FROM-CACHE|FAILED))?$/.exec(
      line,
    );
  if (task) {
    const idle = task[1] === 'NO-SOURCE' || task[1] === 'SKIPPED';
    return wait(
      report,
      task[1] === 'FAILED' ? 'gradle task failed' : idle ? 'gradle task idle' : 'gradle task passed',
      1,
    );
  }
  const test = /^\S.* > .* (PASSED|FAILED|SKIPPED)$/.exec(line);
  return test !== null && wait(report, `gradle ${test[1]?.toLowerCase()}`, 1);
};

function flushGradle(report: Report): void {
  flushListed(report, 'gradle');
  const [passed, failed] = [take(report, 'gradle task passed'), take(report, 'gradle task failed')];
  const idle = take(report, 'gradle task idle');
  if (passed + failed + idle > 0 && !report.tallies.has('gradle'))
    add(report, 'gradle', passed, failed, 0, null);
}

export const outputs: readonly Output[] = [
  // 5 tests completed, 1 failed, 1 skipped     only where one failed
  oneLine('gradle', ' completed', /^<total> tests? completed(?:, <failed> failed)?(?:, <skipped> skipped)?$/),
  { signs: [' PASSED', ' FAILED', ' SKIPPED', '> Task :'], read, flush: flushGradle },
];

export const config: TestConfig = {
  projects: [
    ['gradlew', './gradlew test', './gradlew build'],
    ['build.gradle', 'gradle test', 'gradle build'],
  ],
  names: 'build\\.gradle(?:\\.kts)?',
  lines: [
    ['loosen', /\.gradle(\.kts)?$/, /\bignoreFailures\s*=\s*true/],
    // With the line of the block that it stands in.
    [
      'deselect',
      /\.gradle(\.kts)?$/,
      /\btest\b.*\{ (?:(?:is)?enabled *= *false|onlyIf *\{ *false)|\btest\.enabled *= *false/i,
    ],
    ['deselect', /\.gradle(\.kts)?$/, /\bexcludeTestsMatching\b|\bexclude\b.*Test|\bexcludeTags\b/],
  ],
};

export const traits: readonly Traits[] = [
  {
    name: 'gradle',
    quiet: true,
    good: /^BUILD SUCCESSFUL in \d/m,
    bad: /^(?:BUILD FAILED in \d|FAILURE: Build )/m,
    failing: [['BUILD FAILED in 4s', 'FAILURE: Build failed with an exception.']],
  },
];
