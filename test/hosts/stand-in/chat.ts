// OpenAI Chat Completions: https://platform.openai.com/docs/api-reference/chat-streaming
import { type Dialect, newId, sendEvents, sendJson, textsOf } from './dialect.ts';
import type { Reply } from './script.ts';

const USAGE = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

export const chat: Dialect = {
  isTurn: (path) => path === '/v1/chat/completions',
  tools: ({ tools = [] }) =>
    textsOf(
      tools.map((each) => (each as { function?: unknown }).function ?? {}),
      'name',
    ),
  answer({ body }, reply, response) {
    const whole = { id: newId('chatcmpl'), created: 0, model: body.model };
    const finish_reason = 'text' in reply ? 'stop' : 'tool_calls';
    const message = { role: 'assistant', ...contentOf(reply) };
    if (body.stream !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      sendJson(response, { ...whole, object: 'chat.completion', choices, usage: USAGE });
      return;
    }
    const chunk = { ...whole, object: 'chat.completion.chunk' };
    sendEvents(response, [
      [null, { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] }],
      [null, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] }],
      [null, { ...chunk, choices: [], usage: USAGE }],
      [null, '[DONE]'],
    ]);
  },
};

function contentOf(reply: Reply) {
  if ('text' in reply) return { content: reply.text };
  const called = { name: reply.name, arguments: JSON.stringify(reply.args) };
  return {
    content: null,
    tool_calls: [{ index: 0, id: newId('call'), type: 'function', function: called }],
  };
}
