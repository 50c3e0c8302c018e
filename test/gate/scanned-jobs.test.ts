// Transcripts of Claude Code in which a test run went on in the background, as `foil scan` judges them.
import { describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/capture/hooks/claude-code.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { SessionScan } from '../../src/gate/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';

const TAP = '# tests 2\n# suites 0\n# pass 2\n# fail 0\n';

function verdict(...told: readonly JsonObject[]): string | undefined {
  const scan = new SessionScan(DEFAULT_POLICY);
  const started = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' };
  const all = [
    { hook_event_name: 'UserPromptSubmit', prompt: 'Fix src/sum.js' },
    edit('src/sum.js'),
    done('Bash', { command: 'node --test', run_in_background: true }, started),
    ...told,
    { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'All tests pass.' },
  ];
  let found: string | undefined;
  for (const each of all) {
    const events = claudeCode.read({ session_id: 's', cwd: '/work/app', ...each }, null);
    for (const event of events) found = scan.take(event, null)?.verdict ?? found;
  }
  return found;
}

const done = (tool_name: string, tool_input: JsonObject, tool_response: JsonObject): JsonObject => ({
  hook_event_name: 'PostToolUse',
  tool_use_id: `toolu_${tool_name}`,
  tool_name,
  tool_input,
  tool_response,
});
const edit = (path: string): JsonObject =>
  done('Write', { file_path: `/work/app/${path}`, content: 'x' }, { type: 'update', content: 'x' });
const fetched = (more: JsonObject = {}): JsonObject => {
  const task = { task_id: 'b1', status: 'completed', exitCode: 0, output: TAP };
  return done('TaskOutput', { task_id: 'b1' }, { retrieval_status: 'success', task: { ...task, ...more } });
};
const noticed = (status: string, end: string): JsonObject => ({
  hook_event_name: 'UserPromptSubmit',
  prompt: `<task-notification>\n<task-id>b1</task-id>\n<output-file>/tmp/b1.output</output-file>\n<status>${status}</status>\n<summary>Background command "Run" ${end}</summary>\n</task-notification>`,
});
const read = done('Read', { file_path: '/tmp/b1.output' }, { type: 'text', file: { content: TAP } });

describe('B3e a run in the background, in a scan', () => {
  it('counts by the end that the host told later', () => {
    expect(verdict(fetched())).toBe('pass');
    expect(verdict(noticed('completed', 'completed (exit code 0)'), read)).toBe('pass');
  });

  it.each([
    ['it failed', [fetched({ status: 'failed', exitCode: 1 })]],
    ['the code was changed meanwhile', [edit('src/sum.js'), fetched()]],
    ['the notice tells of a failure', [noticed('failed', 'failed with exit code 1'), read]],
    ['nobody told what it printed', [noticed('completed', 'completed (exit code 0)')]],
  ])('backs nothing where %s', (_, told) => {
    expect(verdict(...told)).toBe('block');
  });
});
