// GitHub Copilot CLI: a file of our own among its hooks, or the hooks of its settings.local.json. Its hook input was seen.
// With names in PascalCase it sends what Claude Code sends; subagentStart has only the other spelling, and must be told
// its name. Not asked for: PermissionRequest, which comes before the host's own rules. A hook that fails denies the tool,
// so in the repository's own file the command must not fail where there is no foil: the cloud agent reads that file too.
import { join } from 'node:path';
import { type Host, hookLine, TIMEOUT_SECONDS } from './host.ts';

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'subagentStart',
  'SubagentStop',
  'PreCompact',
  'ErrorOccurred',
  'Stop',
  'SessionEnd',
];

/** Whose input does not say what it is. */
const UNNAMED: ReadonlySet<string> = new Set(['subagentStart']);

export const copilot: Host = {
  agent: 'copilot',
  title: 'GitHub Copilot CLI',
  seen: true,
  file(scope, { project, home, env }) {
    const own = { folders: 2, besides: { version: 1 } };
    if (scope === 'user')
      return { ...own, path: join(env.COPILOT_HOME || join(home, '.copilot'), 'hooks/counterfoil.json') };
    if (scope === 'project') return { ...own, path: join(project, '.github/hooks/counterfoil.json') };
    return { path: join(project, '.github/copilot/settings.local.json'), folders: 2, besides: {} };
  },
  hooks: (wiring) =>
    Object.fromEntries(
      EVENTS.map((event) => [
        event,
        {
          type: 'command',
          bash: hookLine('copilot', wiring, UNNAMED.has(event) ? event : undefined),
          timeoutSec: TIMEOUT_SECONDS,
        },
      ]),
    ),
  // Which of its files counts more was not seen, so one that switches hooks off counts.
  switches: ({ disableAllHooks }) =>
    disableAllHooks === true ? { name: 'disableAllHooks', off: true } : undefined,
  next: [
    "Restart Copilot CLI. It also reads the hooks in .claude/settings*.json. If Claude Code has foil's hooks there, Copilot",
    'prints a warning at each start that their URL is not https, and skips them. Nothing is recorded twice.',
  ],
  signs: { programs: ['copilot'], folders: ['.copilot', '.github/copilot', '.github/hooks'] },
};
