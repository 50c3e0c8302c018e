// foil mode: how strictly the project is recorded. The change is on record before it is in force, so that nobody can
// make recording laxer without leaving a trace.
import { accessSync, constants } from 'node:fs';
import { ParseError, StoreError } from '../../core/index.ts';
import {
  DEFAULT_SETTINGS,
  isMode,
  MODES,
  type Mode,
  readSettings,
  type Settings,
  writeSettings,
} from '../../record/index.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { updateInstalled } from '../installed.ts';
import { openPlace, place } from '../place.ts';
import { withPlaces } from '../settings-places.ts';
import { harmless } from '../text.ts';

export const mode: Command = {
  name: 'mode',
  summary: 'print or set how strictly agents are recorded: observe, guard or locked',
  usage: '[observe | guard | locked]',
  arguments: [0, 1],
  options: {},
  examples: ['foil mode', 'foil mode guard'],
  run,
};

const MEANING: Readonly<Record<Mode, string>> = {
  observe: 'everything is recorded; nothing is ever held up',
  guard:
    'no record, no action: what can not be recorded does not run; a turn that ends on a claim without evidence is sent back, twice at most',
  locked: "guard, with the ledger under another user's hand",
};

const LOCKED =
  "The agent's user installs its hooks with foil install --mode locked --socket PATH. See docs/locked.md.\n";

async function run(context: Context): Promise<Outcome> {
  const { env } = context;
  const { directory } = place(context);
  const [wanted] = context.arguments;
  const ledger = openPlace(place(context));
  try {
    if (wanted === undefined) {
      const { mode: now } = readSettings(directory, env);
      return { json: { mode: now }, text: `${now}: ${MEANING[now]}\n` };
    }
    if (!isMode(wanted))
      throw new UsageError(
        `there is no mode ${wanted}${suggest(wanted, MODES)} There are ${MODES.join(', ')}.`,
      );
    const before = tryRead(directory, env);
    if (before?.mode !== wanted) {
      assertWritable(directory);
      const payload = { what: 'mode', from: before?.mode ?? null, to: wanted };
      await ledger.append({ kind: 'config.change', payload, source: 'cli' });
      save(
        directory,
        withPlaces({ ...(before ?? DEFAULT_SETTINGS), mode: wanted }, place(context), env),
        env,
      );
    }
    const files = await updateInstalled(wanted, { cwd: context.cwd, env: context.env, ledger: directory });
    const follows = files.map((file) => `${harmless(file)} was brought in line.\n`).join('');
    const restart = files.length > 0 ? 'An agent that runs keeps its old hooks until it is restarted.\n' : '';
    const change =
      before?.mode === wanted ? `The mode is ${wanted} already` : `${before?.mode ?? 'unknown'} → ${wanted}`;
    return {
      json: { mode: wanted, before: before?.mode ?? null, files },
      text: `${change}: ${MEANING[wanted]}.\n${follows}${restart}${wanted === 'locked' ? LOCKED : ''}`,
    };
  } finally {
    await ledger.close();
  }
}

/** Undefined where the file says nothing that is known: it is written anew. */
function tryRead(directory: string, env: Context['env']): Settings | undefined {
  try {
    return readSettings(directory, env);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Asked first: what is on record should come true. */
function assertWritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    throw denied(cause);
  }
}

function save(directory: string, settings: Settings, env: Context['env']): void {
  try {
    writeSettings(directory, settings, env);
  } catch (cause) {
    throw denied(cause);
  }
}

function denied(cause: unknown): StoreError {
  return new StoreError(
    'DENIED',
    `the mode can't be written, and stays as it was: ${(cause as Error).message}.`,
    {
      cause,
    },
  );
}
