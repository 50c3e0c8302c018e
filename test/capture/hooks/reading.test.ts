// Events for which there is no sample: from the hosts' documents, one of each. Only what differs from the common members
// is written out.
import { describe, expect, it } from 'vitest';
import { adapterOf } from '../../../src/capture/hooks/index.ts';
import type { Json, JsonObject } from '../../../src/core/index.ts';
import type { HostEvent } from '../../../src/record/index.ts';

const COMMON = ['name', 'agent', 'session', 'cwd', 'transcript', 'agentId', 'promptId', 'at'];

/** The events, without what all have in common. */
function bodies(agent: string, input: Json, event: string | null = null): JsonObject[] {
  const read = adapterOf(agent)!.read(input, event);
  return read.map((each) =>
    Object.fromEntries(
      Object.entries(each as unknown as JsonObject).filter(([name]) => !COMMON.includes(name)),
    ),
  );
}

function first(agent: string, input: Json, event: string | null = null): HostEvent {
  return adapterOf(agent)!.read(input, event)[0]!;
}

type Row = [name: string, input: JsonObject, expected: JsonObject];
const PATCH =
  '*** Begin Patch\n*** Add File: a.ts\n+1\n*** Update File: b.ts\n*** Move to: c.ts\n-1\n+2\n*** Delete File: d.ts\n*** End Patch';
const touched = (path: string, op: string, argMembers: string[], outputMembers: string[] = []) => ({
  path,
  op,
  argMembers,
  outputMembers,
});
const patched = (member: string, output: string[] = []) => [
  touched('a.ts', 'write', [member], output),
  touched('b.ts', 'edit', [member], output),
  touched('c.ts', 'write', [member], output),
  touched('d.ts', 'delete', [member], output),
];

