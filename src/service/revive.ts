// Sees to it that a service runs, from a hook that must not take long: looks at the lock, starts `foil serve` where
// nobody has it, ends one that hangs, and has one of an older build replaced. Loads neither HTTP nor sockets, and
// child_process only when something must be started. A process is ended only if it is plainly our service: what stands
// in a file may be old, and its number another's by now.
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '../store/files/index.ts';
import { ageOf, type Build } from './build.ts';
import {
  HUNG_AFTER,
  makeServiceDirectory,
  readState,
  rotate,
  type ServiceFiles,
  serviceFiles,
  sinceBeat,
} from './service-files.ts';
import { isHeld } from './service-lock.ts';

/** With the build that should run. */
export interface EnsureOptions extends Build {
  readonly ledger: string;
  /** How `foil` is started; by default as this one was. */
  readonly command?: readonly string[];
  /** Wait so many milliseconds for it to be ready; 0, the default, for a hook that need not. */
  readonly wait?: number;
  /** After how long without a heartbeat it is hung. */
  readonly hungAfter?: number;
  readonly env?: NodeJS.ProcessEnv;
}

export type Ensured =
  | { readonly service: 'running' | 'started' | 'replaced' }
  /** Nothing was started, or it is not ready yet. `why` is for people. */
  | { readonly service: 'absent'; readonly why: string };

/** How long the service that is started waits for one that was asked to leave. */
const LEAVE = '30s';
/** It is not asked again so soon, in milliseconds. */
const ASKED_FOR = 30_000;

/** Never throws: whoever calls has something more important to do. */
export async function ensureService(options: EnsureOptions): Promise<Ensured> {
  const { ledger, wait = 0 } = options;
  const files = serviceFiles(ledger);
  try {
    makeServiceDirectory(files);
    const found = isHeld(files) ? await look(options, files) : 'free';
    if (found === 'running') return { service: 'running' };
    if (typeof found === 'object') return found;
    const done = found === 'replaced' ? 'replaced' : 'started';
    start(options, files, found !== 'free');
    return wait > 0 ? await ready(options, done) : { service: done };
  } catch (error) {
    const { code } = error as { code?: unknown };
    return absent(typeof code === 'string' ? code : 'the service could not be started');
  }
}

/** Who has the lock, and what is to be done: nothing, start one that waits for it to leave, or give up. */
async function look(
  options: EnsureOptions,
  files: ServiceFiles,
): Promise<'running' | 'leaving' | 'replaced' | Ensured> {
  const { ledger, hungAfter = HUNG_AFTER } = options;
  if (sinceBeat(files) > hungAfter)
    return (await endHung(files, ledger, hungAfter))
      ? 'replaced'
      : absent("a service is running but doesn't answer");
  const state = readState(ledger);
  // It is starting or leaving. One more that waits is not needed in the first case, and finds out.
  if (state === undefined || isEnding(state.pid)) return 'leaving';
  if (ageOf(state, options) !== 'older') return 'running';
  if (!isOurService(state.pid, files)) return absent(`a service of version ${state.version} is running`);
  if (!isFirstToAsk(files)) return 'leaving';
  process.kill(state.pid, 'SIGTERM'); // it finishes what is under way
  return 'replaced';
}

