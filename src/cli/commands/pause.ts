// foil pause: recording stops for a while, and resumes by itself. The note is written first and its entry second,
// because a pause must help even if the ledger is stuck.
import { existsSync } from 'node:fs';
import { openPlace } from '../../app/index.ts';
import { ParseError, StoreError, UsageError } from '../../core/index.ts';
import { readSettings } from '../../ledger/index.ts';
import { LONGEST_PAUSE, noteMissed, readPause, runtimeDirectory, writePause } from '../../record/index.ts';
import { lasted, moment } from '../../report/index.ts';
import { parseDuration } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const pause: Command = {
  name: 'pause',
  summary: 'stop recording for a while (default 30m, at most 24h), or resume with `off`',
  usage: '[30m | off]',
  arguments: [0, 1],
  options: {},
  examples: ['foil pause', 'foil pause 2h', 'foil pause off'],
  run,
};

const DEFAULT = '30m';
/** How long the entry may take. */
const PATIENCE = 3000;

async function run(context: Context): Promise<Outcome> {
  const { directory } = place(context);
  const {
    arguments: [given = DEFAULT],
    now,
    env,
  } = context;
  const length = given === 'off' ? null : parseDuration(given, 'pause');
  if (length !== null && length > LONGEST_PAUSE)
    throw new UsageError(
      'a pause can last at most 24h. To stop for longer, set FOIL=off in a shell (in observe mode), or run `foil uninstall`.',
    );
  if (!existsSync(directory))
    throw new StoreError('NOT_FOUND', `there is no ledger in ${directory}. Run \`foil init\`.`);
  const locked = isLocked(directory, env);
  const options = { locked, now: now(), env };
  const before = readPause(directory, options);
  const until = length === null ? null : new Date(now() + length).toISOString();
  try {
    writePause(directory, until, options);
  } catch (cause) {
    const why = (cause as Error).message.replace(/\.$/, '');
    throw new StoreError(
      'DENIED',
      locked
        ? `in locked mode, only the owner of the ledger can pause recording: ${why}.`
        : `the pause can't be saved: ${why}.`,
      { cause },
    );
  }
  // Whoever ends a pause that was none changed nothing.
  const unrecorded = until === null && before === null ? null : await record(context, until);
  if (unrecorded !== null) {
    context.warn(`this couldn't be recorded: ${unrecorded}`);
    // The first event that can be recorded tells of it. In locked mode nobody reads what lies there.
    const why = `that recording was paused until ${until ?? 'now'} could not be recorded: ${unrecorded}`;
    const missed = { at: now(), agent: 'cli', event: 'pause', call: null, why };
    if (!locked) noteMissed(runtimeDirectory(directory, env), missed);
  }
  return {
    json: { until, recorded: unrecorded === null, problem: unrecorded },
    text:
      until === null
        ? before === null
          ? "Recording wasn't paused.\n"
          : 'Recording has resumed.\n'
        : `Recording is paused until ${moment(until)} (${lasted(length ?? 0)}), then resumes by itself. Run \`foil pause off\` to resume sooner.\n`,
  };
}

/** Null when it is on record, else why not. */
async function record(context: Context, until: string | null): Promise<string | null> {
  try {
    const ledger = openPlace(place(context));
    try {
      const payload = { what: 'pause', until };
      await ledger.append({ kind: 'config.change', payload, source: 'cli' }, { timeout: PATIENCE });
    } finally {
      await ledger.close();
    }
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A file that can't be understood locks nothing; one that can't be read is another user's. */
function isLocked(directory: string, env: Context['env']): boolean {
  try {
    return readSettings(directory, env).mode === 'locked';
  } catch (error) {
    return !(error instanceof ParseError);
  }
}
