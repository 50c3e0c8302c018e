#!/usr/bin/env node
// A stand-in for Claude Code in tests: takes the hooks that its command line names, calls them for a short turn as the
// real one does, prints something and ends with 3. `--wait` ends with the signal that it is sent.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const words = process.argv.slice(2);
const settings = words[words.indexOf('--settings') + 1];
const { hooks } = words.includes('--settings') ? JSON.parse(readFileSync(settings, 'utf8')) : { hooks: {} };

async function step(event, members) {
  const hook = hooks[event]?.[0].hooks[0];
  if (hook === undefined) return;
  const base = { session_id: 'host-session', cwd: process.cwd(), hook_event_name: event };
  const body = JSON.stringify({ ...base, ...members });
  if (hook.type !== 'http') {
    // Without arguments it is a line for a shell.
    spawnSync(hook.command, hook.args, { input: body, shell: hook.args === undefined });
    return;
  }
  const headers = { ...hook.headers, 'content-type': 'application/json' };
  const { ok, status } = await fetch(hook.url, { method: 'POST', headers, body });
  if (!ok) process.stderr.write(`${event}: ${status}\n`);
}

const call = { tool_name: 'Bash', tool_input: { command: 'make' }, tool_use_id: 'toolu_1' };
const denied = { tool_name: 'Bash', tool_input: { command: 'make deploy' }, tool_use_id: 'toolu_2' };
await step('SessionStart', { source: 'startup' });
await step('UserPromptSubmit', { prompt: 'build it' });
await step('PreToolUse', call);
await step('PostToolUse', { ...call, tool_response: { stdout: 'built', stderr: '', interrupted: false } });
await step('PreToolUse', denied);
const refusal = 'Permission to use Bash with command make deploy has been denied.';
await step('PostToolBatch', { tool_calls: [{ ...denied, tool_response: refusal }] });
await step('Stop', { stop_hook_active: false, last_assistant_message: 'It is built.' });
await step('SessionEnd', { reason: 'other' });
process.stdout.write(`ran ${words.filter((word) => word !== settings).join(' ')}\n`);
if (words.includes('--wait')) setInterval(() => undefined, 1000);
else process.exitCode = 3;
