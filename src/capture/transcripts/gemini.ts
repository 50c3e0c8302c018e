// Gemini CLI: ~/.gemini/tmp/<project>/chats/session-….json, one document with `messages`, or in newer versions a line a
// message. Known from its published source, not from files of the real host.
import type { Json, JsonObject } from '../../core/index.ts';
import type { Told, TranscriptKind, TranscriptReader } from './transcript.ts';

export const gemini: TranscriptKind = {
  agent: 'gemini',
  under: ['.gemini/tmp'],
  matches: (path) => /(?:^|\/)chats\/session-[^/]*\.jsonl?$/.test(path),
  whole: true,
  open: (path) => new GeminiReader(path),
};

class GeminiReader implements TranscriptReader {
  readonly agent = 'gemini';
  unknown = 0;
  #base: JsonObject;
  #last: { text: string; at: string | null; id: string | null } | null = null;

  constructor(path: string) {
    const session_id = path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl?$/, '');
    this.#base = { session_id, cwd: '/', transcript_path: path };
  }

  *line(text: string): Iterable<Told> {
    const document = parsed(text);
    if (isObject(document)) {
      yield* this.#document(document);
      return;
    }
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const value = parsed(line);
      if (isObject(value)) yield* this.#document(value);
      else this.unknown++;
    }
  }

  *end(): Iterable<Told> {
    yield* this.#stop();
  }

  *#document(value: JsonObject): Iterable<Told> {
    if (typeof value.sessionId === 'string') this.#base = { ...this.#base, session_id: value.sessionId };
    if (Array.isArray(value.messages)) {
      for (const message of value.messages as readonly Json[])
        if (isObject(message)) yield* this.#message(message);
    } else yield* this.#message(value);
  }

  *#message({ type, content, timestamp, id, toolCalls }: JsonObject): Iterable<Told> {
    const at = typeof timestamp === 'string' ? timestamp : null;
    const own = typeof id === 'string' ? id : null;
    const text = textOf(content);
    if (type === 'user' && text !== '') {
      yield* this.#stop();
      yield this.#tell(at, own, { hook_event_name: 'BeforeAgent', prompt: text });
    }
    if (type !== 'gemini') return;
    const calls = Array.isArray(toolCalls) ? (toolCalls as readonly Json[]).filter(isObject) : [];
    for (const call of calls) yield* this.#call(call, at, own);
    if (text !== '') this.#last = calls.length > 0 ? null : { text, at, id: own };
  }

  *#call(
    { name, args, result, resultDisplay, status }: JsonObject,
    at: string | null,
    id: string | null,
  ): Iterable<Told> {
    if (typeof name !== 'string' || status === 'cancelled') return;
    const call = { tool_name: name, tool_input: args ?? {} };
    const [first] = Array.isArray(result) ? (result as readonly Json[]) : [];
    const response =
      isObject(first) && isObject(first.functionResponse) ? first.functionResponse.response : null;
    const { output, error } = isObject(response) ? response : {};
    const tool_response = {
      llmContent: typeof output === 'string' ? output : typeof error === 'string' ? error : '',
      returnDisplay: typeof resultDisplay === 'string' ? resultDisplay : '',
      ...(status === 'error' || error !== undefined ? { error: error ?? 'error' } : {}),
    };
    yield this.#tell(at, id, { hook_event_name: 'BeforeTool', ...call });
    yield this.#tell(at, id, { hook_event_name: 'AfterTool', ...call, tool_response });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    if (last === null) return;
    const members = { hook_event_name: 'AfterAgent', prompt: '', prompt_response: last.text };
    yield this.#tell(last.at, last.id, { ...members, stop_hook_active: false });
  }

  #tell(at: string | null, id: string | null, members: JsonObject): Told {
    return { at, id, input: { ...this.#base, ...(at === null ? {} : { timestamp: at }), ...members } };
  }
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Json[])
    .filter(isObject)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
