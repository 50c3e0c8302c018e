// foil session: which sessions a ledger holds, what happened in one, and the beginning and end of those that no program ends. With --json `list` prints one object,
// {"sessions": […]}, oldest first, with full ids.

import { cutSessions, endByHand, reading, wholeLedger, withLedger } from '../../app/index.ts';
import { StoreError, UsageError } from '../../core/index.ts';
import { openRecording } from '../../entry/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import { beginSession } from '../../record/index.ts';
import {
  counted,
  harmless,
  listSessions,
  parseSessionPrefix,
  progressBar,
  renderSession,
  renderSessions,
  suggest,
  summarizeSession,
  visitSession,
} from '../../report/index.ts';
import { openFileStore, openKeyring } from '../../store/files/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { ensureLedger } from '../hook-more.ts';
import { place } from '../place.ts';

export const session: Command = {
  name: 'session',
  summary: 'list sessions or show one; start, end or cut one by hand',
  usage: 'list | show ID | start [--agent NAME] | end ID [--reason TEXT] | cut',
  arguments: [1, 2],
  options: {
    agent: { type: 'string', value: 'NAME', help: 'start: the agent of the session (default cli)' },
    reason: { type: 'string', value: 'TEXT', help: 'end: why (default end)' },
  },
  examples: [
    'foil session list',
    'foil session show 3f9a',
    'foil session start               # prints the variables that record programs in it',
    'foil session end 3f9a',
    'foil session cut                 # cuts sessions whose process is gone',
  ],
  run,
};

const ACTIONS: Readonly<
  Record<
    string,
    { readonly takes: boolean; readonly run: (context: Context, given: string) => Promise<Outcome> }
  >
> = {
  list: { takes: false, run: (context) => reading(place(context), (ledger) => list(ledger, context)) },
  show: {
    takes: true,
    run: (context, given) => reading(place(context), (ledger) => showSession(ledger, context, given)),
  },
  start: { takes: false, run: startSession },
  end: { takes: true, run: endSession },
  cut: { takes: false, run: cutGone },
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', given] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const names = Object.keys(ACTIONS);
    throw new UsageError(
      `Unknown subcommand "${name}". Use ${names.slice(0, -1).join(', ')} or ${names.at(-1)}${suggest(name, names)}`,
    );
  }
  if (action.takes !== (given !== undefined))
    throw new UsageError(
      action.takes
        ? `Which session? Use \`foil session ${name} ID\`. ID is the beginning of the session's id.`
        : `Unexpected argument "${given}". Usage: foil session ${name}`,
    );
  return action.run(context, given ?? '');
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

/** Stays open until somebody ends it: who joins it, by FOIL_SESSION and FOIL_LEDGER, writes to it. */
async function startSession(context: Context): Promise<Outcome> {
  const located = place(context);
  await ensureLedger(located, context.env, context.env);
  await assertOwn(located);
  const agent = context.values.text('agent') ?? 'cli';
  const recording = await openRecording({ place: located, cwd: context.cwd, agent, source: 'cli' });
  try {
    const grants = await wholeLedger.grantsInForce(located, context.env);
    const begun = await beginSession(
      { ...recording, run: undefined, pid: null },
      {
        trigger: 'cli',
        interaction: 'sdk',
        ...(grants === null ? {} : { capabilities: grants.grantsHash }),
      },
    );
    const { id, unauthenticated } = begun;
    try {
      begun.assertAuthenticated();
    } catch (error) {
      await begun.end({ reason: 'refused' });
      throw error;
    }
    if (unauthenticated !== null) context.warn(`this session has no valid auth key: ${unauthenticated}`);
    await begun.share();
    await recording.seal();
    const { directory } = located;
    return {
      json: { session: id, ledger: directory },
      text: `${id}\nProcesses with FOIL_SESSION=${id} and FOIL_LEDGER=${directory} are recorded in it. Run \`foil session end ${id.slice(0, 12)}\` to end it.\n`,
    };
  } finally {
    await recording.close();
  }
}

async function endSession(context: Context, given: string): Promise<Outcome> {
  const located = place(context);
  await assertOwn(located);
  const reason = context.values.text('reason') ?? 'end';
  const recording = await openRecording({ place: located, cwd: context.cwd, source: 'cli' });
  try {
    const ended = await withLedger(located, (ledger) =>
      endByHand(ledger.store, parseSessionPrefix(given), { ...recording, reason }),
    );
    await recording.seal();
    return {
      json: ended,
      text: `Session ${ended.session.slice(0, 12)} has ended: ${counted(ended.interactions, 'interaction')}, final hash ${ended.final_hash}.\n`,
    };
  } finally {
    await recording.close();
  }
}

/** Nobody writes by hand to a ledger that they can't seal: a copy to be audited stays as it is. */
async function assertOwn(located: Located): Promise<void> {
  const held = await withLedger(located, async (ledger) => {
    const { origin } = await ledger.identity();
    return { origin, keys: await openKeyring(located.keyDirectory).list(origin) };
  });
  if (held.keys.length === 0)
    throw new StoreError(
      'KEY',
      `the private key of ${held.origin} isn't here, so foil can't write. Start and end sessions on the machine that has the key.`,
    );
}

async function cutGone(context: Context): Promise<Outcome> {
  const located = place(context);
  await assertOwn(located);
  const store = openFileStore(located.directory);
  try {
    const cuts = await store.upkeep(() => cutSessions(store, { now: context.now }));
    if (cuts === undefined) throw new Error('another process is tidying up. Try again in a moment.');
    const lines = cuts.map(
      ({ session: id, agent, reason }) => `${id.slice(0, 12)}  ${harmless(agent)}  ${reason}`,
    );
    return {
      json: { cut: cuts },
      text: `${counted(cuts.length, 'session')} cut${cuts.length === 0 ? ': no open session is known to belong to a process that is gone' : ''}.\n${lines.map((line) => `${line}\n`).join('')}`,
    };
  } finally {
    await store.close();
  }
}
