// Gemini generateContent and streamGenerateContent: https://ai.google.dev/api/generate-content
import { type Dialect, sendEvents, sendJson, textsOf } from './dialect.ts';

const TURN = /^\/v1\w*\/models\/([^:]+):(streamGenerateContent|generateContent)$/;

export const gemini: Dialect = {
  isTurn: (path) => TURN.test(path),
  aside: (path) => (path.endsWith(':countTokens') ? { totalTokens: 5 } : undefined),
  tools: ({ tools = [] }) =>
    tools.flatMap((each) => {
      const { functionDeclarations = [] } = each as { functionDeclarations?: readonly unknown[] };
      return textsOf(functionDeclarations, 'name');
    }),
  answer({ path }, reply, response) {
    const [, modelVersion, method] = TURN.exec(path) ?? [];
    const part =
      'text' in reply ? { text: reply.text } : { functionCall: { name: reply.name, args: reply.args } };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
      modelVersion,
    };
    if (method === 'streamGenerateContent') sendEvents(response, [[null, answer]]);
    else sendJson(response, answer);
  },
};
