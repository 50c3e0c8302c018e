// Anthropic's Messages API: a message of content blocks, streamed block by block. A block of tool_use is complete with
// its content_block_stop, the answer with message_stop.
import type { Json, JsonObject } from '../../core/index.ts';
import { NO_TOKENS, type Tokens } from '../../format/index.ts';
import type { ModelMessage, ToolOutput, ToolUse } from '../../record/index.ts';
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

/** More blocks than any answer has; those before them are let go. */
const MOST_BLOCKS = 4096;

export const anthropic: Api = {
  name: 'anthropic.messages',

  request(body) {
    const request = objectOf(body);
    const { system } = request;
    const messages: ModelMessage[] = [
      ...(system === undefined ? [] : [{ role: 'system', value: system }]),
      ...listOf(request.messages).map((value) =>
        withResults(roleOf(value, 'unknown'), value, resultsIn(value)),
      ),
    ];
    return {
      model: textOf(request.model),
      stream: request.stream === true,
      messages,
      tools: request.tools ?? null,
      parameters: without(request, {
        model: isText,
        stream: isFlag,
        system: always,
        messages: isList,
        tools: always,
      }),
    };
  },

  answer(body) {
    const message = objectOf(body);
    const content = listOf(message.content);
    const { type } = objectOf(message.error);
    return {
      answer: {
        id: textOf(message.id),
        model: textOf(message.model),
        stopReason: textOf(message.stop_reason),
        tokens: tokensOf(objectOf(message.usage)),
        message:
          message.type === 'message' ? { role: 'assistant', value: { role: 'assistant', content } } : null,
        error: message.type === 'error' ? (textOf(type) ?? 'error') : null,
        ended: true,
      },
      toolUses: content.flatMap((block) => toolUseOf(objectOf(block))),
    };
  },

  stream: () => new AnthropicStream(),

  error: (status, code, message) => ({
    type: 'error',
    error: { type: status === 413 ? 'request_too_large' : 'api_error', message: `${code}: ${message}` },
  }),
};

function resultsIn(message: Json): ToolOutput[] {
  return listOf(objectOf(message).content).flatMap((each) => {
    const { type, tool_use_id: id, content = null, is_error: error } = objectOf(each);
    return type === 'tool_result' && typeof id === 'string'
      ? [{ id, output: content, error: error === true }]
      : [];
  });
}

interface Block {
  readonly block: JsonObject;
  readonly texts: Record<string, string[]>;
  readonly citations: Json[];
  stopped: boolean;
}

/** Which member of a block each kind of delta goes on with. */
const DELTAS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['signature', 'signature'],
  input_json_delta: ['partial_json', 'input'],
};

class AnthropicStream implements StreamReader {
  readonly #blocks = new Map<number, Block>();
  #message: JsonObject = {};
  #usage: JsonObject = {};
  #stopReason: string | null = null;
  #error: string | null = null;
  #ended = false;
  #full = false;

  event(name: string, data: Json): Step {
    const event = objectOf(data);
    switch (textOf(event.type) ?? name) {
      case 'message_start':
        this.#message = objectOf(event.message);
        this.#usage = objectOf(this.#message.usage);
        return NOTHING;
      case 'content_block_start':
        return this.#start(event);
      case 'content_block_delta':
        return this.#delta(event);
      case 'content_block_stop':
        return this.#stop(event);
      case 'message_delta':
        this.#usage = { ...this.#usage, ...objectOf(event.usage) };
        this.#stopReason = textOf(objectOf(event.delta).stop_reason) ?? this.#stopReason;
        return NOTHING;
      case 'message_stop':
        this.#ended = true;
        return { toolUses: [], ends: true };
      case 'error':
        this.#error = textOf(objectOf(event.error).type) ?? 'error';
        return { toolUses: [], ends: true };
      default:
        return NOTHING;
    }
  }

  stop(): void {
    this.#full = true;
  }

  done(): Read {
    const blocks = [...this.#blocks.entries()].sort(([a], [b]) => a - b).map(([, block]) => block);
    const content = blocks.map((block) => whole(block));
    const begun = Object.keys(this.#message).length > 0 || content.length > 0;
    return {
      answer: {
        id: textOf(this.#message.id),
        model: textOf(this.#message.model),
        stopReason: this.#stopReason,
        tokens: tokensOf(this.#usage),
        message: begun ? { role: 'assistant', value: { role: 'assistant', content } } : null,
        error: this.#error,
        ended: this.#ended,
      },
      toolUses: unstopped(blocks),
    };
  }

  #start(event: JsonObject): Step {
    const index = countOf(event.index) ?? 0;
    // A client has both where one begins in the place of another that did not stop.
    const before = this.#blocks.get(index);
    const left = before === undefined ? [] : [before];
    if (this.#blocks.size >= MOST_BLOCKS && before === undefined) {
      left.push(...this.#blocks.values());
      this.#blocks.clear();
    }
    this.#blocks.set(index, {
      block: { ...objectOf(event.content_block) },
      texts: {},
      citations: [],
      stopped: false,
    });
    const toolUses = unstopped(left);
    return toolUses.length === 0 ? NOTHING : { toolUses, ends: false };
  }

  #delta(event: JsonObject): Step {
    const block = this.#blocks.get(countOf(event.index) ?? 0);
    const delta = objectOf(event.delta);
    const type = textOf(delta.type) ?? '';
    if (block === undefined || type === '' || this.#full) return NOTHING;
    if (type === 'citations_delta') {
      block.citations.push(delta.citation ?? null);
      return NOTHING;
    }
    const [from, to] = (Object.hasOwn(DELTAS, type) ? DELTAS[type] : undefined) ?? [];
    if (from === undefined || to === undefined) return NOTHING;
    // Clients go on with one that had stopped: what it is then is told when it stops again.
    block.stopped = false;
    const texts = block.texts[to] ?? [];
    texts.push(textOf(delta[from]) ?? '');
    block.texts[to] = texts;
    return NOTHING;
  }

  #stop(event: JsonObject): Step {
    const block = this.#blocks.get(countOf(event.index) ?? 0);
    if (block === undefined || block.stopped) return NOTHING;
    block.stopped = true;
    const uses = toolUseOf(whole(block));
    return { toolUses: this.#full ? uses.map((use) => ({ ...use, whole: false })) : uses, ends: false };
  }
}

/** The calls in blocks that nobody was told of yet. */
function unstopped(blocks: readonly Block[]): ToolUse[] {
  return blocks
    .filter(({ stopped }) => !stopped)
    .flatMap((block) => toolUseOf(whole(block)).map((use) => ({ ...use, whole: false })));
}

/** The block as a client puts it together. */
function whole({ block, texts, citations }: Block): JsonObject {
  const members: Record<string, Json> = { ...block };
  if (citations.length > 0) members.citations = [...listOf(block.citations), ...citations];
  for (const [name, pieces] of Object.entries(texts)) {
    const text = pieces.join('');
    members[name] = name === 'input' ? parseInput(text).input : `${textOf(block[name]) ?? ''}${text}`;
  }
  return members;
}

/** Tools that the client runs. Those that run at the upstream have other names. */
function toolUseOf(block: JsonObject): ToolUse[] {
  if (block.type !== 'tool_use') return [];
  const input = block.input ?? {};
  return [{ id: textOf(block.id), name: textOf(block.name) ?? '', input, whole: typeof input !== 'string' }];
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    ...NO_TOKENS,
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(usage.cache_read_input_tokens),
    cacheWrite: countOf(usage.cache_creation_input_tokens),
  };
}