const CLAUDE: Row[] = [
  ['SessionStart', { source: 'resume' }, { type: 'session.start', trigger: 'resume', facts: {} }],
  ['SessionStart', { source: 'compact' }, { type: 'compaction', phase: 'after', trigger: null, facts: {} }],
  [
    'UserPromptSubmit',
    { prompt: '<task-notification>\n<task-id>a1</task-id>' },
    {
      type: 'notice',
      origin: 'task-notification',
      text: '<task-notification>\n<task-id>a1</task-id>',
      facts: {},
    },
  ],
  [
    'UserPromptSubmit',
    { prompt: 'what is <task-notification>?' },
    { type: 'prompt', text: 'what is <task-notification>?', facts: {} },
  ],
  [
    'PostToolUseFailure',
    {
      tool_name: 'Bash',
      tool_input: { command: 'sleep 9' },
      tool_use_id: 't1',
      error: 'stopped',
      is_interrupt: true,
    },
    {
      type: 'tool.result',
      tool: 'Bash',
      id: 't1',
      args: { command: 'sleep 9' },
      shell: true,
      outcome: 'aborted',
      output: 'stopped',
      durationMs: null,
      facts: {},
    },
  ],
  [
    'PostToolUse',
    { tool_name: 'Bash', tool_input: {}, tool_response: { stdout: '', interrupted: true }, duration_ms: 4 },
    {
      type: 'tool.result',
      tool: 'Bash',
      id: null,
      args: {},
      shell: true,
      outcome: 'aborted',
      output: { stdout: '', interrupted: true },
      durationMs: 4,
      facts: {},
    },
  ],
  [
    'PostToolUse',
    {
      tool_name: 'MultiEdit',
      tool_input: { file_path: '/f', edits: [{ old_string: 'a', new_string: 'b' }] },
      tool_response: { filePath: '/f', edits: [], structuredPatch: [] },
    },
    {
      type: 'tool.result',
      tool: 'MultiEdit',
      id: null,
      args: { file_path: '/f', edits: [{ old_string: 'a', new_string: 'b' }] },
      outcome: 'ok',
      output: { filePath: '/f', edits: [], structuredPatch: [] },
      durationMs: null,
      facts: {},
      files: [touched('/f', 'edit', ['edits'], ['edits', 'structuredPatch'])],
    },
  ],
  [
    'PreToolUse',
    { tool_name: 'NotebookEdit', tool_input: { notebook_path: '/n.ipynb', new_source: 'x = 1' } },
    {
      type: 'tool.call',
      tool: 'NotebookEdit',
      id: null,
      args: { notebook_path: '/n.ipynb', new_source: 'x = 1' },
      files: [touched('/n.ipynb', 'edit', ['new_source'])],
      facts: {},
    },
  ],
  [
    'PostToolUseFailure',
    {
      tool_name: 'Edit',
      tool_input: { file_path: '/f', old_string: 'const key = 1;', new_string: 'const key = 2;' },
      error: 'String to replace not found in file.\nString: const key = 1;',
    },
    {
      type: 'tool.result',
      tool: 'Edit',
      id: null,
      args: { file_path: '/f', old_string: 'const key = 1;', new_string: 'const key = 2;' },
      outcome: 'error',
      output: { text: 'String to replace not found in file.\nString: const key = 1;' },
      durationMs: null,
      facts: {},
      files: [touched('/f', 'edit', ['old_string', 'new_string'], ['text'])],
    },
  ],
  [
    'PostToolUseFailure',
    {
      tool_name: 'Write',
      tool_input: { file_path: '/f', content: 'const key = 1;' },
      error: 'File has not been read yet.',
    },
    {
      type: 'tool.result',
      tool: 'Write',
      id: null,
      args: { file_path: '/f', content: 'const key = 1;' },
      outcome: 'error',
      output: 'File has not been read yet.',
      durationMs: null,
      facts: {},
      files: [touched('/f', 'write', ['content'])],
    },
  ],
  [
    'PostToolBatch',
    {
      tool_calls: [
        {
          tool_name: 'Edit',
          tool_input: { file_path: '/f', old_string: 'a', new_string: 'b' },
          tool_use_id: 't1',
          tool_response: 'Here is a piece of the file',
        },
        { tool_name: 'X', tool_input: {} },
      ],
    },
    {
      type: 'tool.batch',
      facts: {},
      calls: [
        {
          tool: 'Edit',
          id: 't1',
          args: { file_path: '/f', old_string: 'a', new_string: 'b' },
          output: { text: 'Here is a piece of the file' },
          files: [touched('/f', 'edit', ['old_string', 'new_string'], ['text'])],
        },
        { tool: 'X', id: null, args: {}, output: null },
      ],
    },
  ],
  [
    'PermissionDenied',
    { tool_name: 'Bash', tool_input: { command: 'rm x' }, tool_use_id: 't1', reason: 'classifier' },
    {
      type: 'tool.denied',
      tool: 'Bash',
      id: 't1',
      args: { command: 'rm x' },
      shell: true,
      by: 'host',
      reason: 'classifier',
      facts: {},
    },
  ],
  [
    'PreCompact',
    { trigger: 'manual', custom_instructions: 'short' },
    { type: 'compaction', phase: 'before', trigger: 'manual', facts: { custom_instructions: 'short' } },
  ],
  ['PostCompact', { trigger: 'auto' }, { type: 'compaction', phase: 'after', trigger: 'auto', facts: {} }],
  [
    'ConfigChange',
    { source: 'project_settings', file_path: '/p/.claude/settings.json' },
    { type: 'config.change', what: 'project_settings', detail: '/p/.claude/settings.json', facts: {} },
  ],
];

const CODEX: Row[] = [
  [
    'PreToolUse',
    {
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'c1',
      turn_id: 'u1',
      model: 'm',
      permission_mode: 'default',
      transcript_path: null,
    },
    {
      type: 'tool.call',
      tool: 'Bash',
      id: 'c1',
      args: { command: 'ls' },
      shell: true,
      facts: { model: 'm', permission_mode: 'default' },
    },
  ],
  [
    'PostToolUse',
    { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'c1', tool_response: 'a.ts\n' },
    {
      type: 'tool.result',
      tool: 'Bash',
      id: 'c1',
      args: { command: 'ls' },
      shell: true,
      outcome: 'ok',
      output: 'a.ts\n',
      durationMs: null,
      facts: {},
    },
  ],
  [
    'PreToolUse',
    { tool_name: 'apply_patch', tool_input: { command: PATCH }, tool_use_id: 'c2' },
    {
      type: 'tool.call',
      tool: 'apply_patch',
      id: 'c2',
      args: { command: PATCH },
      files: patched('command'),
      facts: {},
    },
  ],
  [
    'PermissionRequest',
    { tool_name: 'Bash', tool_input: { command: 'ls', description: 'why' } },
    {
      type: 'approval',
      tool: 'Bash',
      id: null,
      args: { command: 'ls', description: 'why' },
      shell: true,
      suggestions: null,
      facts: {},
    },
  ],
  ['UserPromptSubmit', { prompt: 'hi' }, { type: 'prompt', text: 'hi', facts: {} }],
  [
    'Stop',
    { stop_hook_active: true, last_assistant_message: null },
    { type: 'stop', message: null, active: true, facts: {} },
  ],
  [
    'SubagentStop',
    { agent_id: 'a', agent_type: 'explorer', last_assistant_message: 'done', stop_hook_active: false },
    { type: 'agent.end', agentType: 'explorer', message: 'done', facts: { stop_hook_active: false } },
  ],
];

