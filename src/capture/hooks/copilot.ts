// GitHub Copilot CLI. It speaks two forms, by how the event's name is written where it is registered. PascalCase:
// snake_case members, hook_event_name, Claude Code's tool names. camelCase: its own members and tool names, no event name
// in the input (the command line says it), arguments perhaps as a JSON text. Seen against the real host: the input of
// PreToolUse, PostToolUse and Stop in PascalCase, for a command. All else is from its hooks reference.
// `install` registers PascalCase, which names itself; only subagentStart exists in camelCase alone. It does not register
// PermissionRequest: that fires before the host's own rules, so nobody may ever be asked. It stays an observation.
// A non-zero exit denies before a tool; a time-out lets it run. A prompt can't be refused. There is no id of a call.
import type { Json } from '../../core/index.ts';
import type { Answer, HostCall, HostEvent, Ruling } from '../../record/index.ts';
import type { HookAdapter } from './adapter.ts';
import { withoutOutput } from './claude-shape.ts';
import {
  type Body,
  type Dialect,
  given,
  type Members,
  member,
  parsed,
  readEvents,
  refuse,
  say,
} from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'copilot',
  session: ['session_id', 'sessionId'],
  transcript: ['transcript_path', 'transcriptPath'],
  agentId: ['agent_id', 'agentId'],
  promptId: [],
  cwd: (members) => [members.text('cwd')],
  body,
};

function body(name: string, members: Members): Body | null | undefined {
  switch (name) {
    case 'SessionStart':
    case 'sessionStart':
      if (members.broken('source')) return null;
      // The first prompt is told again by its own event.
      members.text('initial_prompt', 'initialPrompt');
      return { type: 'session.start', trigger: members.text('source') ?? 'unknown' };
    case 'SessionEnd':
    case 'sessionEnd':
      return members.broken('reason') ? null : { type: 'session.end', reason: members.text('reason') };
    case 'UserPromptSubmit':
    case 'userPromptSubmitted': {
      const text = members.text('prompt');
      return text === null ? null : promptOf(text);
    }
    case 'PreToolUse':
    case 'preToolUse': {
      const call = callOf(members);
      return call && { type: 'tool.call', ...withoutOutput(call) };
    }
    case 'PostToolUse':
    case 'postToolUse':
      return resultOf(members);
    case 'PostToolUseFailure':
    case 'postToolUseFailure': {
      const error = members.text('error');
      const call = callOf(members, error, true);
      return call && error !== null
        ? { type: 'tool.result', ...call, outcome: 'error', durationMs: null }
        : null;
    }
    case 'Stop':
    case 'agentStop':
      return { type: 'stop', message: null, active: members.flag('stop_hook_active', 'stopHookActive') };
    case 'SubagentStart':
    case 'subagentStart':
      return {
        type: 'agent.start',
        agentType: members.text('agent_type', 'agentType', 'agent_name', 'agentName'),
      };
    case 'SubagentStop':
    case 'subagentStop': {
      const message = members.text('last_assistant_message', 'response');
      const agentType = members.text('agent_type', 'agentType', 'agent_name', 'agentName');
      return { type: 'agent.end', agentType, message };
    }
    case 'PreCompact':
    case 'preCompact':
      return { type: 'compaction', phase: 'before', trigger: members.text('trigger') };
    default:
      return undefined;
  }
}

/** A job that tells of its end comes in like a prompt; the user did not write it. */
function promptOf(text: string): Body {
  return text.trimStart().startsWith('<system_notification>')
    ? { type: 'notice', origin: 'system-notification', text }
    : { type: 'prompt', text };
}

function callOf(members: Members, output: Json = null, failed = false) {
  const tool = members.text('tool_name', 'toolName');
  const raw = members.any('tool_input', 'toolArgs', 'toolInput');
  if (tool === null || raw === undefined) return null;
  const args = parsed(raw);
  const id = members.text('tool_use_id', 'toolCallId');
  return { tool, id, ...shapeOf(toolShape(tool, args), args, output, failed) };
}

