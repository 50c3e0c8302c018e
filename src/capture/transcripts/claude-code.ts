// Claude Code: ~/.claude/projects/<project>/<session>.jsonl. A line is a message of the conversation: `user` (a prompt, or
// the results of calls), `assistant` (text, calls), and others that do not matter here. Subagents are marked
// `isSidechain`, or have files of their own.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Told, TranscriptKind, TranscriptReader } from './transcript.ts';

/** What stands in a user's message and was not written by the user. */
const NOT_THE_USER =
  /^(?:<(?:command-name|command-message|local-command|bash-|system-reminder)|Caveat: The messages below|\[Request interrupted)/;

export const claudeCode: TranscriptKind = {
  agent: 'claude-code',
  under: ['.claude/projects'],
  matches: (path) => path.endsWith('.jsonl') && !/(?:^|\/)agent-[^/]*$/.test(path),
  whole: false,
  open: (path) => new ClaudeReader(path),
};

class ClaudeReader implements TranscriptReader {
  readonly agent = 'claude-code';
  unknown = 0;
  readonly #path: string;
  #base: { session_id: string; cwd: string; transcript_path: string };
  readonly #calls = new Map<string, { name: string; input: Json }>();
  /** The text that would be the turn's last word, if nothing follows. */
  #last: { text: string; at: string | null; id: string | null } | null = null;

  constructor(path: string) {
    this.#path = path;
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl$/, '');
    this.#base = { session_id: name, cwd: '/', transcript_path: path };
  }

  *line(text: string): Iterable<Told> {
    // Most of a transcript are other things, and taking a line apart takes long.
    if (!text.includes('"message"')) return;
    let line: JsonObject;
    try {
      line = JSON.parse(text) as JsonObject;
    } catch {
      this.unknown++;
      return;
    }
    const { type, message, isSidechain, isMeta, isCompactSummary, cwd, sessionId } = line;
    if (isSidechain === true || isMeta === true || isCompactSummary === true || !isObject(message)) return;
    if (typeof cwd === 'string') this.#base = { ...this.#base, cwd };
    if (typeof sessionId === 'string') this.#base = { ...this.#base, session_id: sessionId };
    const at = typeof line.timestamp === 'string' ? line.timestamp : null;
    const id = typeof line.uuid === 'string' ? line.uuid : null;
    const { content } = message;
    if (type === 'assistant') yield* this.#assistant(content, at, id);
    else if (type === 'user') yield* this.#user(content, line.toolUseResult, at, id);
  }

  *end(): Iterable<Told> {
    yield* this.#stop();
  }

  *#assistant(content: Json | undefined, at: string | null, id: string | null): Iterable<Told> {
    const blocks = blocksOf(content);
    const text = blocks
      .filter((block) => block.type === 'text' && typeof block.text === 'string')
      .map((block) => block.text as string)
      .join('\n\n');
    if (text !== '') this.#last = { text, at, id };
    for (const { type, id: call, name, input } of blocks) {
      if (type !== 'tool_use' || typeof call !== 'string' || typeof name !== 'string') continue;
      this.#last = null;
      this.#calls.set(call, { name, input: input ?? {} });
      yield this.#tell(at, id, {
        hook_event_name: 'PreToolUse',
        tool_name: name,
        tool_input: input ?? {},
        tool_use_id: call,
      });
    }
  }

  *#user(
    content: Json | undefined,
    result: Json | undefined,
    at: string | null,
    id: string | null,
  ): Iterable<Told> {
    const blocks = blocksOf(content);
    for (const block of blocks) if (block.type === 'tool_result') yield* this.#result(block, result, at, id);
    const prompt = blocks
      .filter((block) => block.type === 'text' && typeof block.text === 'string')
      .map((block) => block.text as string)
      .filter((text) => !text.startsWith('<system-reminder>'))
      .join('\n\n')
      .trim();
    if (prompt === '') return;
    if (NOT_THE_USER.test(prompt)) {
      // Who interrupts a turn has not been told that it is done.
      if (prompt.startsWith('[Request interrupted')) this.#last = null;
      return;
    }
    yield* this.#stop();
    yield this.#tell(at, id, { hook_event_name: 'UserPromptSubmit', prompt });
  }

  *#result(
    block: JsonObject,
    result: Json | undefined,
    at: string | null,
    id: string | null,
  ): Iterable<Told> {
    const { tool_use_id: call, content, is_error: failed } = block;
    const known = typeof call === 'string' ? this.#calls.get(call) : undefined;
    if (known === undefined) return;
    this.#calls.delete(call as string);
    const text =
      typeof content === 'string'
        ? content
        : blocksOf(content)
            .map(({ text }) => text ?? '')
            .join('\n');
    const told = { tool_name: known.name, tool_input: known.input, tool_use_id: call as string };
    if (failed === true) {
      const error = text
        .replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, '$1')
        .replace(/^Error: (?=Exit code)/, '');
      // What the user refused never ran.
      const name = /doesn't want to proceed|was rejected/.test(error)
        ? 'PermissionDenied'
        : 'PostToolUseFailure';
      yield this.#tell(at, id, { hook_event_name: name, ...told, error, reason: error });
      return;
    }
    const response = isObject(result) ? result : { stdout: text, stderr: '' };
    yield this.#tell(at, id, { hook_event_name: 'PostToolUse', ...told, tool_response: response });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    this.#calls.clear();
    if (last === null) return;
    yield this.#tell(last.at, last.id, {
      hook_event_name: 'Stop',
      stop_hook_active: false,
      last_assistant_message: last.text,
    });
  }

  #tell(at: string | null, id: string | null, members: JsonObject): Told {
    return { at, id, input: { ...this.#base, transcript_path: this.#path, ...members } };
  }
}

function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly Json[]).filter(isObject) : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
