// OpenCode. It has no hook commands: our plugin (opencode-plugin.ts) runs inside it and tells `foil hook opencode` what
// happens, in the words below. Seen against the real host (1.18), with `opencode run` and its server; permissions and
// subagents are from the types of @opencode-ai/plugin. Subagents are sessions of their own there; the plugin tells the
// session that they belong to, and their own id as agent_id. The answer is ours as well, and the plugin throws on `deny`.
import type { Json } from '../../core/index.ts';
import type { Answer, HostEvent, Ruling } from '../../record/index.ts';
import type { HookAdapter } from './adapter.ts';
import { withoutOutput } from './claude-shape.ts';
import { type Body, type Dialect, given, type Members, readEvents, refuse, say } from './members.ts';
import { shapeOf, type ToolShape } from './tool-shape.ts';

const DIALECT: Dialect = {
  agent: 'opencode',
  session: ['session_id'],
  transcript: [],
  agentId: ['agent_id'],
  promptId: ['message_id'],
  cwd: (members) => [members.text('cwd')],
  body,
};

function body(name: string, members: Members): Body | null | undefined {
  switch (name) {
    case 'session.created':
      return isChild(members)
        ? { type: 'agent.start', agentType: members.text('agent_type') }
        : { type: 'session.start', trigger: members.text('source') ?? 'startup' };
    case 'session.idle': {
      const message = members.text('last_assistant_message');
      if (isChild(members))
        return members.broken('last_assistant_message')
          ? null
          : { type: 'agent.end', agentType: members.text('agent_type'), message };
      // The plugin hears every message, inside the host. Null is its word that there was none: the turn was broken off.
      const said = members.peek('last_assistant_message') === null ? '' : message;
      return {
        type: 'stop',
        message: said,
        active: null,
        ...(members.flag('last') === true ? { last: true } : {}),
      };
    }
    case 'session.end':
      return { type: 'session.end', reason: members.text('reason') };
    case 'session.compacting':
      return { type: 'compaction', phase: 'before', trigger: members.text('trigger') };
    case 'session.compacted':
      return { type: 'compaction', phase: 'after', trigger: members.text('trigger') };
    case 'chat.message': {
      const text = members.text('prompt');
      if (text === null) return null;
      // What a subagent is told comes from its parent, and what the host adds by itself from nobody.
      const origin = isChild(members) ? 'parent-agent' : members.flag('synthetic') ? 'synthetic' : null;
      return origin === null ? { type: 'prompt', text } : { type: 'notice', origin, text };
    }
    case 'tool.execute.before': {
      const call = callOf(members);
      return call && { type: 'tool.call', ...withoutOutput(call) };
    }
    case 'tool.execute.after': {
      const output = members.any('tool_response');
      const call = callOf(members, output);
      return call && output !== undefined
        ? { type: 'tool.result', ...call, outcome: 'ok', durationMs: members.number('duration_ms') }
        : null;
    }
    case 'tool.error': {
      const error = members.text('error');
      const call = callOf(members, error, true);
      if (call === null || error === null) return null;
      const outcome = members.flag('is_interrupt') === true ? 'aborted' : 'error';
      return { type: 'tool.result', ...call, outcome, durationMs: members.number('duration_ms') };
    }
    case 'permission.asked': {
      const call = callOf(members);
      return (
        call && { type: 'approval', ...withoutOutput(call), suggestions: members.any('suggestions') ?? null }
      );
    }
    case 'permission.rejected': {
      const call = callOf(members);
      return (
        call && { type: 'tool.denied', ...withoutOutput(call), by: 'user', reason: members.text('reason') }
      );
    }
    default:
      return undefined;
  }
}

function isChild(members: Members): boolean {
  return typeof members.peek('agent_id') === 'string';
}

function callOf(members: Members, output: Json = null, failed = false) {
  const tool = members.text('tool_name');
  const args = members.any('tool_input');
  if (tool === null || args === undefined) return null;
  return { tool, id: members.text('tool_use_id'), ...shapeOf(toolShape(tool), args, output, failed) };
}

function toolShape(tool: string): ToolShape | undefined {
  switch (tool) {
    case 'bash':
      return { does: 'shell' };
    case 'read':
      return { does: 'read', path: ['filePath'] };
    // The metadata of these hold the difference, or the file before and after.
    case 'write':
      return { does: 'write', path: ['filePath'], args: ['content'], output: ['metadata'] };
    case 'edit':
    case 'multiedit':
      return {
        does: 'edit',
        path: ['filePath'],
        args: ['oldString', 'newString', 'edits'],
        output: ['metadata'],
      };
    case 'patch':
    case 'apply_patch':
      return { does: 'patch', args: ['patchText'], output: ['metadata'] };
    default:
      return undefined;
  }
}

function answer(event: HostEvent, ruling: Ruling): Answer {
  if (ruling.verdict === 'pass') return say(ruling.message === undefined ? {} : { message: ruling.message });
  const reason = given(ruling.reason);
  // The plugin shows it to the person.
  const aside = ruling.person === undefined ? {} : { message: ruling.person };
  switch (event.name) {
    case 'tool.execute.before':
    case 'tool.execute.after':
    case 'chat.message':
      return say({ deny: reason, ...aside });
    case 'session.idle':
      // The session is idle already: the plugin sends this as the next message.
      return event.type === 'agent.end'
        ? say({ message: ruling.person ?? reason })
        : say({ followup: reason, ...aside });
    case '':
      return refuse(reason);
    default:
      return say({ message: ruling.person ?? reason });
  }
}

export const opencode: HookAdapter = {
  agent: 'opencode',
  seen: true,
  source: 'hook:opencode',
  read: (input: Json, event: string | null) => readEvents(DIALECT, input, event),
  call: (tool, args) => ({ tool, id: null, ...shapeOf(toolShape(tool), args) }),
  answer,
  denyBlind: refuse,
  // Told by the plugin, which is one file: nothing is registered by name.
  events: [],
};
