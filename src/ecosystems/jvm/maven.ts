// Maven, with the report of Surefire.
import type { CheckKind } from '../../format/index.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { each, own, type Reader, readOptions, type Table } from '../tool.ts';

const GOALS: Readonly<Record<string, CheckKind>> = {
  ...each('test verify integration-test install package surefire:test', () => 'test' as const),
  ...each('failsafe:integration-test failsafe:verify', () => 'test' as const),
  ...each('compile test-compile process-classes', () => 'build' as const),
  ...each('deploy flyway:migrate liquibase:update release:perform', () => 'ship' as const),
  ...each('checkstyle:check pmd:check spotbugs:check', () => 'lint' as const),
  ...each('spotless:check spotless:apply', () => 'format' as const),
  ...each('exec:java spring-boot:run quarkus:dev', () => 'run' as const),
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
  const named = { targets: [], selectors: [...selectors, ...groups, ...excluded] };
  return { ...read, kind, runner, ...named, directory: pomFolder(args) };
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

export const BUILD_FAILED =
  /^(?:\[[A-Z]+\] )?BUILD FAILURE$|^\[ERROR\] (?:Failed to execute goal|COMPILATION ERROR)/m;

export const traits: readonly Traits[] = [
  {
    name: 'mvn',
    good: /^(?:\[[A-Z]+\] )?BUILD SUCCESS$/m,
    bad: BUILD_FAILED,
    failing: [['[INFO] BUILD FAILURE', '[ERROR] Failed to execute goal org.apache.maven.plugins']],
  },
];

export const config: TestConfig = {
  projects: [['pom.xml', 'mvn test', 'mvn compile']],
  names: 'pom\\.xml',
  leavesOut: 'excludeGroups excludedGroups',
  lines: [
    ['only', /(^|\/)pom\.xml$/, /<include>[^<*]*(?:\*\*\/)?\w*(?:Test|IT)\w*(?:\.\w+)?<|<groups>\s*\w/],
    ['deselect', /(^|\/)pom\.xml$/, /<excludedGroups>\s*\w/],
    ['loosen', /(^|\/)pom\.xml$/, /<(?:skipTests|maven\.test\.skip|testFailureIgnore|skipITs)>\s*true/],
  ],
};