const GEMINI: Row[] = [
  [
    'AfterTool',
    {
      tool_name: 'write_file',
      tool_input: { file_path: '/f', content: 'x' },
      tool_response: { llmContent: 'wrote', returnDisplay: { fileDiff: '+x' } },
      mcp_context: { server_name: 's' },
    },
    {
      type: 'tool.result',
      tool: 'write_file',
      id: null,
      args: { file_path: '/f', content: 'x' },
      outcome: 'ok',
      output: { llmContent: 'wrote', returnDisplay: { fileDiff: '+x' } },
      durationMs: null,
      files: [touched('/f', 'write', ['content'], ['llmContent', 'returnDisplay'])],
      facts: { mcp_context: { server_name: 's' } },
    },
  ],
  [
    'AfterTool',
    {
      tool_name: 'run_shell_command',
      tool_input: { command: 'false' },
      tool_response: { llmContent: 'Exit Code: 1', error: { message: 'failed' } },
    },
    {
      type: 'tool.result',
      tool: 'run_shell_command',
      id: null,
      args: { command: 'false' },
      shell: true,
      outcome: 'error',
      output: { llmContent: 'Exit Code: 1', error: { message: 'failed' } },
      durationMs: null,
      facts: {},
    },
  ],
  [
    'BeforeTool',
    {
      tool_name: 'replace',
      tool_input: { file_path: '/f', old_string: 'a', new_string: 'b', instruction: 'why' },
    },
    {
      type: 'tool.call',
      tool: 'replace',
      id: null,
      args: { file_path: '/f', old_string: 'a', new_string: 'b', instruction: 'why' },
      files: [touched('/f', 'edit', ['old_string', 'new_string'])],
      facts: {},
    },
  ],
  [
    'BeforeModel',
    { llm_request: { model: 'm' } },
    {
      type: 'observation',
      problem: null,
      content: { hook_event_name: 'BeforeModel', llm_request: { model: 'm' } },
      facts: {},
    },
  ],
];

const COPILOT: Row[] = [
  [
    'SessionStart',
    { source: 'new', initial_prompt: 'do it' },
    { type: 'session.start', trigger: 'new', facts: {} },
  ],
  ['SessionEnd', { reason: 'user_exit' }, { type: 'session.end', reason: 'user_exit', facts: {} }],
  [
    'PostToolUse',
    {
      tool_name: 'Write',
      tool_input: { path: '/f', file_text: 'x' },
      tool_result: { result_type: 'success', text_result_for_llm: 'Created file' },
    },
    {
      type: 'tool.result',
      tool: 'Write',
      id: null,
      args: { path: '/f', file_text: 'x' },
      outcome: 'ok',
      output: { result_type: 'success', text_result_for_llm: 'Created file' },
      durationMs: null,
      files: [touched('/f', 'write', ['file_text'], ['text_result_for_llm'])],
      facts: {},
    },
  ],
  [
    'PostToolUse',
    {
      tool_name: 'Bash',
      tool_input: {},
      tool_result: { result_type: 'rejected', text_result_for_llm: 'The user said no' },
    },
    {
      type: 'tool.denied',
      tool: 'Bash',
      id: null,
      args: {},
      shell: true,
      by: 'user',
      reason: 'The user said no',
      facts: {},
    },
  ],
  [
    'PreToolUse',
    { tool_name: 'Edit', tool_input: PATCH },
    { type: 'tool.call', tool: 'Edit', id: null, args: { text: PATCH }, files: patched('text'), facts: {} },
  ],
  [
    'SubagentStop',
    { agent_id: 'a1', agent_type: 'explore', last_assistant_message: 'found' },
    { type: 'agent.end', agentType: 'explore', message: 'found', facts: {} },
  ],
  [
    'ErrorOccurred',
    { error: { name: 'E' } },
    {
      type: 'observation',
      problem: null,
      content: { hook_event_name: 'ErrorOccurred', error: { name: 'E' } },
      facts: {},
    },
  ],
];

