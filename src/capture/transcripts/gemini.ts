// Gemini CLI: ~/.gemini/tmp/<project>/chats/session-….json, one document with `messages`, or in newer versions a line a
// message, the newest line of an id being the one that counts. Known from its published source and from
// real sessions. The project is named by the hash of its path alone, so the path is guessed and the hash says if it is right.
import { sha256Hex } from '#platform';
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import {
  objectsIn,
  parsed,
  stemOf,
  type Told,
  type TranscriptKind,
  type TranscriptReader,
  textOr,
} from './transcript.ts';

export const gemini: TranscriptKind = {
  agent: 'gemini',
  under: ['.gemini/tmp'],
  home: { variable: 'GEMINI_CLI_HOME', under: ['.gemini/tmp'] },
  matches: (path) => /(?:^|\/)chats\/session-[^/]*\.jsonl?$/.test(path),
  whole: true,
  open: (path) => new GeminiReader(path),
};

const MOST_GUESSES = 64;

class GeminiReader implements TranscriptReader {
  readonly agent = 'gemini';
  unknown = 0;
  #base: JsonObject;
  #model: string | null = null;
  #last: { text: string; at: string | null; id: string | null } | null = null;

  constructor(path: string) {
    this.#base = { session_id: stemOf(path), cwd: '/', transcript_path: path };
  }

  *line(bytes: Buffer): Iterable<Told> {
    const text = bytes.toString();
    const document = parsed(text);
    const parts = isObject(document) ? [document] : this.#lines(text);
    const messages = new Map<string, JsonObject>();
    for (const part of parts) {
      const { sessionId, projectHash, messages: list, $rewindTo: back } = part;
      if (typeof sessionId === 'string') this.#base = { ...this.#base, session_id: sessionId };
      if (typeof projectHash === 'string') {
        const cwd = rootIn(text, projectHash);
        if (cwd !== undefined) this.#base = { ...this.#base, cwd };
      }
      if (typeof back === 'string' && messages.has(back)) {
        const ids = [...messages.keys()];
        for (const id of ids.slice(ids.indexOf(back))) messages.delete(id);
      }
      for (const message of Array.isArray(list) ? objectsIn(list) : [part])
        messages.set(textOr(message.id, null) ?? `#${messages.size}`, message);
    }
    for (const message of messages.values()) yield* this.#message(message);
  }

  *end(): Iterable<Told> {
    yield* this.#stop();
  }

  #lines(text: string): JsonObject[] {
    const found: JsonObject[] = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const value = parsed(line);
      if (isObject(value)) found.push(value);
      else this.unknown++;
    }
    return found;
  }

  *#message({ type, content, timestamp, id, toolCalls, model }: JsonObject): Iterable<Told> {
    const at = textOr(timestamp, null);
    const own = textOr(id, null);
    const text = textIn(content);
    // `/help` and the like are the host's own affair.
    if (type === 'user' && text !== '' && !/^[/?]\w*\s*$/.test(text)) {
      yield* this.#stop();
      yield this.#tell(at, own, { hook_event_name: 'BeforeAgent', prompt: text });
    }
    if (type === 'info' && /^Request cancelled/.test(text)) this.#last = null;
    if (type !== 'gemini') return;
    this.#model = textOr(model, this.#model);
    const calls = objectsIn(toolCalls);
    for (const call of calls) yield* this.#call(call, at, own);
    if (calls.length > 0) this.#last = null;
    else if (text !== '') this.#last = { text, at, id: own };
  }

  *#call(
    { name, args, result, resultDisplay, status }: JsonObject,
    at: string | null,
    id: string | null,
  ): Iterable<Told> {
    if (typeof name !== 'string' || status === 'cancelled') return;
    const [first] = objectsIn(result);
    const response = isObject(first?.functionResponse) ? first.functionResponse.response : null;
    const { output, error } = isObject(response) ? response : {};
    const tool_response = {
      llmContent: textOr(output, textOr(error, '')),
      returnDisplay: textOr(resultDisplay, ''),
      ...(status === 'error' || error !== undefined ? { error: error ?? 'error' } : {}),
    };
    const members = { hook_event_name: 'AfterTool', tool_name: name, tool_input: args ?? {} };
    yield this.#tell(at, id, { ...members, tool_response });
  }

  *#stop(): Iterable<Told> {
    const last = this.#last;
    this.#last = null;
    if (last === null) return;
    const members = { hook_event_name: 'AfterAgent', prompt: '', prompt_response: last.text };
    yield this.#tell(last.at, last.id, { ...members, stop_hook_active: false });
  }

  #tell(at: string | null, id: string | null, members: JsonObject): Told {
    return { at, id, model: this.#model, input: { ...this.#base, ...members } };
  }
}

/** The directory whose hash it is, among those above the paths that are named. */
function rootIn(text: string, hash: string): string | undefined {
  const tried = new Set<string>();
  for (const [, path = ''] of text.matchAll(
    /"(?:file_path|absolute_path|dir_path|path|directory)":\s?"(\/[^"\\]{1,1024})"/g,
  )) {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (tried.has(folder)) break;
      if (sha256Hex(folder) === hash) return folder;
      tried.add(folder);
    }
    if (tried.size > MOST_GUESSES) return undefined;
  }
  return undefined;
}

function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => textOr(text, ''))
    .filter((text) => text !== '')
    .join('\n\n');
}
