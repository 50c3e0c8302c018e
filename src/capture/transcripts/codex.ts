// Codex: ~/.codex/sessions/<year>/<month>/<day>/rollout-….jsonl. A line is {timestamp, type, payload}, in old versions the
// payload alone; `response_item` is the conversation: messages, calls of functions and their outputs. Known from its
// published source and from real sessions. The exit code is in what the host writes around the output.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { callsIn, resultIn, resultsIn, type ScriptCall } from './codex-script.ts';
import {
  objectsIn,
  parsed,
  stemOf,
  type Told,
  type TranscriptKind,
  type TranscriptReader,
  textOr,
} from './transcript.ts';

/** What the host itself puts before the user's words. */
const NOT_THE_USER =
  /^(?:<(?:environment_context|user_instructions|permissions|turn_aborted|collaboration_mode|skills?|user_shell_command|INSTRUCTIONS)\b|# AGENTS\.md instructions)/;
const SHELLS: readonly Json[] = ['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec'];
const ITEMS = /^(?:message|(?:function|custom_tool|local_shell)_call(?:_output)?)$/;
const UNSEEN = /"type":"(event_msg|compacted|reasoning)"/;
const RUNNING = /\bProcess running with session ID (\d{1,20})\n/;

export const codex: TranscriptKind = {
  agent: 'codex',
  under: ['.codex/sessions', '.codex/archived_sessions'],
  home: { variable: 'CODEX_HOME', under: ['sessions', 'archived_sessions'] },
  matches: (path) => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path),
  whole: false,
  open: (path) => new CodexReader(path),
};

interface Call {
  readonly tool: string;
  readonly args: JsonObject;
  readonly id: string;
  /** Of a command that went on: what it had printed before. */
  readonly printed: string;
}

/** A script of the tool `exec`, which may go on for longer than one answer. */
interface Script {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly ScriptCall[];
}

class CodexReader implements TranscriptReader {
  readonly agent = 'codex';
  unknown = 0;
  #base: JsonObject;
  #model: string | null = null;
  readonly #calls = new Map<string, Call>();
  /** Commands that go on, by the host's number. */
  readonly #running = new Map<string, Call>();
  readonly #scripts = new Map<string, Script>();
  /** Scripts that go on, by the host's number. */
  readonly #cells = new Map<string, Script>();
  #last: { text: string; at: string | null } | null = null;

  constructor(path: string) {
    this.#base = { session_id: stemOf(path), cwd: '/', transcript_path: path };
  }

