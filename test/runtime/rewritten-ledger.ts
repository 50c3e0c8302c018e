// A copy of a ledger in which payloads of a run were changed by somebody who has the salt and makes every hash anew, but for
// those of states, which only the agent's code gives.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { utf8Encode } from '#platform';
import { canonicalize, derivedKey, type JsonObject, plainBlake3 } from '../../src/core/index.ts';
import {
  type Entry,
  encodeEntry,
  encodeRunEvent,
  GENESIS,
  parseRunEvent,
  parseSalt,
  RUN_KEY,
  type RunEvent,
  saltPath,
} from '../../src/format/index.ts';
import { temporary } from '../temporary.ts';
import type { Place } from './run-ledger.ts';

/** `change` gives the new payload of an event, null to leave it, or `drop` to take it out as if it had changed no state. */
export async function rewritten(
  { directory }: Place,
  run: string,
  change: (event: RunEvent) => JsonObject | 'drop' | null,
): Promise<Place> {
  const copy = join(temporary(), 'ledger');
  cpSync(directory, copy, { recursive: true });
  const hash = plainBlake3(derivedKey(parseSalt(readFileSync(join(copy, saltPath(run)))), RUN_KEY));
  let prev = GENESIS;
  let made = 0;
  /** The states that a dropped event led to are those before it. */
  const states = new Map<string, string | null>();
  const stateOf = <T extends string | null>(state: T): T => (states.get(state ?? '') ?? state) as T;
  const anewOf = (event: RunEvent, payload: JsonObject | null): RunEvent => {
    const { stateBefore, stateAfter } = event;
    const told = { ...event, stateBefore: stateOf(stateBefore), stateAfter: stateOf(stateAfter) };
    return payload === null
      ? told
      : { ...told, payload, payloadHash: hash(utf8Encode(canonicalize(payload))) };
  };
  for (const name of readdirSync(join(copy, 'ledger')).sort()) {
    const path = join(copy, 'ledger', name);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const anew = lines.flatMap((line) => {
      const entry = JSON.parse(line) as Entry;
      const event = entry.kind === 'run.event' ? parseRunEvent(entry.payload) : null;
      const payload = event === null ? null : change(event);
      if (payload === 'drop') {
        if (event !== null) states.set(event.stateAfter, event.stateBefore);
        return [];
      }
      const { kind, source, session_id, ts } = entry;
      // Behind what was dropped it would be the place of another entry.
      const cause = states.size === 0 ? entry.cause : null;
      const changed = event === null ? entry.payload : encodeRunEvent(anewOf(event, payload));
      const draft = { kind, source, session_id, cause, ts, payload: changed };
      const { line: encoded, hash: hashed } = encodeEntry(draft, ++made, prev);
      prev = hashed;
      return [encoded];
    });
    writeFileSync(path, `${anew.join('\n')}\n`);
  }
  // They tell of the lines as they were, and the store makes them anew.
  for (const name of ['head', 'checkpoint', 'checkpoints', 'tile'])
    rmSync(join(copy, name), { recursive: true, force: true });
  mkdirSync(join(copy, 'checkpoints'));
  return { directory: copy, keyDirectory: join(copy, 'keys') };
}
