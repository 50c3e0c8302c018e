// The agent that runs are measured with: it adds up as many numbers as it is told, one call each, and waits; or writes to
// its memory as often as it is told, which makes a long run quickly. Its state stays far below 1 kB.
const add = {
  name: 'add',
  pure: true,
  capabilities: ['tool:call:add'],
  run: ({ a, b }) => a + b,
};

export default {
  name: 'bench',
  tools: [add],
  init: () => ({ sum: 0, left: 0 }),
  reduce(state, event, memory) {
    if (event.kind === 'Observation') {
      for (let n = 0; n < (event.value.writes ?? 0); n++) memory.write('sum', n);
      return { ...state, left: event.value.calls ?? 0 };
    }
    return { sum: event.output, left: state.left - 1 };
  },
  decide: ({ sum, left }) => (left > 0 ? { call: 'add', input: { a: sum, b: left } } : { wait: true }),
};
