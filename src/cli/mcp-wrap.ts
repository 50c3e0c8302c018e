// foil mcp wrap -- CMD: an MCP server over standard input and output, recorded. The server starts at once and the ledger
// is opened beside it, so that a client waits for neither. Standard output is the protocol's: nothing of ours goes there
// but the errors that stand for what could not be recorded.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { Conversation, runStdio, type ServerEnd } from '../capture/mcp/index.ts';
import { openRecording } from '../entry/index.ts';
import { isFoilOff, readSettings, WireSession } from '../record/index.ts';
import { type Context, EXIT, type Outcome, UsageError } from './command.ts';
import { ensureLedger } from './hook-more.ts';
import { place } from './place.ts';

/** As a shell has it for a command that is not there. */
const NOT_FOUND = 127;
/** Programs that run another, which gives the server its name. */
const RUNNERS =
  /^(?:npx|bunx|pnpx|uvx|pipx|node|bun|deno|python[\d.]*|uv|docker|podman|npm|pnpm|yarn|sh|bash|env|cmd)$/;
const RUNNER_WORDS = /^(?:-.*|run|exec|x|dlx|tool|start|-y|[A-Z_]+=.*)$/;

export async function wrapServer(context: Context): Promise<Outcome> {
  const {
    arguments: [command = '', ...args],
    values,
    cwd,
    env,
    warn,
  } = context;
  if (command === '') throw new UsageError('which server? foil mcp wrap -- CMD [ARGUMENTS…]');
  const located = place(context);
  if (isFoilOff(env) && readSettings(located.directory).mode !== 'locked')
    return endLike(await runUnrecorded({ command, args, cwd, env }));
  const name = values.text('name') ?? serverName(command, args);
  const role = values.text('role');
  const wire = new WireSession(
    async () => {
      await ensureLedger(located);
      return openRecording({
        place: located,
        cwd,
        agent: name,
        source: 'mcp',
        ...(role === undefined ? {} : { role }),
      });
    },
    { trigger: 'mcp' },
  );
  const beginning = wire.begin();
  let end: ServerEnd;
  try {
    end = await runStdio({ command, args, cwd, env }, new Conversation(wire, { server: name }));
  } catch (error) {
    await beginning;
    await wire.end({ reason: 'not started' }).catch(() => undefined);
    warn(`${command} could not be started: ${(error as Error).message}`);
    return { exit: NOT_FOUND };
  }
  await beginning;
  const { code, signal } = end;
  try {
    await wire.end({ reason: signal ?? 'exit', ...(code === null ? {} : { exitCode: code }) });
  } catch (error) {
    warn(`the end of the session could not be recorded: ${(error as Error).message}`);
  }
  return endLike(end);
}

/** The same exit code, or the same signal: whoever started us sees what it would have seen of the server. */
function endLike({ code, signal }: ServerEnd): Outcome {
  if (signal === null) return { exit: code ?? EXIT.FAILED };
  return {
    exit() {
      process.kill(process.pid, signal);
      return 128 + constants.signals[signal];
    },
  };
}

function runUnrecorded(server: {
  command: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}): Promise<ServerEnd> {
  return new Promise((resolve) => {
    const child = spawn(server.command, server.args, { cwd: server.cwd, env: server.env, stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => void child.kill(signal));
    child.once('error', () => resolve({ code: NOT_FOUND, signal: null }));
    child.once('exit', (code, signal) => {
      process.removeAllListeners(signal ?? 'SIGTERM');
      resolve({ code, signal });
    });
  });
}

/** `npx -y @scope/server-x` is `server-x`, `node dist/index.js` is `index.js`. */
export function serverName(command: string, args: readonly string[]): string {
  const own = basename(command).replace(/\.(?:exe|cmd)$/i, '');
  if (!RUNNERS.test(own)) return own;
  const word = args.find((arg) => arg !== '' && !RUNNER_WORDS.test(arg));
  return word === undefined ? own : basename(word).replace(/(?<=.)@.*$/, '');
}