const CURSOR: Row[] = [
  [
    'preToolUse',
    {
      tool_name: 'Shell',
      tool_input: { command: 'npm test', working_directory: '/p' },
      tool_use_id: 'u1',
      model: 'm',
      agent_message: 'I test',
      user_email: 'dev@example.com',
    },
    {
      type: 'tool.call',
      tool: 'Shell',
      id: 'u1',
      args: { command: 'npm test', working_directory: '/p' },
      shell: true,
      facts: { model: 'm', agent_message: 'I test' },
    },
  ],
  [
    'postToolUse',
    {
      tool_name: 'Shell',
      tool_input: { command: 'npm test' },
      tool_use_id: 'u1',
      tool_output: '{"exitCode":0,"stdout":"ok"}',
      duration: 54,
    },
    {
      type: 'tool.result',
      tool: 'Shell',
      id: 'u1',
      args: { command: 'npm test' },
      shell: true,
      outcome: 'ok',
      output: { exitCode: 0, stdout: 'ok' },
      durationMs: 54,
      facts: {},
    },
  ],
  [
    'postToolUseFailure',
    {
      tool_name: 'Shell',
      tool_input: {},
      tool_use_id: 'u1',
      error_message: 'too slow',
      failure_type: 'timeout',
      duration: 5000,
      is_interrupt: false,
    },
    {
      type: 'tool.result',
      tool: 'Shell',
      id: 'u1',
      args: {},
      shell: true,
      outcome: 'timeout',
      output: 'too slow',
      durationMs: 5000,
      facts: {},
    },
  ],
  [
    'postToolUseFailure',
    {
      tool_name: 'Shell',
      tool_input: {},
      tool_use_id: 'u1',
      error_message: 'not allowed',
      failure_type: 'permission_denied',
    },
    {
      type: 'tool.denied',
      tool: 'Shell',
      id: 'u1',
      args: {},
      shell: true,
      by: 'host',
      reason: 'not allowed',
      facts: {},
    },
  ],
  [
    'beforeShellExecution',
    { command: 'ls', cwd: '/p', sandbox: false },
    {
      type: 'tool.call',
      tool: 'Shell',
      id: null,
      args: { command: 'ls', sandbox: false },
      shell: true,
      facts: {},
    },
  ],
  [
    'afterShellExecution',
    { command: 'ls', output: 'a', duration: 3 },
    {
      type: 'tool.result',
      tool: 'Shell',
      id: null,
      args: { command: 'ls' },
      shell: true,
      outcome: 'ok',
      output: 'a',
      durationMs: 3,
      facts: {},
    },
  ],
  [
    'beforeMCPExecution',
    { tool_name: 'echo', tool_input: '{"m":1}', command: 'npx s' },
    { type: 'tool.call', tool: 'echo', id: null, args: { m: 1 }, facts: { command: 'npx s' } },
  ],
  [
    'afterMCPExecution',
    { tool_name: 'echo', tool_input: '{"m":1}', result_json: '{"r":2}', duration: 1 },
    {
      type: 'tool.result',
      tool: 'echo',
      id: null,
      args: { m: 1 },
      outcome: 'ok',
      output: { r: 2 },
      durationMs: 1,
      facts: {},
    },
  ],
  [
    'beforeReadFile',
    { file_path: '/p/.env', content: 'A=1' },
    {
      type: 'tool.call',
      tool: 'Read',
      id: null,
      args: { file_path: '/p/.env', content: 'A=1' },
      files: [touched('/p/.env', 'read', ['content'])],
      facts: {},
    },
  ],
  [
    'afterFileEdit',
    { file_path: '/p/a', edits: [{ old_string: 'a', new_string: 'b' }] },
    {
      type: 'tool.result',
      tool: 'Edit',
      id: null,
      args: { file_path: '/p/a', edits: [{ old_string: 'a', new_string: 'b' }] },
      outcome: 'ok',
      output: null,
      durationMs: null,
      files: [touched('/p/a', 'edit', ['edits'])],
      facts: {},
    },
  ],
  ['beforeSubmitPrompt', { prompt: 'hi', attachments: [] }, { type: 'prompt', text: 'hi', facts: {} }],
  [
    'stop',
    { status: 'completed', loop_count: 0 },
    { type: 'stop', message: null, active: null, facts: { status: 'completed', loop_count: 0 } },
  ],
  [
    'sessionStart',
    { composer_mode: 'agent' },
    { type: 'session.start', trigger: 'startup', facts: { composer_mode: 'agent' } },
  ],
  [
    'sessionEnd',
    { reason: 'completed', duration_ms: 9 },
    { type: 'session.end', reason: 'completed', facts: { duration_ms: 9 } },
  ],
  [
    'subagentStart',
    { subagent_id: 's', subagent_type: 'explore', task: 'look' },
    { type: 'agent.start', agentType: 'explore', facts: { task: 'look' } },
  ],
  [
    'subagentStop',
    { subagent_type: 'explore', status: 'completed', summary: 'found' },
    { type: 'agent.end', agentType: 'explore', message: 'found', facts: { status: 'completed' } },
  ],
  [
    'preCompact',
    { trigger: 'auto', context_usage_percent: 85 },
    { type: 'compaction', phase: 'before', trigger: 'auto', facts: { context_usage_percent: 85 } },
  ],
  [
    'afterAgentResponse',
    { text: 'done' },
    {
      type: 'observation',
      problem: null,
      content: { hook_event_name: 'afterAgentResponse', text: 'done' },
      facts: {},
    },
  ],
];

