// A service's life: takes the lock, opens the recording, listens, says who it is, beats, seals, and leaves when nobody
// needs it: idle, told to, or its ledger gone. Whatever happens, what was acknowledged is durable already; an orderly
// end only finishes what is under way, seals and tidies up. Nothing here exits the process: `ended` says that it may.
import { dirname } from 'node:path';
import { StoreError } from '../core/index.ts';
import { makeRuntimeDirectory } from '../record/index.ts';
import { hasCode, monotonic } from '../store/files/index.ts';
import type { App } from './app.ts';
import { ageOf } from './build.ts';
import { Chores } from './chores.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Listener } from './listeners.ts';
import type { Recording } from './recording.ts';
import {
  AT_WORK,
  beat,
  isSocketPath,
  makeServiceDirectory,
  makeToken,
  readState,
  removeQuietly,
  removeState,
  type ServiceFiles,
  type ServiceState,
  serviceFiles,
  sinceBeat,
  socketPath,
  writeState,
} from './service-files.ts';
import { holdLock, type ServiceLock } from './service-lock.ts';
import { type Log, nameOf, openLog } from './service-log.ts';
import {
  DEFAULT_IDLE,
  type Reason,
  type Service,
  type ServiceOptions,
  ServiceRunning,
  TIMING,
  type Timing,
} from './service-options.ts';
import type { Wires } from './wire.ts';

/** Open sessions keep a service, but not for ever: an agent that was killed never ends its session. */
const LONGEST_SILENCE = 24 * 3_600_000;

