// Anthropic Messages: https://docs.anthropic.com/en/api/messages-streaming
import { type Dialect, newId, sendEvents, sendJson, textsOf } from './dialect.ts';
import type { Reply } from './script.ts';

const USAGE = { input_tokens: 5, output_tokens: 5 };

export const anthropic: Dialect = {
  isTurn: (path) => path === '/v1/messages',
  aside: (path) => (path === '/v1/messages/count_tokens' ? { input_tokens: 5 } : undefined),
  tools: ({ tools = [] }) => textsOf(tools, 'name'),
  answer({ body }, reply, response) {
    const block = blockOf(reply);
    const stop_reason = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
    const message = { id: newId('msg'), type: 'message', role: 'assistant', model: body.model };
    if (body.stream !== true) {
      sendJson(response, { ...message, content: [block], stop_reason, stop_sequence: null, usage: USAGE });
      return;
    }
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: USAGE };
    const empty = block.type === 'tool_use' ? { ...block, input: {} } : { ...block, text: '' };
    const delta =
      block.type === 'tool_use'
        ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
        : { type: 'text_delta', text: block.text };
    const events: readonly [string, object][] = [
      ['message_start', { message: start }],
      ['content_block_start', { index: 0, content_block: empty }],
      ['content_block_delta', { index: 0, delta }],
      ['content_block_stop', { index: 0 }],
      ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } }],
      ['message_stop', {}],
    ];
    sendEvents(
      response,
      events.map(([type, data]) => [type, { type, ...data }]),
    );
  },
};

function blockOf(reply: Reply) {
  return 'text' in reply
    ? ({ type: 'text', text: reply.text } as const)
    : ({ type: 'tool_use', id: newId('toolu'), name: reply.name, input: reply.args } as const);
}
