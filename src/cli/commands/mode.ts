// foil mode: how strictly the project is recorded. The change is on record before it is in force, so that nobody can
// make recording laxer without leaving a trace. Where the ledger can't be written, `foil mode observe` lets through what
// can't be recorded, and nothing else: see record/release.ts.
import { accessSync, constants } from 'node:fs';
import { modeInForce, openPlace, pinnedText, reading, updateInstalled, withPlaces } from '../../app/index.ts';
import { ParseError, StoreError, UsageError } from '../../core/index.ts';
import {
  DEFAULT_SETTINGS,
  isMode,
  MODES,
  type Mode,
  readSettings,
  type Settings,
  writeSettings,
} from '../../ledger/index.ts';
import {
  LONGEST_RELEASE,
  noteMissed,
  readRelease,
  runtimeDirectory,
  writeRelease,
} from '../../record/index.ts';
import { harmless, moment, suggest } from '../../report/index.ts';
import { plainly } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

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
  observe: 'everything is recorded, and nothing is ever blocked',
  guard:
    "an action that can't be recorded doesn't run, and a turn that ends with an unproven claim is sent back, at most twice",
  locked: 'like guard, but the ledger belongs to another user',
};

const LOCKED =
  "As the agent's user, install the hooks with `foil install --mode locked --socket PATH`. See docs/locked.md.\n";

/** How long the entry may take before the ledger counts as wedged. */
const PATIENCE = 5000;

async function run(context: Context): Promise<Outcome> {
  const { env } = context;
  const { directory } = place(context);
  const [wanted] = context.arguments;
  if (wanted === undefined) return print(context);
  if (!isMode(wanted))
    throw new UsageError(`Unknown mode "${wanted}". Use one of ${MODES.join(', ')}${suggest(wanted, MODES)}`);
  const before = tryRead(directory, env);
  try {
    if (before?.mode !== wanted) await change(context, before, wanted);
  } catch (error) {
    const wedged = error instanceof StoreError && error.code !== 'NOT_FOUND';
    if (!wedged || wanted !== 'observe' || before?.mode === 'locked') throw error;
    return release(context, before?.mode ?? null, error);
  }
  endRelease(context);
  const files = await updateInstalled(wanted, { cwd: context.cwd, env: context.env, ledger: directory });
  const follows = files.map((file) => `${harmless(file)} was updated.\n`).join('');
  const restart = files.length > 0 ? 'Restart running agents: they keep their old hooks until then.\n' : '';
  const changed =
    before?.mode === wanted ? `The mode is already ${wanted}` : `${before?.mode ?? 'unknown'} → ${wanted}`;
  return {
    json: { mode: wanted, before: before?.mode ?? null, files },
    text: `${changed}: ${MEANING[wanted]}.\n${follows}${restart}${pinned(context, directory)}${wanted === 'locked' ? LOCKED : ''}`,
  };
}

function print(context: Context): Promise<Outcome> {
  const located = place(context);
  return reading(located, async () => {
    const { mode: now } = modeInForce(located.directory, context);
    const until = now === 'guard' ? released(context) : null;
    const note = until === null ? '' : `Until ${moment(until)}, actions that can't be recorded still run.\n`;
    return {
      json: { mode: now, ...(until === null ? {} : { released_until: until }) },
      text: `${now}: ${MEANING[now]}\n${pinned(context, located.directory)}${note}`,
    };
  });
}

/** Hooks that are stricter than the settings, a line each. */
function pinned(context: Context, directory: string): string {
  return pinnedText(modeInForce(directory, context))
    .map((line) => `${harmless(line)}\n`)
    .join('');
}

/** On record first, then in force. */
async function change(context: Context, before: Settings | undefined, to: Mode): Promise<void> {
  const located = place(context);
  const ledger = openPlace(located);
  try {
    assertWritable(located.directory);
    const payload = { what: 'mode', from: before?.mode ?? null, to };
    await ledger.append({ kind: 'config.change', payload, source: 'cli' }, { timeout: PATIENCE });
    const { env } = context;
    save(located.directory, withPlaces({ ...(before ?? DEFAULT_SETTINGS), mode: to }, located, env), env);
  } finally {
    await ledger.close();
  }
}

/**
 * The ledger can't be written, so the mode can't be changed, and guard would refuse everything. Then what can't be
 * recorded is let through for a while, and the next entry tells of it. What can be recorded stays guarded.
 */
function release(context: Context, before: Mode | null, cause: StoreError): Outcome {
  const { directory } = place(context);
  const { env, now } = context;
  const until = new Date(now() + LONGEST_RELEASE).toISOString();
  const runtime = runtimeDirectory(directory, env);
  const why = `\`foil mode observe\` could not be recorded (${cause.message}), so what could not be recorded was let through`;
  if (!noteMissed(runtime, { at: now(), agent: 'cli', event: 'mode', call: null, why })) throw cause;
  try {
    writeRelease(directory, until, { now: now(), env });
  } catch {
    throw cause;
  }
  return {
    json: { mode: before, before, recorded: false, released_until: until, problem: cause.message, files: [] },
    text: `The mode can't be changed now: ${harmless(cause.message)}
Until ${moment(until)} at the latest, actions that can't be recorded still run. Guard is back with the first event that is
recorded, and that entry mentions this. Repair the ledger, then run \`foil mode observe\` again if you still want it.
`,
  };
}

function released({ env, now, ...context }: Context): string | null {
  const { directory } = place({ env, ...context });
  return readRelease(directory, { now: now(), env })?.until ?? null;
}

function endRelease(context: Context): void {
  try {
    writeRelease(place(context).directory, null, { env: context.env });
  } catch {
    // It ends by itself within a day.
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
  const why = plainly(cause).message.replace(/\.?$/, '.');
  return new StoreError('DENIED', `the mode can't be saved, so it hasn't changed: ${why}`, { cause });
}
