// One process in a session of its own, with an environment that was built and not inherited, watched to its end: so much
// output, so long, and no longer than its caller wants it.
import { type ChildProcess, spawn } from 'node:child_process';
import { type Readable, Writable } from 'node:stream';

export interface Contained {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it can read, on fd 5 and those after it. */
  readonly inputs?: readonly (Uint8Array | string)[];
  /** Takes what it says on the fd after those. */
  readonly told?: ((piece: Buffer) => void) | undefined;
  /** Ends what the process left behind, or waits for its end; called once it has ended, with what it said on fd 3. */
  readonly sweep?: (told: string) => Promise<void>;
}

export interface Watch {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Takes a piece of output; false if that is too much, which ends the process. */
  readonly stdout: (piece: Buffer) => boolean;
  readonly stderr: (piece: Buffer) => boolean;
}

export interface Ended {
  readonly by: 'exit' | 'time' | 'output' | 'cancelled';
  readonly code: number | null;
  readonly signal: string | null;
  /** What it said on fd 3. */
  readonly told: string;
  /** Whether it said on fd 4 that everything is set up: an exit before that is not the command's. */
  readonly begun: boolean;
  readonly durationMs: number;
}

/** How long output is waited for after the end: something that could not be ended may hold the pipe. */
const LAST_WORDS = 2000;
const LONGEST_TOLD = 4096;

export function runContained(contained: Contained, watch: Watch): Promise<Ended> {
  const { program, args, env, cwd, inputs = [], told, sweep } = contained;
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let by: Ended['by'] = 'exit';
    let over = false;
    const child: ChildProcess = spawn(program, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: [
        'ignore',
        'pipe',
        'pipe',
        'pipe',
        'pipe',
        ...inputs.map(() => 'pipe' as const),
        ...(told === undefined ? [] : ['pipe' as const]),
      ],
    });
    const streams: readonly (Readable | Writable | null | undefined)[] = child.stdio;
    const [, stdout, stderr, telling, beginning, ...reading] = streams;
    const said = { told: '', begun: '' };
    listen(telling, (piece) => {
      said.told = `${said.told}${piece.toString('latin1')}`.slice(0, LONGEST_TOLD);
    });
    listen(beginning, (piece) => {
      said.begun ||= piece.toString('latin1', 0, 1);
    });
    if (told !== undefined) listen(reading.pop(), told);
    reading.forEach((stream, at) => {
      if (stream instanceof Writable) stream.on('error', () => undefined).end(inputs[at]);
    });
    const end = (why: Ended['by']): void => {
      if (over || child.pid === undefined) return;
      if (by === 'exit') by = why;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(() => end('time'), watch.timeoutMs);
    const cancel = (): void => end('cancelled');
    if (watch.signal?.aborted === true) cancel();
    watch.signal?.addEventListener('abort', cancel, { once: true });
    listen(stdout, (piece) => {
      if (!watch.stdout(piece)) end('output');
    });
    listen(stderr, (piece) => {
      if (!watch.stderr(piece)) end('output');
    });
    const closed = new Promise<void>((done) => {
      child.on('close', () => done());
    });
    const tidy = (): void => {
      over = true;
      clearTimeout(timer);
      watch.signal?.removeEventListener('abort', cancel);
    };
    child.on('error', (error) => {
      if (child.pid !== undefined) return; // a signal that could not be sent
      tidy();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      tidy();
      const finish = async (): Promise<Ended> => {
        await sweep?.(said.told);
        await within(closed, LAST_WORDS);
        for (const stream of streams) stream?.destroy();
        const durationMs = Math.round(performance.now() - started);
        return { by, code, signal, told: said.told, begun: said.begun !== '', durationMs };
      };
      finish().then(resolve, reject);
    });
  });
}

function listen(stream: Readable | Writable | null | undefined, take: (piece: Buffer) => void): void {
  stream?.on('data', take).on('error', () => undefined);
}

async function within(promise: Promise<void>, ms: number): Promise<void> {
  let waiting: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((done) => {
    waiting = setTimeout(done, ms);
  });
  await Promise.race([promise, patience]);
  clearTimeout(waiting);
}