const OPENCODE: Row[] = [
  ['session.created', { title: 't' }, { type: 'session.start', trigger: 'startup', facts: { title: 't' } }],
  [
    'session.created',
    { agent_id: 'ses_2', agent_type: 'general' },
    { type: 'agent.start', agentType: 'general', facts: {} },
  ],
  [
    'session.idle',
    { last_assistant_message: 'done' },
    { type: 'stop', message: 'done', active: null, facts: {} },
  ],
  [
    'session.idle',
    { agent_id: 'ses_2', agent_type: 'general', last_assistant_message: 'x' },
    { type: 'agent.end', agentType: 'general', message: 'x', facts: {} },
  ],
  ['session.end', { reason: 'exit' }, { type: 'session.end', reason: 'exit', facts: {} }],
  ['chat.message', { prompt: 'hi', message_id: 'm1' }, { type: 'prompt', text: 'hi', facts: {} }],
  [
    'chat.message',
    { prompt: 'hi', agent_id: 'ses_2' },
    { type: 'notice', origin: 'parent-agent', text: 'hi', facts: {} },
  ],
  [
    'chat.message',
    { prompt: 'go on', synthetic: true },
    { type: 'notice', origin: 'synthetic', text: 'go on', facts: {} },
  ],
  [
    'tool.execute.before',
    { tool_name: 'bash', tool_use_id: 'c', tool_input: { command: 'ls' } },
    { type: 'tool.call', tool: 'bash', id: 'c', args: { command: 'ls' }, shell: true, facts: {} },
  ],
  [
    'tool.execute.after',
    {
      tool_name: 'edit',
      tool_use_id: 'c',
      tool_input: { filePath: '/f', oldString: 'a', newString: 'b' },
      tool_response: { title: 'f', output: 'ok', metadata: { diff: '-a\n+b' } },
      duration_ms: 2,
    },
    {
      type: 'tool.result',
      tool: 'edit',
      id: 'c',
      args: { filePath: '/f', oldString: 'a', newString: 'b' },
      outcome: 'ok',
      output: { title: 'f', output: 'ok', metadata: { diff: '-a\n+b' } },
      durationMs: 2,
      files: [touched('/f', 'edit', ['oldString', 'newString'], ['metadata'])],
      facts: {},
    },
  ],
  [
    'tool.execute.before',
    { tool_name: 'apply_patch', tool_use_id: 'c', tool_input: { patchText: PATCH } },
    {
      type: 'tool.call',
      tool: 'apply_patch',
      id: 'c',
      args: { patchText: PATCH },
      files: patched('patchText'),
      facts: {},
    },
  ],
  [
    'tool.error',
    { tool_name: 'bash', tool_use_id: 'c', tool_input: {}, error: 'Aborted', is_interrupt: true },
    {
      type: 'tool.result',
      tool: 'bash',
      id: 'c',
      args: {},
      shell: true,
      outcome: 'aborted',
      output: 'Aborted',
      durationMs: null,
      facts: {},
    },
  ],
  [
    'permission.asked',
    {
      tool_name: 'bash',
      tool_use_id: 'c',
      tool_input: { command: 'ls' },
      permission: 'bash',
      suggestions: ['ls *'],
    },
    {
      type: 'approval',
      tool: 'bash',
      id: 'c',
      args: { command: 'ls' },
      shell: true,
      suggestions: ['ls *'],
      facts: { permission: 'bash' },
    },
  ],
  [
    'permission.rejected',
    { tool_name: 'bash', tool_use_id: 'c', tool_input: {} },
    {
      type: 'tool.denied',
      tool: 'bash',
      id: 'c',
      args: {},
      shell: true,
      by: 'user',
      reason: null,
      facts: {},
    },
  ],
  ['session.compacting', {}, { type: 'compaction', phase: 'before', trigger: null, facts: {} }],
  ['session.compacted', {}, { type: 'compaction', phase: 'after', trigger: null, facts: {} }],
];

