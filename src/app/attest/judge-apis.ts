// How a judge is asked, by the API of whoever has its model, and what of the answer is the model's text. Which provider that
// is follows from the model's name, or is said; never from where a pack says, because a key goes there.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { AttestError, type Question } from '../../harness/index.ts';

export interface JudgeApi {
  /** Below the gateway. */
  readonly path: (model: string) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (model: string, question: Question) => JsonObject;
  /** Undefined where the model did not come to its end. */
  readonly text: (answer: Json) => string | undefined;
}

/** The provider follows from the model's name. */
export const BY_MODEL = 'auto';

type Api = Omit<JudgeApi, 'headers' | 'path'>;

/** The longest answer that is asked for, reason included; more is cut off, and no vote. */
const MOST_TOKENS = 4096;

const anthropic: Api = {
  body: (model, { system, user }) => ({
    model,
    max_tokens: MOST_TOKENS,
    system,
    messages: [{ role: 'user', content: user }],
  }),
  text(answer) {
    const { content, stop_reason: stop } = members(answer);
    return stop === 'end_turn' ? joined(content) : undefined;
  },
};

const openai: Api = {
  body: (model, { system, user }) => ({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }),
  text(answer) {
    const { message, finish_reason: stop } = first(members(answer).choices);
    const { content } = members(message);
    return stop === 'stop' && typeof content === 'string' ? content : undefined;
  },
};

const gemini: Api = {
  body: (_, { system, user }) => ({
    systemInstruction: { parts: [{ text: system }] },
    contents: [{ role: 'user', parts: [{ text: user }] }],
  }),
  text(answer) {
    const { content, finishReason: stop } = first(members(answer).candidates);
    return stop === 'STOP' ? joined(members(content).parts) : undefined;
  },
};

/** Throws AttestError where it is not known, or its key is not in the environment. */
export function judgeApi(provider: string, model: string, env: NodeJS.ProcessEnv): JudgeApi {
  const name = provider === BY_MODEL ? providerOf(model) : provider;
  if (name === 'anthropic')
    return {
      ...anthropic,
      path: () => '/anthropic/v1/messages',
      headers: { 'x-api-key': keyIn(env, name, 'ANTHROPIC_API_KEY'), 'anthropic-version': '2023-06-01' },
    };
  if (name === 'gemini')
    return {
      ...gemini,
      path: (model) => `/gemini/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: { 'x-goog-api-key': keyIn(env, name, 'GEMINI_API_KEY') },
    };
  const place = name === 'openai' ? '/openai' : `/proxy/${name}`;
  // What people run themselves may ask for none.
  const key = name === 'openai' ? keyIn(env, name, 'OPENAI_API_KEY') : env.OPENAI_API_KEY;
  return {
    ...openai,
    path: () => `${place}/v1/chat/completions`,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  };
}

function providerOf(model: string): string {
  if (/^claude-/.test(model)) return 'anthropic';
  if (/^(?:gpt-|chatgpt-|o\d)/.test(model)) return 'openai';
  if (/^gemini-/.test(model)) return 'gemini';
  throw new AttestError(
    'NEEDS_JUDGE',
    `the name of the model ${JSON.stringify(model)} doesn't show its provider. Name the provider with --judge PROVIDER.`,
  );
}

function keyIn(env: NodeJS.ProcessEnv, provider: string, name: string): string {
  const key = env[name];
  if (key === undefined || key === '')
    throw new AttestError(
      'NO_JUDGE_KEY',
      `the judge's provider is ${provider}, but ${name} isn't set. Set it to your key.`,
    );
  return key;
}

function members(value: Json | undefined): Readonly<Record<string, Json | undefined>> {
  return value !== undefined && isObject(value) ? value : {};
}

function first(value: Json | undefined): ReturnType<typeof members> {
  return Array.isArray(value) ? members(value[0]) : {};
}

/** All parts that are texts; undefined where there is none. */
function joined(parts: Json | undefined): string | undefined {
  const texts = (Array.isArray(parts) ? parts : [])
    .map((part) => members(part))
    // What a model thinks before it answers is no part of the answer.
    .filter(({ thought }) => thought !== true)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length === 0 ? undefined : texts.join('');
}
