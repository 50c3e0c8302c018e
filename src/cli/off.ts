// off.script: a hook with FOIL=off, with next to nothing loaded. It leaves a note, from which the next entry of the session tells
// of the gap, and does nothing else: it seals nothing and looks after no service. Outside of observe the variable is nobody's
// word, so the hook goes on as without it.
import { hostSession, locateHook, modeInPlace, parseHookLine, readInput } from '../app/index.ts';
import { adapterOf } from '../capture/hooks/index.ts';
import { decisiveEvent, noteDirectories, noteOff, readHookEvents } from '../record/index.ts';
import type { Given } from './relay.ts';

/** The exit code, or what the hook goes on with. Never rejects. */
export async function leaveOff(words: readonly string[], pieces: Uint8Array[]): Promise<number | Given> {
  const aside: Given = { pieces, failure: null };
  try {
    const line = parseHookLine(words);
    const adapter = typeof line === 'string' ? undefined : adapterOf(line.agent);
    if (typeof line === 'string' || adapter === undefined) return aside;
    const { event, pinned, assumed } = line;
    const body = await readInput(pieces);
    const main = decisiveEvent(readHookEvents({ adapter, body, event }).events);
    if (main === undefined) return 0;
    const session = line.ledger === undefined ? hostSession(line.agent, body) : undefined;
    const { located, env } = locateHook({ ...line, session, cwd: process.cwd(), env: process.env });
    const { mode, settings } = modeInPlace({ located, env, pinned, assumed });
    if (mode !== 'observe') return aside;
    const [runtime = ''] = noteDirectories(located.directory, env, settings);
    noteOff(runtime, main.session, Date.now());
    return 0;
  } catch {
    return aside;
  }
}
