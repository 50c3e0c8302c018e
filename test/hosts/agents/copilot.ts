// Copilot CLI, `copilot -p`, with a provider of our own and no way to GitHub. Hooks of a folder that it does not trust do
// not run: the folder is trusted as its own question does it.
import { type Host, onCommandLine } from '../host.ts';

export const copilot: Host = {
  agent: 'copilot',
  name: 'Copilot, copilot -p',
  hooksFile: '.github/copilot/settings.local.json',
  headless: true,
  served: false,
  holds: true,
  model: 'gpt-4.1',
  shell: (command, tools) =>
    tools.includes('bash') ? { name: 'bash', args: { command, description: 'Runs it' } } : undefined,
  setUp: (place) =>
    place.write('home/.copilot/config.json', JSON.stringify({ trustedFolders: [place.project] })),
  drive: onCommandLine('copilot', (prompt) => ['-p', prompt, '--allow-all-tools', '--no-color']),
  env: (api) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${api}/v1`,
    COPILOT_PROVIDER_API_KEY: 'none',
    COPILOT_MODEL: copilot.model,
  }),
};
