// Claude Code: ~/.claude/projects/<project>/<session>.jsonl. A line is a message of the conversation: `user` (a prompt, or
// the results of calls), `assistant` (one block of what the model said), and others that do not matter here. Subagents
// are marked `isSidechain`, or have files of their own beside it: what they did counts, what they said does not.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import {
  type OpenOptions,
  objectsIn,
  stemOf,
  type Told,
  type TranscriptKind,
  type TranscriptReader,
  textOr,
} from './transcript.ts';

/** What stands in a user's message and was not written by the user. */
const NOT_THE_USER = /^(?:<(?:local-command|bash-|system-reminder)|Caveat: The messages below)/;
/** A command of the user's: `<command-name>/fix</command-name> … <command-args>the parser</command-args>`. */
const COMMAND = /^<command-(?:name|message|args)>/;
/** Shorter lines are parsed as quickly as they are searched. */
const LONG = 2048;
/** As far as a line is looked at from either end before it is taken apart. */
const HEAD = 2048;
const TAIL = 1024;
const MESSAGE = Buffer.from('"message"');
const RESULT_OF = Buffer.from('"tool_use_id":"');
/** The same without its beginning, which would be found at every quote. */
const ANOTHER = Buffer.from('_use_id":"');
const FAILED = Buffer.from('_error":true');
const TEXT = Buffer.from('"type":"text"');
const SAID = [TEXT, Buffer.from('"type":"tool_use"')];
const QUOTE = 34;

export const claudeCode: TranscriptKind = {
  agent: 'claude-code',
  under: ['.claude/projects', '.config/claude/projects'],
  home: { variable: 'CLAUDE_CONFIG_DIR', under: ['projects'] },
  matches: (path) => path.endsWith('.jsonl') && !/(?:^|\/)(?:agent-[^/]*$|subagents\/)/.test(path),
  whole: false,
  open: (path, options = {}) => new ClaudeReader(path, options),
  subagents(path, session, subagent) {
    if (!/^[\w-]{1,64}$/.test(subagent)) return [];
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const stem = stemOf(path);
    const file = `agent-${subagent}.jsonl`;
    return [`${folder}${stem}/subagents/${file}`, `${folder}${session}/subagents/${file}`, folder + file];
  },
};

interface Call {
  readonly name: string;
  readonly input: Json;
  /** Where the host was before it: behind a `cd`, the line with its result tells another place. */
  readonly cwd: string;
}

class ClaudeReader implements TranscriptReader {
  readonly agent = 'claude-code';
  unknown = 0;
  readonly #side: boolean;
  readonly #wants: NonNullable<OpenOptions['wants']>;
  #base: { readonly session_id: string; cwd: string; readonly transcript_path: string };
  readonly #calls = new Map<string, Call>();
  #model: string | null = null;
  #begun = false;
  /** The text that would be the turn's last word, if nothing follows. */
  #last: { text: string; at: string | null; id: string | null; message: string | null } | null = null;

  constructor(path: string, { side = false, wants = () => true }: OpenOptions) {
    this.#side = side;
    this.#wants = wants;
    this.#base = { session_id: stemOf(path), cwd: '/', transcript_path: path };
  }

  line(bytes: Buffer): Iterable<Told> {
    // Taking a line apart takes long, and much of a transcript is other things.
    const head = bytes.toString('latin1', 0, HEAD);
    if (!head.includes('"message"') && !bytes.includes(MESSAGE)) return [];
    if (head.includes('"type":"thinking"') && !SAID.some((member) => bytes.includes(member))) return [];
    if (bytes.length > LONG) {
      const looked = this.#looked(bytes);
      if (looked !== undefined) return looked;
    }
    let line: JsonObject;
    try {
      line = JSON.parse(bytes.toString()) as JsonObject;
    } catch {
      this.unknown++;
      return [];
    }
    if (!isObject(line)) return [];
    const { type, message } = line;
    if ((type !== 'assistant' && type !== 'user') || !isObject(message)) return [];
    if (line.isCompactSummary === true)
      return this.#begun ? [] : [this.#tell(null, null, { hook_event_name: 'PreCompact', trigger: 'auto' })];
    this.#begun = true;
    const { cwd, isSidechain } = line;
    const at = textOr(line.timestamp, null);
    const id = textOr(line.uuid, null);
    const side = isSidechain === true || this.#side;
    if (typeof cwd === 'string' && cwd !== this.#base.cwd && (isSidechain === true) === this.#side)
      this.#base = { ...this.#base, cwd };
    if (type === 'user') return this.#user(line, message.content, at, id, side);
    // What the host says in the model's place.
    if (message.model === '<synthetic>' || line.isApiErrorMessage === true) return [];
    this.#assistant(message, at, id, side);
    return [];
  }

  end(): Iterable<Told> {
    return this.#stop();
  }

  #assistant(
    { content, id: message, model }: JsonObject,
    at: string | null,
    id: string | null,
    side: boolean,
  ): void {
    const name = textOr(message, null);
    if (!side) this.#model = textOr(model, this.#model);
    for (const block of blocksOf(content)) {
      if (block.type === 'text' && typeof block.text === 'string' && block.text.trim() !== '') {
        if (side) continue;
        // A message comes in several lines, one a block.
        const goesOn = this.#last !== null && name !== null && this.#last.message === name;
        const text = goesOn ? `${this.#last?.text}\n\n${block.text}` : block.text;
        this.#last = { text, at, id, message: name };
      } else if (block.type === 'tool_use' && typeof block.id === 'string') {
        if (!side) this.#last = null;
        if (typeof block.name === 'string')
          this.#calls.set(block.id, { name: block.name, input: block.input ?? {}, cwd: this.#base.cwd });
      }
    }
  }

