// Comes to its end only where somebody says that it is live.
export default {
  name: 'looping',
  tools: [],
  init() {
    while (globalThis.isLive !== true);
    return {};
  },
  reduce: (state) => state,
  decide: () => ({ wait: true }),
};
