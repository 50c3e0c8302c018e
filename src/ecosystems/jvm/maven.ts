// Maven, with the report of Surefire.
import type { CheckKind } from '../../format/index.ts';
import type { TestConfig } from '../runner.ts';
import { own, type Reader, readOptions, type Table } from '../tool.ts';

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

export const ORDER: readonly CheckKind[] = ['ship', 'test', 'build', 'lint', 'format', 'run'];

/** `-Dtest=FooTest#bar` narrows, `-DskipTests` leaves no test to run. */
const maven: Reader = (args) => {
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
    directory: pomFolder(args),
  };
};

function isPair(args: readonly string[], at: number, ...options: string[]): boolean {
  return options.includes(args[at] ?? '') || options.includes(args[at - 1] ?? '');
}

function pomFolder(args: readonly string[]): string | null {
  const at = args.findIndex((arg) => arg === '-f' || arg === '--file');
  const path = at < 0 ? undefined : args[at + 1];
  if (path === undefined) return null;
  if (!path.endsWith('.xml')) return path;
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
}

export const programs = (): Table => ({ mvn: maven, mvnw: maven, mvnd: maven });

export const config: TestConfig = {
  projects: [['pom.xml', 'mvn test', 'mvn compile']],
  names: 'pom\\.xml',
  leavesOut: 'excludeGroups excludedGroups',
  lines: [
    ['loosen', /(^|\/)pom\.xml$/, /<(?:skipTests|maven\.test\.skip|testFailureIgnore|skipITs)>\s*true/],
  ],
};