/** Many hooks may find the same old service at once, and a second signal would end one of 0.1.0 in the middle of its work. */
function isFirstToAsk({ leaving }: ServiceFiles): boolean {
  try {
    writeFileSync(leaving, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const asked = statSync(leaving, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // Whoever asked may have been killed before it did.
  if (Math.abs(Date.now() - asked) < ASKED_FOR) return false;
  writeFileSync(leaving, '', { mode: 0o600 });
  return true;
}

/**
 * Replaces a service of an older build. Does nothing where none runs, or one that is as new. Never throws. Not for `locked`:
 * there the service is another user's.
 */
export async function replaceOlder(options: EnsureOptions): Promise<Ensured> {
  try {
    if (!isServedByOlder(options.ledger, options) || !isHeld(serviceFiles(options.ledger)))
      return absent('no older service is running');
  } catch {
    return absent('the service belongs to another user');
  }
  return ensureService(options);
}

/** Is a service of an older build at work? Every hook asks, so it must stay cheap. Never throws. */
export function isServedByOlder(ledger: string, own: Build): boolean {
  const state = readState(ledger);
  return state !== undefined && ageOf(state, own) === 'older' && sinceBeat(serviceFiles(ledger)) < HUNG_AFTER;
}

function absent(why: string): Ensured {
  return { service: 'absent', why };
}

function start(
  { ledger, command, env = process.env }: EnsureOptions,
  files: ServiceFiles,
  waits: boolean,
): void {
  rotate(files.log);
  const log = openSync(files.log, 'a', 0o600);
  try {
    const more = waits ? ['--wait', LEAVE] : [];
    startApart(['serve', '--ledger', ledger, '--if-needed', ...more], { command, env, output: log });
  } finally {
    closeSync(log);
  }
}

/**
 * `foil` with these words, detached and with none of the caller's environment but what says where things are: it
 * outlives who started it. False where it can't be started.
 */
export function startApart(
  words: readonly string[],
  {
    command = [process.execPath, foil()],
    env,
    output = 'ignore',
  }: {
    readonly command?: readonly string[] | undefined;
    readonly env: NodeJS.ProcessEnv;
    /** A file that is open, for what it says. */
    readonly output?: number | 'ignore';
  },
): boolean {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const [program, ...first] = command;
  if (program === undefined) throw new TypeError('no command');
  const child = spawn(program, [...first, ...words], {
    cwd: '/', // the work tree may be deleted under us
    env: Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name))),
    stdio: ['ignore', output, output],
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
  return child.pid !== undefined;
}

const KEPT = /^(PATH|HOME|USER|LOGNAME|LANG|LC_ALL|TZ|TMPDIR|XDG_[A-Z_]+)$/;

function foil(): string {
  const here =
    typeof __dirname === 'string'
      ? __dirname
      : dirname(process.getBuiltinModule('node:url').fileURLToPath(import.meta.url));
  const beside = join(here, 'foil.cjs');
  return existsSync(beside) ? beside : join(here, '../../dist/foil.cjs');
}

async function ready(options: EnsureOptions, how: 'started' | 'replaced'): Promise<Ensured> {
  const { ledger, wait = 0 } = options;
  const files = serviceFiles(ledger);
  for (let waited = 0; waited <= wait; waited += 10) {
    const state = readState(ledger);
    const isNew = state !== undefined && ageOf(state, options) !== 'older' && !isEnding(state.pid);
    if (isNew && sinceBeat(files) < HUNG_AFTER && isHeld(files)) return { service: how };
    await pause(10);
  }
  return absent(`the service was not ready after ${wait} ms; see ${files.log}`);
}

/** True once the lock is free. */
async function endHung(files: ServiceFiles, ledger: string, hungAfter: number): Promise<boolean> {
  // Somebody who only looks holds the lock for an instant; one that starts has not beaten yet.
  for (let turn = 0; turn < 10; turn++) {
    await pause(10);
    if (!isHeld(files)) return true;
    if (sinceBeat(files) <= hungAfter) return true;
  }
  const pid = readState(ledger)?.pid;
  if (pid === undefined || !isOurService(pid, files)) return false;
  process.kill(pid, 'SIGKILL');
  for (let turn = 0; turn < 200; turn++) {
    if (!isHeld(files)) return true;
    await pause(10);
  }
  return false;
}

/** Killed, and not gone yet: a process ends thread by thread, and its lock with the last. */
function isEnding(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return existsSync('/proc/self/status');
  }
}

/** It was started as `serve` and has this ledger's service lock open. Where there is no /proc, nobody can say: no. */
export function isOurService(pid: number, files: ServiceFiles): boolean {
  if (pid === process.pid) return false;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
    if (!words.includes('serve')) return false;
    const lock = realpathSync(files.lock);
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === lock;
      } catch {
        return false; // closed meanwhile
      }
    });
  } catch {
    return false;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
