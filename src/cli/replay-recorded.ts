// `foil replay` of a session that a real agent had: what the command says of it.

import {
  KEPT_KINDS,
  type KeptSession,
  readKeptSession,
  replaySession,
  type SessionReplay,
  Unreplayable,
} from '../app/index.ts';
import { normalForm } from '../capture/llm/index.ts';
import { parseYaml, readConfig } from '../config/index.ts';
import { canonicalize, derivedKey, type Json, UsageError } from '../core/index.ts';
import { type Entry, REPLAY_KEY } from '../format/index.ts';
import type { AgentSandbox } from '../gate/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { makeRedactor } from '../redact/index.ts';
import {
  comparable,
  contentReader,
  counted,
  harmless,
  parseLine,
  type ReadContent,
  readSalt,
  recordedMessage,
  scanLines,
  wherePart,
} from '../report/index.ts';
import type { Difference } from '../service/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';

export interface ReplayContext extends Pick<Context, 'values' | 'env' | 'progress'> {
  readonly sandbox: AgentSandbox;
  /** Folders of which the agent must see nothing. */
  readonly hidden: readonly string[];
  readonly signal: AbortSignal;
}

/** These belong to runs of our own runtime. */
const OF_RUNS = ['from', 'to', 'execute'];
const LONGEST_OUTPUT = 400;

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
    throw new UsageError(
      `--${stray} is only for runs of counterfoil/runtime, and this is an agent's session.`,
    );
  try {
    progress('reading what was kept');
    const read = contentReader(ledger, located);
    const kept = await readKeptSession(id, entries, read);
    const salt = await readSalt(ledger, id);
    if (salt === undefined) throw new Unreplayable("the session's salt was erased");
    progress(`replaying ${counted(kept.calls.length, 'call')}`);
    const key = derivedKey(salt, REPLAY_KEY);
    const replay = await replaySession({ kept, key, sandbox, env, hidden, signal });
    const { difference } = replay;
    const normal = normalForm([kept.start, sandbox.places]);
    const shown = difference && (await shownOf(difference, { id, kept, entries, read, normal }));
    return outcomeOf(id, replay, shown, sandbox);
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

/** Both sides of a difference, redacted, from shortly before they part. */
interface Shown {
  /** Null where the record has nothing to show beside it. */
  readonly recorded: string | null;
  readonly now: string | null;
}

interface ShownOf {
  readonly id: string;
  readonly kept: KeptSession;
  readonly entries: readonly Entry[];
  readonly read: ReadContent;
  readonly normal: (text: string) => string;
}

async function shownOf(
  { call, part, asked }: Difference,
  { id, kept, entries, read, normal }: ShownOf,
): Promise<Shown> {
  const redactor = makeRedactor(rulesOf(kept.start.root));
  const now = asked === null ? null : canonicalize(redactor.value(JSON.parse(asked) as Json, {}));
  const [, list, index] = /^(messages|input|contents)\[([0-9]+)\]$/.exec(part ?? '') ?? [];
  const found = kept.calls.find(({ number }) => number === call);
  const parts = found?.answer?.parts.filter(([name]) => name.startsWith(`${list}[`)) ?? [];
  if (found === undefined || Number(index ?? parts.length) >= parts.length)
    return { recorded: null, now: cut(now) };
  const place = { seq: found.seq, fromEnd: parts.length - Number(index) };
  const message = await recordedMessage(id, entries, place, read);
  if (message === undefined || now === null) return { recorded: null, now: cut(now) };
  return wherePart(comparable(message, normal), now);
}

/** The project's own; the default ones where its file can't be read. */
function rulesOf(root: string): Parameters<typeof makeRedactor>[0] {
  try {
    return readConfig(root, parseYaml).redact;
  } catch {
    return undefined;
  }
}

function outcomeOf(
  session: string,
  replay: SessionReplay,
  shown: Shown | null,
  { name, cannot }: AgentSandbox,
): Outcome {
  const { outcome, difference, recordedExit, output, ...rest } = replay;
  const { call = null, part = null, how = null } = difference ?? {};
  return {
    exit: outcome === 'same' ? EXIT.FINE : outcome === 'differs' ? EXIT.VIOLATION : EXIT.FAILED,
    json: {
      ...{ session, outcome, ...rest, recorded_exit: recordedExit },
      difference: difference && { call, part, how, ...shown },
      ...(outcome === 'same' ? {} : { output }),
      sandbox: { name, cannot },
    },
    text: words(replay, shown),
  };
}

function words(
  { outcome, reason, played, calls, borrowed, refused, output }: SessionReplay,
  shown: Shown | null,
): string {
  const notes = [
    ...borrowed.map((each) => `  ${each} was used as it is now, because it wasn't kept\n`),
    ...(refused > 0 ? [`  ${counted(refused, 'request')} refused, because they didn't go to a model\n`] : []),
  ].join('');
  if (outcome === 'same') return `✓ Replay successful: ${counted(calls, 'model call')}\n${notes}`;
  const { recorded = null, now = null } = shown ?? {};
  const last = output.trim().slice(-LONGEST_OUTPUT);
  return [
    `${outcome === 'differs' ? '✗ Replay differs' : '? Replay is unknown'} at ${harmless(reason ?? '')}\n`,
    ...(recorded === null ? [] : [`  Recorded: ${harmless(recorded)}\n`]),
    ...(now === null ? [] : [`  Now:      ${harmless(now)}\n`]),
    `  ${played} of ${counted(calls, 'model call')} as recorded\n`,
    ...(shown !== null || last === '' ? [] : [`  The agent's last words: ${harmless(last)}\n`]),
    notes,
  ].join('');
}

function cut(text: string | null): string | null {
  return text === null ? null : wherePart('', text).now;
}
