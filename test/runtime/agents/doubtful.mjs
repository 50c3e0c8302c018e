// Calls one tool, and finishes with how that ended.
const tool = (name, more) => ({ name, ...more, run: (_, { key }) => globalThis.doubt(name, key) });

export default {
  name: 'doubtful',
  tools: [tool('pure', { pure: true }), tool('idempotent', { idempotent: true }), tool('impure', {})],
  init: () => ({ call: null, outcome: null }),
  reduce: (state, event) =>
    event.kind === 'Observation' ? { ...state, call: event.value } : { call: null, outcome: event.outcome },
  decide: ({ call, outcome }) => (call === null ? { finish: outcome } : { call, input: {} }),
};
