// Whatever else is asked of an upstream: lists of models, embeddings, files. It is recorded as it is, without a meaning.
import type { Json } from '../../core/index.ts';
import { NO_TOKENS } from '../../format/index.ts';
import { type Api, NOTHING, type Read, type Step, type StreamReader } from './api.ts';
import { objectOf, textOf } from './members.ts';
import { openaiError } from './openai-chat.ts';

export const other: Api = {
  name: 'other',

  request: (body) => ({
    model: textOf(objectOf(body).model),
    stream: objectOf(body).stream === true,
    messages: body === null ? [] : [{ role: 'body', value: body }],
    tools: null,
    parameters: {},
  }),

  answer: (body) => ({
    answer: {
      id: textOf(objectOf(body).id),
      model: textOf(objectOf(body).model),
      stopReason: null,
      tokens: NO_TOKENS,
      message: body === null ? null : { role: 'body', value: body },
      error: null,
      ended: true,
    },
    toolUses: [],
  }),

  stream: () => new OtherStream(),

  error: openaiError,
};

/** Nobody knows what its events mean: they are kept as they come. */
class OtherStream implements StreamReader {
  readonly #events: Json[] = [];
  #full = false;

  event(_: string, __: Json, text: string): Step {
    if (!this.#full) this.#events.push(text);
    return NOTHING;
  }

  stop(): void {
    this.#full = true;
  }

  done(): Read {
    const message = this.#events.length === 0 ? null : { role: 'events', value: this.#events };
    return {
      answer: {
        id: null,
        model: null,
        stopReason: null,
        tokens: NO_TOKENS,
        message,
        error: null,
        ended: true,
      },
      toolUses: [],
    };
  }
}
