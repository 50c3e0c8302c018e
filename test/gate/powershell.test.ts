// Claude Code's tool PowerShell: its lines in bash's words, and what a scan of such a session makes of them.
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/capture/hooks/claude-code.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { SessionScan } from '../../src/gate/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { exitCode, shellLine } from '../../src/record/index.ts';

const bash = (command: string): string | null =>
  shellLine({ tool: 'PowerShell', shell: true, args: { command } });

describe('a line of PowerShell', () => {
  it.each([
    ['npx vitest run', 'npx vitest run'],
    ['cd C:\\app; & npx.cmd vitest run test\\a.test.ts', 'cd C:/app ; npx vitest run test/a.test.ts'],
    ["$env:CI = '1'; npm test 2>&1 | Select-Object -Last 20", "export CI='1' ; npm test 2>&1 | tail -n 20"],
    ['npm test *> $null', 'npm test &>/dev/null'],
    ["git commit -m @'\nIt's in\n'@", "git commit -m 'It'\\''s in'"],
    ['npm test; Write-Output "ended $LASTEXITCODE"', 'npm test ; echo \'ended \'"$?"'],
    ['Remove-Item -Recurse -Force .\\dist', 'rm -rf ./dist'],
    ['npm test # all', 'npm test'],
  ])('%j is %j', (line, wanted) => {
    expect(bash(line)).toBe(wanted);
  });

  it.each([
    '$out = npx vitest run; exit 0',
    'npx vitest run; if ($LASTEXITCODE) { exit 0 }',
    'try { npm test } catch { }',
    'npm test &',
    'npm test | ForEach-Object { $_ }',
    'Write-Output "$(npm test)"',
  ])('%j can be read by no shell', (line) => {
    expect(bash(line)).toBe(`${line}\n)`);
  });
});

const PASSED = ' Test Files  1 passed (1)\n      Tests  12 passed (12)\n';
const FAILED = ' Test Files  1 failed (1)\n      Tests  1 failed | 11 passed (12)\n';
const NOT_FOUND =
  "vitest: The term 'vitest' is not recognized as a name of a cmdlet, function or script file.\n";

function verdict(command: string, result: JsonObject): string | undefined {
  const call = { tool_name: 'PowerShell', tool_input: { command }, tool_use_id: 'toolu_2' };
  const edit = { tool_name: 'Write', tool_input: { file_path: '/work/app/sum.js', content: 'x' } };
  const scan = new SessionScan(DEFAULT_POLICY);
  let found: string | undefined;
  for (const each of [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Fix sum.js' },
    { hook_event_name: 'PostToolUse', ...edit, tool_use_id: 'toolu_1', tool_response: { type: 'update' } },
    { ...call, ...result },
    { hook_event_name: 'Stop', last_assistant_message: 'Fixed sum.js. All tests pass.' },
  ]) {
    const events = claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null);
    for (const event of events) found = scan.take(event, null)?.verdict ?? found;
  }
  return found;
}

const ended = (stdout: string): JsonObject => ({
  hook_event_name: 'PostToolUse',
  tool_response: { stdout, stderr: '', interrupted: false },
});
const failed = (code: number, text: string): JsonObject => ({
  hook_event_name: 'PostToolUseFailure',
  error: `Exit code ${code}\n${text}`,
});

describe('tests that were run by PowerShell', () => {
  it.each([
    ['they passed', 'npx vitest run', ended(PASSED), 'pass'],
    ['they passed, in view', 'npx vitest run 2>&1 | Select-Object -Last 5', ended(PASSED), 'pass'],
    ['they failed', 'npx vitest run', failed(1, FAILED), 'block'],
    ['they failed, in view', 'npx vitest run | Select-Object -Last 5', ended(FAILED), 'block'],
    ['the line can not be read', '$x = npx vitest run; exit 0', ended(PASSED), 'block'],
  ])('%s', (_, command, result, wanted) => {
    expect(verdict(command, result)).toBe(wanted);
  });

  it.each([
    ['', 0],
    [NOT_FOUND, null],
  ])('end with the code of another program where the shell says %j', (stderr, wanted) => {
    const output = { stdout: '', stderr, interrupted: false };
    const call = { tool: 'PowerShell', shell: true, outcome: 'ok', output } as const;
    expect(exitCode(call, 'claude-code').exit_code).toBe(wanted);
  });
});
