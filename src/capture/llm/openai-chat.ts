// OpenAI's Chat Completions, which many other servers speak, too. A stream names each call of a tool by its index and
// has no event that ends one: it is complete when the next begins, when the choice gives a finish_reason, or at [DONE].
import type { Json, JsonObject } from '../../core/index.ts';
import { NO_TOKENS, type Tokens } from '../../format/index.ts';
import type { ToolUse } from '../../record/index.ts';
import { type Api, NOTHING, type Read, type Step, type StreamReader } from './api.ts';
import {
  always,
  countOf,
  isFlag,
  isList,
  isText,
  listOf,
  objectOf,
  parseInput,
  roleOf,
  textOf,
  without,
  withResults,
} from './members.ts';

/** Calls and choices in one answer; with more of them, those before are let go. */
const MOST = 1024;
const OLD_FORM = Number.MAX_SAFE_INTEGER;

export const openaiChat: Api = {
  name: 'openai.chat',

  request(body) {
    const request = objectOf(body);
    return {
      model: textOf(request.model),
      stream: request.stream === true,
      messages: listOf(request.messages).map((value) => {
        const { role, tool_call_id: id, content = null } = objectOf(value);
        const isResult = role === 'tool' && typeof id === 'string';
        return withResults(
          roleOf(value, 'unknown'),
          value,
          isResult ? [{ id, output: content, error: null }] : [],
        );
      }),
      tools: request.tools ?? request.functions ?? null,
      parameters: without(request, {
        model: isText,
        stream: isFlag,
        messages: isList,
        tools: always,
        functions: () => (request.tools ?? null) === null,
      }),
    };
  },

  answer(body) {
    const completion = objectOf(body);
    const choices = listOf(completion.choices).map((choice) => objectOf(choice));
    const messages = choices.map(({ message }) => message ?? null);
    return {
      answer: {
        id: textOf(completion.id),
        model: textOf(completion.model),
        stopReason: textOf(choices[0]?.finish_reason),
        tokens: tokensOf(objectOf(completion.usage)),
        message: messageOf(messages),
        error: errorOf(completion.error),
        ended: true,
      },
      toolUses: messages.flatMap((message) =>
        callsOf(objectOf(message ?? undefined)).map((call) => toolUseOf(objectOf(call))),
      ),
    };
  },

  stream: () => new ChatStream(),

  error: openaiError,
};

export function openaiError(status: number, code: string, message: string): JsonObject {
  return {
    error: {
      message,
      type: status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: code.toLowerCase(),
    },
  };
}

export function errorOf(error: Json | undefined): string | null {
  if (error === undefined || error === null) return null;
  const { code, type } = objectOf(error);
  return textOf(code) ?? textOf(type) ?? 'error';
}

interface Call {
  id: string | null;
  name: string;
  readonly pieces: string[];
  told: boolean;
  /** Not all of its input was kept. */
  cut: boolean;
}

interface Choice {
  readonly texts: Record<string, string[]>;
  readonly calls: Map<number, Call>;
  role: string;
}

class ChatStream implements StreamReader {
  readonly #choices = new Map<number, Choice>();
  #id: string | null = null;
  #model: string | null = null;
  #stopReason: string | null = null;
  #usage: JsonObject = {};
  #error: string | null = null;
  #ended = false;
  #full = false;

