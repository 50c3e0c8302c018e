// Gemini CLI. Seen against the real host: the input of SessionStart, BeforeAgent, PreCompress, BeforeTool, AfterTool (of a
// command), AfterAgent and SessionEnd. From its documents and source only: the file tools, Notification, the model's
// events, and the answers. There is no id that joins a result to its call: the recorder goes by order and arguments.
// Nothing but JSON may be printed, so a hook without an opinion prints an empty object.
import type { Json } from '../../core/index.ts';
import type { Answer, HostEvent, Ruling } from '../../record/index.ts';
import type { HookAdapter } from './adapter.ts';
import { withoutOutput } from './claude-shape.ts';
import { type Body, type Dialect, given, type Members, member, readEvents, refuse, say } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'gemini',
  session: ['session_id'],
  transcript: ['transcript_path'],
  agentId: [],
  promptId: [],
  judged: ['mcp_context'],
  cwd: (members) => [members.text('cwd')],
  body,
};

function body(name: string, members: Members): Body | null | undefined {
  switch (name) {
    case 'SessionStart':
      if (members.broken('source')) return null;
      return { type: 'session.start', trigger: members.text('source') ?? 'unknown' };
    case 'SessionEnd':
      return members.broken('reason') ? null : { type: 'session.end', reason: members.text('reason') };
    case 'BeforeAgent': {
      const text = members.text('prompt');
      return text === null ? null : { type: 'prompt', text };
    }
    case 'AfterAgent':
      // The prompt is told again here; it has its own entry.
      members.any('prompt');
      return {
        type: 'stop',
        message: members.text('prompt_response'),
        active: members.flag('stop_hook_active'),
      };
    case 'BeforeTool': {
      const call = callOf(members);
      return call && { type: 'tool.call', ...withoutOutput(call) };
    }
    case 'AfterTool': {
      const output = members.any('tool_response');
      if (output === undefined) return null;
      const failed = (member(output, 'error') ?? null) !== null;
      const call = callOf(members, output, failed);
      return call && { type: 'tool.result', ...call, outcome: failed ? 'error' : 'ok', durationMs: null };
    }
    case 'PreCompress':
      return { type: 'compaction', phase: 'before', trigger: members.text('trigger') };
    default:
      return undefined;
  }
}

function callOf(members: Members, output: Json = null, failed = false) {
  const tool = members.text('tool_name');
  const args = members.any('tool_input');
  if (tool === null || args === undefined) return null;
  return { tool, id: null, ...shapeOf(toolShape(tool), args, output, failed) };
}

function toolShape(tool: string): ToolShape | undefined {
  switch (tool) {
    case 'run_shell_command':
      return { does: 'shell' };
    case 'web_fetch':
      return { does: 'fetch', what: ['prompt', 'url'] };
    case 'google_web_search':
      return { does: 'fetch', what: ['query'] };
    case 'search_file_content':
    case 'grep_search':
    case 'glob':
      return { does: 'search', what: ['path', 'dir_path', 'pattern'] };
    case 'read_file':
      return { does: 'read', path: ['file_path', 'absolute_path'] };
    // Both parts of the response may show the file: a diff for the user, a piece of the result for the model.
    case 'write_file':
      return {
        does: 'write',
        path: ['file_path'],
        args: ['content'],
        output: ['returnDisplay', 'llmContent'],
      };
    case 'replace':
      return {
        does: 'edit',
        path: ['file_path'],
        args: ['old_string', 'new_string'],
        output: ['returnDisplay', 'llmContent'],
      };
    default:
      return undefined;
  }
}

function answer(event: HostEvent, ruling: Ruling): Answer {
  // This one knows no messages and no decisions.
  if (event.name === 'BeforeToolSelection') return say({});
  if (ruling.verdict === 'pass')
    return say(ruling.message === undefined ? {} : { systemMessage: ruling.message });
  const reason = given(ruling.reason);
  // Shown to the person, and not to the model.
  const aside = ruling.person === undefined ? {} : { systemMessage: ruling.person };
  switch (event.name) {
    case 'BeforeTool':
    case 'BeforeAgent':
    case 'AfterAgent':
    case 'BeforeModel':
      return say({ decision: 'deny', reason, ...aside });
    case 'AfterTool':
      return say({ continue: false, stopReason: reason, ...aside });
    case '':
      return refuse(reason);
    default:
      return say({ systemMessage: ruling.person ?? reason });
  }
}

/** `{type: 'gemini', model, content}`. */
function modelIn(line: Json): string | null {
  const model = member(line, 'type') === 'gemini' ? member(line, 'model') : null;
  return typeof model === 'string' ? model : null;
}

export const gemini: HookAdapter = {
  agent: 'gemini',
  seen: true,
  source: 'hook:gemini',
  cumulative: true,
  transcript: { modelIn },
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool), args) }),
  answer,
  denyBlind: refuse,
  events: [
    { name: 'SessionStart', kind: 'session' },
    { name: 'BeforeAgent', kind: 'prompt' },
    { name: 'BeforeTool', kind: 'tool' },
    { name: 'AfterTool', kind: 'tool' },
    { name: 'AfterAgent', kind: 'stop' },
    // Installed for `manual` alone. An older hook is also told `auto`, which the host says whether it compresses or not.
    { name: 'PreCompress', kind: 'other' },
    // A permission that is asked of the user; without the tool's name, so it stays an observation.
    { name: 'Notification', kind: 'other' },
    { name: 'SessionEnd', kind: 'session' },
  ],
};
