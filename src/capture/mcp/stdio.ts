// An MCP server as a process of our own, with a client on our standard input and output: what the client would see of
// the server it sees of us. Standard error is the server's own; signals and the end of input reach it, and how it ended
// is how we end.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Conversation } from './conversation.ts';
import { Lane } from './lane.ts';
import type { Direction } from './message.ts';

export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The client's ends of the wire. */
export interface ClientEnds {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Where the server's standard error goes; our own unless given. */
  readonly stderr?: Writable;
}

/** Sent to us, they are meant for the server. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Resolves when the server has ended and all it said is delivered. Rejects where it can't be started. */
export async function runStdio(
  server: ServerProcess,
  conversation: Conversation,
  { stdin, stdout, stderr }: ClientEnds = { stdin: process.stdin, stdout: standardOutput() },
): Promise<ServerEnd> {
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    env: server.env,
    stdio: ['pipe', 'pipe', stderr === undefined ? 'inherit' : 'pipe'],
  }) as ChildProcessByStdio<Writable, Readable, Readable | null>;
  if (stderr !== undefined) child.stderr?.pipe(stderr);
  let over = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => {
    over = resolve;
  });
  const handlers = PASSED_ON.map((signal) => ({
    signal,
    handle(): void {
      // Where its own children keep its output open, nobody else would end this.
      if (child.exitCode !== null || child.signalCode !== null) over();
      else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    },
  }));
  for (const { signal, handle } of handlers) process.on(signal, handle);
  try {
    const ended = new Promise<ServerEnd>((resolve, reject) => {
      child.on('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const lanes: Record<Direction, Lane> = {
      'to-server': new Lane({
        direction: 'to-server',
        conversation,
        write: writerTo(child.stdin, () => stdin.destroy()),
        reply: (line) => lanes['to-client'].inject(line),
      }),
      'to-client': new Lane({
        direction: 'to-client',
        conversation,
        write: writerTo(stdout, () => child.stdout.destroy()),
        reply: (line) => lanes['to-server'].inject(line),
      }),
    };
    void drain(stdin, lanes['to-server']).then(() => child.stdin.end());
    const delivered = drain(child.stdout, lanes['to-client']);
    const end = await ended;
    await Promise.race([delivered, interrupted]);
    stdin.destroy();
    await conversation.end('SERVER_EXITED');
    await lanes['to-client'].end();
    await flushed(stdout);
    return end;
  } finally {
    for (const { signal, handle } of handlers) process.off(signal, handle);
  }
}

/** node writes to pipes in its main thread and waits: a client that does not read would stop us from reading, too. */
function standardOutput(): Writable {
  const stat = fstatSync(1);
  if (!stat.isFIFO() && !stat.isSocket()) return process.stdout;
  return new Socket({ fd: 1, readable: false, writable: true });
}

/** By events and not by `for await`, which costs every message several turns. */
async function drain(source: Readable, lane: Lane): Promise<void> {
  await new Promise<void>((resolve) => {
    source.on('data', (chunk: Uint8Array) => {
      const slow = lane.push(chunk);
      if (slow === undefined) return;
      source.pause();
      void slow.then(() => source.resume());
    });
    source.once('end', resolve);
    // It was closed from the other end, or broke: either way nothing more comes.
    source.once('close', resolve);
    source.once('error', () => resolve());
  });
  await lane.end();
}

/** What can't be written any more is let go; `broken` closes the other end, as the one who writes there would see it. */
function writerTo(stream: Writable, broken: () => void): (bytes: Uint8Array) => Promise<void> | undefined {
  let gone = false;
  let waiting: (() => void) | undefined;
  const go = (): void => {
    waiting?.();
    waiting = undefined;
  };
  const end = (): void => {
    if (!gone) broken();
    gone = true;
    go();
  };
  stream.on('drain', go);
  stream.on('error', end);
  stream.on('close', end);
  return (bytes) => {
    if (gone || stream.write(bytes)) return undefined;
    return new Promise((resolve) => {
      waiting = resolve;
    });
  };
}

/** All that was written before is out, or nobody takes it any more. */
function flushed(stream: Writable): Promise<void> {
  if (stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}
