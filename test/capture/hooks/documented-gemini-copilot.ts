// Gemini and Copilot, as far as no sample shows it.
import { PATCH, patched, type Row, touched } from './documented.ts';

export const GEMINI: Row[] = [
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

export const COPILOT: Row[] = [
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
