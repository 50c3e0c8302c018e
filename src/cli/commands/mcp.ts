// foil mcp: the wire between an agent and the MCP servers it uses.
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
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
    http: { type: 'string', value: 'URL', help: 'wrap: a server over HTTP instead of a command' },
    port: { type: 'string', value: 'N', help: 'wrap --http: the port of this machine to listen on (any)' },
    name: { type: 'string', value: 'NAME', help: 'what the server is called in entries' },
    portable: { type: 'boolean', help: 'install: find foil through PATH, for a file that a team commits' },
    'dry-run': { type: 'boolean', help: 'install, uninstall: show what would change, and change nothing' },
    socket: {
      type: 'string',
      value: 'PATH',
      help: 'wrap, install: record through the service of another user, for locked',
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
    'A call reaches the server once it is on record, its answer the client once that is. What can not be recorded is',
    'refused with AUDIT_APPEND_FAILED. All else passes as it comes, byte for byte.',
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
      `mcp can ${Object.keys(ACTIONS).join(', ')}, not ${name}${suggest(name, Object.keys(ACTIONS))}`,
    );
  return action({ ...context, arguments: context.arguments.slice(1) });
}
