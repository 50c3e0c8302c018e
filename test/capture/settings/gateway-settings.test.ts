// Where each agent is told of the gateway.
import { expect, it } from 'vitest';
import { gatewaySettings } from '../../../src/capture/settings/index.ts';

const base = 'http://127.0.0.1:7000/session/abc';

it.each([
  ['claude-code', { ANTHROPIC_BASE_URL: `${base}/anthropic` }, []],
  ['codex', {}, ['-c', `openai_base_url="${base}/openai/v1"`]],
  ['gemini', { GOOGLE_GEMINI_BASE_URL: `${base}/gemini` }, []],
  [
    null,
    {
      ANTHROPIC_BASE_URL: `${base}/anthropic`,
      OPENAI_BASE_URL: `${base}/openai/v1`,
      GOOGLE_GEMINI_BASE_URL: `${base}/gemini`,
    },
    [],
  ],
])('G15j %s', (agent, env, args) => {
  expect(gatewaySettings(agent, { base, env: {} })).toMatchObject({ env, args });
});

it('opencode gets a layer of settings', () => {
  const settings = gatewaySettings('opencode', { base, env: {} });
  if (typeof settings === 'string') throw new Error(settings);
  expect(JSON.parse(settings.env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
    provider: {
      anthropic: { options: { baseURL: `${base}/anthropic/v1` } },
      openai: { options: { baseURL: `${base}/openai/v1` } },
      google: { options: { baseURL: `${base}/gemini/v1beta` } },
    },
  });
});

it.each(['cursor', 'copilot', 'nobody', 'constructor'])('%s has no way', (agent) => {
  expect(gatewaySettings(agent, { base, env: {} })).toContain('has no setting for a gateway');
});
