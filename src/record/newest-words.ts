// At the end of a turn Gemini CLI tells everything that its model said since the prompt, also what it said before the gate
// held it, and took back since. What is new is recorded and judged; the rest is on record already.
import { sha256Hex } from '#platform';
import type { HostEvent } from './host-event.ts';
import type { SessionState } from './session-state.ts';

/** The event with what is new in its message, for a host that tells all of it. */
export function newestWords(event: HostEvent, state: SessionState | undefined): HostEvent {
  if (event.type !== 'stop' || event.message === null) return event;
  const { message } = event;
  const { length = 0, hash = '' } = state?.told ?? {};
  const isNew = length > 0 && length < message.length && sha256Hex(message.slice(0, length)) === hash;
  const told = { length: message.length, hash: sha256Hex(message) };
  return { ...event, message: isNew ? message.slice(length).trim() : message, told };
}
