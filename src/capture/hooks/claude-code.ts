// Claude Code (2.1). Seen against the real host: the input of SessionStart, UserPromptSubmit, MessageDisplay, PreToolUse,
// PostToolUse, PostToolUseFailure, PostToolBatch, PermissionRequest, Stop, SubagentStart, SubagentStop and SessionEnd,
// for Bash, Write, Edit, Read, Agent, ToolSearch and MCP tools. From its documents only: PermissionDenied, ConfigChange,
// PreCompact, PostCompact, MultiEdit, NotebookEdit, and PowerShell, which has Bash's members.
// WorktreeCreate is never registered: what its hook prints is the path that the host then uses.
import type { Json } from '../../core/index.ts';
import type { ToldLine } from '../../record/index.ts';
import type { HookAdapter } from './adapter.ts';
import { claudeAnswer, claudeBody } from './claude-shape.ts';
import { type Dialect, member, readEvents, refuse } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'claude-code',
  session: ['session_id'],
  transcript: ['transcript_path'],
  agentId: ['agent_id'],
  promptId: ['prompt_id'],
  cwd: (members) => [members.text('cwd')],
  body: (name, members) => claudeBody(name, members, toolShape),
};

function toolShape(tool: string): ToolShape | undefined {
  switch (tool) {
    case 'Bash':
    case 'PowerShell':
      return { does: 'shell', background: 'run_in_background' };
    case 'Agent':
    case 'Task':
      return { does: 'delegate', background: 'run_in_background' };
    case 'WebFetch':
      return { does: 'fetch', what: ['url'] };
    case 'WebSearch':
      return { does: 'fetch', what: ['query'] };
    case 'Grep':
    case 'Glob':
      return { does: 'search', what: ['path', 'pattern'] };
    case 'Read':
      return { does: 'read', path: ['file_path'] };
    case 'Write':
      return {
        does: 'write',
        path: ['file_path'],
        args: ['content'],
        output: ['content', 'originalFile', 'structuredPatch', 'gitDiff'],
      };
    case 'Edit':
    case 'MultiEdit':
      return {
        does: 'edit',
        path: ['file_path'],
        args: ['old_string', 'new_string', 'edits'],
        output: [
          'oldString',
          'newString',
          'edits',
          'originalFile',
          'originalFileContents',
          'structuredPatch',
          'gitDiff',
        ],
      };
    case 'NotebookEdit':
      return {
        does: 'edit',
        path: ['notebook_path'],
        args: ['new_source'],
        output: ['new_source', 'old_source', 'original_file', 'updated_file'],
      };
    default:
      return undefined;
  }
}

/**
 * `{type: 'assistant', timestamp, message: {stop_reason, content: [{type: 'tool_use', id}]}}`; subagents have transcripts
 * of their own. A message that the host made up, of an error say, ends with another reason than `end_turn`.
 */
function readLine(line: Json): ToldLine {
  const message = member(line, 'message') ?? null;
  const content = member(message, 'content');
  if (member(line, 'isSidechain') === true || !Array.isArray(content)) return { calls: [], turnEnd: null };
  const calls = (content as readonly Json[])
    .filter((block) => member(block, 'type') === 'tool_use')
    .map((block) => member(block, 'id'))
    .filter((id) => typeof id === 'string');
  const ends = member(line, 'type') === 'assistant' && member(message, 'stop_reason') === 'end_turn';
  return { calls, turnEnd: ends ? momentOf(member(line, 'timestamp')) : null };
}

function modelIn(line: Json): string | null {
  const message = member(line, 'message') ?? null;
  const model = member(message, 'model');
  const isModels = member(line, 'type') === 'assistant' && member(line, 'isSidechain') !== true;
  // What the host makes up itself, of an error say, has such a name.
  return isModels && typeof model === 'string' && !model.startsWith('<') ? model : null;
}

/** As entries write moments, so that they can be compared as text. */
function momentOf(value: Json | undefined): string | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

export const claudeCode: HookAdapter = {
  agent: 'claude-code',
  seen: true,
  source: 'hook:claude-code',
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool), args) }),
  answer: claudeAnswer,
  transcript: { readLine, modelIn },
  fileMembers: (tool, args) => shapeOf(toolShape(tool), args).files?.flatMap((file) => file.argMembers) ?? [],
  denyBlind: refuse,
  events: [
    { name: 'SessionStart', kind: 'session' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PreToolUse', kind: 'tool', matcher: '*' },
    { name: 'PostToolUse', kind: 'tool', matcher: '*' },
    { name: 'PostToolUseFailure', kind: 'tool', matcher: '*' },
    { name: 'PostToolBatch', kind: 'tool' },
    { name: 'PermissionRequest', kind: 'tool', matcher: '*' },
    { name: 'PermissionDenied', kind: 'tool', matcher: '*' },
    { name: 'Stop', kind: 'stop' },
    { name: 'SubagentStart', kind: 'other' },
    { name: 'SubagentStop', kind: 'other' },
    { name: 'PreCompact', kind: 'other' },
    { name: 'PostCompact', kind: 'other' },
    { name: 'ConfigChange', kind: 'other' },
    { name: 'SessionEnd', kind: 'session' },
  ],
};
