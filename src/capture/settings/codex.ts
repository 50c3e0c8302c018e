// Codex: .codex/hooks.json, shaped like Claude Code's. Seen at work. Hooks that the user has not trusted in /hooks are
// skipped without a word, and trust is bound to the exact command, which therefore holds nothing that changes.
import { join } from 'node:path';
import { type Host, hookLine, TIMEOUT_SECONDS } from './host.ts';

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'SessionEnd',
];

export const codex: Host = {
  agent: 'codex',
  title: 'Codex',
  seen: true,
  file(scope, { project, home, env }) {
    const folder = scope === 'user' ? env.CODEX_HOME || join(home, '.codex') : join(project, '.codex');
    return { path: join(folder, 'hooks.json'), folders: 1, besides: {} };
  },
  hooks: (wiring) =>
    Object.fromEntries(
      EVENTS.map((event) => [
        event,
        {
          hooks: [
            {
              type: 'command',
              command: hookLine('codex', wiring),
              // It waits no longer than this at the end of a session, and warns where more is asked for.
              timeout: event === 'SessionEnd' ? 3 : TIMEOUT_SECONDS,
            },
          ],
        },
      ]),
    ),
  later: ['SessionEnd'],
  next: ["Start Codex, type /hooks and trust foil's hooks. Until then Codex silently skips them."],
  signs: { programs: ['codex'], folders: ['.codex'] },
};
