// Calls a tool that is said to be pure and gives something else each time.
const roll = { name: 'roll', pure: true, run: () => String(process.hrtime.bigint()) };

export default {
  name: 'liar',
  tools: [roll],
  init: () => ({ left: 0, got: [] }),
  reduce: (state, event) =>
    event.kind === 'Observation'
      ? { ...state, left: event.value }
      : { left: state.left - 1, got: [...state.got, event.output] },
  decide: ({ left, got }) => (left > 0 ? { call: 'roll', input: { left } } : { finish: got }),
};