  *#user(
    line: JsonObject,
    content: Json | undefined,
    at: string | null,
    id: string | null,
    side: boolean,
  ): Iterable<Told> {
    const blocks = blocksOf(content);
    for (const block of blocks)
      if (block.type === 'tool_result') yield* this.#result(block, line.toolUseResult, at, id);
    if (line.isMeta === true || side) return;
    const prompt = blocks
      .filter(({ type, text }) => type === 'text' && typeof text === 'string')
      .map(({ text }) => text as string)
      .filter((text) => !text.startsWith('<system-reminder>'))
      .join('\n\n')
      .trim();
    if (prompt === '' || NOT_THE_USER.test(prompt)) return;
    if (prompt.startsWith('[Request interrupted')) {
      // Who interrupts a turn has not been told that it is done.
      this.#last = null;
      return;
    }
    yield* this.#stop();
    const text = COMMAND.test(prompt) ? commandOf(prompt) : prompt;
    const told = this.#tell(at, id, { hook_event_name: 'UserPromptSubmit', prompt: text });
    const ended = /^<task-notification>[\s\S]{0,400}?<task-id>([\w-]{1,64})</.exec(text)?.[1];
    yield ended === undefined ? told : { ...told, subagent: ended };
  }

  *#result(
    block: JsonObject,
    result: Json | undefined,
    at: string | null,
    id: string | null,
  ): Iterable<Told> {
    const { tool_use_id: key, content, is_error: failed } = block;
    const call = typeof key === 'string' ? this.#calls.get(key) : undefined;
    if (typeof key !== 'string' || call === undefined) return;
    this.#calls.delete(key);
    const text =
      textOr(content, null) ??
      blocksOf(content)
        .map(({ text }) => textOr(text, ''))
        .join('\n');
    if (failed === true) {
      yield this.#failed(key, call, text, at, id);
      return;
    }
    // Without the host's own record of the result: it was not called a failure.
    const response = isObject(result) ? result : { stdout: text, stderr: '', interrupted: false };
    const told = this.#done(key, call, response, at, id);
    const agent = response.agentId;
    const isOver = response.isAsync !== true && response.status !== 'async_launched';
    yield typeof agent === 'string' && isOver ? { ...told, subagent: agent } : told;
  }

  /** A long result whose text does not matter, without it; undefined where it may. */
  #looked(bytes: Buffer): Iterable<Told> | undefined {
    // Quotes inside of texts are escaped, so that these are members and nothing else.
    const at = bytes.indexOf(RESULT_OF);
    if (at < 0) return undefined;
    const start = at + RESULT_OF.length;
    const end = bytes.indexOf(QUOTE, start);
    if (end < 0 || end - start > 200 || bytes.includes(ANOTHER, end)) return undefined;
    // What the user says while the agent works stands beside a result.
    if (bytes.includes(TEXT)) return undefined;
    const key = bytes.toString('latin1', start, end);
    const call = this.#calls.get(key);
    if (call === undefined) return undefined;
    if (this.#wants(call.name, call.input)) return undefined;
    // A command that ended well says so at the line's end; the other tools' failures are short.
    const tail = bytes.toString('latin1', bytes.length - TAIL);
    const isShell = call.name === 'Bash' || call.name === 'PowerShell';
    if (isShell && !/"interrupted":false(?!.*"backgroundTaskId":")/.test(tail)) return undefined;
    if (!isShell && bytes.includes(FAILED)) return undefined;
    this.#calls.delete(key);
    return [this.#done(key, call, { interrupted: false }, null, null)];
  }

  #done(key: string, call: Call, response: JsonObject, at: string | null, id: string | null): Told {
    return this.#tell(at, id, {
      hook_event_name: 'PostToolUse',
      cwd: call.cwd,
      tool_name: call.name,
      tool_input: call.input,
      tool_use_id: key,
      tool_response: response,
    });
  }

  #failed(key: string, call: Call, text: string, at: string | null, id: string | null): Told {
    const error = text
      .replace(/^<tool_use_error>/, '')
      .replace(/<\/tool_use_error>$/, '')
      .replace(/^Error: (?=Exit code)/, '');
    // What was refused never ran.
    const denied =
      /^(?:Error: )?(?:The user doesn't want to (?:proceed|take this action)|Permission to use|PreToolUse:|User rejected|This command requires approval|Request interrupted)/;
    return this.#tell(at, id, {
      hook_event_name: denied.test(error) ? 'PermissionDenied' : 'PostToolUseFailure',
      cwd: call.cwd,
      tool_name: call.name,
      tool_input: call.input,
      tool_use_id: key,
      error,
    });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    if (last === null) return;
    yield this.#tell(last.at, last.id, {
      hook_event_name: 'Stop',
      stop_hook_active: false,
      last_assistant_message: last.text,
    });
  }

  #tell(at: string | null, id: string | null, members: JsonObject): Told {
    return { at, id, model: this.#model, input: { ...this.#base, ...members } };
  }
}

function blocksOf(content: Json | undefined): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

/** `/fix the parser`. */
function commandOf(prompt: string): string {
  const name = /<command-name>([^<]{0,200})/.exec(prompt)?.[1]?.trim() ?? '';
  const from = prompt.indexOf('<command-args>');
  const args = from < 0 ? '' : (prompt.slice(from + 14).split('</command-args>')[0] ?? '');
  return `${name} ${args.trim()}`.trim();
}
