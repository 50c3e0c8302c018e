// Calls a tool that needs what it is told to need.
export default {
  name: 'needy',
  tools: [{ name: 'ask', capabilities: ({ needs }) => needs, run: () => 'ran' }],
  init: () => ({ asks: false }),
  reduce: (_, event) => (event.kind === 'Observation' ? { asks: true, needs: event.value } : { asks: false }),
  decide: ({ asks, needs }) => (asks ? { call: 'ask', input: { needs } } : { wait: true }),
};