  event(_name: string, data: Json, text: string): Step {
    if (text.trim() === '[DONE]') {
      this.#ended = true;
      return { toolUses: this.#complete(), ends: true };
    }
    const chunk = objectOf(data);
    this.#id ??= textOf(chunk.id);
    this.#model ??= textOf(chunk.model);
    if (typeof chunk.usage === 'object' && chunk.usage !== null) this.#usage = objectOf(chunk.usage);
    const error = errorOf(chunk.error);
    if (error !== null) {
      this.#error = error;
      return { toolUses: [], ends: true };
    }
    const toolUses = listOf(chunk.choices).flatMap((choice) => this.#choice(objectOf(choice)));
    return toolUses.length === 0 ? NOTHING : { toolUses, ends: false };
  }

  stop(): void {
    this.#full = true;
  }

  done(): Read {
    const messages = [...this.#choices.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, choice]) => built(choice));
    return {
      answer: {
        id: this.#id,
        model: this.#model,
        stopReason: this.#stopReason,
        tokens: tokensOf(this.#usage),
        message: messageOf(messages),
        error: this.#error,
        // Servers that end without [DONE] have said so with a finish_reason.
        ended: this.#ended || this.#stopReason !== null,
      },
      toolUses: this.#complete().map((use) => ({ ...use, whole: false })),
    };
  }

  #choice(choice: JsonObject): ToolUse[] {
    const index = countOf(choice.index) ?? 0;
    const known = this.#choices.get(index);
    const done: ToolUse[] = [];
    if (known === undefined && this.#choices.size >= MOST) {
      done.push(...this.#complete());
      this.#choices.clear();
    }
    const state: Choice = known ?? { texts: {}, calls: new Map(), role: 'assistant' };
    this.#choices.set(index, state);
    const delta = objectOf(choice.delta);
    state.role = textOf(delta.role) ?? state.role;
    for (const name of ['content', 'refusal', 'reasoning_content', 'reasoning'] as const) {
      const text = textOf(delta[name]);
      if (text === null || this.#full) continue;
      const texts = state.texts[name] ?? [];
      texts.push(text);
      state.texts[name] = texts;
    }
    for (const call of callsOf(delta)) done.push(...this.#call(state, objectOf(call)));
    const finish = textOf(choice.finish_reason);
    if (finish === null) return done;
    this.#stopReason = finish;
    return [...done, ...completed(state)];
  }

  /** The calls that this piece completes: those before the one that it begins. */
  #call(state: Choice, piece: JsonObject): ToolUse[] {
    const index = countOf(piece.index) ?? state.calls.size;
    const { name, arguments: given, input = given } = objectOf(piece.function ?? piece.custom);
    let call = state.calls.get(index);
    let done: ToolUse[] = [];
    if (call === undefined) {
      done = completed(state);
      if (state.calls.size >= MOST) state.calls.clear();
      call = { id: null, name: '', pieces: [], told: false, cut: false };
      state.calls.set(index, call);
    }
    call.id ??= textOf(piece.id);
    call.name += textOf(name) ?? '';
    const more = textOf(input) ?? '';
    // It went on behind one that began later: what it is now is told again.
    if (more !== '') call.told = false;
    if (this.#full) call.cut = true;
    else call.pieces.push(more);
    return done;
  }

  #complete(): ToolUse[] {
    return [...this.#choices.values()].flatMap(completed);
  }
}

/** Those that nobody was told of yet. */
function completed({ calls }: Choice): ToolUse[] {
  return [...calls.values()]
    .filter(({ told }) => !told)
    .map((call) => {
      call.told = true;
      const { input, whole } = parseInput(call.pieces.join(''));
      return { id: call.id, name: call.name, input, whole: whole && !call.cut };
    });
}

function built({ texts, calls, role }: Choice): JsonObject {
  const joined = Object.fromEntries(Object.entries(texts).map(([name, pieces]) => [name, pieces.join('')]));
  const toolCalls = [...calls.values()].map(({ id, name, pieces }) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }));
  return {
    role,
    content: null,
    ...joined,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** The one of the old form has no id, and no others beside it. */
function callsOf(message: JsonObject): readonly Json[] {
  const { tool_calls: calls, function_call: old } = message;
  if (typeof old !== 'object' || old === null) return listOf(calls);
  return [...listOf(calls), { index: OLD_FORM, function: old }];
}

function messageOf(messages: readonly Json[]): { role: string; value: Json } | null {
  if (messages.length === 0) return null;
  return { role: 'assistant', value: messages.length === 1 ? (messages[0] ?? null) : messages };
}

function toolUseOf(call: JsonObject): ToolUse {
  const { name, arguments: input } = objectOf(call.function ?? call.custom);
  const text = textOf(input) ?? textOf(objectOf(call.custom).input);
  const parsed = text === null ? { input: input ?? {}, whole: true } : parseInput(text);
  return { id: textOf(call.id), name: textOf(name) ?? '', ...parsed };
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    ...NO_TOKENS,
    input: countOf(usage.prompt_tokens),
    output: countOf(usage.completion_tokens),
    cacheRead: countOf(objectOf(usage.prompt_tokens_details).cached_tokens),
    reasoning: countOf(objectOf(usage.completion_tokens_details).reasoning_tokens),
  };
}
