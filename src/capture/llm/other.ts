// Whatever else is asked of an upstream: lists of models, embeddings, files. It is recorded as it is, without a meaning.
import { NO_TOKENS } from '../../format/index.ts';
import { type Api, NOTHING } from './api.ts';
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

  stream: () => ({
    event: () => NOTHING,
    stop: () => undefined,
    done: () => ({
      answer: {
        id: null,
        model: null,
        stopReason: null,
        tokens: NO_TOKENS,
        message: null,
        error: null,
        ended: true,
      },
      toolUses: [],
    }),
  }),

  error: openaiError,
};
