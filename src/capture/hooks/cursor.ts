// Cursor. Never seen against the real host: members and answers are from its documents and from what others report.
// preToolUse, postToolUse and postToolUseFailure fire for every tool, and beside them before/afterShellExecution,
// before/afterMCPExecution, beforeReadFile and afterFileEdit for some, without a call's id. `install` registers the first
// three only, so that one call is one entry; the others are read all the same, for those who register them by hand.
// With failClosed an empty output counts as a broken hook and blocks, so a hook without an opinion prints an empty object.
import type { Json } from '../../core/index.ts';
import type { Answer, HostEvent, Outcome, Ruling } from '../../record/index.ts';
import type { HookAdapter } from './adapter.ts';
import { withoutOutput } from './claude-shape.ts';
import { type Body, type Dialect, given, type Members, parsed, readEvents, refuse, say } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'cursor',
  session: ['conversation_id', 'session_id'],
  transcript: ['transcript_path'],
  agentId: ['subagent_id'],
  promptId: ['generation_id'],
  ignored: ['user_email'],
  cwd: (members) => [members.text('cwd'), firstText(members.peek('workspace_roots'))],
  body,
};

function firstText(value: Json | undefined): string | null {
  const first = Array.isArray(value) ? value[0] : undefined;
  return typeof first === 'string' ? first : null;
}

function body(name: string, members: Members): Body | null | undefined {
  switch (name) {
    case 'sessionStart':
      return { type: 'session.start', trigger: members.text('source') ?? 'startup' };
    case 'sessionEnd':
      return members.broken('reason') ? null : { type: 'session.end', reason: members.text('reason') };
    case 'beforeSubmitPrompt': {
      const text = members.text('prompt');
      return text === null ? null : { type: 'prompt', text };
    }
    case 'preToolUse':
    case 'beforeMCPExecution': {
      const call = callOf(members);
      return call && { type: 'tool.call', ...withoutOutput(named(call, name)) };
    }
    case 'postToolUse':
    case 'afterMCPExecution': {
      const output = members.any('tool_output', 'result_json');
      const call = callOf(members, parsed(output ?? null));
      return call && output !== undefined ? result(members, named(call, name), 'ok') : null;
    }
    case 'postToolUseFailure':
      return failureOf(members);
    case 'beforeShellExecution': {
      const args = shellArgs(members);
      return args && { type: 'tool.call', tool: 'Shell', id: null, args, shell: true };
    }
    case 'afterShellExecution': {
      const args = shellArgs(members);
      const output = members.text('output');
      if (args === null || output === null) return null;
      return result(members, { tool: 'Shell', id: null, args, output, shell: true }, 'ok');
    }
    case 'beforeReadFile': {
      const path = members.text('file_path');
      if (path === null) return null;
      const args = { file_path: path, content: members.any('content') ?? null };
      const shaped = shapeOf({ does: 'read', path: ['file_path'], args: ['content'] }, args);
      return { type: 'tool.call', tool: 'Read', id: null, ...withoutOutput(shaped) };
    }
    case 'afterFileEdit': {
      const path = members.text('file_path');
      const edits = members.any('edits');
      if (path === null || edits === undefined) return null;
      const shaped = shapeOf(
        { does: 'edit', path: ['file_path'], args: ['edits'] },
        { file_path: path, edits },
      );
      return result(members, { tool: 'Edit', id: null, ...shaped }, 'ok');
    }
    case 'stop':
      // It tells how the turn ended, not what was said: that is afterAgentResponse. One that broke off has no last message.
      return { type: 'stop', message: BROKEN_OFF.has(members.peek('status')) ? '' : null, active: null };
    case 'afterAgentResponse': {
      const said = members.text('text');
      return said === null
        ? undefined
        : { type: 'observation', problem: null, content: { text: said }, said };
    }
    case 'subagentStart':
      return { type: 'agent.start', agentType: members.text('subagent_type') };
    case 'subagentStop': {
      const message = members.text('summary', 'result');
      return { type: 'agent.end', agentType: members.text('subagent_type'), message };
    }
    case 'preCompact':
      return { type: 'compaction', phase: 'before', trigger: members.text('trigger') };
    default:
      return undefined;
  }
}

const BROKEN_OFF: ReadonlySet<Json | undefined> = new Set(['aborted', 'error']);