/** Resolves once it listens. ServiceRunning where another does. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const files = serviceFiles(options.ledger);
  makeServiceDirectory(files);
  const { ledger, waitMs = 0 } = options;
  const isServed = (): boolean => {
    const state = readState(ledger);
    // One that was asked to leave, because it is of an older build, is there a little longer.
    const isAsGood = (): boolean =>
      waitMs === 0 || (state !== undefined && ageOf(state, options) !== 'older');
    return state !== undefined && sinceBeat(files) < AT_WORK && isAsGood();
  };
  const lock = await holdLock(files, { wait: waitMs, isServed });
  if (lock === undefined) throw new ServiceRunning(readState(options.ledger));
  const log = openLog(files);
  try {
    removeState(files); // of one that was killed
    removeQuietly(files.leaving);
    beat(files);
    const run = new Running(options, files, lock, log);
    await run.start();
    return run;
  } catch (error) {
    log(`could not start: ${nameOf(error)}`);
    lock.release();
    throw error;
  }
}

class Running implements Service {
  readonly ended: Promise<Reason>;
  readonly #options: ServiceOptions;
  readonly #files: ServiceFiles;
  readonly #lock: ServiceLock;
  readonly #log: Log;
  readonly #timing: Timing;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #listeners: Listener[] = [];
  #state: ServiceState;
  readonly #chores: Chores;
  #recording: Recording | undefined;
  #app: App | undefined;
  #gateway: Gateway | undefined;
  #wires: Wires | undefined;
  #settle: { resolve(reason: Reason): void; reject(error: unknown): void };
  #stopping = false;

  constructor(options: ServiceOptions, files: ServiceFiles, lock: ServiceLock, log: Log) {
    this.#options = options;
    this.#files = files;
    this.#lock = lock;
    this.#log = log;
    this.#timing = { ...TIMING, ...options.timing };
    this.#chores = new Chores({
      recording: () => this.#recording,
      isLeaving: () => this.#stopping,
      sealSoonMs: this.#timing.sealSoonMs,
      log,
    });
    this.#state = {
      pid: process.pid,
      port: null,
      socket: options.socket ?? socketPath(options.ledger),
      version: options.version,
      build: options.build ?? null,
      started: new Date().toISOString(),
      problem: null,
    };
    const { promise, settle } = settled<Reason>();
    this.ended = promise;
    this.#settle = settle;
  }

  #independent: string | null = null;

  get independent(): string | null {
    return this.#independent;
  }

  get state(): ServiceState {
    return this.#state;
  }

  async start(): Promise<void> {
    const {
      ledger,
      ledgerId,
      version,
      build = null,
      mode,
      open,
      socketGroup = null,
      limits,
      bodies,
    } = this.#options;
    // Loaded here and not above: other commands read this service's files and must not wait for HTTP.
    const [{ makeApp }, { listenSocket }, { makeGateway }, { Wires }] = await Promise.all([
      import('./app.ts'),
      import('./listeners.ts'),
      import('./gateway/gateway.ts'),
      import('./wire.ts'),
    ]);
    const since = monotonic();
    this.#recording = await open({ sealSoon: () => this.#chores.sealSoon() });
    try {
      const token = makeToken(ledger);
      this.#app = makeApp({
        recording: this.#recording,
        token,
        log: this.#log,
        ...(bodies === undefined ? {} : { limits: bodies }),
        health: (channel) => ({
          ...{ version, build },
          pid: process.pid,
          ledger: channel.kind === 'shared' ? { id: ledgerId } : { id: ledgerId, directory: ledger },
          mode: mode(),
          uptime_ms: Math.round(monotonic() - since),
          port: this.#state.port,
          problem: this.#state.problem,
        }),
        onStop: () => this.stop('asked'),
      });
      const app = this.#app;
      const { gateway, wires } = this.#recording;
      if (wires !== undefined)
        this.#wires = new Wires({
          recording: wires,
          token,
          log: this.#log,
          during: (work) => void app.during(work),
        });
      if (gateway !== undefined)
        this.#gateway = makeGateway({
          recording: gateway,
          log: this.#log,
          during: (exchange) => void app.during(exchange),
          limits: this.#options.exchanges ?? {},
          tokens: this.#options.independent?.tokens,
        });
      const { socket } = this.#state;
      if (!isSocketPath(socket)) throw new StoreError('IO', `the path ${socket} is too long for a socket.`);
      if (this.#options.socket === undefined && dirname(socket) !== this.#files.directory)
        makeRuntimeDirectory(dirname(socket));
      this.#listen(
        await listenSocket(
          { app, gateway: this.#gateway, wires: this.#wires },
          { path: socket, group: socketGroup },
          limits,
        ),
      );
      await this.#tryPort();
      await this.#listenIndependent();
      writeState(this.#files, this.#state);
    } catch (error) {
      for (const { server, close } of this.#listeners) {
        void close();
        server.closeAllConnections();
      }
      await this.#recording.close().catch(() => undefined);
      throw error;
    }
    this.#log(`serving, version ${version}, ${describePort(this.#state.port)}`);
    this.#every(this.#timing.beatMs, () => this.#beat());
    this.#every(this.#timing.sealMs, () => this.#chores.seal());
    this.#timers.push(setTimeout(() => this.#chores.keepUp(), this.#timing.firstUpkeepMs));
    this.#every(this.#timing.upkeepMs, () => this.#chores.keepUp());
    const { idleMs = DEFAULT_IDLE } = this.#options;
    if (idleMs !== Number.POSITIVE_INFINITY)
      this.#every(Math.min(30_000, Math.max(1, idleMs / 4)), () => this.#leaveIfIdle(idleMs));
  }

  stop(reason: Reason): void {
    if (this.#stopping) return;
    this.#stopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#leave(reason).then(
      () => this.#settle.resolve(reason),
      (error) => this.#fail(error),
    );
  }

  async #leave(reason: Reason): Promise<void> {
    this.#log(`leaving: ${reason}`);
    const app = this.#app;
    app?.leave();
    this.#recording?.executions?.end();
    // Whoever looks from here on finds nobody, and starts one that waits for the lock.
    if (this.#lock.isOurs()) removeState(this.#files);
    const closed = Promise.all(this.#listeners.map((listener) => listener.close()));
    const unwired = this.#wires?.close();
    if (app !== undefined && app.active > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#timing.drainMs);
        app.onQuiet = () => {
          clearTimeout(timer);
          setImmediate(resolve); // the answer itself is still to be written
        };
      });
    }
    await this.#closeConnections(closed);
    this.#gateway?.close();
    await unwired;
    await this.#chores.end();
    if (reason !== 'ledger-gone') await this.#chores.sealNow();
    try {
      await this.#recording?.close();
    } catch (error) {
      this.#log(`closing: ${nameOf(error)}`);
    }
    this.#log('left');
    this.#lock.release();
  }

  /** Lets answers that are being written get out, but waits for nobody who does not read. */
  async #closeConnections(closed: Promise<unknown>): Promise<void> {
    for (const { server } of this.#listeners) server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const { server } of this.#listeners) server.closeAllConnections();
    }, this.#timing.lastBytesMs);
    await closed;
    clearTimeout(timer);
  }

  async #listenIndependent(): Promise<void> {
    const { independent, limits } = this.#options;
    const gateway = this.#gateway;
    if (independent === undefined || gateway === undefined) return;
    const { listenIndependent } = await import('./independent-listener.ts');
    const listener = await listenIndependent(gateway, independent.place, limits);
    this.#listen(listener);
    this.#independent = listener.url;
  }

  #listen(listener: Listener): void {
    this.#listeners.push(listener);
    listener.server.on('error', (error) => this.#fail(error));
  }

  /** Somebody else may have the port. The socket still serves, and the port is asked for again with each beat. */
  async #tryPort(): Promise<void> {
    const { port, limits } = this.#options;
    const app = this.#app;
    if (port === null || app === undefined || this.#state.port !== null) return;
    const { listenTcp } = await import('./listeners.ts');
    try {
      const listener = await listenTcp({ app, gateway: this.#gateway, wires: this.#wires }, port, limits);
      if (this.#stopping) return await listener.close();
      this.#listen(listener);
      this.#state = { ...this.#state, port: listener.channel.port, problem: null };
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE', 'EACCES')) throw error;
      const problem =
        error.code === 'EADDRINUSE'
          ? `another program uses port ${port}: stop it, or run \`foil install\` with another port`
          : `this user may not use port ${port}: run \`foil install\` with another port`;
      if (problem !== this.#state.problem) this.#log(problem);
      this.#state = { ...this.#state, problem };
    }
  }

  #beat(): void {
    if (!this.#lock.isOurs()) {
      this.stop('ledger-gone');
      return;
    }
    try {
      beat(this.#files);
    } catch (error) {
      this.#log(`heartbeat: ${nameOf(error)}`);
    }
    if (this.#state.problem === null) return;
    this.#tryPort().then(
      () => this.#state.problem === null && !this.#stopping && writeState(this.#files, this.#state),
      (error) => this.#fail(error),
    );
  }

  async #leaveIfIdle(idleMs: number): Promise<void> {
    const app = this.#app;
    if (app === undefined || app.active > 0) return;
    const before = app.lastRequest;
    const silence = monotonic() - before;
    if (silence > LONGEST_SILENCE) return this.stop('silent');
    if (silence < idleMs) return;
    let open = 0;
    try {
      open = (await this.#recording?.openSessions()) ?? 0;
    } catch (error) {
      this.#log(`counting sessions: ${nameOf(error)}`);
    }
    open += this.#wires?.open ?? 0;
    if (open === 0 && app.active === 0 && app.lastRequest === before) this.stop('idle');
  }

  #fail(error: unknown): void {
    this.#log(`stopping because of an error: ${nameOf(error)}`);
    for (const timer of this.#timers) clearInterval(timer);
    this.#settle.reject(error);
  }

  #every(milliseconds: number, work: () => void | Promise<void>): void {
    this.#timers.push(setInterval(work, Math.min(milliseconds, 2 ** 31 - 1)));
  }
}

function describePort(port: number | null): string {
  return port === null ? 'on its socket' : `on its socket and 127.0.0.1:${port}`;
}

function settled<T>(): {
  promise: Promise<T>;
  settle: { resolve(value: T): void; reject(error: unknown): void };
} {
  let settle: { resolve(value: T): void; reject(error: unknown): void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new TypeError('a promise runs its executor at once');
  return { promise, settle };
}
