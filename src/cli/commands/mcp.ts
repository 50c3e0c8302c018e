// foil mcp: the wire between an agent and the MCP servers it uses.

import { UsageError } from '../../core/index.ts';
import { suggest } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { installWrap, uninstallWrap } from '../mcp-install.ts';
import { serveMcp } from '../mcp-serve.ts';
import { wrapServer } from '../mcp-wrap.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'stand between an agent and an MCP server, and record every call',
  usage:
    'wrap [options] -- CMD [ARGUMENTS…] | wrap --http URL | install [CLIENT|FILE…] | uninstall [CLIENT|FILE…] | serve',
  arguments: [1, Number.POSITIVE_INFINITY],
  options: {
    http: { type: 'string', value: 'URL', help: 'wrap: use a server over HTTP instead of a command' },
    port: {
      type: 'string',
      value: 'N',
      help: 'wrap --http: the local port to listen on (default: any free one)',
    },
    name: { type: 'string', value: 'NAME', help: "the server's name in entries" },
    portable: { type: 'boolean', help: 'install: find foil on PATH, for a file that a team commits' },
    'dry-run': { type: 'boolean', help: 'install, uninstall: show what would change, without changing it' },
    socket: {
      type: 'string',
      value: 'PATH',
      help: 'wrap, install, for locked: record through the service that runs as another user',
    },
    role: { type: 'string', value: 'ROLE', help: 'who acts: planner, executor …' },
  },
  examples: [
    'foil mcp wrap -- npx -y @modelcontextprotocol/server-filesystem .',
    'foil mcp wrap --http https://example.com/mcp --port 8123',
    'foil mcp install --dry-run',
    'foil mcp install claude-code',
    'foil mcp uninstall',
    'foil mcp serve --role executor',
  ],
  notes: [
    "Each call is recorded before it reaches the server, and each answer before it reaches the client. If one can't be",
    'recorded, it is refused with AUDIT_APPEND_FAILED. Everything else passes through unchanged, byte for byte.',
  ],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Outcome>>> = {
  wrap: wrapServer,
  serve: serveMcp,
  install: installWrap,
  uninstall: uninstallWrap,
};

async function run(context: Context): Promise<Outcome> {
  const [name = ''] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use wrap, install, uninstall or serve${suggest(name, Object.keys(ACTIONS))}`,
    );
  return action({ ...context, arguments: context.arguments.slice(1) });
}
