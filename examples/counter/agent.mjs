// An agent that adds up numbers: the sum is its state, and the adding is a tool. It is pure, so it can be killed at any
// moment, recovered, and replayed to the same state.
import { defineAgent, defineTool } from 'counterfoil/runtime';

const add = defineTool({
  name: 'add',
  pure: true,
  capabilities: ['tool:call:add'],
  run: ({ a, b }) => a + b,
});

export default defineAgent({
  name: 'counter',
  tools: [add],
  init: () => ({ sum: 0, next: 1, last: 0 }),
  reduce(state, event, memory) {
    if (event.kind === 'Observation') return { ...state, last: event.value.last };
    // A denial, or a result that a crash took away: the agent can't count on.
    if (event.kind === 'Denial' || !event.success) return { ...state, failed: event.kind };
    memory.write('sum', event.output);
    return { ...state, sum: event.output, next: state.next + 1 };
  },
  decide(state) {
    if (state.failed !== undefined) return { fail: `the sum could not be made: ${state.failed}` };
    if (state.last === 0) return { wait: true };
    if (state.next <= state.last) return { call: 'add', input: { a: state.sum, b: state.next } };
    return { finish: state.sum };
  },
});
