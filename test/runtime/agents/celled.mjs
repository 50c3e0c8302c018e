// Calls the tool that it is told to, in a cell, and finishes with what it gave.
import { spin, square } from './celled-tools.mjs';

export default {
  name: 'celled',
  tools: [square, spin],
  init: () => ({ call: null, end: null }),
  reduce: (_, event) =>
    event.kind === 'Observation'
      ? { call: event.value, end: null }
      : { call: null, end: { outcome: event.outcome, output: event.output, fuel: event.fuel_consumed } },
  decide({ call, end }) {
    if (call !== null) return { call, input: { n: 12 } };
    return end === null ? { wait: true } : { finish: end };
  },
};
