// OpenCode, `opencode run`, with a provider that speaks Chat Completions. It loads plugins without asking.
import { type Host, onCommandLine } from '../host.ts';

export const opencode: Host = {
  agent: 'opencode',
  name: 'OpenCode, opencode run',
  hooksFile: '.opencode/plugins/counterfoil.js',
  headless: true,
  served: false,
  holds: false,
  model: 'scripted',
  shell: (command, tools) =>
    tools.includes('bash') ? { name: 'bash', args: { command, description: 'Runs it' } } : undefined,
  setUp: () => {},
  point: (place, api) =>
    place.write(
      'home/.config/opencode/opencode.json',
      JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: `stand-in/${opencode.model}`,
        small_model: `stand-in/${opencode.model}`,
        provider: {
          'stand-in': {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${api}/v1`, apiKey: 'none' },
            models: { [opencode.model]: {} },
          },
        },
      }),
    ),
  drive: onCommandLine('opencode', (prompt) => ['run', prompt]),
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' }),
};
