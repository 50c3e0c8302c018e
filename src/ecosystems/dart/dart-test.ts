// dart test and flutter test.
import { type Output, oneLine } from '../report.ts';
import { DART, type Language, type Mark, type TestConfig, type Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table } from '../tool.ts';

const dart =
  (name: string): Reader =>
  (args) => {
    const [sub, ...rest] = args;
    switch (sub) {
      case 'test':
        return readOptions(
          {
            kind: 'test',
            runner: `${name} test`,
            values:
              '-r --reporter -j --concurrency -p --platform --timeout --coverage -d --device-id --dart-define --total-shards --shard-index',
            flags: '--coverage --no-pub',
            selectors: '-n --name -N --plain-name -t --tags',
            excludes: '-x --exclude-tags',
          },
          rest,
        );
      case 'analyze':
        return readOptions({ kind: 'lint', runner: `${name} analyze` }, rest);
      case 'format':
        return found('format', `${name} format`, { rewrites: !rest.includes('--set-exit-if-changed') });
      case 'compile':
      case 'build':
        return found('build', `${name} ${sub}`);
      case 'run':
        return found('run', `${name} run`, {
          targets: rest.filter((arg) => arg.endsWith('.dart')).slice(0, 1),
        });
      default:
        return sub?.endsWith('.dart') ? found('run', name, { targets: [sub] }) : null;
    }
  };

export const programs = (): Table => ({ dart: dart('dart'), flutter: dart('flutter') });

export const outputs: readonly Output[] = [
  // 00:03 +2 ~1 -1: Some tests failed.     of Dart and Flutter
  oneLine(
    'dart test',
    ' tests ',
    /^\d\d:\d\d \+<passed>(?: ~<skipped>)?(?: -<failed>)?: (?:All tests (?:passed|skipped)[!.]|(?<bad>Some) tests failed\.|No tests ran\.)$/,
  ),
];

export const traits: readonly Traits[] = [
  { name: 'dart test', failing: ['00:03 +2 -1: Some tests failed.'] },
  ...['dart', 'flutter'].map((name) => ({
    name,
    failing: [['1 issue found.', '  error • Undefined name • lib/a.dart:1:1 • undefined_identifier']],
    // Of files to be formatted, with an exit code only where it was asked for.
    good: /^Formatted \d+ files? \(0 changed\)|^✓ Built \S/m,
    bad: /^Gradle task \w+ failed with exit code|^Target \w+ failed:/m,
  })),
];

const marks: readonly Mark[] = [
  ['suite', /(?<![\w$.])group\s*(?=\()/],
  ['test', /(?<![\w$.])(?:test|testWidgets|blocTest)\s*(?:<[^>]{0,80}>)?(?=\()/],
  ['skip-here', /\bskip:\s*(?!false\b)|\bmarkTestSkipped\s*\(/],
  ['skip-file', /^@Skip\b/],
  ['only', /\bsolo:\s*true/],
  ['assert', /(?<![\w$.])expect(?:Later)?\s*\(/],
];

export const language: Language = {
  syntax: DART,
  marks: [marks],
  trivial: /\bexpect\(\s*true\s*,\s*(?:true|isTrue)\s*\)/,
};

export const config: TestConfig = { projects: [['pubspec.yaml', 'dart test', null]] };
