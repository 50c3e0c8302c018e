// Codex. Its hooks are shaped like Claude Code's, with turn_id and model; a tool's response may be a plain text. Seen
// against the real host (0.166): SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop and SessionEnd, for a command;
// all else comes from the schemas in its repository. Its output parser is strict: an unknown member, `continue: false` or
// `suppressOutput` before a tool, `permissionDecision` allow or ask, or a refusal with an empty reason make the hook a
// failed one, and a failed hook lets the tool run. It has no event for a failed tool or for a denied one. Hooks that the user has not trusted in `/hooks` are skipped without a word.
import type { Json } from '../../core/index.ts';
import type { HookAdapter } from './adapter.ts';
import { claudeAnswer, claudeBody } from './claude-shape.ts';
import { type Dialect, member, readEvents, refuse } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'codex',
  session: ['session_id'],
  transcript: ['transcript_path'],
  agentId: ['agent_id'],
  promptId: ['turn_id'],
  cwd: (members) => [members.text('cwd')],
  body: (name, members) => claudeBody(name, members, toolShape),
};

function toolShape(tool: string): ToolShape | undefined {
  switch (tool) {
    // `workdir` is not in what a hook is told: `tool_input` is {command}, and `cwd` that of the turn.
    case 'Bash':
      return { does: 'shell', startsUntold: true };
    // The patch is the command. `Edit` and `Write` are names for it in matchers.
    case 'apply_patch':
    case 'Edit':
    case 'Write':
      return { does: 'patch', args: ['command', 'input', 'patch'] };
    default:
      return undefined;
  }
}

/** `{type: 'event_msg', payload: {type: 'item_completed', item: {type: 'CommandExecution', id, exit_code}}}`. */
function exitIn(line: Json, id: string): number | null {
  const payload = member(line, 'type') === 'event_msg' ? member(line, 'payload') : undefined;
  const item =
    member(payload ?? null, 'type') === 'item_completed' ? member(payload ?? null, 'item') : undefined;
  if (member(item ?? null, 'type') !== 'CommandExecution' || member(item ?? null, 'id') !== id) return null;
  const code = member(item ?? null, 'exit_code');
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null;
}

export const codex: HookAdapter = {
  agent: 'codex',
  seen: true,
  source: 'hook:codex',
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool), args) }),
  answer: claudeAnswer,
  transcript: { exitIn },
  denyBlind: refuse,
  events: [
    { name: 'SessionStart', kind: 'session' },
    { name: 'UserPromptSubmit', kind: 'prompt' },
    { name: 'PreToolUse', kind: 'tool' },
    { name: 'PostToolUse', kind: 'tool' },
    { name: 'PermissionRequest', kind: 'tool' },
    { name: 'Stop', kind: 'stop' },
    { name: 'SubagentStart', kind: 'other' },
    { name: 'SubagentStop', kind: 'other' },
    { name: 'PreCompact', kind: 'other' },
    { name: 'PostCompact', kind: 'other' },
    { name: 'SessionEnd', kind: 'session' },
  ],
};
