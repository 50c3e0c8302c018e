// The service's own files, `<ledger>/service/`: the token, who runs (state), when it last lived (heartbeat), its lock,
// socket and log. All but the token can be lost without harm. Read by the hook command too, so nothing is loaded here
// that a fast start can't afford.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from '#platform';
import { StoreError } from '../core/index.ts';
import { SERVICE_DIR } from '../format/index.ts';
import { runtimeDirectory } from '../record/index.ts';
import { hasCode, monotonic } from '../store/files/index.ts';
import { type BuildMark, parseBuildMark } from './build.ts';

export interface ServiceFiles {
  readonly directory: string;
  readonly token: string;
  readonly lock: string;
  readonly state: string;
  readonly heartbeat: string;
  readonly log: string;
  /** Somebody told the service to leave. */
  readonly leaving: string;
}

export function serviceFiles(ledger: string): ServiceFiles {
  const directory = join(ledger, SERVICE_DIR);
  const at = (name: string): string => join(directory, name);
  return {
    directory,
    token: at('token'),
    lock: at('lock'),
    state: at('state'),
    heartbeat: at('heartbeat'),
    log: at('log'),
    leaving: at('leaving'),
  };
}

/** For this user alone. The ledger itself must be there. */
export function makeServiceDirectory({ directory }: ServiceFiles): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** What sockaddr_un holds, less its closing zero, on Linux; less the name under which a socket is first bound. */
const LONGEST_SOCKET = 107 - '.1234567'.length;

/** In the service's directory; where that is too long for a socket, in the user's runtime directory. */
export function socketPath(ledger: string, env: NodeJS.ProcessEnv = process.env): string {
  const own = join(ledger, SERVICE_DIR, 'socket');
  if (isSocketPath(own)) return own;
  const short = `${sha256Hex(ledger).slice(0, 16)}.socket`;
  const choices = [
    join(dirname(runtimeDirectory(ledger, env)), short),
    join(dirname(runtimeDirectory(ledger, {})), short),
  ];
  return choices.find(isSocketPath) ?? join('/tmp', short);
}

export function isSocketPath(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET;
}

const TOKEN = /^[0-9a-f]{64}\n$/;

/** The token that hooks over TCP must show: made once, then kept, for settings files of hosts hold it. */
export function makeToken(ledger: string): string {
  const files = serviceFiles(ledger);
  makeServiceDirectory(files);
  const there = readToken(ledger);
  if (there !== undefined) return there;
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const temporary = `${files.token}.${process.pid}.tmp`;
  writeFileSync(temporary, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'w' });
  try {
    linkSync(temporary, files.token); // whole, and the first one wins
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(temporary);
  }
  return readToken(ledger) ?? makeToken(ledger);
}

/** Undefined where there is none yet. Throws where others may have read it, or it is none. */
export function readToken(ledger: string): string | undefined {
  const { token: path } = serviceFiles(ledger);
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  const advice = 'Remove it, then run `foil install` again to make a new one.';
  if ((lstatSync(path).mode & 0o077) !== 0)
    throw new StoreError('KEY', `other users can read ${path}. ${advice}`);
  if (!TOKEN.test(text)) throw new StoreError('KEY', `${path} has no token. ${advice}`);
  return text.slice(0, -1);
}

/** Who serves. There while a service is ready; one that was killed leaves it behind, so it proves nothing. */
export interface ServiceState {
  readonly pid: number;
  /** Null where the service only has its socket. */
  readonly port: number | null;
  readonly socket: string;
  readonly version: string;
  /** Null of a service that was built before this was kept. */
  readonly build?: BuildMark | null;
  /** RFC 3339. */
  readonly started: string;
  /** What keeps it from serving as it should, for `foil status`. */
  readonly problem: string | null;
}

export function writeState(files: ServiceFiles, state: ServiceState): void {
  const temporary = `${files.state}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ v: 1, ...state })}\n`, { mode: 0o600 });
  renameSync(temporary, files.state);
}

/** Undefined where there is none, or none that can be read: derived, and written anew by the next service. */
export function readState(ledger: string): ServiceState | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(serviceFiles(ledger).state, 'utf8'));
  } catch {
    return undefined;
  }
  const { v, pid, port, socket, version, build, started, problem } = (value ?? {}) as Record<string, unknown>;
  const isPort = port === null || (typeof port === 'number' && Number.isSafeInteger(port));
  if (v !== 1 || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 2 || !isPort)
    return undefined;
  if (typeof socket !== 'string' || typeof version !== 'string' || typeof started !== 'string')
    return undefined;
  return {
    ...{ pid, port, socket, version, started },
    build: parseBuildMark(build),
    problem: typeof problem === 'string' ? problem : null,
  };
}

export function removeState(files: ServiceFiles): void {
  removeQuietly(files.state);
}

/** A service that has not beaten for so long is hung. */
export const HUNG_AFTER = 30_000;

/** A service that has beaten so lately is at work. It beats twice as often. */
export const AT_WORK = 10_000;

/** The time is the system's monotonic one, the same for all processes: a clock that jumps makes nobody look hung. */
export function beat(files: ServiceFiles): void {
  writeFileSync(files.heartbeat, `${Math.round(monotonic())}\n`, { mode: 0o600 });
}

/** Milliseconds since the last beat; Infinity where there is none. */
export function sinceBeat(files: ServiceFiles): number {
  try {
    const age = monotonic() - Number.parseInt(readFileSync(files.heartbeat, 'latin1'), 10);
    // From before the last boot, or caught between two writes: then the file's own time must do.
    return age >= -1000 ? age : Math.abs(Date.now() - statSync(files.heartbeat).mtimeMs);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was not there, or is not ours to remove.
  }
}

/** A file that grows past this is set aside as `.1`, in place of the one before. */
const LONGEST_LOG = 1024 * 1024;

export function rotate(path: string, longest = LONGEST_LOG): void {
  try {
    if (statSync(path).size < longest) return;
    renameSync(path, `${path}.1`);
    chmodSync(`${path}.1`, 0o600);
  } catch {
    // Not there yet, or another process was quicker.
  }
}
