// Claude Code: .claude/settings.json and its neighbours. Seen at work. Tool hooks are HTTP calls to the local service,
// which are ten times as fast as a process; SessionStart never is one, and UserPromptSubmit and Stop are commands, so that
// they can revive the service and do without it. A failed hook lets the tool run unless it says onFailure "block", which
// Stop and SubagentStop ignore. Not asked for: WorktreeCreate, whose output is a path, and MessageDisplay, each word of it.
import { join } from 'node:path';
import { whyPassedOver } from './claude-code-passes-over.ts';
import { type Host, hookLine, TIMEOUT_SECONDS, type Wiring } from './host.ts';

interface Event {
  readonly name: string;
  /** In local scope. In `locked` mode and in the other scopes all are commands. */
  readonly via: 'command' | 'http';
  /** Events of tools need to be told for which. */
  readonly tools?: true;
  /** Where it can't be recorded in guard mode, what it announces must not happen. */
  readonly blocks?: true;
}

const EVENTS: readonly Event[] = [
  { name: 'SessionStart', via: 'command' },
  { name: 'UserPromptSubmit', via: 'command', blocks: true },
  { name: 'PreToolUse', via: 'http', tools: true, blocks: true },
  { name: 'PermissionRequest', via: 'http', tools: true, blocks: true },
  { name: 'PermissionDenied', via: 'http', tools: true },
  { name: 'PostToolUse', via: 'http', tools: true, blocks: true },
  { name: 'PostToolUseFailure', via: 'http', tools: true, blocks: true },
  { name: 'PostToolBatch', via: 'http', blocks: true },
  { name: 'SubagentStart', via: 'http' },
  { name: 'SubagentStop', via: 'http' },
  { name: 'PreCompact', via: 'http' },
  { name: 'PostCompact', via: 'http' },
  { name: 'ConfigChange', via: 'http', blocks: true },
  { name: 'Notification', via: 'http' },
  { name: 'Stop', via: 'command' },
  { name: 'SessionEnd', via: 'command' },
];

/** Shorter where a hook that hangs only costs time. */
const OBSERVE_HTTP_SECONDS = 10;

export const claudeCode: Host = {
  agent: 'claude-code',
  title: 'Claude Code',
  seen: true,
  file(scope, { project, home, env }) {
    const folder =
      scope === 'user' ? env.CLAUDE_CONFIG_DIR || join(home, '.claude') : join(project, '.claude');
    const name = scope === 'local' ? 'settings.local.json' : 'settings.json';
    return { path: join(folder, name), folders: 1, besides: {} };
  },
  hooks: (wiring) =>
    Object.fromEntries(
      EVENTS.map((event) => [
        event.name,
        { ...(event.tools ? { matcher: '*' } : {}), hooks: [hook(event, wiring)] },
      ]),
    ),
  // Seen: managed settings count most, then --settings, local, project, user. A local false undoes a project's true.
  switches: ({ disableAllHooks: off }) =>
    typeof off === 'boolean' ? { name: 'disableAllHooks', off } : undefined,
  passesOver: whyPassedOver,
  // Seen: the program of that variable is started with each hook's command, and may leave it out. Empty, it is none.
  keepsOn: [
    { path: ['disableAllHooks'], value: false },
    { path: ['env', 'CLAUDE_CODE_SHELL_PREFIX'], value: '' },
  ],
  managed:
    process.platform === 'darwin'
      ? '/Library/Application Support/ClaudeCode/managed-settings.json'
      : '/etc/claude-code/managed-settings.json',
  managedOnly: [
    { name: 'allowManagedHooksOnly', offAt: lockedHooks },
    { name: 'strictPluginOnlyCustomization', offAt: lockedSurfaces },
  ],
  allowed: 'allowedHttpHookUrls',
  next: ['Restart Claude Code: it reads its hooks when it starts. /hooks shows them.'],
  signs: { programs: ['claude'], folders: ['.claude'] },
};

/** Seen: the file that counts most decides, and what is neither true nor false counts as true. */
function lockedHooks(values: readonly unknown[]): number {
  const at = values.findIndex((value) => value !== undefined && value !== null);
  return values[at] === false || values[at] === 'false' ? -1 : at;
}

/** Seen: lists of what is locked are put together; true means all, and a list that counts more takes its place. */
function lockedSurfaces(values: readonly unknown[]): number {
  const list = values.findIndex((value) => Array.isArray(value));
  const word = values.findIndex((value) => value !== undefined && value !== null && !Array.isArray(value));
  if (word >= 0 && (list < 0 || word < list)) return values[word] === false ? -1 : word;
  const end = word < 0 ? values.length : word;
  return values.findIndex((value, at) => at < end && Array.isArray(value) && value.includes('hooks'));
}

function hook({ via, blocks }: Event, wiring: Wiring): Record<string, unknown> {
  const { scope, mode, service } = wiring;
  const strict = mode !== 'observe';
  const onFailure = strict && blocks ? { onFailure: 'block' } : {};
  if (via === 'http' && scope === 'local' && mode !== 'locked' && service !== null) {
    return {
      type: 'http',
      url: `http://127.0.0.1:${service.port}/v1/hook/claude-code`,
      headers: { Authorization: `Bearer ${service.token}` },
      timeout: strict ? TIMEOUT_SECONDS : OBSERVE_HTTP_SECONDS,
      ...onFailure,
    };
  }
  const command = hookLine('claude-code', wiring);
  return { type: 'command', command, timeout: TIMEOUT_SECONDS, ...onFailure };
}
