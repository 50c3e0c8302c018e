// `foil replay` of a session that a real agent had: what the command says of it.
import { derivedKey } from '../core/index.ts';
import { type Entry, REPLAY_KEY } from '../format/index.ts';
import type { AgentSandbox } from '../gate/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { type Context, EXIT, type Outcome, UsageError } from './command.ts';
import { contentReader, readSalt } from './content.ts';
import { parseLine, scanLines } from './entry-lines.ts';
import { KEPT_KINDS, readKeptSession, Unreplayable } from './kept-session.ts';
import { replaySession, type SessionReplay } from './replay-session.ts';
import { counted, harmless } from './text.ts';

export interface ReplayContext extends Pick<Context, 'values' | 'env' | 'progress'> {
  readonly sandbox: AgentSandbox;
  /** Folders of which the agent must see nothing. */
  readonly hidden: readonly string[];
  readonly signal: AbortSignal;
}

/** These belong to runs of our own runtime. */
const OF_RUNS = ['from', 'to', 'execute'];
const LONGEST_PART = 400;

/** Undefined where there is no such session. */
export async function replayRecorded(
  { values, env, progress, sandbox, hidden, signal }: ReplayContext,
  located: Located,
  ledger: Ledger,
  { id, first }: { readonly id: string; readonly first: number },
): Promise<Outcome | undefined> {
  const entries = await entriesOf(ledger, id, first);
  if (entries === undefined) return undefined;
  const stray = OF_RUNS.find((name) => values.flag(name));
  if (stray !== undefined)
    throw new UsageError(`--${stray} is for runs of counterfoil/runtime. This is a session of an agent.`);
  try {
    progress('reading what was kept');
    const kept = await readKeptSession(id, entries, contentReader(ledger, located));
    const salt = await readSalt(ledger, id);
    if (salt === undefined) throw new Unreplayable("the session's salt is not here: it was erased");
    progress(`replaying ${counted(kept.calls.length, 'call')}`);
    const key = derivedKey(salt, REPLAY_KEY);
    return outcomeOf(id, await replaySession({ kept, key, sandbox, env, hidden, signal }), sandbox);
  } catch (error) {
    if (!(error instanceof Unreplayable)) throw error;
    const { message, changed } = error;
    return {
      exit: changed ? EXIT.VIOLATION : EXIT.FAILED,
      json: { session: id, outcome: changed ? 'differs' : 'unknown', reason: message },
      text: changed
        ? `✗ Not replayed: ${harmless(message)}. Run \`foil verify\`.\n`
        : `? Replay is unknown: ${harmless(message)}\n`,
    };
  }
}

async function entriesOf({ store }: Ledger, id: string, first: number): Promise<Entry[] | undefined> {
  const entries: Entry[] = [];
  let isThere = false;
  for await (const lines of scanLines(store, first, (await store.head()).seq))
    for (const line of lines) {
      if (line.session !== id) continue;
      isThere = true;
      const entry = KEPT_KINDS.has(line.kind) ? parseLine(line) : undefined;
      if (entry !== undefined) entries.push(entry);
    }
  return isThere ? entries : undefined;
}

function outcomeOf(session: string, replay: SessionReplay, { name, cannot }: AgentSandbox): Outcome {
  const { outcome, difference, recordedExit, output, ...rest } = replay;
  return {
    exit: outcome === 'same' ? EXIT.FINE : outcome === 'differs' ? EXIT.VIOLATION : EXIT.FAILED,
    json: {
      ...{ session, outcome, ...rest, recorded_exit: recordedExit },
      difference: difference && { ...difference, asked: shortened(difference.asked) },
      ...(outcome === 'same' ? {} : { output }),
      sandbox: { name, cannot },
    },
    text: words(replay),
  };
}

function words({
  outcome,
  reason,
  difference,
  played,
  calls,
  borrowed,
  refused,
  output,
}: SessionReplay): string {
  const notes = [
    ...borrowed.map((each) => `  ${each} was used as it is now: it is not kept\n`),
    ...(refused > 0
      ? [`  ${counted(refused, 'request')} to no model ${refused === 1 ? 'was' : 'were'} refused\n`]
      : []),
  ].join('');
  if (outcome === 'same') return `✓ Replay successful: ${counted(calls, 'model call')}\n${notes}`;
  const asked = shortened(difference?.asked ?? null);
  const said =
    output.trim() === '' ? '' : `  The agent said at last: ${harmless(output.trim().slice(-LONGEST_PART))}\n`;
  return [
    `${outcome === 'differs' ? '✗ Replay differs' : '? Replay is unknown'} at ${harmless(reason ?? '')}\n`,
    ...(asked === null ? [] : [`  Now:      ${harmless(asked)}\n`]),
    `  ${played} of ${counted(calls, 'model call')} as recorded\n`,
    ...(difference === null ? [said] : []),
    notes,
  ].join('');
}

function shortened(text: string | null): string | null {
  return text === null || text.length <= LONGEST_PART
    ? text
    : `${text.slice(0, LONGEST_PART).toWellFormed()}…`;
}
