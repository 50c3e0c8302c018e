// foil mcp wrap -- CMD: an MCP server over standard input and output, recorded. The server starts at once and the ledger
// is opened beside it, so that a client waits for neither. Standard output is the protocol's: nothing of ours goes there
// but the errors that stand for what could not be recorded.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename, resolve } from 'node:path';
import { unstarted, wireAuthority, wireDefence } from '../app/index.ts';
import {
  type ClientEnds,
  Conversation,
  runStdio,
  type ServerEnd,
  startHttpProxy,
} from '../capture/mcp/index.ts';
import { UsageError } from '../core/index.ts';
import { openRecording } from '../entry/index.ts';
import { isFoilOff, readSettings } from '../ledger/index.ts';
import { type EndOptions, openNotes, WireSession } from '../record/index.ts';
import { WireClient } from '../service/index.ts';
import { parseCount } from './arguments.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { ensureLedger } from './hook-more.ts';
import { place } from './place.ts';

/** As a shell has it for a command that is not there. */
const NOT_FOUND = 127;
/** Programs that run another, which gives the server its name. */
const RUNNERS =
  /^(?:npx|bunx|pnpx|uvx|pipx|node|bun|deno|python[\d.]*|uv|docker|podman|npm|pnpm|yarn|sh|bash|env|cmd)$/;
const RUNNER_WORDS = /^(?:-.*|run|exec|x|dlx|tool|start|-y|[A-Z_]+=.*)$/;

/** `ends` are our own standard input and output unless given. */
export async function wrapServer(context: Context, ends?: ClientEnds): Promise<Outcome> {
  if (context.values.text('http') !== undefined) return wrapHttp(context);
  const {
    arguments: [command = '', ...args],
    values,
    cwd,
    env,
    warn,
  } = context;
  if (command === '') throw new UsageError('Which server? Use `foil mcp wrap -- CMD [ARGUMENTS…]`.');
  if (isFoilOff(env) && isObserving(context))
    return endLike(await runUnrecorded({ command, args, cwd, env }));
  const name = values.text('name') ?? serverName(command, args);
  const wire = wireOf(context, name);
  const beginning = begin(wire, warn);
  let end: ServerEnd;
  try {
    end = await runStdio({ command, args, cwd, env }, new Conversation(wire, { server: name }), ends);
  } catch (error) {
    await beginning;
    await endWire(wire, warn, { reason: 'not started' });
    warn(unstarted(command, error as NodeJS.ErrnoException));
    return { exit: NOT_FOUND };
  }
  await beginning;
  const { code, signal } = end;
  const ended = await endWire(wire, warn, {
    reason: signal ?? 'exit',
    ...(code === null ? {} : { exitCode: code }),
  });
  // The server's own failure says more than ours.
  return ended || code !== 0 ? endLike(end) : { exit: EXIT.FAILED };
}

/** Did the record of it become whole? */
async function endWire(
  wire: WireSession | WireClient,
  warn: Context['warn'],
  how: EndOptions,
): Promise<boolean> {
  try {
    await wire.end(how);
    return true;
  } catch (error) {
    warn(`foil couldn't record the end of the session: ${(error as Error).message}`);
    return false;
  }
}

/** So that the first call does not have to wait for it. */
async function begin(wire: WireSession | WireClient, warn: Context['warn']): Promise<void> {
  await wire.begin();
  const why = wire instanceof WireSession ? await wire.unauthenticated() : null;
  if (why !== null) warn(`this session has no valid auth key: ${why}`);
}

/** FOIL=off counts nowhere else. Settings that can't be read say nothing about how strict they were. */
function isObserving(context: Context): boolean {
  if (context.values.text('socket') !== undefined) return false;
  try {
    return readSettings(place(context).directory, context.env).mode === 'observe';
  } catch {
    return false;
  }
}

/**
 * The session that a wire is recorded in: begun when there is something to record, in a ledger that is made if need be;
 * or by the service of another user, over its socket, and nowhere else.
 */
export function wireOf(context: Context, name: string): WireSession | WireClient {
  const role = context.values.text('role');
  const socket = context.values.text('socket');
  const { cwd } = context;
  if (socket !== undefined)
    return new WireClient({
      socket: resolve(cwd, socket),
      about: { agent: name, cwd, role: role ?? null },
    });
  const located = place(context);
  return new WireSession(
    async () => {
      await ensureLedger(located);
      const recording = await openRecording({
        place: located,
        cwd: context.cwd,
        agent: name,
        source: 'mcp',
        blocking: true,
        ...(role === undefined ? {} : { role }),
      });
      const authority = await wireAuthority(located, { ...context, server: name });
      return { ...recording, refuses: wireDefence(located, context), authority };
    },
    { trigger: 'mcp' },
    openNotes(located.directory),
  );
}

/** A server over HTTP, on a port of this machine, until it is told to stop. */
async function wrapHttp(context: Context): Promise<Outcome> {
  const { values, warn } = context;
  const upstream = urlOf(values.text('http') ?? '');
  const name = values.text('name') ?? upstream.host;
  const port = parseCount(values.text('port') ?? '0', '--port');
  if (context.arguments.length > 0) throw new UsageError('With --http, leave out the command.');
  const wire = wireOf(context, name);
  const beginning = begin(wire, warn);
  const proxy = await startHttpProxy({ upstream, port, recorder: wire, name });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  let ended = true;
  async function* text(): AsyncGenerator<string> {
    yield values.flag('json')
      ? `${JSON.stringify({ url: proxy.url, pid: process.pid })}\n`
      : `${proxy.url}\n`;
    await stopped;
    await proxy.close();
    await beginning;
    ended = await endWire(wire, warn, { reason: 'stopped' });
  }
  return { text: text(), exit: () => (ended ? EXIT.FINE : EXIT.FAILED) };
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError(
      `--http: ${text} isn't the address of a server. Use one such as https://example.com/mcp.`,
    );
  return url;
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