function resultOf(members: Members): Body | null {
  const output = members.any('tool_result', 'toolResult');
  if (output === undefined) return null;
  const kind = member(output, 'result_type') ?? member(output, 'resultType');
  const failed = kind !== 'success';
  const call = callOf(members, output, failed);
  if (call === null || typeof kind !== 'string') return null;
  // `rejected` is the person's no, `denied` a rule's.
  if (kind === 'rejected' || kind === 'denied') {
    const text = member(output, 'text_result_for_llm') ?? member(output, 'textResultForLlm');
    const reason = typeof text === 'string' ? text : null;
    return { type: 'tool.denied', ...withoutOutput(call), by: kind === 'rejected' ? 'user' : 'host', reason };
  }
  const outcome = kind === 'success' ? 'ok' : kind === 'timeout' ? 'timeout' : 'error';
  return { type: 'tool.result', ...call, ...(failed ? {} : jobOf(call, output)), outcome, durationMs: null };
}

const READS_SHELL = /^read_(?:bash|powershell)$/i;
const IN_SHELL = /^<[^>]{0,100}shellId: ([^\s>]{1,100})/;
const SHELL_ENDED = /^<shellId: (\S{1,100}) completed with exit code (0|-?[1-9]\d{0,8})>$/;

/** A command that goes on has a name, under which another tool reads its output. The last line is the host's. */
function jobOf(
  { tool, args, shell }: { readonly tool: string; readonly args: Json; readonly shell?: true },
  output: Json,
): Pick<HostCall, 'leaves' | 'ends'> {
  const text = member(output, 'text_result_for_llm') ?? member(output, 'textResultForLlm');
  const last = typeof text === 'string' ? text.slice(text.lastIndexOf('\n') + 1).slice(-300) : '';
  const name = member(args, 'shellId') ?? member(args, 'shell_id');
  const ended = SHELL_ENDED.exec(last);
  if (shell === true) {
    const leaves = typeof name === 'string' ? name : IN_SHELL.exec(last)?.[1];
    return ended !== null || leaves === undefined ? {} : { leaves };
  }
  const [, job, code] = ended ?? [];
  return READS_SHELL.test(tool) && job !== undefined && job === name
    ? { ends: { job, code: Number(code) } }
    : {};
}

const PATHS = ['path', 'file_path', 'filePath'];
const EDITED = ['old_str', 'new_str', 'old_string', 'new_string', 'file_text', 'insert_text'];
const PATCHES = ['input', 'patch', 'command'];
const SHOWN = ['text_result_for_llm', 'textResultForLlm', 'session_log', 'sessionLog'];

function toolShape(tool: string, args: Json): ToolShape | undefined {
  switch (tool) {
    case 'Bash':
    case 'bash':
    case 'powershell':
      return { does: 'shell' };
    case 'Read':
    case 'view':
      return { does: 'read', path: PATHS };
    case 'Write':
    case 'create':
      return { does: 'write', path: PATHS, args: ['file_text', 'content'], output: SHOWN };
    case 'str_replace_editor':
      if (member(args, 'command') === 'view') return { does: 'read', path: PATHS };
      return { does: 'edit', path: PATHS, args: EDITED, output: SHOWN };
    case 'apply_patch':
      return { does: 'patch', args: PATCHES, output: SHOWN };
    case 'Edit':
    case 'edit':
      // Three tools have this name in PascalCase, and a patch names its files itself.
      if (!PATHS.some((name) => member(args, name) !== undefined))
        return { does: 'patch', args: PATCHES, output: SHOWN };
      return PATCHES.some((name) => mayBePatch(member(args, name)))
        ? { does: 'patch', path: PATHS, args: [...EDITED, ...PATCHES], output: SHOWN }
        : { does: 'edit', path: PATHS, args: EDITED, output: SHOWN };
    default:
      return undefined;
  }
}

