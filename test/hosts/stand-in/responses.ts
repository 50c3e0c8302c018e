// OpenAI Responses: https://platform.openai.com/docs/api-reference/responses-streaming
import { type Dialect, newId, sendEvents, sendJson, textsOf } from './dialect.ts';
import type { Reply } from './script.ts';

const USAGE = {
  input_tokens: 5,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 10,
};

export const responses: Dialect = {
  isTurn: (path) => path === '/v1/responses',
  tools: ({ tools = [] }) => textsOf(tools, 'name'),
  answer({ body }, reply, response) {
    const item = itemOf(reply);
    const whole = { id: newId('resp'), object: 'response', created_at: 0, model: body.model, usage: USAGE };
    const done = { ...whole, status: 'completed', output: [item] };
    if (body.stream !== true) {
      sendJson(response, done);
      return;
    }
    const events: readonly [string, object][] = [
      ['response.created', { response: { ...whole, status: 'in_progress', output: [] } }],
      ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } }],
      ...partsOf(item),
      ['response.output_item.done', { output_index: 0, item }],
      ['response.completed', { response: done }],
    ];
    sendEvents(
      response,
      events.map(([type, data], sequence_number) => [type, { type, sequence_number, ...data }]),
    );
  },
};

function itemOf(reply: Reply) {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content } as const;
  }
  const { name, args } = reply;
  const call = { id: newId('fc'), call_id: newId('call'), status: 'completed', name };
  return { type: 'function_call', ...call, arguments: JSON.stringify(args) } as const;
}

function partsOf(item: ReturnType<typeof itemOf>): [string, object][] {
  const at = { item_id: item.id, output_index: 0 };
  return item.type === 'message'
    ? [['response.output_text.delta', { ...at, content_index: 0, delta: item.content[0]?.text }]]
    : [['response.function_call_arguments.delta', { ...at, delta: item.arguments }]];
}
