// foil replay: rebuilds the states of a run from its events in a sandbox, with the code that it ran, and compares
// them with those on record. With --verify the result becomes an entry, if the ledger is ours. A session of a real
// agent has no such events: it gets the recorded answers of its models again (replay-recorded.ts).

import { reading } from '../../app/index.ts';
import { parseRunEventId } from '../../format/index.ts';
import { counted, harmless } from '../../report/index.ts';
import { NOTHING, type ReplayReport, RunError, replayRun } from '../../runtime/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';
import { keepReplay } from '../replay-record.ts';
import { replayRecorded } from '../replay-recorded.ts';
import { eventNumber, notDone, openRunPlace, replayTools, TIMEOUT_OPTION } from '../run-place.ts';
import { startTicker } from '../ticker.ts';

export const replay: Command = {
  name: 'replay',
  summary: 'repeat a recorded run or session in a sandbox, and compare it with the record',
  usage: 'RUN | SESSION [--verify] [options]',
  arguments: [1, 1],
  options: {
    verify: {
      type: 'boolean',
      help: 'record the result under its own id, if the ledger is yours',
    },
    from: {
      type: 'string',
      value: 'SNAPSHOT',
      help: 'begin at this event, which must be a snapshot; `last` takes the newest one with events after it',
    },
    to: { type: 'string', value: 'N', help: 'stop after event N and show the state there' },
    execute: { type: 'boolean', help: 'run pure tools again and compare their results' },
    ...TIMEOUT_OPTION,
  },
  examples: [
    'foil replay 9d5e --verify',
    'foil replay 9d5e --from last --execute',
    'foil replay 9d5e --to 42',
    'foil replay 3f9a',
  ],
  notes: [
    'A session of Claude Code, Codex or a program that you recorded with `foil run --gateway` and `replay: keep` is replayed',
    'offline: the real agent gets the recorded answers of the models. The options are for runs of counterfoil/runtime.',
    '',
    'A replay proves that the states follow from the events by the code on record. It does not prove that a tool',
    'was right, that it told the truth, or that the agent decided well.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, onInterrupt, progress } = context;
  const [text = ''] = context.arguments;
  const toText = values.text('to');
  const to = toText === undefined ? undefined : eventNumber(toText, 'to');
  const from = startOf(values.text('from'));
  const execute = values.flag('execute');
  const located = place(context);
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  const tools = replayTools(context, located);
  const { signal } = stop;
  const ticker = startTicker(progress, 'replaying', tools.timeoutMs);
  try {
    const done = await reading(located, async (ledger): Promise<ReplayReport | Outcome> => {
      const parts = await openRunPlace(ledger, located, text);
      try {
        const { sandbox, cell, timeoutMs } = tools;
        return await replayRun({ ...parts, sandbox, cell, from, to, execute, timeoutMs, signal });
      } catch (error) {
        if (!(error instanceof RunError && error.code === 'NOT_A_RUN')) throw error;
        ticker.stop(); // That one tells its own progress.
        const { run: id, first } = parts;
        const agent = { ...context, ...tools, signal };
        const replayed = await replayRecorded(agent, located, ledger, { id, first });
        if (replayed === undefined) throw error;
        return replayed;
      }
    });
    if (!('events' in done)) return done;
    const kept = values.flag('verify') ? await keepReplay(context, located, done, { to, execute }) : null;
    return outcomeOf(done, to, kept);
  } catch (error) {
    return notDone(error, 'replayed');
  } finally {
    ticker.stop();
    undo();
  }
}

function outcomeOf(
  report: ReplayReport,
  to: number | undefined,
  kept: { readonly id: string | null; readonly text: string } | null,
): Outcome {
  const { outcome, divergence, unknownAt, finalStateHash, state, broke, flaw, from, missing } = report;
  const exit =
    outcome === 'diverges' || flaw !== null
      ? EXIT.VIOLATION
      : outcome === 'unknown'
        ? EXIT.FAILED
        : EXIT.FINE;
  const json = {
    replay_id: kept?.id ?? null,
    run: report.run,
    outcome,
    from,
    missing_snapshots: missing,
    events: report.events,
    final_state_hash: finalStateHash,
    divergence,
    impure: report.impure,
    taken_from_record: Object.fromEntries(report.taken),
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
    text: `${aside(report)}${words(report, to)}${kept?.text ?? ''}${to === undefined ? '' : `${harmless(state ?? 'no state')}\n`}`,
  };
}

/** Where the replay did something else than was asked. */
function aside({ missing, from, taken }: ReplayReport): string {
  const instead = from === null ? 'at event 0' : `at the snapshot at event ${from}`;
  const [newest] = missing;
  const gone =
    newest === undefined
      ? ''
      : `? The snapshot at event ${newest} is missing, so the replay began ${instead}\n`;
  const tools = [...taken].map(
    ([tool, by]) =>
      `? Tool '${harmless(tool)}' wasn't run again, because replay ${by.slice(0, 16)} found it impure\n`,
  );
  return `${gone}${tools.join('')}`;
}

function words(
  { outcome, divergence, unknownAt, finalStateHash, broke, flaw, from, events, impure }: ReplayReport,
  to: number | undefined,
): string {
  const told = flaw === null ? '' : `✗ ${harmless(flaw)}\n`;
  if (divergence !== null) {
    const { event, patch, what, expected, got, why } = divergence;
    const where = patch === null ? `event ${event}` : `patch ${patch}, after event ${event}`;
    const reason = why === null ? '' : `  Why:      ${harmless(why)}\n`;
    const tool = impure.length === 0 ? '' : `  Tool:     ${impure.map(harmless).join(', ')}\n`;
    return `${told}✗ Divergence detected at ${where}\n  Expected: ${what} ${expected}\n  Got:      ${got === NOTHING ? 'nothing' : `${what} ${harmless(got)}`}\n${reason}${tool}`;
  }
  if (outcome === 'unknown') {
    const where = unknownAt === null ? '' : ` from event ${unknownAt} on: its payload is missing`;
    return `${told}? Replay is unknown${where}${broke === null ? '' : ` (${harmless(broke)})`}\n`;
  }
  const start = from === null ? '' : `, from the snapshot at event ${from}`;
  return `${told}✓ Replay successful: ${counted(events, 'event')}${start}\n✓ ${to === undefined ? 'Final state hash' : `State hash after event ${to}`} matches: ${finalStateHash}\n`;
}

function startOf(text: string | undefined): number | 'last' | undefined {
  if (text === undefined || text === 'last') return text;
  return parseRunEventId(text)?.sequence ?? eventNumber(text, 'from');
}
