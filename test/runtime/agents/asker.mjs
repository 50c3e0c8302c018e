// Asks the model that its parameters name, never gets the same answer twice, and keeps what a pure tool makes of it.
const ask = {
  name: 'ask',
  run: ({ question, model }) => `${model} on ${question}: ${process.hrtime.bigint()}`,
};
const shout = { name: 'shout', pure: true, run: ({ text }) => text.toUpperCase() };

export default {
  name: 'asker',
  tools: [ask, shout],
  init: (parameters) => ({
    began: parameters.model ?? 'none',
    question: null,
    answer: null,
    kept: [],
    end: false,
  }),
  reduce(state, event, memory) {
    if (event.kind === 'Observation')
      return { ...state, question: event.value.question ?? null, end: event.value.end ?? false };
    if (event.kind === 'Denial') return { ...state, question: null };
    if (event.tool_id === 'ask') return { ...state, question: null, answer: event.output };
    memory.write(`answer ${state.kept.length}`, event.output);
    return { ...state, answer: null, kept: [...state.kept, event.output] };
  },
  decide(state, _, parameters) {
    const { model = 'none' } = parameters;
    if (state.question !== null) return { call: 'ask', input: { question: state.question, model } };
    if (state.answer !== null) return { call: 'shout', input: { text: state.answer } };
    return state.end ? { finish: state.kept } : { wait: true };
  },
};
