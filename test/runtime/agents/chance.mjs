// Its reducer is not pure: a replay must say so.

export default {
  name: 'chance',
  tools: [],
  init: () => ({ seen: 0 }),
  reduce: () => ({ seen: Math.random() }),
  decide: () => ({ wait: true }),
};
