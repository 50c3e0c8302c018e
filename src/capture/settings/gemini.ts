// Gemini CLI: hooks in .gemini/settings.json, with time-outs in milliseconds. Its hook input was seen. A hook with the
// same name and command in two files runs once.
import { join } from 'node:path';
import { type Host, hookLine, inside, type Settings, TIMEOUT_SECONDS } from './host.ts';

const EVENTS: Readonly<Record<string, { readonly matcher?: string }>> = {
  SessionStart: {},
  BeforeAgent: {},
  BeforeTool: { matcher: '*' },
  AfterTool: { matcher: '*' },
  Notification: {},
  // `auto` comes before each request to the model, and only then the host looks whether there is anything to compress.
  PreCompress: { matcher: 'manual' },
  AfterAgent: {},
  SessionEnd: {},
};

export const gemini: Host = {
  agent: 'gemini',
  title: 'Gemini CLI',
  seen: true,
  file(scope, { project, home, env }) {
    const folder = scope === 'user' ? join(env.GEMINI_CLI_HOME || home, '.gemini') : join(project, '.gemini');
    return { path: join(folder, 'settings.json'), folders: 1, besides: {} };
  },
  hooks: (wiring) =>
    Object.fromEntries(
      Object.entries(EVENTS).map(([event, { matcher }]) => [
        event,
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            {
              name: 'counterfoil',
              type: 'command',
              command: hookLine('gemini', wiring),
              timeout: TIMEOUT_SECONDS * 1000,
            },
          ],
        },
      ]),
    ),
  switches(settings) {
    const name = offMember(settings);
    return name === undefined ? undefined : { name, off: true };
  },
  next: ['Restart Gemini CLI. /hooks panel shows the hooks. It asks once whether you trust the folder.'],
  signs: { programs: ['gemini'], folders: ['.gemini'] },
};

function offMember({ hooksConfig, tools, hooks }: Settings): string | undefined {
  if (inside(hooksConfig, 'enabled') === false) return 'hooksConfig.enabled';
  if (inside(tools, 'enableHooks') === false) return 'tools.enableHooks';
  if (inside(hooks, 'enabled') === false) return 'hooks.enabled';
  const lists = [
    ['hooksConfig.disabled', inside(hooksConfig, 'disabled')],
    ['hooks.disabled', inside(hooks, 'disabled')],
  ] as const;
  return lists.find(([, list]) => Array.isArray(list) && list.includes('counterfoil'))?.[0];
}