  *line(bytes: Buffer): Iterable<Told> {
    if (bytes.length === 0) return;
    // What the model thought, and what the host shows of the same messages, is never looked at.
    const type = UNSEEN.exec(bytes.toString('latin1', 0, 200))?.[1];
    if (
      type !== undefined &&
      (type !== 'event_msg' || bytes.length > 2048 || !bytes.includes('turn_aborted'))
    )
      return;
    const line = parsed(bytes.toString());
    if (!isObject(line)) {
      this.unknown++;
      return;
    }
    const at = textOr(line.timestamp, null);
    const old = typeof line.type === 'string' && ITEMS.test(line.type) ? line : undefined;
    const payload = old ?? line.payload;
    if (!isObject(payload)) {
      if (typeof line.id === 'string') this.#base = { ...this.#base, session_id: line.id };
      return;
    }
    if (line.type === 'session_meta' || line.type === 'turn_context') {
      const { id, cwd, model } = payload;
      this.#model = textOr(model, this.#model);
      if (typeof id === 'string' && line.type === 'session_meta')
        this.#base = { ...this.#base, session_id: id };
      if (typeof cwd === 'string') this.#base = { ...this.#base, cwd };
    } else if (line.type === 'event_msg' && payload.type === 'turn_aborted') this.#last = null;
    else if (line.type === 'response_item' || old !== undefined) yield* this.#item(payload, at);
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
        this.#call(item);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        yield* this.#output(item, at);
        return;
      default:
    }
  }

  *#message({ role, content }: JsonObject, at: string | null): Iterable<Told> {
    const text = objectsIn(content)
      .map((part) => textOr(part.text, ''))
      .filter((part) => part !== '')
      .join('\n\n');
    if (text === '') return;
    if (role === 'assistant') this.#last = { text, at };
    if (role !== 'user') return;
    if (NOT_THE_USER.test(text)) {
      const cwd = /<cwd>([^<\n]{1,4096})<\/cwd>/.exec(text)?.[1];
      if (cwd !== undefined) this.#base = { ...this.#base, cwd };
      if (text.startsWith('<turn_aborted')) this.#last = null;
      return;
    }
    yield* this.#stop();
    yield this.#tell(at, { hook_event_name: 'UserPromptSubmit', prompt: text });
  }

  #call(item: JsonObject): void {
    const { call_id: id, name, arguments: given, input, action } = item;
    if (typeof id !== 'string') return;
    this.#last = null;
    const read = parsed(given) ?? action;
    if (item.type === 'custom_tool_call' && name === 'exec' && typeof input === 'string') {
      this.#scripts.set(id, { id, text: input, calls: callsIn(input) });
      return;
    }
    if (name === 'wait' && isObject(read)) {
      const script = this.#cells.get(String(read.cell_id));
      this.#cells.delete(String(read.cell_id));
      if (script !== undefined) this.#scripts.set(id, script);
      return;
    }
    const args =
      item.type === 'custom_tool_call'
        ? { input: input ?? '' }
        : isObject(read)
          ? read
          : { input: given ?? '' };
    const patch = patchIn(args);
    const shell = item.type === 'local_shell_call' || SHELLS.includes(name ?? null);
    const call = { id, printed: '' };
    if (patch !== undefined) this.#calls.set(id, { ...call, tool: 'apply_patch', args: { input: patch } });
    else this.#calls.set(id, { ...call, tool: shell ? 'Bash' : textOr(name, 'unknown'), args });
  }

  *#output({ call_id: key, output }: JsonObject, at: string | null): Iterable<Told> {
    if (typeof key !== 'string') return;
    const script = this.#scripts.get(key);
    if (script !== undefined) {
      this.#scripts.delete(key);
      yield* this.#handedOn(script, output ?? '', at);
      return;
    }
    const found = this.#calls.get(key);
    if (found === undefined) return;
    this.#calls.delete(key);
    const text = textOr(output, null) ?? textOr(isObject(output) ? output.content : undefined, null);
    // More of a command that went on.
    const session = found.tool === 'write_stdin' ? String(found.args.session_id) : undefined;
    const call = (session === undefined ? undefined : this.#running.get(session)) ?? found;
    if (session !== undefined) this.#running.delete(session);
    const goesOn = text === null ? undefined : RUNNING.exec(text.slice(0, 400))?.[1];
    if (text !== null && goesOn !== undefined) {
      this.#running.set(goesOn, { ...call, printed: call.printed + printedIn(text) });
      return;
    }
    yield this.#result(call, responseOf(text ?? output ?? '', call.printed), at);
  }

  /** What a script handed on. Of several commands in one script, few scripts say what is whose. */
  *#handedOn(script: Script, output: Json, at: string | null): Iterable<Told> {
    const whole = resultIn(script.text, output);
    const { cell } = whole;
    if (cell !== null) {
      this.#cells.set(cell, script);
      return;
    }
    // Something was done, and nobody can say what.
    if (script.calls.length === 0)
      yield this.#result({ id: script.id, tool: 'exec', args: {}, printed: '' }, '', at);
    const commands = script.calls.filter(({ tool }) => tool !== 'apply_patch');
    const each = commands.length > 1 ? resultsIn(script.text, output, script.calls.length) : null;
    for (const [index, { tool, args }] of script.calls.entries()) {
      const { output: printed, exit, session } = each?.[index] ?? whole;
      const own = { id: `${script.id}.${index}`, tool, args, printed: '' };
      const before = tool === 'write_stdin' ? String(args.session_id) : null;
      const call = (before === null ? undefined : this.#running.get(before)) ?? own;
      if (before !== null) this.#running.delete(before);
      if (tool === 'apply_patch') yield this.#result(call, printed, at);
      else if (commands.length > 1 && each === null) yield this.#result(call, '', at);
      else if (session !== null) this.#running.set(session, { ...call, printed: call.printed + printed });
      else {
        const text = call.printed + printed;
        yield this.#result(call, exit === null ? text : { output: text, metadata: { exit_code: exit } }, at);
      }
    }
  }

  #result(call: Call, response: Json, at: string | null): Told {
    const code = isObject(response) && isObject(response.metadata) ? response.metadata.exit_code : undefined;
    const { workdir, cwd } = call.args;
    const given = textOr(workdir ?? cwd, '');
    const isWhole = given === '' || /^(?:[/\\~]|[A-Za-z]:)/.test(given);
    const place = isWhole ? given : `${textOr(this.#base.cwd, '')}/${given}`;
    const failed = call.tool !== 'Bash' && typeof code === 'number' && code !== 0;
    return this.#tell(at, {
      ...(/^(?:\/|[A-Za-z]:)/.test(place) ? { cwd: place } : {}),
      hook_event_name: failed ? 'PostToolUseFailure' : 'PostToolUse',
      tool_name: call.tool,
      tool_input: call.args,
      tool_use_id: call.id,
      ...(failed ? { error: `Exit code ${code}` } : { tool_response: response }),
    });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    if (last === null) return;
    const members = { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: last.text };
    yield this.#tell(last.at, members);
  }

  #tell(at: string | null, members: JsonObject): Told {
    return { at, id: null, model: this.#model, input: { ...this.#base, ...members } };
  }
}

/** `{"output":…,"metadata":{"exit_code":0}}` in older versions; lines of the host's before `Output:` in newer ones. */
function responseOf(output: Json, before: string): Json {
  if (typeof output !== 'string') return output;
  if (output.startsWith('{')) {
    const whole = parsed(output);
    if (isObject(whole)) return whole;
  }
  const at = output.indexOf('Output:\n');
  const head = at < 0 || at > 400 ? '' : output.slice(0, at);
  const code = /^(?:Exit code: |Process exited with code )(-?\d{1,10})$/m.exec(head)?.[1];
  if (code === undefined) return output;
  return { output: before + output.slice(at + 8), metadata: { exit_code: Number(code) } };
}

function printedIn(text: string): string {
  const at = text.indexOf('Output:\n');
  return at < 0 ? '' : text.slice(at + 8);
}

/** `apply_patch` comes as a tool of its own, or as a command with the patch as its word or here-document. */
function patchIn({ command, cmd, input }: JsonObject): string | undefined {
  const given = command ?? cmd ?? input;
  const words: readonly Json[] = Array.isArray(given) ? given : [given ?? ''];
  if (
    !words.some(
      (word) => typeof word === 'string' && /^(?:applypatch|apply_patch|\*\*\* Begin)\b|^\*\*\*/.test(word),
    )
  )
    return undefined;
  const text = words.filter((word) => typeof word === 'string').join('\n');
  const start = text.indexOf('*** Begin Patch');
  const end = text.indexOf('*** End Patch', start);
  return start < 0 ? undefined : text.slice(start, end < 0 ? undefined : end + 13);
}