describe.each([
  ['claude-code', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
  ['copilot', COPILOT],
  ['cursor', CURSOR],
  ['opencode', OPENCODE],
])('%s', (agent, rows) => {
  it.each(rows)('reads %s', (name, input, expected) => {
    expect(bodies(agent, { hook_event_name: name, ...input })).toEqual([expected]);
  });
});

describe('what the hosts have in common', () => {
  it('goes by each one’s own names', () => {
    expect(
      first('codex', { hook_event_name: 'Stop', session_id: 's', turn_id: 't', agent_id: 'a', cwd: '/p' }),
    ).toMatchObject({
      agent: 'codex',
      session: 's',
      promptId: 't',
      agentId: 'a',
      cwd: '/p',
      transcript: null,
      at: null,
    });
    const input = {
      hook_event_name: 'stop',
      conversation_id: 'c',
      session_id: 's',
      generation_id: 'g',
      workspace_roots: ['/p', '/q'],
    };
    expect(first('cursor', input)).toMatchObject({
      session: 'c',
      promptId: 'g',
      cwd: '/p',
      facts: { session_id: 's', workspace_roots: ['/p', '/q'] },
    });
  });
});

describe('Copilot in camelCase', () => {
  const base = { sessionId: 's', timestamp: 1_704_614_600_000, cwd: '/p' };

  it('takes the name from the command line, time as a number and arguments as text', () => {
    const input = { ...base, toolName: 'bash', toolArgs: '{"command":"ls"}' };
    expect(adapterOf('copilot')!.read(input, 'preToolUse')).toEqual([
      {
        name: 'preToolUse',
        agent: 'copilot',
        session: 's',
        cwd: '/p',
        transcript: null,
        agentId: null,
        promptId: null,
        at: '2024-01-07T08:03:20.000Z',
        type: 'tool.call',
        tool: 'bash',
        id: null,
        args: { command: 'ls' },
        shell: true,
        facts: {},
      },
    ]);
  });

  it.each([
    [
      'postToolUse',
      {
        toolName: 'view',
        toolArgs: { path: '/f' },
        toolResult: { resultType: 'success', textResultForLlm: 'x' },
      },
      'tool.result',
    ],
    ['postToolUseFailure', { toolName: 'bash', toolArgs: {}, error: 'no' }, 'tool.result'],
    ['postToolUse', { toolName: 'bash', toolArgs: {}, toolResult: { resultType: 'denied' } }, 'tool.denied'],
    ['userPromptSubmitted', { prompt: 'hi' }, 'prompt'],
    ['sessionStart', { source: 'new' }, 'session.start'],
    ['sessionEnd', { reason: 'complete' }, 'session.end'],
    ['agentStop', { stopReason: 'end_turn', transcriptPath: '/t' }, 'stop'],
    ['subagentStart', { agentName: 'explore' }, 'agent.start'],
    ['subagentStop', { agentName: 'explore', response: 'x' }, 'agent.end'],
    ['preCompact', { trigger: 'auto' }, 'compaction'],
    ['errorOccurred', { error: { message: 'x' } }, 'observation'],
  ])('reads %s', (name, input, type) => {
    expect(first('copilot', { ...base, ...input }, name)).toMatchObject({ name, type, session: 's' });
  });

  it('survives a time that is none', () => {
    expect(first('copilot', { ...base, timestamp: 1e300 }, 'agentStop').at).toBe('1e+300');
  });
});

describe('what is not as it should be', () => {
  it.each([null, true, 7, 'text', ['PreToolUse']])('keeps %j, which is no object', (input) => {
    expect(bodies('claude-code', input, 'PreToolUse')).toEqual([
      { type: 'observation', problem: 'not-object', content: input, facts: {} },
    ]);
    expect(first('claude-code', input, 'PreToolUse').name).toBe('PreToolUse');
  });

  it.each([
    ['claude-code', { hook_event_name: 'PreToolUse', tool_name: 7, tool_input: {} }],
    ['claude-code', { hook_event_name: 'PreToolUse', tool_name: 'Bash' }],
    ['claude-code', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {} }],
    ['claude-code', { hook_event_name: 'UserPromptSubmit', prompt: ['hi'] }],
    ['claude-code', { hook_event_name: 'Stop', last_assistant_message: { text: 'x' } }],
    ['claude-code', { hook_event_name: 'Stop', session_id: 5 }],
    [
      'claude-code',
      { hook_event_name: 'PostToolBatch', tool_calls: [{ tool_name: 'Bash', tool_input: {} }, 'x'] },
    ],
    ['claude-code', { session_id: 's', prompt: 'no name' }],
    ['gemini', { hook_event_name: 'BeforeAgent', prompt: null }],
    ['copilot', { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: {}, tool_result: 'text' }],
    ['cursor', { hook_event_name: 'beforeShellExecution', command: ['ls'] }],
    ['opencode', { hook_event_name: 'tool.execute.after', tool_name: 'bash', tool_input: {} }],
  ])('%s keeps an event of the wrong shape whole: %j', (agent, input) => {
    expect(bodies(agent, input)).toEqual([
      { type: 'observation', problem: 'bad-shape', content: input, facts: {} },
    ]);
  });

  it.each(['claude-code', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'])(
    '%s keeps an event that nobody knows',
    (agent) => {
      for (const name of ['FutureEvent', 'constructor', '__proto__', 'toString']) {
        const input = { hook_event_name: name, cwd: '/p', news: { deep: [1, { x: 2 }] } };
        expect(bodies(agent, input)).toEqual([
          { type: 'observation', problem: null, content: input, facts: {} },
        ]);
        expect(first(agent, input)).toMatchObject({ name, cwd: '/p' });
      }
    },
  );

  it('keeps a member of the wrong type beside what is right', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: {},
      tool_use_id: 7,
      cwd: false,
    };
    expect(first('claude-code', input)).toMatchObject({
      type: 'tool.call',
      id: null,
      cwd: null,
      facts: { tool_use_id: 7, cwd: false },
    });
  });

  it('keeps what is too large for the entry in an observation of its own', () => {
    const summary = 'x'.repeat(2000);
    expect(
      bodies('claude-code', { hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: summary }),
    ).toEqual([
      { type: 'compaction', phase: 'after', trigger: 'auto', facts: {} },
      { type: 'observation', problem: null, content: { compact_summary: summary }, facts: {} },
    ]);
  });

  it('K4 keeps only the name of a large unknown member beside a file that is written', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/f', content: 'x' },
      preview: 'x'.repeat(2000),
    };
    const read = bodies('claude-code', input);
    expect(read).toHaveLength(1);
    expect(read[0]).toMatchObject({ type: 'tool.call', facts: { omitted: ['preview'] } });
    expect(JSON.stringify(read)).not.toContain('xxx');
  });

  it('K4 hides every part of an output that repeats what was written', () => {
    const content = 'export const answer = 42;';
    const input = {
      hook_event_name: 'PostToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/f', content },
      tool_response: { filePath: '/f', warnings: [{ line: `1: ${content}` }], note: 'fine' },
    };
    expect(bodies('claude-code', input)[0]).toMatchObject({
      files: [touched('/f', 'write', ['content'], ['warnings'])],
    });
  });

  it('K4 hides a patch in a form that it can not read', () => {
    const input = {
      hook_event_name: 'PreToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: '--- a/x\n+++ b/x' },
    };
    expect(bodies('codex', input)[0]).toMatchObject({ files: [touched('', 'edit', ['command'])] });
  });
});
