// A search that ended well and found nothing is an attempt: what the gate advises settles what it asked for.
import { expect, it } from 'vitest';
import { claudeCode } from '../../src/capture/hooks/claude-code.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { SessionScan } from '../../src/gate/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';

const bash = (command: string, result: JsonObject): JsonObject => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: `toolu_${command}`,
  ...result,
});
const cat = bash('cat conf/limits.toml', {
  hook_event_name: 'PostToolUseFailure',
  error: 'Exit code 1\ncat: conf/limits.toml: No such file or directory',
});
const find = bash('find . -name limits.toml', {
  hook_event_name: 'PostToolUse',
  tool_response: { stdout: '', stderr: '', interrupted: false },
});

it.each([
  ['read in vain', [cat], 'block'],
  ['read and sought in vain', [cat, find], 'pass'],
])('a file that was %s', (_, told, wanted) => {
  const scan = new SessionScan(DEFAULT_POLICY);
  let found: string | undefined;
  for (const each of [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Read `conf/limits.toml` and tell me the burst limit' },
    ...told,
    {
      hook_event_name: 'Stop',
      last_assistant_message: "I can't read conf/limits.toml: it does not exist.",
    },
  ])
    for (const event of claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null))
      found = scan.take(event, null)?.verdict ?? found;
  expect(found).toBe(wanted);
});

it.each([
  ['failed in view', 'npm error code E404\nnpm error 404 No match found for version 99', 'pass'],
  ['ended well', '4.1.12', 'block'],
])('a lookup through a viewer that %s', (_, stdout, wanted) => {
  const scan = new SessionScan(DEFAULT_POLICY);
  let found: string | undefined;
  let reason = '';
  for (const each of [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Try to move to the next major version of vitest' },
    bash('npm view vitest@99 version 2>&1 | tail -3', {
      hook_event_name: 'PostToolUse',
      tool_response: { stdout, stderr: '', interrupted: false },
    }),
    {
      hook_event_name: 'Stop',
      last_assistant_message: "I couldn't do the upgrade: I can't reach vitest@99 from here.",
    },
  ])
    for (const event of claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null)) {
      const ruling = scan.take(event, null);
      found = ruling?.verdict ?? found;
      reason = JSON.stringify(ruling?.claims ?? reason);
    }
  expect(found).toBe(wanted);
  if (wanted === 'block') expect(reason).toContain('npm view vitest@99 version"');
});
