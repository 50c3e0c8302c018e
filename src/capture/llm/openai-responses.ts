// OpenAI's Responses API, over HTTP and over a WebSocket: items of output, each complete with its output_item.done; the
// answer ends with response.completed, .incomplete or .failed, which carry all of it again.
import { sha256Hex } from '#platform';
import type { Json, JsonObject } from '../../core/index.ts';
import { NO_TOKENS, type Tokens } from '../../format/index.ts';
import type { ModelMessage, ToolUse } from '../../record/index.ts';
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
import { errorOf, openaiError } from './openai-chat.ts';

const MOST_ITEMS = 4096;
/** `response.done` is how the realtime API ends one. */
const ENDS = [
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.done',
  'error',
];
/** Events whose content is in the item or the answer that they are of: the ones below read all of it from there. */
const TOLD =
  /^response\.(?:created|queued|in_progress|output_item\.(?:added|done)|content_part\.(?:added|done)|(?:output_text|text|refusal|reasoning_text|reasoning_summary_text|function_call_arguments|custom_tool_call_input)\.(?:delta|done)|reasoning_summary_part\.(?:added|done)|output_text\.annotation\.added)$/;
/** Items that ask the client to do something. */
const CALLS = [
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
];

/** Does the reader take what this event says? All others are nothing that is known here. */
export function isResponsesEvent(event: JsonObject): boolean {
  const type = textOf(event.type) ?? '';
  return ENDS.includes(type) || TOLD.test(type);
}

export const openaiResponses: Api = {
  name: 'openai.responses',

  request(body) {
    const request = objectOf(body);
    const { instructions, input } = request;
    const messages: ModelMessage[] = [
      ...(typeof instructions === 'string' ? [{ role: 'system', value: instructions }] : []),
      ...(typeof input === 'string' ? [{ role: 'user', value: input }] : []),
      ...listOf(input).map((value) => {
        const { type, call_id: id, output = null } = objectOf(value);
        const isResult = typeof type === 'string' && type.endsWith('_output') && typeof id === 'string';
        return withResults(roleOf(value, 'unknown'), value, isResult ? [{ id, output, error: null }] : []);
      }),
    ];
    return {
      model: textOf(request.model),
      stream: request.stream === true,
      messages,
      tools: request.tools ?? null,
      parameters: without(request, {
        model: isText,
        stream: isFlag,
        instructions: isText,
        input: (input) => isText(input) || isList(input),
        tools: always,
      }),
    };
  },

  answer: (body) => readResponse(objectOf(body), [], true),

  stream: () => new ResponsesStream(),

  error: openaiError,
};

class ResponsesStream implements StreamReader {
  readonly #items = new Map<number, JsonObject>();
  /** Of output that was begun and is not done. */
  readonly #open = new Map<number, { item: JsonObject; readonly pieces: string[] }>();
  readonly #told = new Set<string>();
  /** Items of which anything was told. */
  readonly #done = new Set<string>();
  #response: JsonObject = {};
  #error: string | null = null;
  #ended = false;
  #full = false;

