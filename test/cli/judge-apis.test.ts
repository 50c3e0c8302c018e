// C12: how each provider is asked for a vote, and what of its answer is the model's word. A pack names a model and nothing more.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { judgeApi } from '../../src/app/attest/judge-apis.ts';
import { askOnce } from '../../src/app/attest/judge-ask.ts';
import { makeJudge } from '../../src/app/attest/rubric-judge.ts';
import { findApi } from '../../src/capture/llm/index.ts';
import type { Json } from '../../src/core/index.ts';

const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' };
const question = { system: 'S', user: 'U' };

describe('C12 a judge is asked', () => {
  it.each([
    [
      'claude-x',
      'auto',
      '/anthropic/v1/messages',
      { 'x-api-key': 'a', 'anthropic-version': '2023-06-01' },
      'anthropic.messages',
    ],
    ['gpt-5', 'auto', '/openai/v1/chat/completions', { authorization: 'Bearer o' }, 'openai.chat'],
    ['o3', 'auto', '/openai/v1/chat/completions', { authorization: 'Bearer o' }, 'openai.chat'],
    [
      'gemini-3',
      'auto',
      '/gemini/v1beta/models/gemini-3:generateContent',
      { 'x-goog-api-key': 'g' },
      'gemini.generate',
    ],
    ['llama', 'own', '/proxy/own/v1/chat/completions', { authorization: 'Bearer o' }, 'openai.chat'],
    [
      '../../x',
      'gemini',
      '/gemini/v1beta/models/..%2F..%2Fx:generateContent',
      { 'x-goog-api-key': 'g' },
      'gemini.generate',
    ],
  ])('for %s of %s', (model, provider, path, headers, api) => {
    const made = judgeApi(provider, model, env);
    expect([made.path(model), made.headers]).toEqual([path, headers]);
    expect(findApi('POST', path).name).toBe(api);
    expect(JSON.stringify(made.body(model, question))).toMatch(/"S".*"U"/);
  });

  it('NEEDS_JUDGE, NO_JUDGE_KEY: nowhere by guess, and nowhere without a key but at an upstream of the owner', () => {
    expect(() => judgeApi('auto', 'llama', env)).toThrow('--judge PROVIDER');
    for (const [model, name] of Object.entries({
      'claude-x': 'ANTHROPIC',
      'gpt-5': 'OPENAI',
      'gemini-3': 'GEMINI',
    }))
      expect(() => judgeApi('auto', model, {})).toThrow(`${name}_API_KEY isn't set`);
    expect(judgeApi('own', 'llama', {}).headers).toEqual({});
  });

  it('NEEDS_JUDGE: a provider that nobody gave an address to is named before anything is asked', () => {
    const state = mkdtempSync(join(tmpdir(), 'counterfoil-judge-'));
    onTestFinished(() => rmSync(state, { recursive: true }));
    const judge = makeJudge({
      state,
      env,
      provider: 'nosuch',
      gateways: async () => [],
      takesSecrets: false,
    });
    expect(() => judge.assertReady('m')).toThrow(
      '--judge: unknown upstream "nosuch". Use one of auto, anthropic, openai, gemini',
    );
  });

  const text = (provider: string, answer: Json) => judgeApi(provider, 'm', env).text(answer);
  it('is heard to the end of its answer, or not at all', () => {
    const content = [
      { type: 'thinking', thinking: 'x' },
      { type: 'text', text: 'A' },
    ];
    expect(text('anthropic', { content, stop_reason: 'end_turn' })).toBe('A');
    expect(text('anthropic', { content, stop_reason: 'max_tokens' })).toBeUndefined();
    const chat = (stop: string): Json => ({ choices: [{ message: { content: 'A' }, finish_reason: stop }] });
    expect([text('openai', chat('stop')), text('openai', chat('length'))]).toEqual(['A', undefined]);
    const parts = [{ thought: true, text: 'x' }, { text: 'A' }];
    const gemini = (stop: string): Json => ({ candidates: [{ content: { parts }, finishReason: stop }] });
    expect([text('gemini', gemini('STOP')), text('gemini', gemini('MAX_TOKENS'))]).toEqual(['A', undefined]);
    for (const provider of ['anthropic', 'openai', 'gemini'])
      for (const odd of [null, 1, 'x', [], {}, { choices: {} }, { content: [1] }, { candidates: [null] }])
        expect(text(provider, odd)).toBeUndefined();
  });
});

describe('C12 an answer that is none', () => {
  it.each<[string, string, number, string]>([
    ['unanswered', 'no JSON', 200, 'so it is'],
    ['unanswered', 'more than a megabyte', 200, ' '.repeat((1 << 20) + 1)],
    ['status', 'a redirect', 302, '{}'],
    ['status', 'an error', 529, '{}'],
  ])('%s: %s', async (problem, _, status, body) => {
    const server = createServer((incoming, response) => {
      incoming.resume();
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const asked = { url, headers: {}, body: '{}', text: () => 'A' };
    const reply = await askOnce(asked, new AbortController().signal);
    expect(reply).toMatchObject({ text: null, problem });
  });
});
