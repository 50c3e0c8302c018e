// What the gate said when it held a turn. Claude Code and Codex give that to the model as what it is; other hosts hand it
// over as the next prompt. It is not the user's: it asks for nothing, and the count of blocks goes on.
import { sha256Hex } from '#platform';
import { withoutWayPast } from '../../rules/index.ts';
import type { HostEvent } from './host-event.ts';
import type { SessionState } from './session-state.ts';

/** The origin of a notice that holds our own words. */
export const FROM_GATE = 'gate';

/** A hash of a reason, as the model gets to read it. */
export function ownWords(reason: string): string {
  return sha256Hex(withoutWayPast(reason).replace(/\s+/g, ' ').trim());
}

/** The event as it is: a prompt with our own words is a notice. */
export function unlessOurs(event: HostEvent, state: SessionState | undefined): HostEvent {
  if (event.type !== 'prompt' || state?.gate.said === undefined) return event;
  const { type: _, ...rest } = event;
  return ownWords(event.text) === state.gate.said ? { ...rest, type: 'notice', origin: FROM_GATE } : event;
}
