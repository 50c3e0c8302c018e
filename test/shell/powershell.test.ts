// A line of bash that hands another to PowerShell, as agents on Windows write it.
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/shell/index.ts';

const where = { root: 'c:/w', cwd: 'c:/w' } as never;
const runs = (line: string) =>
  readCommand(line, where).checks.map(
    ({ command, flaw }) => `${command}${flaw === null ? '' : ` ${flaw.code}`}`,
  );

describe('B5 a line that goes through PowerShell', () => {
  it.each<[string, string[]]>([
    [`powershell -Command "npx vitest run"`, ['npx vitest run']],
    [
      `powershell -Command "Set-Location 'c:\\w'; npx vitest run --reporter=verbose 2>&1"`,
      ['npx vitest run --reporter=verbose 2>&1'],
    ],
    [`pwsh.exe -NoProfile -ExecutionPolicy Bypass -c 'npm test'`, ['npm test']],
    [`cd src && powershell -Command "npm test" 2>&1`, ['npm test']],
    [`powershell -Command "npm test; exit 0"`, ['npm test masked']],
    [`powershell -Command "npm test" || true`, ['npm test masked']],
    [`powershell -Command "npm $x test"`, ['powershell -Command "npm $x test"']],
    [`powershell -Command "if (1) { npm test }"`, ['powershell -Command "if (1) { npm test }"']],
  ])('%s', (line, expected) => {
    expect(runs(line)).toEqual(expected);
  });
});
