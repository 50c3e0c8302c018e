// foil session: which sessions a ledger holds, and what happened in one. With --json `list` prints one object,
// {"sessions": […]}, oldest first, with full ids.
import type { Ledger } from '../../ledger/index.ts';
import { suggest } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { place, withLedger } from '../place.ts';
import { renderSession, renderSessions } from '../render-session.ts';
import { summarizeSession } from '../session-summary.ts';
import { listSessions, parseSessionPrefix, visitSession } from '../sessions.ts';
import { progressBar } from '../text.ts';

export const session: Command = {
  name: 'session',
  summary: 'list the sessions, or show what happened in one',
  usage: 'list | show ID',
  arguments: [1, 2],
  options: {},
  examples: ['foil session list', 'foil session show 3f9a'],
  run,
};

const ACTIONS: Readonly<
  Record<string, (ledger: Ledger, context: Context, given?: string) => Promise<Outcome>>
> = {
  list,
  show: showSession,
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', given] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(`session can list and show, not ${name}${suggest(name, Object.keys(ACTIONS))}`);
  if ((name === 'list') !== (given === undefined))
    throw new UsageError(
      name === 'list'
        ? `one word too many: ${given}. Usage: foil session list`
        : 'which session? Usage: foil session show ID, where ID is the beginning of its id.',
    );
  return withLedger(place(context), (ledger) => action(ledger, context, given));
}

async function list({ store }: Ledger, { progress, paint, columns }: Context): Promise<Outcome> {
  const { seq } = await store.head();
  const sessions = await listSessions(store, seq, (done) => progress(progressBar(done, seq)));
  progress('');
  return { json: { sessions }, text: renderSessions(sessions, { paint, columns }) };
}

/** Also what `foil show` gives for a session. */
export async function showSession({ store }: Ledger, context: Context, given = ''): Promise<Outcome> {
  const { paint, columns, now } = context;
  const summary = summarizeSession();
  const { seq } = await store.head();
  const found = await visitSession(store, seq, parseSessionPrefix(given), summary.add);
  const done = summary.done();
  return {
    json: { session: { ...found, ...done } },
    text: renderSession(found, done, { paint, columns }, now()),
  };
}
