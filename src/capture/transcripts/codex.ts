// Codex: ~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl. A line is {timestamp, type, payload}; payloads of
// `response_item` are the conversation: messages, calls of functions and their outputs. Known from its published source,
// not from files of the real host. The exit code is in what the host writes around a command's output.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Told, TranscriptKind, TranscriptReader } from './transcript.ts';

/** What the host itself puts before the user's words. */
const NOT_THE_USER =
  /^<(?:environment_context|user_instructions|permissions|turn_aborted|collaboration_mode|skills)/;
const SHELLS: readonly Json[] = ['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec'];

export const codex: TranscriptKind = {
  agent: 'codex',
  under: ['.codex/sessions', '.codex/archived_sessions'],
  matches: (path) => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path),
  whole: false,
  open: (path) => new CodexReader(path),
};

class CodexReader implements TranscriptReader {
  readonly agent = 'codex';
  unknown = 0;
  #base: JsonObject;
  readonly #calls = new Map<string, { tool: string; args: Json }>();
  #last: { text: string; at: string | null } | null = null;

  constructor(path: string) {
    const session_id = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl$/, '');
    this.#base = { session_id, cwd: '/', transcript_path: path };
  }

  *line(text: string): Iterable<Told> {
    if (text === '') return;
    let line: JsonObject;
    try {
      line = JSON.parse(text) as JsonObject;
    } catch {
      this.unknown++;
      return;
    }
    const { type, payload } = line;
    const at = typeof line.timestamp === 'string' ? line.timestamp : null;
    if (!isObject(payload)) return;
    if (type === 'session_meta' || type === 'turn_context') {
      const { id, cwd } = payload;
      if (typeof id === 'string' && type === 'session_meta') this.#base = { ...this.#base, session_id: id };
      if (typeof cwd === 'string') this.#base = { ...this.#base, cwd };
      return;
    }
    if (type === 'response_item') yield* this.#item(payload, at);
  }

  *end(): Iterable<Told> {
    yield* this.#stop();
  }

  *#item(item: JsonObject, at: string | null): Iterable<Told> {
    switch (item.type) {
      case 'message':
        yield* this.#message(item, at);
        return;
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        yield* this.#call(item, at);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        yield* this.#output(item, at);
        return;
      default:
    }
  }

  *#message({ role, content }: JsonObject, at: string | null): Iterable<Told> {
    const parts = Array.isArray(content) ? (content as readonly Json[]).filter(isObject) : [];
    const text = parts
      .map((part) => (typeof part.text === 'string' ? part.text : ''))
      .filter((part) => part !== '')
      .join('\n\n');
    if (text === '') return;
    if (role === 'assistant') this.#last = { text, at };
    if (role !== 'user' || NOT_THE_USER.test(text)) return;
    yield* this.#stop();
    yield this.#tell(at, { hook_event_name: 'UserPromptSubmit', prompt: text });
  }

  *#call(item: JsonObject, at: string | null): Iterable<Told> {
    const { call_id: id, name, arguments: given, input, action } = item;
    if (typeof id !== 'string') return;
    const shell = item.type === 'local_shell_call' || SHELLS.includes(name ?? null);
    const args = item.type === 'custom_tool_call' ? { input: input ?? '' } : (parsed(given) ?? action ?? {});
    const tool = shell ? 'Bash' : typeof name === 'string' ? name : 'unknown';
    this.#last = null;
    this.#calls.set(id, { tool, args });
    yield this.#tell(at, {
      hook_event_name: 'PreToolUse',
      tool_name: tool,
      tool_input: args,
      tool_use_id: id,
    });
  }

  *#output({ call_id: id, output }: JsonObject, at: string | null): Iterable<Told> {
    const call = typeof id === 'string' ? this.#calls.get(id) : undefined;
    if (call === undefined) return;
    this.#calls.delete(id as string);
    yield this.#tell(at, {
      hook_event_name: 'PostToolUse',
      tool_name: call.tool,
      tool_input: call.args,
      tool_use_id: id as string,
      tool_response: responseOf(output ?? ''),
    });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    if (last !== null)
      yield this.#tell(last.at, {
        hook_event_name: 'Stop',
        stop_hook_active: false,
        last_assistant_message: last.text,
      });
  }

  #tell(at: string | null, members: JsonObject): Told {
    return { at, id: null, input: { ...this.#base, ...members } };
  }
}

/** `{"output":…,"metadata":{"exit_code":0}}` in older versions; lines of the host's before `Output:` in newer ones. */
function responseOf(output: Json): Json {
  if (typeof output !== 'string') return output;
  const whole = parsed(output);
  if (isObject(whole)) return whole;
  const head = output.slice(0, 400);
  const code = /^(?:Exit code: |[\s\S]*?\nProcess exited with code )(-?\d{1,10})\n/.exec(head)?.[1];
  const at = head.indexOf('Output:\n');
  if (code === undefined || at < 0) return output;
  return { output: output.slice(at + 8), metadata: { exit_code: Number(code) } };
}

function parsed(text: Json | undefined): Json | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
