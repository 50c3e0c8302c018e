// Gemini CLI, `gemini -p`. Without a chosen way to authenticate it stops. Folder trust is on unless it is switched off; a
// folder that is not trusted has no hooks, so the user's answer to the question of trust is written as the host does.
import { type Host, onCommandLine } from '../host.ts';

const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
};

export const gemini: Host = {
  agent: 'gemini',
  name: 'Gemini, gemini -p',
  hooksFile: '.gemini/settings.json',
  headless: true,
  served: false,
  holds: true,
  model: 'gemini-2.5-pro',
  shell: (command, tools) =>
    tools.includes('run_shell_command')
      ? { name: 'run_shell_command', args: { command, description: 'Runs it' } }
      : undefined,
  setUp(place) {
    place.write('home/.gemini/settings.json', JSON.stringify(SETTINGS));
    place.write('home/.gemini/trustedFolders.json', JSON.stringify({ [place.project]: 'TRUST_FOLDER' }));
  },
  drive: onCommandLine('gemini', (prompt) => ['-p', prompt, '-m', gemini.model, '--approval-mode', 'yolo']),
  env: (api) => ({ GOOGLE_GEMINI_BASE_URL: api, GEMINI_API_KEY: 'none' }),
};
