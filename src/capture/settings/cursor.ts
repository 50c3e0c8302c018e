// Cursor: .cursor/hooks.json, version 1. From its documents. The events of every tool are asked for and not those of the
// shell and of MCP besides, or a call would be seen twice. A hook that fails lets the tool run unless failClosed is set,
// and then no answer counts as a failure too; so not in project scope, where there may be no foil to answer.
import { join } from 'node:path';
import { type Host, hookLine, TIMEOUT_SECONDS } from './host.ts';

const EVENTS: Readonly<Record<string, { readonly blocks?: true }>> = {
  sessionStart: {},
  beforeSubmitPrompt: { blocks: true },
  preToolUse: { blocks: true },
  postToolUse: {},
  postToolUseFailure: {},
  subagentStart: {},
  subagentStop: {},
  preCompact: {},
  afterAgentResponse: {},
  stop: {},
  sessionEnd: {},
};

export const cursor: Host = {
  agent: 'cursor',
  title: 'Cursor',
  seen: false,
  file(scope, { project, home }) {
    const folder = join(scope === 'user' ? home : project, '.cursor');
    return { path: join(folder, 'hooks.json'), folders: 1, besides: { version: 1 } };
  },
  hooks: (wiring) =>
    Object.fromEntries(
      Object.entries(EVENTS).map(([event, { blocks }]) => [
        event,
        {
          command: hookLine('cursor', wiring),
          timeout: TIMEOUT_SECONDS,
          ...(blocks && wiring.mode !== 'observe' && wiring.scope !== 'project' ? { failClosed: true } : {}),
        },
      ]),
    ),
  next: [
    'Restart Cursor. Settings > Hooks shows the hooks. If Cursor includes third-party configurations, it also runs',
    'the hooks in .claude/settings*.json, and everything is recorded twice.',
  ],
  signs: { programs: ['cursor-agent', 'cursor'], folders: ['.cursor'] },
};
