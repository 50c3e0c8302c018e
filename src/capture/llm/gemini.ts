// Gemini's generateContent and streamGenerateContent. A stream is a run of whole answers, each with the parts that are
// new, as events or, where the client did not ask for those, as the elements of one JSON array. Calls of functions come
// whole; there is no last event: the one with a finishReason is.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';
import { NO_TOKENS, type Tokens } from '../../format/index.ts';
import type { ModelMessage, ToolOutput, ToolUse } from '../../record/index.ts';
import { type Api, NOTHING, type Read, type Step, type StreamReader } from './api.ts';
import {
  always,
  countOf,
  isList,
  listOf,
  objectOf,
  roleOf,
  textOf,
  without,
  withResults,
} from './members.ts';

const MOST_PARTS = 65_536;
const MODEL = /\/models\/([^/:]+):/;

export const gemini: Api = {
  name: 'gemini.generate',

  request(body, path) {
    const given = objectOf(body);
    // Code Assist wraps it.
    const isWrapped = isObject(given.request ?? null);
    const request = isWrapped ? objectOf(given.request) : given;
    const system = request.systemInstruction ?? request.system_instruction;
    const messages: ModelMessage[] = [
      ...(system === undefined ? [] : [{ role: 'system', value: system }]),
      ...listOf(request.contents).map((value) => withResults(roleOf(value, 'user'), value, resultsIn(value))),
    ];
    const [, model = null] = MODEL.exec(path) ?? [];
    return {
      model: model ?? textOf(given.model),
      stream: path.includes(':streamGenerateContent'),
      messages,
      tools: request.tools ?? null,
      parameters: {
        ...without(request, {
          systemInstruction: always,
          system_instruction: () => (request.systemInstruction ?? null) === null,
          contents: isList,
          tools: always,
        }),
        ...(isWrapped ? { $wrapped: without(given, { request: always }) } : {}),
      },
    };
  },

  answer(body) {
    const stream = new GeminiStream();
    const toolUses = (Array.isArray(body) ? listOf(body) : [body]).flatMap(
      (each) => stream.event('', each).toolUses,
    );
    return { answer: { ...stream.done().answer, ended: true }, toolUses };
  },

  stream: () => new GeminiStream(),

  error: (status, code, message) => ({
    error: { code: status, message, status: status < 500 ? 'INVALID_ARGUMENT' : code },
  }),
};

/** Only newer versions of the API give calls an id. */
function resultsIn(content: Json): ToolOutput[] {
  return listOf(objectOf(content).parts).flatMap((part) => {
    const { id, response = null } = objectOf(objectOf(part).functionResponse);
    return typeof id === 'string' ? [{ id, output: response, error: null }] : [];
  });
}

class GeminiStream implements StreamReader {
  readonly #parts: Json[] = [];
  #role = 'model';
  #id: string | null = null;
  #model: string | null = null;
  #stopReason: string | null = null;
  #usage: JsonObject = {};
  #error: string | null = null;
  #full = false;

  event(_name: string, data: Json): Step {
    const given = objectOf(data);
    const answer = given.response === undefined ? given : objectOf(given.response);
    this.#id ??= textOf(answer.responseId);
    this.#model ??= textOf(answer.modelVersion);
    if (answer.usageMetadata !== undefined) this.#usage = objectOf(answer.usageMetadata);
    const { status } = objectOf(answer.error);
    if (answer.error !== undefined) this.#error = textOf(status) ?? 'error';
    const { blockReason } = objectOf(answer.promptFeedback);
    this.#stopReason = textOf(blockReason) ?? this.#stopReason;
    const toolUses: ToolUse[] = [];
    for (const candidate of listOf(answer.candidates)) {
      const { content, finishReason } = objectOf(candidate);
      this.#stopReason = textOf(finishReason) ?? this.#stopReason;
      const { role, parts } = objectOf(content);
      this.#role = textOf(role) ?? this.#role;
      for (const part of listOf(parts)) {
        this.#add(objectOf(part));
        toolUses.push(...toolUseOf(objectOf(part)));
      }
    }
    const ends = this.#error !== null;
    return toolUses.length === 0 && !ends ? NOTHING : { toolUses, ends };
  }

  stop(): void {
    this.#full = true;
  }

  done(): Read {
    const value = { role: this.#role, parts: this.#parts };
    return {
      answer: {
        id: this.#id,
        model: this.#model,
        stopReason: this.#stopReason,
        tokens: tokensOf(this.#usage),
        message: this.#parts.length === 0 ? null : { role: this.#role, value },
        error: this.#error,
        ended: this.#stopReason !== null,
      },
      toolUses: [],
    };
  }

  /** Pieces of one text are one part. */
  #add(part: JsonObject): void {
    if (this.#full) return;
    const last = objectOf(this.#parts.at(-1));
    const text = textOf(part.text);
    const goesOn = text !== null && typeof last.text === 'string' && last.thought === part.thought;
    if (goesOn) this.#parts[this.#parts.length - 1] = { ...last, ...part, text: `${last.text}${text}` };
    else if (this.#parts.length < MOST_PARTS) this.#parts.push(part);
  }
}

function toolUseOf(part: JsonObject): ToolUse[] {
  if (part.functionCall === undefined) return [];
  const { id, name, args } = objectOf(part.functionCall);
  return [{ id: textOf(id), name: textOf(name) ?? '', input: args ?? {}, whole: true }];
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    ...NO_TOKENS,
    input: countOf(usage.promptTokenCount),
    output: countOf(usage.candidatesTokenCount),
    cacheRead: countOf(usage.cachedContentTokenCount),
    reasoning: countOf(usage.thoughtsTokenCount),
  };
}
