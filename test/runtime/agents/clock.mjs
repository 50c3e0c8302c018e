// Its reducer is not pure: a replay must say so.

export default {
  name: 'clock',
  tools: [],
  init: () => ({ seen: 0 }),
  reduce: () => ({ seen: Date.now() }),
  decide: () => ({ wait: true }),
};
