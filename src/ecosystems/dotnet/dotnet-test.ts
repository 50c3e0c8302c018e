// dotnet test: xUnit, NUnit, MSTest.
import { add, behind, keep, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import { JAVA, type Language, type Mark, type TestConfig, TRIVIAL, type Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table, until } from '../tool.ts';

const dotnet: Reader = (args) => {
  const [sub, ...rest] = args;
  const values =
    '-c --configuration -f --framework -r --runtime -o --output -v --verbosity -l --logger -s --settings --results-directory --collect --diag -a --arch --os -p --property --blame-hang-timeout --project --solution --max-parallel-test-modules';
  const flags = '--no-build --no-restore --nologo --blame --interactive --force --self-contained';
  switch (sub) {
    case 'test':
      return readOptions(
        {
          kind: 'test',
          runner: 'dotnet test',
          values,
          flags,
          selectors: '--filter --filter-method --filter-class --treenode-filter',
          targets: '--project',
          dry: '-t --list-tests -h',
        },
        until(rest, '--'),
      );
    case 'format':
      return found('format', 'dotnet format', { rewrites: !rest.includes('--verify-no-changes') });
    case 'run':
      return found('run', 'dotnet run', {
        targets: rest.flatMap((arg, at) => (rest[at - 1] === '--project' ? [arg] : [])),
      });
    case 'nuget':
      return rest[0] === 'push' ? found('ship', 'dotnet nuget push') : null;
    case 'ef':
      return rest[0] === 'database' ? found('ship', 'dotnet ef database update') : null;
    default:
      if (/^(?:build|publish|pack|msbuild)$/.test(sub ?? ''))
        return readOptions({ kind: 'build', runner: `dotnet ${sub}`, values, flags }, rest);
      return sub?.endsWith('.dll') ? found('run', 'dotnet', { targets: [sub] }) : null;
  }
};

export const programs = (): Table => ({ dotnet, msbuild: { kind: 'build', runner: 'msbuild' } });

// Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 12 ms - a.dll (net8.0)
// Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.2s
// Total tests: 5, Passed: 4, Failed: 1, Skipped: 0, a line each; or after `Test run summary:` in small letters
const read: LineReader = (line, report) => {
  if (/^(?:(?:Passed|Failed|Skipped)!\s+- Failed:|Test summary: total:)/.test(line)) {
    const passed = behind(line, 'Passed') + behind(line, 'succeeded');
    const [failed, skipped, total] = ['Failed', 'Skipped', 'Total'].map((word) => behind(line, word));
    return add(report, 'dotnet test', passed, failed ?? 0, skipped ?? 0, total ?? null);
  }
  if (line.startsWith('Test run summary:')) return keep(report, 'dotnet summary', 1);
  const match = /^\s*(Total tests|total|Passed|succeeded|Failed|failed|Skipped|skipped): (\d{1,9})$/.exec(
    line,
  );
  if (!match) return false;
  const word = (match[1] ?? '').toLowerCase();
  if (word === 'total tests' || (word === 'total' && take(report, 'dotnet summary') === 1)) {
    flushDotnet(report);
    return wait(report, 'dotnet total', n(match[2]));
  }
  return report.waiting.has('dotnet total') && wait(report, `dotnet ${word}`, n(match[2]));
};

function flushDotnet(report: Report): void {
  if (!report.waiting.has('dotnet total')) return;
  const passed = take(report, 'dotnet passed') + take(report, 'dotnet succeeded');
  const [failed, skipped] = [take(report, 'dotnet failed'), take(report, 'dotnet skipped')];
  add(report, 'dotnet test', passed, failed, skipped, take(report, 'dotnet total'));
}

export const outputs: readonly Output[] = [
  {
    signs: ['Passed!', 'Failed!', 'Skipped!', 'Test summary:', 'Total tests:', 'Test run summary:'],
    read,
    flush: flushDotnet,
  },
];

/** Each project of a solution has a line of its own, unless there is one sum. */
export const traits: readonly Traits[] = [
  {
    name: 'dotnet test',
    failing: [
      'Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 12 ms - a.dll (net8.0)',
    ],
    bad: /^(?:Test Run (?:Failed|Aborted)\.|Test run summary: Failed!|Build FAILED\.|Build failed with \d)|: error (?:TESTERROR|CS\d|MSB\d)/m,
  },
  ...['dotnet', 'msbuild'].map((name) => ({
    name,
    good: /^Build succeeded\b|^ +0 Error\(s\)$/m,
    bad: /^Build FAILED\.|^Build failed with|^ +[1-9]\d* Error\(s\)$|: error [A-Z]{2,8}\d/m,
    failing: [['Build FAILED.', 'a.cs(1,1): error CS1002: ; expected [/src/a.csproj]']],
  })),
];

const marks: readonly Mark[] = [
  ['attribute', /\[\s*(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod)\b/],
  ['suite', /\bclass\s+(?<name>\w+)/],
  ['declaration', /\b(?:void|Task(?:<\w+>)?|ValueTask)\s+(?<name>\w+)\s*[(<]/],
  [
    'skip-next',
    /\[[^\]]{0,120}\b(?:Fact|Theory|Test|TestCase)\s*\([^\]]{0,120}\b(?:Skip|Ignore)\s*=|[[,]\s*(?:Ignore|Explicit)\b\s*[(\],]/,
  ],
  ['skip-here', /\bAssert\.(?:Ignore|Inconclusive|Skip)\s*\(|\bSkip\.If\w*\s*\(/],
  ['skip-file', /^\s*#if\s+(?:false|0|NEVER)\b/],
  ['assert', /\bAssert\.(?!Ignore|Inconclusive|Skip)\w+|\.Should\w*\b/],
  ['table', /\[\s*(?:InlineData|TestCase|DataRow|MemberData)\b/],
];

export const language: Language = { syntax: JAVA, marks: [marks], trivial: TRIVIAL };

export const config: TestConfig = {
  names: '[a-z0-9._-]+\\.(?:runsettings|csproj|fsproj)|xunit\\.runner\\.json',
};
