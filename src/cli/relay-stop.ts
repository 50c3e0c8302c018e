// The end of a turn is judged by the service where one runs: it has everything loaded that the gate needs, and seals by
// itself. One event over its socket. Where nobody is there, or it could not do what this command line asks for, the hook
// does all of it itself; an event that the service took and did not answer may be recorded, so it is not told twice.
import { existsSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };
import type { Located } from '../ledger/index.ts';
import {
  type Adapter,
  type Answer,
  hookDeadline,
  type Mode,
  readSettings,
  refuseHook,
  strictest,
} from '../record/index.ts';
import { ClientError, postHook, readState, socketPath } from '../service/index.ts';

export interface Stopping {
  readonly adapter: Adapter;
  readonly event: string | null;
  readonly pinned: Mode;
  readonly body: Uint8Array;
  readonly located: Located;
  readonly env: NodeJS.ProcessEnv;
}

const STOP =
  /"(?:hook_event_name|hookEventName)"\s*:\s*"(?:Stop|SubagentStop|AfterAgent|agentStop|subagentStop|stop)"/;
/** The names of events come first, or last, and are short. */
const HEAD = 4096;

/** Undefined where the hook must do it itself. Never rejects. */
export async function relayStop(stopping: Stopping): Promise<Answer | undefined> {
  const { adapter, event, pinned, body, located, env } = stopping;
  if (!isStop(event, body) || env.FOIL_SESSION !== undefined) return undefined;
  const socket = socketPath(located.directory, env);
  if (!existsSync(socket)) return undefined;
  try {
    const { mode } = readSettings(located.directory);
    // The service knows the settings alone.
    if (mode === 'locked' || strictest(pinned, mode) !== mode) return undefined;
    if (readState(located.directory)?.version !== manifest.version) return undefined;
  } catch {
    return undefined;
  }
  try {
    return await postHook({ socket, agent: adapter.agent, event, body, timeoutMs: hookDeadline(pinned) });
  } catch (error) {
    if (error instanceof ClientError && error.code === 'refused') return undefined;
    return refuseHook(
      { adapter, event, pinned, body },
      error instanceof Error ? error : new Error(String(error)),
    );
  }
}

function isStop(event: string | null, body: Uint8Array): boolean {
  if (event !== null && STOP.test(`"hook_event_name":"${event}"`)) return true;
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return (
    STOP.test(text.toString('latin1', 0, HEAD)) ||
    STOP.test(text.toString('latin1', Math.max(0, text.length - HEAD)))
  );
}
