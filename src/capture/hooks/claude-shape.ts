// Events and answers in the shape that Claude Code gave to hooks and Codex took over: which member means what. The
// tools are each host's own. Answers keep to what the stricter of the two, Codex, accepts.
import type { Json } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import type { Answer, HostEvent, Ruling } from '../../record/index.ts';
import { jobOf, noticeEnd } from './claude-jobs.ts';
import { type Body, given, type Members, member, refuse, say } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

/** By the tool's name. A function, so that no name (`constructor`) is found by accident and nothing is built at load. */
export type ToolTable = (tool: string) => ToolShape | undefined;

export function claudeBody(name: string, members: Members, tools: ToolTable): Body | null | undefined {
  switch (name) {
    case 'SessionStart': {
      if (members.broken('source')) return null;
      const trigger = members.text('source') ?? 'unknown';
      // The same session goes on, with a shorter memory.
      return trigger === 'compact'
        ? { type: 'compaction', phase: 'after', trigger: null }
        : { type: 'session.start', trigger };
    }
    case 'SessionEnd':
      return members.broken('reason') ? null : { type: 'session.end', reason: members.text('reason') };
    case 'UserPromptSubmit': {
      const text = members.text('prompt');
      return text === null ? null : promptOf(text);
    }
    case 'PreToolUse': {
      const call = callOf(members, tools);
      return call && { type: 'tool.call', ...withoutOutput(call) };
    }
    case 'PostToolUse': {
      const output = members.any('tool_response');
      const call = callOf(members, tools, output);
      if (call === null || output === undefined) return null;
      const outcome = member(output, 'interrupted') === true ? 'aborted' : 'ok';
      const job = outcome === 'ok' ? jobOf(call.tool, call.args, output) : {};
      return { type: 'tool.result', ...call, ...job, outcome, durationMs: members.number('duration_ms') };
    }
    case 'PostToolUseFailure': {
      const error = members.text('error');
      const call = callOf(members, tools, error ?? undefined, true);
      if (call === null || error === null) return null;
      const outcome = members.flag('is_interrupt') === true ? 'aborted' : 'error';
      return { type: 'tool.result', ...call, outcome, durationMs: members.number('duration_ms') };
    }
    case 'PostToolBatch': {
      const calls = members.any('tool_calls');
      return Array.isArray(calls) ? batchOf(calls, tools) : null;
    }
    case 'PermissionRequest': {
      const call = callOf(members, tools);
      const suggestions = members.any('permission_suggestions') ?? null;
      return call && { type: 'approval', ...withoutOutput(call), suggestions };
    }
    case 'PermissionDenied': {
      const call = callOf(members, tools);
      return (
        call && { type: 'tool.denied', ...withoutOutput(call), by: 'host', reason: members.text('reason') }
      );
    }
    case 'Stop':
      // Of another type, it is no message: the transcript has one.
      return {
        type: 'stop',
        message: members.text('last_assistant_message'),
        active: members.flag('stop_hook_active'),
      };
    case 'SubagentStart':
      return { type: 'agent.start', agentType: members.text('agent_type') };
    case 'SubagentStop': {
      if (members.broken('last_assistant_message')) return null;
      const message = members.text('last_assistant_message');
      return { type: 'agent.end', agentType: members.text('agent_type'), message };
    }
    case 'PreCompact':
      return { type: 'compaction', phase: 'before', trigger: members.text('trigger') };
    case 'PostCompact':
      return { type: 'compaction', phase: 'after', trigger: members.text('trigger') };
    case 'ConfigChange': {
      const what = members.text('source');
      return what === null ? null : { type: 'config.change', what, detail: members.any('file_path') ?? null };
    }
    default:
      return undefined;
  }
}

/** A background task that tells of its end comes in like a prompt; the user did not write it. */
function promptOf(text: string): Body {
  const ends = noticeEnd(text);
  return text.startsWith('<task-notification>')
    ? { type: 'notice', origin: 'task-notification', text, ...(ends === undefined ? {} : { ends }) }
    : { type: 'prompt', text };
}

function callOf(members: Members, tools: ToolTable, output: Json = null, failed = false) {
  const tool = members.text('tool_name');
  const args = members.any('tool_input');
  if (tool === null || args === undefined) return null;
  return { tool, id: members.text('tool_use_id'), ...shapeOf(tools(tool), args, output, failed) };
}

export function withoutOutput<T extends { output: Json }>(call: T): Omit<T, 'output'> {
  const { output: _, ...rest } = call;
  return rest;
}

/**
 * In the place of an output, a batch has the words with which Claude Code (2.1) tells the model that a call was not made:
 * by a rule, by a hook, by a person, or because nobody was there to approve it. A failed call has words of its own there.
 */
const DENIAL =
  /^(?:PreToolUse:\S+ hook error: |Hook PreToolUse:|Permission (?:to \w+|for this tool use|rule) |Claude requested permissions? to |The user doesn't want to (?:proceed with|take) this |.{1,300} (?:needs|requires) approval\b)/;

function isDenial(output: Json): boolean {
  return typeof output === 'string' && DENIAL.test(output);
}

function batchOf(calls: readonly Json[], tools: ToolTable): Body | null {
  const read = calls.map((call) => {
    const tool = member(call, 'tool_name');
    const args = member(call, 'tool_input');
    if (!isObject(call) || typeof tool !== 'string' || args === undefined) return null;
    const id = member(call, 'tool_use_id');
    const output = member(call, 'tool_response') ?? null;
    const read = { tool, id: typeof id === 'string' ? id : null, ...shapeOf(tools(tool), args, output) };
    return isDenial(output) ? { ...read, denied: true as const } : read;
  });
  const whole = read.filter((call) => call !== null);
  // One that can't be read makes the list wrong about what was denied.
  return whole.length === read.length ? { type: 'tool.batch', calls: whole } : null;
}

export function claudeAnswer(event: HostEvent, ruling: Ruling): Answer {
  // What this one prints is a path that the host then uses: nothing may be said there.
  if (event.name === 'WorktreeCreate') return say(null);
  if (ruling.verdict === 'pass')
    return say(ruling.message === undefined ? null : { systemMessage: ruling.message });
  const reason = given(ruling.reason);
  // The host shows it to the person, and not to the model.
  const aside = ruling.person === undefined ? {} : { systemMessage: ruling.person };
  // By the host's name for the event, not by what we understood of it: a PreToolUse in a new shape is denied as well.
  switch (event.name) {
    case 'PreToolUse':
      return say({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: reason,
        },
        ...aside,
      });
    case 'PermissionRequest':
      return say({
        hookSpecificOutput: {
          hookEventName: 'PermissionRequest',
          decision: { behavior: 'deny', message: reason },
        },
        ...aside,
      });
    case 'UserPromptSubmit':
    case 'Stop':
    case 'SubagentStop':
    case 'ConfigChange':
      return say({ decision: 'block', reason, ...aside });
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PostToolBatch':
      // The effect is done. The turn is stopped, so that nothing is built on what has no record.
      return say({ continue: false, stopReason: reason, ...aside });
    case '':
      return refuse(reason);
    default:
      return say({ systemMessage: ruling.person ?? reason });
  }
}
