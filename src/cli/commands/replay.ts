// foil replay: rebuilds the states of a run from its events, by the code that it ran, in a sandbox, and compares them with
// those on record. A session of a real agent has no such events: its models are played to it again (replay-recorded.ts).
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedKey, StoreError } from '../../core/index.ts';
import { parseRunEventId, RUN_KEY } from '../../format/index.ts';
import type { AgentSandbox, AttestingSandbox } from '../../gate/index.ts';
import { configDirectory, type Located, type Store, stateDirectory } from '../../ledger/index.ts';
import { type ReplayReport, RunError, replayRun } from '../../runtime/index.ts';
import { makeBubblewrap } from '../../sandbox/bubblewrap/index.ts';
import { type Command, type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { contentReader, readSalt } from '../content.ts';
import { scanLines } from '../entry-lines.ts';
import { place, reading } from '../place.ts';
import { replayRecorded } from '../replay-recorded.ts';
import { parseSessionPrefix } from '../sessions.ts';
import { counted, harmless } from '../text.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'run a recorded run or session again, in a sandbox, and compare it with the record',
  usage: 'RUN | SESSION [--verify] [options]',
  arguments: [1, 1],
  options: {
    verify: { type: 'boolean', help: 'compare every state; this is what happens unless --to is given' },
    from: {
      type: 'string',
      value: 'SNAPSHOT',
      help: 'begin at this event, which is a snapshot; `last` for the newest',
    },
    to: { type: 'string', value: 'N', help: 'stop behind event N and show the state there' },
    execute: { type: 'boolean', help: 'run pure tools again and compare what they give' },
  },
  examples: [
    'foil replay 9d5e --verify',
    'foil replay 9d5e --from last --execute',
    'foil replay 9d5e --to 42',
    'foil replay 3f9a',
  ],
  notes: [
    'A session of Claude Code, Codex or a program that was recorded with `foil run --gateway` and `replay: keep` is replayed',
    'offline: the recorded models are played to the real agent. The options are for runs of counterfoil/runtime.',
    '',
    'A replay proves that the states follow from the events by the code on record. It does not prove that a tool',
    'was right, that what it told was true, or that the agent decided well.',
  ],
  run,
};

const LARGEST = 256 * 1024 * 1024;

async function run(context: Context): Promise<Outcome> {
  const { values, onInterrupt, progress } = context;
  const [text = ''] = context.arguments;
  const prefix = parseSessionPrefix(text);
  const to = numberOf(values.text('to'), 'to');
  const from = startOf(values.text('from'));
  const located = place(context);
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  return reading(located, async (ledger) => {
    const { run: id, first } = await findRun(ledger.store, prefix);
    try {
      const salt = await readSalt(ledger, id);
      const read = contentReader(ledger, located);
      progress('replaying');
      const report = await replayRun({
        log: ledger.store,
        run: id,
        first,
        key: salt === undefined ? null : derivedKey(salt, RUN_KEY),
        read: async (ref) => {
          const content = await read(id, ref, LARGEST);
          return content.state === 'kept' ? content.bytes : undefined;
        },
        sandbox: sandboxOf(context, located),
        cell: cellOf(),
        from,
        to,
        execute: values.flag('execute'),
        signal: stop.signal,
      });
      return outcomeOf(report, to);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      if (error.code === 'NOT_A_RUN') {
        const replayed = await replayRecorded(
          {
            ...context,
            sandbox: sandboxOf(context, located),
            hidden: hiddenFrom(context, located),
            signal: stop.signal,
          },
          located,
          ledger,
          { id, first },
        );
        if (replayed !== undefined) return replayed;
      }
      const exit =
        error.code === 'NOT_A_RUN'
          ? EXIT.NOT_FOUND
          : error.code === 'DIVERGED'
            ? EXIT.VIOLATION
            : EXIT.FAILED;
      return {
        exit,
        json: { outcome: 'unknown', code: error.code, message: error.message },
        text: `? Not replayed: ${harmless(error.message)}\n`,
      };
    } finally {
      progress('');
      undo();
    }
  });
}

