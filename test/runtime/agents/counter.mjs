// Adds up what the tool `add` gives, so many times as it was told, and remembers the sum.
const add = {
  name: 'add',
  pure: true,
  run: ({ a, b }) => a + b,
};
const send = {
  name: 'send',
  capabilities: ({ host }) => [`network:post:${host}`],
  run: ({ host }) => globalThis.sent?.(host) ?? `sent to ${host}`,
};

export default {
  name: 'counter',
  tools: [add, send],
  init: () => ({ total: 0, left: 0, told: [] }),
  reduce(state, event, memory) {
    if (event.kind === 'Observation') {
      const { value } = event;
      return { ...state, left: value.times ?? 0, send: value.send ?? null, end: value.end ?? false };
    }
    if (event.kind === 'Denial') return { ...state, send: null, left: 0, told: [...state.told, event.code] };
    if (event.tool_id === 'send') return { ...state, send: null, told: [...state.told, event.outcome] };
    memory.write('total', event.output);
    return { ...state, total: event.output, left: state.left - 1 };
  },
  decide(state, memory) {
    if (state.send !== null && state.send !== undefined) return { call: 'send', input: { host: state.send } };
    if (state.left > 0) return { call: 'add', input: { a: memory.read('total') ?? 0, b: 1 } };
    return state.end ? { finish: state.total } : { wait: true };
  },
};
