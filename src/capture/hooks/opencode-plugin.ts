// The plugin that `install` writes for OpenCode (`.opencode/plugins/`): a JavaScript file that runs inside the host, asks
// `foil hook opencode` about what happens, and throws where the answer is a refusal, which is how that host is told no.
// It exports one function and nothing else, because the host calls every export as a plugin.
// Written against the types of @opencode-ai/plugin; the host awaits its hooks but not `event`, where nothing may throw.

export interface OpencodePluginOptions {
  /** What to run: the program and its arguments, up to and with `hook opencode`. */
  readonly command: readonly string[];
  /** Variables that it starts without. */
  readonly dropped?: readonly string[];
  /** Must what nobody answers be refused? */
  readonly strict: boolean;
}

export function opencodePlugin({ command, dropped = [], strict }: OpencodePluginOptions): string {
  return TEMPLATE.replace('__COMMAND__', () => JSON.stringify(command))
    .replace('__STRICT__', String(strict))
    .replace('__DROPPED__', JSON.stringify(dropped));
}

const TEMPLATE = `// Counterfoil's recorder for OpenCode. Written by \`foil install\`; \`foil uninstall\` removes it.
import { spawnSync } from 'node:child_process';
import { isMainThread } from 'node:worker_threads';

const command = __COMMAND__;
const strict = __STRICT__;
const dropped = __DROPPED__; // by these Node would run other code

const SIGNALS = isMainThread ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : []; // no other thread is told of them
const instances = new Set(); // of each project that is open in this process: a function that ends its sessions

// \`opencode serve\` dies of a signal without a word to its plugins. Where the host listens itself, it ends as it likes.
const counterfoilSignal = (signal) => {
  if (process.listeners(signal).some(({ name }) => name !== 'counterfoilSignal')) return;
  process.off(signal, counterfoilSignal);
  for (const endAll of instances) endAll(signal);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
};

const open = (endAll) => {
  if (instances.size === 0) for (const signal of SIGNALS) process.on(signal, counterfoilSignal);
  instances.add(endAll);
};

const close = (endAll) => {
  instances.delete(endAll);
  if (instances.size === 0) for (const signal of SIGNALS) process.off(signal, counterfoilSignal);
};

export const Counterfoil = async ({ client, directory }) => {
  const parents = new Map(); // a subagent's session: { root, agent }
  const roots = new Set(); // sessions that have begun and not ended
  const calls = new Map(); // open calls: { tool, args, start }
  const asked = new Map(); // permissions asked: the call's id
  const ended = new Set(); // calls whose end was told
  const spoken = new Map(); // of each session: { message, text, model }
  const last = process.argv.slice(1, 3).includes('run'); // it ends with its first answer, whatever we say then
  let warned = false;

  // Answers {}, { message }, { followup } or { deny }. Throws in guard if nobody answers.
  const tell = (name, session, members) => {
    const parent = parents.get(session);
    const input = {
      hook_event_name: name,
      session_id: parent ? parent.root : session,
      ...(parent ? { agent_id: session, agent_type: parent.agent } : {}),
      cwd: directory,
      timestamp: new Date().toISOString(),
      ...members,
    };
    if (!parent && name !== 'session.end') roots.add(session);
    const { answer, fault } = run(input);
    if (answer?.message) show(answer.message);
    if (answer) return answer;
    if (strict) return { deny: 'Counterfoil could not record this: ' + fault };
    if (!warned) show('Counterfoil does not record: ' + fault);
    warned = true;
    return {};
  };

  const run = (input) => {
    try {
      const env = { ...process.env };
      for (const name of dropped) delete env[name];
      const done = spawnSync(command[0], command.slice(1), {
        env,
        input: JSON.stringify(input),
        encoding: 'utf8',
        timeout: 30000,
        maxBuffer: 1 << 24,
        windowsHide: true,
      });
      if (done.error) return { fault: done.error.message };
      if (done.status === 2) return { answer: { deny: done.stderr.trim() || 'Counterfoil refused.' } };
      if (done.status !== 0) return { fault: done.stderr.trim() || 'exit code ' + done.status };
      return { answer: Object(JSON.parse(done.stdout || '{}')) };
    } catch (error) {
      return { fault: String(error) };
    }
  };

  const show = (message) => {
    try {
      const shown = client?.tui?.showToast?.({ body: { message, variant: 'warning' } });
      shown?.catch?.(() => {});
    } catch {}
  };

  // \`opencode run\` puts quotes around a word of its command line that has a space, and what is piped to it behind that.
  const asTyped = (text) => {
    for (const word of last ? process.argv.slice(2) : []) {
      const quoted = '"' + word.replaceAll('"', '\\\\"') + '"';
      const rest = text.slice(quoted.length);
      if (text.startsWith(quoted) && (rest === '' || rest.startsWith('\\n'))) return word + rest;
    }
    return text;
  };

  const call = (id) => {
    const known = calls.get(id);
    return { tool_name: known?.tool, tool_use_id: id, tool_input: known?.args ?? null };
  };

  const took = (id) => {
    const known = calls.get(id);
    calls.delete(id);
    return known ? { duration_ms: Date.now() - known.start } : {};
  };

  const observers = {
    'session.created': ({ info }) => {
      const parent = parents.get(info.parentID);
      if (info.parentID) parents.set(info.id, { root: parent ? parent.root : info.parentID, agent: info.agent ?? null });
      tell('session.created', info.id, { title: info.title, version: info.version });
    },
    'session.idle': ({ sessionID }) => {
      const { text = null, model } = spoken.get(sessionID) ?? {};
      spoken.delete(sessionID);
      const members = { last_assistant_message: text, ...(model ? { model } : {}), ...(last ? { last } : {}) };
      const answer = tell('session.idle', sessionID, members);
      if (!answer.followup) return;
      const body = { parts: [{ type: 'text', text: answer.followup }] };
      const sent = client?.session?.prompt?.({ path: { id: sessionID }, body });
      sent?.catch?.(() => {});
    },
    'session.deleted': ({ info }) => {
      if (roots.delete(info.id)) end(info.id, 'deleted');
      parents.delete(info.id);
    },
    'session.compacted': ({ sessionID }) => tell('session.compacted', sessionID, {}),
    'session.error': ({ sessionID, error }) => sessionID && tell('session.error', sessionID, { error }),
    'message.updated': ({ info }) => {
      if (info.role !== 'assistant' || spoken.get(info.sessionID)?.message === info.id) return;
      const model = info.modelID ?? null;
      spoken.set(info.sessionID, { message: info.id, text: null, model });
    },
    'message.part.updated': ({ part }) => {
      const last = spoken.get(part.sessionID);
      if (part.type === 'text' && last?.message === part.messageID) last.text = part.text;
      if (part.type !== 'tool' || part.state?.status !== 'error') return;
      if (ended.has(part.callID)) return;
      ended.add(part.callID);
      const error = String(part.state.error);
      tell('tool.error', part.sessionID, {
        tool_name: part.tool,
        tool_use_id: part.callID,
        tool_input: part.state.input ?? null,
        error,
        is_interrupt: /abort/i.test(error),
        ...took(part.callID),
      });
    },
    'permission.asked': (request) => {
      const id = request.tool?.callID ?? request.callID ?? null;
      asked.set(request.id, id);
      const permission = request.permission ?? request.type;
      tell('permission.asked', request.sessionID, {
        ...call(id),
        ...(calls.has(id) ? {} : { tool_name: permission }),
        permission,
        suggestions: request.patterns ?? request.pattern ?? null,
      });
    },
    'permission.updated': (request) => observers['permission.asked'](request),
    'permission.replied': (reply) => {
      const permission = reply.requestID ?? reply.permissionID;
      const id = asked.get(permission) ?? null;
      asked.delete(permission);
      const said = reply.reply ?? reply.response;
      if (said !== 'reject' || !calls.has(id)) {
        tell('permission.replied', reply.sessionID, { tool_use_id: id, reply: said });
        return;
      }
      tell('permission.rejected', reply.sessionID, call(id));
      calls.delete(id);
      ended.add(id);
    },
  };

  const end = (session, reason) => tell('session.end', session, { reason });

  const endAll = (reason) => {
    for (const session of roots) end(session, reason);
    roots.clear();
  };

  open(endAll);
  return {
    event: async ({ event }) => {
      try {
        if (Object.hasOwn(observers, event.type)) observers[event.type](event.properties);
      } catch {}
    },
    'chat.message': async (input, output) => {
      const texts = output.parts.filter((part) => part.type === 'text');
      const own = texts.filter((part) => !part.synthetic);
      const { deny } = tell('chat.message', input.sessionID, {
        prompt: asTyped((own.length > 0 ? own : texts).map((part) => part.text).join('\\n')),
        ...(own.length === 0 && texts.length > 0 ? { synthetic: true } : {}),
        message_id: output.message?.id ?? input.messageID,
        agent: input.agent,
        model: input.model,
      });
      if (deny) throw new Error(deny);
    },
    'tool.execute.before': async (input, output) => {
      const { deny } = tell('tool.execute.before', input.sessionID, {
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: output.args ?? null,
      });
      if (deny) {
        ended.add(input.callID);
        throw new Error(deny);
      }
      calls.set(input.callID, { tool: input.tool, args: output.args ?? null, start: Date.now() });
    },
    'tool.execute.after': async (input, output) => {
      if (!output) return; // it failed, and that is told by its own event
      const { tool_input } = call(input.callID);
      const { deny } = tell('tool.execute.after', input.sessionID, {
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args ?? tool_input,
        tool_response: output,
        ...took(input.callID),
      });
      ended.add(input.callID);
      if (deny) throw new Error(deny);
    },
    'experimental.session.compacting': async (input) => {
      tell('session.compacting', input.sessionID, {});
    },
    dispose: async () => {
      close(endAll);
      endAll('exit');
    },
  };
};
`;
