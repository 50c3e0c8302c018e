// Asks a model until it calls no tool any more, as the APIs want it: each answer goes back with the next request.
const tools = [
  // As modelTool() makes it.
  { name: 'ask', model: { client: 'claude', path: '/v1/messages' }, run: () => undefined },
  { name: 'add', pure: true, run: ({ a, b }) => a + b },
];
const asked = (messages) => ({ model: 'claude-x', max_tokens: 99, messages });

export default {
  name: 'asking',
  tools,
  init: () => ({ messages: [], todo: null, end: null }),
  reduce(state, event) {
    const { messages } = state;
    if (event.kind === 'Observation') return { ...state, messages: [{ role: 'user', content: event.value }] };
    if (!event.success) return { ...state, end: event.error ?? event.denial_reason };
    if (event.tool_id === 'add') {
      const result = { type: 'tool_result', tool_use_id: state.todo.id, content: String(event.output) };
      return { ...state, todo: null, messages: [...messages, { role: 'user', content: [result] }] };
    }
    const { content } = event.output;
    const todo = content.find(({ type }) => type === 'tool_use') ?? null;
    const end = todo === null ? content[0].text : null;
    return { messages: [...messages, { role: 'assistant', content }], todo, end };
  },
  decide({ messages, todo, end }) {
    if (end !== null) return { finish: end };
    if (todo !== null) return { call: 'add', input: todo.input };
    return messages.length === 0 ? { wait: true } : { call: 'ask', input: asked(messages) };
  },
};
