// Java, Kotlin, Scala, Clojure: Maven, Gradle and the others build whole projects, and name tests by class.
import type { CheckKind } from '../../../format/index.ts';
import type { Found } from '../facts.ts';
import { found, own, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

const GOALS: Readonly<Record<string, CheckKind>> = {
  test: 'test',
  verify: 'test',
  'integration-test': 'test',
  install: 'test',
  package: 'test',
  'surefire:test': 'test',
  'failsafe:integration-test': 'test',
  'failsafe:verify': 'test',
  compile: 'build',
  'test-compile': 'build',
  'process-classes': 'build',
  deploy: 'ship',
  'flyway:migrate': 'ship',
  'liquibase:update': 'ship',
  'release:perform': 'ship',
  'checkstyle:check': 'lint',
  'pmd:check': 'lint',
  'spotbugs:check': 'lint',
  'spotless:check': 'format',
  'spotless:apply': 'format',
  'exec:java': 'run',
  'spring-boot:run': 'run',
  'quarkus:dev': 'run',
};
const ORDER: readonly CheckKind[] = ['ship', 'test', 'build', 'lint', 'format', 'run'];

/** `-Dtest=FooTest#bar` narrows, `-DskipTests` leaves no test to run. */
const maven: Reader = (args, name) => {
  const read = readOptions(
    {
      kind: 'build',
      runner: 'mvn',
      values: '-s --settings -T --threads -P --activate-profiles -l --log-file',
      packages: '-pl --projects -rf --resume-from',
      dry: '-v -h',
      flags: '-q -B -U -o -am -amd -e -X -ntp --batch-mode --quiet --offline --also-make',
    },
    args.filter((arg, at) => !arg.startsWith('-D') && !isPair(args, at, '-f', '--file')),
  );
  const kinds = read.targets.map(
    (goal) => own(GOALS, goal) ?? own(GOALS, goal.split(':').slice(-2).join(':')),
  );
  let kind = ORDER.find((one) => kinds.includes(one));
  if (kind === undefined) return null;
  const selectors = args.flatMap((arg) => /^-D(?:it\.)?test=(.+)$/.exec(arg)?.[1]?.split(',') ?? []);
  const groups = args.flatMap((arg) => /^-Dgroups=(.+)$/.exec(arg)?.[1] ?? []);
  const excluded = args
    .flatMap((arg) => /^-DexcludedGroups=(.+)$/.exec(arg)?.[1] ?? [])
    .map((word) => `!${word}`);
  const skipped = args.find((arg) =>
    /^-D(?:skipTests|skipITs|maven\.test\.skip|skipUnitTests)(?:=true)?$/.test(arg),
  );
  const goals = read.targets.filter((_, at) => kinds[at] !== undefined);
  // Without tests, a package is built; and `test` finds nothing to run, which its report says.
  if (kind === 'test' && skipped !== undefined && (goals.includes('package') || goals.includes('install')))
    kind = 'build';
  const runner = `mvn ${goals.at(-1) ?? ''}`;
  return {
    ...read,
    kind,
    runner,
    targets: [],
    selectors: [...selectors, ...groups, ...excluded],
    directory: pomFolder(args, name),
  };
};

function isPair(args: readonly string[], at: number, ...options: string[]): boolean {
  return options.includes(args[at] ?? '') || options.includes(args[at - 1] ?? '');
}

function pomFolder(args: readonly string[], _name: string): string | null {
  const at = args.findIndex((arg) => arg === '-f' || arg === '--file');
  const path = at < 0 ? undefined : args[at + 1];
  if (path === undefined) return null;
  if (!path.endsWith('.xml')) return path;
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}

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

const javac: Tool = {
  kind: 'build',
  runner: 'javac',
  values: '-d -cp -classpath --class-path -source -target --release -processor -sourcepath',
  dry: '-version',
};

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
    if (name === 'lein')
      return args[0] === 'run'
        ? found('run', 'lein run')
        : /^(?:uberjar|jar|compile)$/.test(args[0] ?? '')
          ? found('build', `lein ${args[0]}`)
          : null;
    return null;
  };

export const JVM: Table = {
  mvn: maven,
  mvnw: maven,
  mvnd: maven,
  gradle,
  gradlew: gradle,
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
  ant: (args) => {
    const goal = args.find((arg) => !arg.startsWith('-'));
    return goal === undefined || /^(?:compile|build|jar|dist)/.test(goal)
      ? found('build', `ant ${goal ?? ''}`.trim())
      : /test/.test(goal)
        ? found('test', `ant ${goal}`)
        : null;
  },
  lein: clojure('lein'),
  clj: clojure('clj'),
  clojure: clojure('clojure'),
  java,
  javac,
  kotlinc: { ...javac, runner: 'kotlinc' },
  scalac: { ...javac, runner: 'scalac' },
  kotlin: { kind: 'run', runner: 'kotlin', values: '-cp -classpath' },
  ktlint: (args) =>
    readOptions(
      { kind: 'lint', runner: 'ktlint', rewrites: '-F --format', values: '--reporter --editorconfig' },
      args,
    ),
  detekt: { kind: 'lint', runner: 'detekt', values: '-c --config -i --input' },
};
