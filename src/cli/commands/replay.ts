// foil replay: rebuilds the states of a run from its events, by the code that it ran, in a sandbox, and compares them with
// those on record. A session of a real agent has no such events: its models are played to it again (replay-recorded.ts).
import { parseRunEventId } from '../../format/index.ts';
import { configDirectory, type Located, stateDirectory } from '../../ledger/index.ts';
import { type ReplayReport, RunError } from '../../runtime/index.ts';
import { type Command, type Context, EXIT, type Outcome, UsageError } from '../command.ts';
import { findRun } from '../find-run.ts';
import { place, reading } from '../place.ts';
import { replaySandbox } from '../replay-parts.ts';
import { replayRecorded } from '../replay-recorded.ts';
import { replayHere } from '../run-replay.ts';
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

async function run(context: Context): Promise<Outcome> {
  const { values, onInterrupt } = context;
  const [text = ''] = context.arguments;
  const prefix = parseSessionPrefix(text);
  const to = numberOf(values.text('to'), 'to');
  const from = startOf(values.text('from'));
  const located = place(context);
  return reading(located, async (ledger) => {
    const { run: id, first } = await findRun(ledger.store, prefix);
    try {
      const execute = values.flag('execute');
      return outcomeOf(await replayHere(context, ledger, located, { run: id, first, from, to, execute }), to);
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
    const { event, patch, what, expected, got, why } = divergence;
    const reason = why === null ? '' : `  Why:      ${harmless(why)}\n`;
    const where = patch === null ? `event ${event}` : `patch ${patch}, behind event ${event}`;
    return `${told}✗ Divergence detected at ${where}\n  Expected: ${what} ${expected}\n  Got:      ${what} ${harmless(got)}\n${reason}`;
  }
  if (outcome === 'unknown') {
    const where = unknownAt === null ? '' : ` from event ${unknownAt} on: its payload is not here`;
    return `${told}? Replay is unknown${where}${broke === null ? '' : ` (${harmless(broke)})`}\n`;
  }
  const start = from === null ? '' : `, from the snapshot at event ${from}`;
  return `${told}✓ Replay successful: ${counted(events, 'event')}${start}\n✓ Final state hash matches: ${finalStateHash}\n`;
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
