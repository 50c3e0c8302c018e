// Its reducer is not pure: a replay must say so.
let count = 0;
export default {
  name: 'outside',
  tools: [],
  init: () => ({ seen: 0 }),
  reduce: () => ({ seen: ++count }),
  decide: () => ({ wait: true }),
};
