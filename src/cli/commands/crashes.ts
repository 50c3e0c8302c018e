// foil crashes: hooks of ours that failed, as the ledger has them, and those that it does not have yet because it could
// not be written; and the word of a person that they have seen them, after which three new ones are told again.

import { reading, withLedger } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import { type Crash, type Entry, parseCrash } from '../../format/index.ts';
import { acknowledge, openCrashes, recentEntries } from '../../gate/index.ts';
import { DAY, type Ledger } from '../../ledger/index.ts';
import { noteDirectories, peekCrashes } from '../../record/index.ts';
import { counted, harmless, moment, shorten } from '../../report/index.ts';
import { parseTime } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const crashes: Command = {
  name: 'crashes',
  summary: "list hooks that failed, and what isn't in the ledger yet; or acknowledge that you have seen them",
  usage: '[ack] [--since TIME]',
  arguments: [0, 1],
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      help: 'from this time on: 2026-11-15T10:00:00Z, or an age such as 2h or 7d (default 30d)',
    },
  },
  examples: ['foil crashes', 'foil crashes --since 1h --json', 'foil crashes ack'],
  run,
};

interface Shown extends Crash {
  /** Null for one that is only in the fallback file so far. */
  readonly seq: number | null;
}

async function run(context: Context): Promise<Outcome> {
  const [action] = context.arguments;
  if (action === undefined) return list(context);
  if (action !== 'ack') throw new UsageError(`Unknown subcommand "${action}". Use \`foil crashes ack\`.`);
  return withLedger(place(context), (ledger) => ack(ledger, context));
}

async function ack({ store }: Ledger, { now }: Context): Promise<Outcome> {
  const since = new Date(now() - DAY).toISOString();
  const open = openCrashes(await recentEntries(store, since, ['crash', 'notice']));
  const seen = { count: open.length, since: open[0]?.ts ?? null };
  const seq = await acknowledge(store, 'crashes', seen, { source: 'cli', now });
  return {
    json: { seq, acknowledged: open.length },
    text: `Entry ${seq}: ${counted(open.length, 'crash', 'crashes')} acknowledged. The count starts again from zero.\n`,
  };
}

async function list(context: Context): Promise<Outcome> {
  const { values, env, now } = context;
  const since = parseTime(values.text('since') ?? '30d', '--since', now());
  const located = place(context);
  const waiting = peekCrashes(...noteDirectories(located.directory, env))
    .filter(({ at }) => at >= since)
    .map((crash): Shown => ({ seq: null, ...crash }));
  const recorded = await reading(located, async ({ store }) =>
    (await recentEntries(store, since, ['crash'])).flatMap(crashOf),
  );
  const found = [...recorded, ...waiting];
  const lines = found.map(
    ({ seq, at, hook, event, error }) =>
      `${(seq === null ? 'waiting' : String(seq)).padStart(7)}  ${moment(at)}  ${harmless(hook)}${event === null ? '' : ` (${harmless(event)})`}: ${shorten(harmless(error), 200)}\n`,
  );
  return {
    json: { since, crashes: found },
    text: found.length === 0 ? `No crashes since ${moment(since)}.\n` : lines.join(''),
  };
}

function crashOf({ seq, payload }: Entry): Shown[] {
  try {
    return [{ seq, ...parseCrash(payload) }];
  } catch {
    return [];
  }
}