function hiddenFrom({ env }: Context, { directory, keyDirectory }: Located): string[] {
  return [stateDirectory(env), configDirectory(env), directory, keyDirectory];
}

function sandboxOf(context: Context, located: Located): AgentSandbox & AttestingSandbox {
  return makeBubblewrap({
    hidden: hiddenFrom(context, located),
    path: `${dirname(process.execPath)}:${context.env.PATH ?? ''}`,
  });
}

function outcomeOf(report: ReplayReport, to: number | undefined): Outcome {
  const { outcome, divergence, unknownAt, finalStateHash, state, broke, flaw, from } = report;
  const exit =
    outcome === 'diverges' || flaw !== null
      ? EXIT.VIOLATION
      : outcome === 'unknown'
        ? EXIT.FAILED
        : EXIT.FINE;
  const json = {
    run: report.run,
    outcome,
    from,
    events: report.events,
    final_state_hash: finalStateHash,
    divergence,
    flaw,
    unknown_at: unknownAt,
    broke,
    ...(to === undefined ? {} : { state: state === null ? null : JSON.parse(state) }),
    code: report.code,
    node: report.node,
    sandbox: report.sandbox,
  };
  return {
    exit,
    json,
    text: `${words(report)}${to === undefined ? '' : `${harmless(state ?? 'no state')}\n`}`,
  };
}

function words({
  outcome,
  divergence,
  unknownAt,
  finalStateHash,
  broke,
  flaw,
  from,
  events,
}: ReplayReport): string {
  const told = flaw === null ? '' : `✗ ${harmless(flaw)}\n`;
  if (divergence !== null) {
    const { event, what, expected, got, why } = divergence;
    const reason = why === null ? '' : `  Why:      ${harmless(why)}\n`;
    return `${told}✗ Divergence detected at event ${event}\n  Expected: ${what} ${expected}\n  Got:      ${what} ${harmless(got)}\n${reason}`;
  }
  if (outcome === 'unknown') {
    const where = unknownAt === null ? '' : ` from event ${unknownAt} on: its payload is not here`;
    return `${told}? Replay is unknown${where}${broke === null ? '' : ` (${harmless(broke)})`}\n`;
  }
  const start = from === null ? '' : `, from the snapshot at event ${from}`;
  return `${told}✓ Replay successful: ${counted(events, 'event')}${start}\n✓ Final state hash matches: ${finalStateHash}\n`;
}

/** An id that is given whole is believed: reading the whole ledger for it would take longer than the replay. */
async function findRun(store: Store, prefix: string): Promise<{ run: string; first: number }> {
  if (prefix.length === 64) return { run: prefix, first: 1 };
  const { seq } = await store.head();
  const found = new Map<string, number>();
  for await (const lines of scanLines(store, 1, seq))
    for (const line of lines)
      if (line.kind === 'session.start' && line.session?.startsWith(prefix) === true)
        found.set(line.session, line.seq);
  const [one, ...others] = found;
  if (one === undefined)
    throw new StoreError('NOT_FOUND', `no session begins with ${prefix}. See \`foil session list\`.`);
  if (others.length > 0)
    throw new UsageError(`${prefix} begins the ids of ${found.size} sessions. Write more of it.`);
  return { run: one[0], first: one[1] };
}

function startOf(text: string | undefined): number | 'last' | undefined {
  if (text === undefined || text === 'last') return text;
  return parseRunEventId(text)?.sequence ?? numberOf(text, 'from');
}

function numberOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes the number of an event.`);
}

function cellOf(): { main: string; define: string } {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const text = (name: string): string => {
    for (const folder of [here, join(here, '..'), join(here, '../../../dist')])
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        // It lies elsewhere.
      }
    throw new Error(`${name} is missing beside the program. Reinstall foil.`);
  };
  return { main: text('replay-cell.mjs'), define: text('replay-define.mjs') };
}
