// Claude Code's hook input, made up: one session of it, with the members that the real host sends.
import type { Json, JsonObject } from '../../src/core/index.ts';

export class ClaudeSession {
  readonly id: string;
  readonly cwd: string;

  constructor(id: string, cwd = '/home/dev/proj') {
    this.id = id;
    this.cwd = cwd;
  }

  event(name: string, members: JsonObject = {}): JsonObject {
    return {
      session_id: this.id,
      transcript_path: `/home/dev/.claude/projects/-home-dev-proj/${this.id}.jsonl`,
      cwd: this.cwd,
      hook_event_name: name,
      ...members,
    };
  }

  start(source = 'startup'): JsonObject {
    return this.event('SessionStart', { source });
  }

  prompt(prompt: string): JsonObject {
    return this.event('UserPromptSubmit', { prompt_id: 'p-1', permission_mode: 'default', prompt });
  }

  call(id: string, args: Json = { command: `echo ${id}` }, tool = 'Bash', more: JsonObject = {}): JsonObject {
    return this.event('PreToolUse', { tool_name: tool, tool_input: args, tool_use_id: id, ...more });
  }

  result(
    id: string,
    args: Json = { command: `echo ${id}` },
    tool = 'Bash',
    more: JsonObject = {},
  ): JsonObject {
    const response = { stdout: id, stderr: '', interrupted: false, isImage: false };
    return this.event('PostToolUse', {
      tool_name: tool,
      tool_input: args,
      tool_use_id: id,
      tool_response: response,
      duration_ms: 5,
      ...more,
    });
  }

  failure(id: string, error: string, args: Json = { command: `echo ${id}` }): JsonObject {
    const more = { error, is_interrupt: false, duration_ms: 5 };
    return this.event('PostToolUseFailure', {
      tool_name: 'Bash',
      tool_input: args,
      tool_use_id: id,
      ...more,
    });
  }

  /** The host does not say for which call it asks. */
  asks(args: Json, tool = 'Bash'): JsonObject {
    return this.event('PermissionRequest', {
      tool_name: tool,
      tool_input: args,
      permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    });
  }

  /** The words of a denial count for calls that had no result. */
  batch(...ids: readonly string[]): JsonObject {
    const tool_calls = ids.map((id) => ({
      tool_name: 'Bash',
      tool_input: { command: `echo ${id}` },
      tool_use_id: id,
      tool_response: `Permission to use Bash with command echo ${id} has been denied.`,
    }));
    return this.event('PostToolBatch', { tool_calls });
  }

  stop(message: string): JsonObject {
    return this.event('Stop', { stop_hook_active: false, last_assistant_message: message });
  }

  end(reason = 'other'): JsonObject {
    return this.event('SessionEnd', { reason });
  }
}
