// relay.script: an event that somebody else records, over the service's socket, with next to nothing loaded. In locked
// mode that is every event; else it is the end of a turn, where a service runs: it has everything loaded that the gate
// needs, and seals by itself. Where nobody is there, or the service could not do what this command line asks for, the
// hook does all of it itself; an event that the service took and did not answer may be recorded, so it is not told
// twice.
import { existsSync } from 'node:fs';
import {
  type HookLine,
  locateHook,
  modeHere,
  ownBuild,
  parseHookLine,
  readInput,
  say,
} from '../app/index.ts';
import { isFoilOff, type Mode, readSettings } from '../ledger/index.ts';
import { hookDeadline } from '../record/index.ts';
import { ageOf, ClientError, postHook, readState, socketPath } from '../service/index.ts';

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
  const service: Service | undefined = only ? { socket: pinnedSocket, mode: 'locked' } : serviceHere(line);
  if (service === undefined) return aside;
  const { socket, mode } = service;
  try {
    const body = await readInput(pieces);
    const answer = await postHook({
      ...{ socket, agent, event, body, timeoutMs: hookDeadline(mode) },
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
}

/** The service that would record this as the hook does; undefined where there is none. */
function serviceHere(line: HookLine): Service | undefined {
  const { env } = process;
  // The service does not see this environment.
  if (env.FOIL_SESSION !== undefined || isFoilOff(env)) return undefined;
  try {
    const { located, env: own } = locateHook({ ...line, cwd: process.cwd(), env });
    const { directory } = located;
    const socket = socketPath(directory, own);
    if (!existsSync(socket)) return undefined;
    // The service knows the settings alone.
    const { mode } = readSettings(directory, own);
    if (mode === 'locked' || modeHere(directory, line, own) !== mode) return undefined;
    const state = readState(directory);
    return state !== undefined && ageOf(state, ownBuild()) === 'same' ? { socket, mode } : undefined;
  } catch {
    return undefined;
  }
}