function callOf(members: Members, output: Json = null, failed = false) {
  const tool = members.text('tool_name');
  const raw = members.any('tool_input');
  if (tool === null || raw === undefined) return null;
  return { tool, id: members.text('tool_use_id'), ...shapeOf(toolShape(tool), parsed(raw), output, failed) };
}

type Called = NonNullable<ReturnType<typeof callOf>>;

/** The tool of a server, as preToolUse names it: the events of MCP give its bare name. */
function named(call: Called, event: string): Called {
  const isBare = event.endsWith('MCPExecution') && !call.tool.startsWith('MCP:');
  return isBare ? { ...call, tool: `MCP:${call.tool}` } : call;
}

function result(members: Members, call: Called, outcome: Outcome): Body {
  return { type: 'tool.result', ...call, outcome, durationMs: members.number('duration', 'duration_ms') };
}

function failureOf(members: Members): Body | null {
  const error = members.text('error_message', 'error');
  const call = callOf(members, error, true);
  if (call === null || error === null) return null;
  const kind = members.text('failure_type');
  if (kind === 'permission_denied') {
    return { type: 'tool.denied', ...withoutOutput(call), by: 'host', reason: error };
  }
  const aborted = members.flag('is_interrupt') === true;
  return result(members, call, aborted ? 'aborted' : kind === 'timeout' ? 'timeout' : 'error');
}

function shellArgs(members: Members): { command: string; sandbox?: boolean } | null {
  const command = members.text('command');
  const sandbox = members.flag('sandbox');
  if (command === null) return null;
  return sandbox === null ? { command } : { command, sandbox };
}

const PATHS = ['file_path', 'path', 'target_file', 'target_notebook'];
const WRITTEN = [
  'content',
  'contents',
  'file_text',
  'code_edit',
  'old_string',
  'new_string',
  'edits',
  'streamContent',
];
const SHOWN = [
  'diff',
  'content',
  'contents',
  'before',
  'after',
  'beforeContent',
  'afterContent',
  'diffString',
];

function toolShape(tool: string): ToolShape | undefined {
  switch (tool) {
    case 'Shell':
      return { does: 'shell' };
    case 'Read':
      return { does: 'read', path: PATHS };
    case 'Delete':
      return { does: 'delete', path: PATHS };
    case 'Write':
      return { does: 'write', path: PATHS, args: WRITTEN, output: SHOWN };
    case 'Edit':
    case 'MultiEdit':
    case 'StrReplace':
    case 'EditNotebook':
      return { does: 'edit', path: PATHS, args: WRITTEN, output: SHOWN };
    case 'ApplyPatch':
      return { does: 'patch', args: ['patch', 'input', 'command'], output: SHOWN };
    default:
      return undefined;
  }
}

function answer(event: HostEvent, ruling: Ruling): Answer {
  // There is no member for a message that is not a refusal; standard error goes to the host's hooks log.
  if (ruling.verdict === 'pass') return say({}, ruling.message === undefined ? '' : `${ruling.message}\n`);
  const reason = given(ruling.reason);
  const person = ruling.person ?? reason;
  switch (event.name) {
    case 'preToolUse':
    case 'beforeShellExecution':
    case 'beforeMCPExecution':
    case 'beforeReadFile':
      return say({ permission: 'deny', user_message: person, agent_message: reason });
    case 'beforeSubmitPrompt':
      return say({ continue: false, user_message: person });
    case 'stop':
      // The host has no block: it goes on with this as the next message, five times at most.
      return say({ followup_message: reason });
    case 'postToolUse':
      return say({ additional_context: reason });
    case '':
      return refuse(reason);
    default:
      return say({}, `${person}\n`);
  }
}

export const cursor: HookAdapter = {
  agent: 'cursor',
  seen: false,
  source: 'hook:cursor',
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool), args) }),
  answer,
  denyBlind: refuse,
  // Only names that the host knows: one that it does not is reported to make it refuse the whole file.
  events: [
    { name: 'sessionStart', kind: 'session' },
    { name: 'beforeSubmitPrompt', kind: 'prompt' },
    { name: 'preToolUse', kind: 'tool' },
    { name: 'postToolUse', kind: 'tool' },
    { name: 'postToolUseFailure', kind: 'tool' },
    { name: 'afterAgentResponse', kind: 'other' },
    { name: 'stop', kind: 'stop' },
    { name: 'subagentStart', kind: 'other' },
    { name: 'subagentStop', kind: 'other' },
    { name: 'preCompact', kind: 'other' },
    { name: 'sessionEnd', kind: 'session' },
  ],
};
