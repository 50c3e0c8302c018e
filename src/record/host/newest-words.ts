// What an end of a turn tells of the model's last message, where the host does not simply put it there. Cursor tells it by
// an event of its own, before. Copilot has it in a file, of which it is known where the turn begins. Gemini's is below.
// At the end of a turn Gemini CLI tells everything that its model said since the prompt, also what it said before the gate
// held it, and took back since. What is new is recorded and judged; the rest is on record already.
import { sha256Hex } from '#platform';
import type { HostEvent } from './host-event.ts';
import type { SessionState } from './session-state.ts';
import { markTranscript } from './transcript.ts';

/** The event with what is new in its message, for a host that tells all of it. */
export function newestWords(event: HostEvent, state: SessionState | undefined): HostEvent {
  if (event.type !== 'stop' || event.message === null) return event;
  const { message } = event;
  const { length = 0, hash = '' } = state?.told ?? {};
  const isNew = length > 0 && length < message.length && sha256Hex(message.slice(0, length)) === hash;
  const told = { length: message.length, hash: sha256Hex(message) };
  return { ...event, message: isNew ? message.slice(length).trim() : message, told };
}

/** The end of a turn with what is known of its message from before. */
export function withTurn(event: HostEvent, state: SessionState | undefined): HostEvent {
  if (event.type !== 'stop' || event.message !== null || state === undefined) return event;
  const { said, mark } = state;
  if (said !== undefined) return { ...event, message: said };
  const { transcript } = event;
  return mark === undefined || transcript === null || mark.of !== sha256Hex(transcript)
    ? event
    : { ...event, mark };
}

/** A longer message is not kept until the turn ends: that turn's is then unreadable. */
const LONGEST_SAID = 256 * 1024;

/** What the end of the turn will need. `clean`: nothing else is kept in the state. */
export function rememberTurn(
  state: SessionState,
  event: HostEvent,
  clean: (text: string) => string,
): SessionState {
  const isNew = event.type === 'prompt' || event.type === 'stop' || event.type === 'session.end';
  const { said: before, mark: marked, ...rest } = state;
  const told = event.type === 'observation' && event.agentId === null ? event.said : undefined;
  const said = told === undefined ? (isNew ? undefined : before) : clean(told);
  const mark = markTranscript(event.transcript, marked, isNew);
  return {
    ...rest,
    ...(said === undefined || said.length > LONGEST_SAID ? {} : { said }),
    ...(mark === undefined ? {} : { mark }),
  };
}
