// The six hosts as the tests of faults need them: a prompt, a call and its result in their own words, and what each
// obeys as a refusal, from their documents.
import type { JsonObject } from '../../src/core/index.ts';

export interface Host {
  readonly agent: string;
  readonly prompt: (session: string, text: string) => JsonObject;
  readonly call: (session: string, id: string) => JsonObject;
  readonly result: (session: string, id: string) => JsonObject;
  /** Has it an id for each call? */
  readonly ids: boolean;
  /** What its hooks print when there is nothing to say. */
  readonly pass: string;
  /** What refuses a call. */
  readonly deny: (reason: string) => JsonObject;
  /** What refuses a prompt; null where the host can't be told. */
  readonly denyPrompt: ((reason: string) => JsonObject) | null;
  /** What tells the person something with a prompt that passes: on standard output, or error where null. */
  readonly tell: ((message: string) => JsonObject) | null;
  /** Where the reason is in a refusal. */
  readonly reason: (answer: JsonObject) => unknown;
}

const cwd = '/home/dev/proj';

type Inner = { readonly [name: string]: unknown };
const inner = (answer: JsonObject, name: string): Inner => (answer[name] ?? {}) as Inner;

const claudeShaped = (agent: string): Host => {
  const base = (session: string, name: string) => ({
    session_id: session,
    transcript_path: `/home/dev/${session}.jsonl`,
    cwd,
    hook_event_name: name,
  });
  const tool = (id: string) => ({
    tool_name: 'Bash',
    tool_input: { command: `echo ${id}` },
    tool_use_id: id,
  });
  return {
    agent,
    prompt: (session, prompt) => ({ ...base(session, 'UserPromptSubmit'), prompt }),
    call: (session, id) => ({ ...base(session, 'PreToolUse'), ...tool(id) }),
    result: (session, id) => ({ ...base(session, 'PostToolUse'), ...tool(id), tool_response: 'done' }),
    ids: true,
    pass: '',
    deny: (reason) => ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    }),
    denyPrompt: (reason) => ({ decision: 'block', reason }),
    tell: (systemMessage) => ({ systemMessage }),
    reason: (answer) => inner(answer, 'hookSpecificOutput').permissionDecisionReason ?? answer.reason,
  };
};

const gemini: Host = {
  agent: 'gemini',
  prompt: (session_id, prompt) => ({ session_id, cwd, hook_event_name: 'BeforeAgent', prompt }),
  call: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'BeforeTool',
    tool_name: 'run_shell_command',
    tool_input: { command: `echo ${id}` },
  }),
  result: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'AfterTool',
    tool_name: 'run_shell_command',
    tool_input: { command: `echo ${id}` },
    tool_response: { llmContent: 'Output: x\nProcess Group PGID: 1', returnDisplay: 'x' },
  }),
  ids: false,
  pass: '{}',
  deny: (reason) => ({ decision: 'deny', reason }),
  denyPrompt: (reason) => ({ decision: 'deny', reason }),
  tell: (systemMessage) => ({ systemMessage }),
  reason: (answer) => answer.reason,
};

const copilot: Host = {
  agent: 'copilot',
  prompt: (session_id, prompt) => ({ session_id, cwd, hook_event_name: 'UserPromptSubmit', prompt }),
  call: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: `echo ${id}` },
  }),
  result: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: `echo ${id}` },
    tool_result: { result_type: 'success', text_result_for_llm: 'x\n<exited with exit code 0>' },
  }),
  ids: false,
  pass: '',
  deny: (reason) => ({
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  }),
  denyPrompt: null,
  tell: (message) => ({ type: 'progress', message }),
  reason: (answer) => answer.permissionDecisionReason,
};

const cursor: Host = {
  agent: 'cursor',
  prompt: (conversation_id, prompt) => ({
    conversation_id,
    workspace_roots: [cwd],
    hook_event_name: 'beforeSubmitPrompt',
    prompt,
  }),
  call: (conversation_id, id) => ({
    conversation_id,
    workspace_roots: [cwd],
    hook_event_name: 'preToolUse',
    tool_name: 'Shell',
    tool_input: { command: `echo ${id}` },
    tool_use_id: id,
  }),
  result: (conversation_id, id) => ({
    conversation_id,
    workspace_roots: [cwd],
    hook_event_name: 'postToolUse',
    tool_name: 'Shell',
    tool_input: { command: `echo ${id}` },
    tool_use_id: id,
    tool_output: JSON.stringify({ exitCode: 0, output: 'x' }),
    duration: 5,
  }),
  ids: true,
  pass: '{}',
  deny: (reason) => ({ permission: 'deny', user_message: reason, agent_message: reason }),
  denyPrompt: (reason) => ({ continue: false, user_message: reason }),
  tell: null,
  reason: (answer) => answer.user_message,
};

const opencode: Host = {
  agent: 'opencode',
  prompt: (session_id, prompt) => ({ session_id, cwd, hook_event_name: 'chat.message', prompt }),
  call: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'tool.execute.before',
    tool_name: 'bash',
    tool_input: { command: `echo ${id}` },
    tool_use_id: id,
  }),
  result: (session_id, id) => ({
    session_id,
    cwd,
    hook_event_name: 'tool.execute.after',
    tool_name: 'bash',
    tool_input: { command: `echo ${id}` },
    tool_use_id: id,
    tool_response: { output: 'x', metadata: { exit: 0 } },
  }),
  ids: true,
  pass: '{}',
  deny: (reason) => ({ deny: reason }),
  denyPrompt: (reason) => ({ deny: reason }),
  tell: (message) => ({ message }),
  reason: (answer) => answer.deny,
};

export const HOSTS: readonly Host[] = [
  claudeShaped('claude-code'),
  claudeShaped('codex'),
  gemini,
  copilot,
  cursor,
  opencode,
];

/** An answer that refuses, without what it says to the person alone. */
export function forModel({ systemMessage: _, ...answer }: JsonObject): JsonObject {
  if ('agent_message' in answer) return { ...answer, user_message: answer.agent_message ?? null };
  const { message: shown, ...rest } = answer;
  return 'deny' in answer && shown !== undefined ? rest : answer;
}
