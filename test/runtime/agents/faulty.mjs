// Calls the tool that it is told to, each of which goes wrong in its own way.
const limits = { ms: 50, outputBytes: 1000 };
const tools = [
  { name: 'never', limits, run: () => new Promise(() => undefined) },
  {
    name: 'blocks',
    limits,
    run() {
      const until = performance.now() + 100;
      while (performance.now() < until);
      return 'too late';
    },
  },
  { name: 'huge', limits, run: () => 'x'.repeat(100_000_000) },
  {
    name: 'throws',
    limits,
    run() {
      throw new Error('as it was told');
    },
  },
  {
    name: 'changes',
    limits,
    run(input) {
      input.changed = true;
      return 'done';
    },
  },
];

export default {
  name: 'faulty',
  tools,
  init: () => ({ call: null }),
  reduce(_, event) {
    if (event.value === 'throw') throw new Error('as it was told');
    return { call: event.kind === 'Observation' ? event.value : null };
  },
  decide: ({ call }) => (call === null ? { wait: true } : { call, input: {} }),
};