/** `str_replace_editor` has a word in such a member. */
function mayBePatch(value: Json | undefined): boolean {
  return typeof value === 'string' ? value.includes('***') : (value ?? null) !== null;
}

function answer(event: HostEvent, ruling: Ruling): Answer {
  if (ruling.verdict === 'pass') {
    // The host takes such a line out of the output and shows it.
    return say(ruling.message === undefined ? null : { type: 'progress', message: ruling.message });
  }
  const reason = given(ruling.reason);
  const flat = { permissionDecision: 'deny', permissionDecisionReason: reason };
  switch (event.name) {
    case 'preToolUse':
      return say(flat);
    case 'PreToolUse':
      // The PascalCase form is also that of editors, which read the decision one level further down.
      return say({ ...flat, hookSpecificOutput: { hookEventName: 'PreToolUse', ...flat } });
    case 'PermissionRequest':
    case 'permissionRequest':
      return say({ behavior: 'deny', message: reason });
    case 'Stop':
    case 'agentStop':
    case 'SubagentStop':
    case 'subagentStop':
      return say({ decision: 'block', reason });
    case 'PostToolUse':
    case 'postToolUse':
      // The turn can't be stopped from here. The model is told.
      return say({ additionalContext: reason });
    case '':
      return refuse(reason);
    default:
      return say({ type: 'progress', message: ruling.person ?? reason });
  }
}

/**
 * `{type: 'assistant.message', data: {content, toolRequests}}`; one that only calls tools has no words, but for the call by
 * which its autopilot ends.
 */
function messageIn(line: Json): string | null {
  const type = member(line, 'type');
  if (type === 'user.message') return '';
  if (type !== 'assistant.message') return null;
  const data = member(line, 'data') ?? null;
  const summaries = endingsOf(data).map((call) => member(member(call, 'arguments') ?? null, 'summary'));
  const words = [member(data, 'content'), ...summaries].filter(
    (each) => typeof each === 'string' && each !== '',
  );
  return words.length === 0 ? null : words.join('\n\n');
}

function endingsOf(data: Json): readonly Json[] {
  const calls = member(data, 'toolRequests');
  return Array.isArray(calls)
    ? (calls as readonly Json[]).filter((call) => member(call, 'name') === 'task_complete')
    : [];
}

/** One that calls no tool is the last of its turn. */
function endIn(line: Json): string | null {
  const data = member(line, 'type') === 'assistant.message' ? member(line, 'data') : undefined;
  const calls = member(data ?? null, 'toolRequests');
  const at = member(line, 'timestamp');
  const goesOn = Array.isArray(calls) && calls.length > 0 && endingsOf(data ?? null).length === 0;
  const isLast = data !== undefined && !goesOn;
  return isLast && typeof at === 'string' ? at : null;
}

/** `{type: 'assistant.message', data: {model}}`. */
function modelIn(line: Json): string | null {
  const model =
    member(line, 'type') === 'assistant.message' ? member(member(line, 'data') ?? null, 'model') : null;
  return typeof model === 'string' ? model : null;
}

export const copilot: HookAdapter = {
  agent: 'copilot',
  seen: true,
  source: 'hook:copilot',
  transcript: { endIn, messageIn, modelIn },
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool, args), args) }),
  answer,
  denyBlind: refuse,
  events: [
    { name: 'SessionStart', kind: 'session' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PreToolUse', kind: 'tool' },
    { name: 'PostToolUse', kind: 'tool' },
    { name: 'PostToolUseFailure', kind: 'tool' },
    { name: 'Stop', kind: 'stop' },
    { name: 'subagentStart', kind: 'other', unnamed: true },
    { name: 'SubagentStop', kind: 'other' },
    { name: 'PreCompact', kind: 'other' },
    { name: 'ErrorOccurred', kind: 'other' },
    { name: 'SessionEnd', kind: 'session' },
  ],
};