  event(name: string, data: Json): Step {
    const event = objectOf(data);
    const type = textOf(event.type) ?? name;
    const index = countOf(event.output_index) ?? 0;
    if (typeof event.response === 'object' && event.response !== null)
      this.#response = { ...this.#response, ...objectOf(event.response) };
    if (ENDS.includes(type)) return this.#end(type, event);
    switch (type) {
      case 'response.output_item.added':
        if (this.#open.size < MOST_ITEMS) this.#open.set(index, { item: objectOf(event.item), pieces: [] });
        return NOTHING;
      case 'response.output_text.delta':
      case 'response.text.delta':
      case 'response.refusal.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (!this.#full) this.#open.get(index)?.pieces.push(textOf(event.delta) ?? '');
        return NOTHING;
      // Clients may act on the arguments, which are whole here, without waiting for the item.
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done': {
        const item = this.#open.get(index)?.item ?? {};
        const input = event.arguments ?? event.input ?? null;
        return this.#tell([{ ...item, name: event.name ?? item.name ?? null, arguments: input }]);
      }
      case 'response.output_item.done':
        this.#open.delete(index);
        if (this.#items.size < MOST_ITEMS && !this.#full) this.#items.set(index, objectOf(event.item));
        return this.#tell([objectOf(event.item)]);
      default:
        return NOTHING;
    }
  }

  stop(): void {
    this.#full = true;
  }

  done(): Read {
    const items = [...this.#items.entries()].sort(([a], [b]) => a - b).map(([, item]) => item);
    const open = [...this.#open.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, { item, pieces }]): JsonObject => ({ ...item, partial: pieces.join('') }));
    const { answer } = readResponse(this.#response, [...items, ...open], this.#ended);
    const cut = open.filter((item) => isCall(item) && !this.#done.has(idOf(item)));
    return {
      answer: { ...answer, error: this.#error ?? answer.error },
      toolUses: cut.map((item) => ({
        id: textOf(item.call_id) ?? textOf(item.id),
        name: textOf(item.name) ?? textOf(item.type) ?? '',
        input: item.partial ?? '',
        whole: false,
      })),
    };
  }

  #end(type: string, event: JsonObject): Step {
    const { status } = this.#response;
    this.#ended =
      ['response.completed', 'response.incomplete'].includes(type) ||
      (type === 'response.done' && (status === 'completed' || status === 'incomplete'));
    if (!this.#ended)
      this.#error = errorOf(event.error ?? this.#response.error) ?? textOf(event.code) ?? type;
    // What was only ever told with the whole.
    const { toolUses } = this.#tell(listOf(this.#response.output).map((item) => objectOf(item)));
    return { toolUses, ends: true };
  }

  #tell(items: readonly JsonObject[]): Step {
    const fresh = items.filter((item) => isCall(item) && !this.#told.has(keyOf(item)));
    for (const item of fresh)
      if (this.#told.size < MOST_ITEMS) {
        this.#told.add(keyOf(item));
        this.#done.add(idOf(item));
      }
    return fresh.length === 0 ? NOTHING : { toolUses: fresh.map(toolUseOf), ends: false };
  }
}

/** What is asked for is part of it: an item may say something else than its arguments did. */
function keyOf(item: JsonObject): string {
  const asked = sha256Hex(JSON.stringify(givenTo(item)).toWellFormed());
  return `${idOf(item)} ${asked}`;
}

function idOf(item: JsonObject): string {
  return `${textOf(item.call_id) ?? ''} ${textOf(item.id) ?? ''}`;
}

function isCall(item: JsonObject): boolean {
  return CALLS.includes(textOf(item.type) ?? '');
}

function readResponse(response: JsonObject, items: readonly JsonObject[], ended: boolean): Read {
  const listed = listOf(response.output).map((item) => objectOf(item));
  const output = listed.length > 0 ? listed : items;
  const { reason } = objectOf(response.incomplete_details);
  return {
    answer: {
      id: textOf(response.id),
      model: textOf(response.model),
      stopReason: textOf(reason) ?? textOf(response.status),
      tokens: tokensOf(objectOf(response.usage)),
      message: output.length === 0 ? null : { role: 'assistant', value: output },
      error: errorOf(response.error),
      ended,
    },
    toolUses: output.filter(isCall).map(toolUseOf),
  };
}

function givenTo(item: JsonObject): Json {
  return item.arguments ?? item.input ?? item.action ?? item.operation ?? {};
}

function toolUseOf(item: JsonObject): ToolUse {
  const given = givenTo(item);
  const isJson = item.type === 'function_call' && typeof given === 'string';
  return {
    id: textOf(item.call_id) ?? textOf(item.id),
    name: textOf(item.name) ?? textOf(item.type) ?? '',
    ...(isJson ? parseInput(given) : { input: given, whole: true }),
  };
}

function tokensOf(usage: JsonObject): Tokens {
  return {
    ...NO_TOKENS,
    input: countOf(usage.input_tokens),
    output: countOf(usage.output_tokens),
    cacheRead: countOf(objectOf(usage.input_tokens_details).cached_tokens),
    reasoning: countOf(objectOf(usage.output_tokens_details).reasoning_tokens),
  };
}
