// relay.script: an event that somebody else records, over the service's socket, with next to nothing loaded. In locked
// mode that is every event; else it is a session or a turn that begins or ends, where a service runs: it has everything
// loaded that the gate needs, and seals by itself. Where nobody is there, or the service could not do what this command
// line asks for, the hook does all of it itself; an event that the service took and did not answer may be recorded, so it
// is not told twice.
import { existsSync } from 'node:fs';
import {
  divertedBy,
  type HookLine,
  hostSession,
  locateHook,
  modeHere,
  ownBuild,
  parseHookLine,
  readInput,
  say,
} from '../app/index.ts';
import { isFoilOff, type Mode, readSettings } from '../ledger/index.ts';
import { hookDeadline } from '../record/index.ts';
import {
  AT_WORK,
  ageOf,
  ClientError,
  encodeCaller,
  postHook,
  readState,
  serviceFiles,
  sinceBeat,
  socketPath,
} from '../service/index.ts';

/** What a hook goes on with that could not leave it to others. */
export interface Given {
  /** Of its standard input, as far as it was read. */
  readonly pieces: Uint8Array[];
  /** Why the event must not be told again: somebody has it, or nobody else may record it. */
  readonly failure: Error | null;
}

/** systemd needs a moment to start the service again. */
const RESTART = 2000;

/** The exit code, once the host has its answer. Never rejects. */
export async function relay(words: readonly string[], pieces: Uint8Array[]): Promise<number | Given> {
  const aside: Given = { pieces, failure: null };
  const line = parseHookLine(words);
  if (typeof line === 'string') return aside;
  const { agent, event, socket: pinnedSocket } = line;
  const only = pinnedSocket !== undefined;
  const service = only ? { socket: pinnedSocket, mode: 'locked' as const } : await serviceOf(line, pieces);
  if (service === undefined) return aside;
  const { socket, mode, caller }: Service = service;
  try {
    const body = await readInput(pieces);
    const answer = await postHook({
      ...{ socket, agent, event, body, caller, timeoutMs: hookDeadline(mode) },
      ...(only ? { patienceMs: RESTART } : {}),
    });
    return say(answer, mode !== 'observe');
  } catch (error) {
    const mayTell = !only && error instanceof ClientError && error.code === 'refused';
    if (mayTell) return aside;
    return { pieces, failure: error instanceof Error ? error : new Error(String(error)) };
  }
}

interface Service {
  readonly socket: string;
  readonly mode: Mode;
  readonly caller?: string;
}

/** A line that names no ledger goes by the session that the event names. */
async function serviceOf(line: HookLine, pieces: Uint8Array[]): Promise<Service | undefined> {
  if (line.ledger !== undefined) return serviceHere(line);
  try {
    return serviceHere(line, hostSession(line.agent, await readInput(pieces)));
  } catch {
    return undefined;
  }
}

/** The service that would record this as the hook does; undefined where there is none. */
function serviceHere(line: HookLine, session?: string): Service | undefined {
  const { env } = process;
  // The service doesn't see all of this environment.
  if (env.FOIL_SESSION !== undefined || isFoilOff(env) || divertedBy(env) !== null) return undefined;
  try {
    const cwd = process.cwd();
    const { located, env: own } = locateHook({ ...line, session, cwd, env });
    const { directory, notice } = located;
    if (notice !== undefined) return undefined;
    const socket = socketPath(directory, own);
    if (!existsSync(socket)) return undefined;
    // The service knows the settings alone.
    const { mode } = readSettings(directory, own);
    if (mode === 'locked' || modeHere(directory, line, own) !== mode) return undefined;
    const state = readState(directory);
    if (state === undefined || ageOf(state, ownBuild()) !== 'same') return undefined;
    // One that hangs is replaced by whoever records in its place.
    if (sinceBeat(serviceFiles(directory)) > AT_WORK) return undefined;
    const caller = encodeCaller({ pid: process.ppid, cwd, env: own });
    return caller === undefined ? undefined : { socket, mode, caller };
  } catch {
    return undefined;
  }
}
