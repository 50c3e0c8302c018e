// foil crashes: hooks of ours that failed, as the ledger has them, and those that it does not have yet because it could
// not be written.
import { type Crash, type Entry, parseCrash } from '../../format/index.ts';
import { recentEntries } from '../../gate/index.ts';
import { peekCrashes, runtimeDirectory } from '../../record/index.ts';
import { parseTime } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place, reading } from '../place.ts';
import { harmless, moment, shorten } from '../text.ts';

export const crashes: Command = {
  name: 'crashes',
  summary: 'list hooks that failed: what broke, when, and what is not in the ledger yet',
  usage: '[--since TIME]',
  arguments: [0, 0],
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      help: 'from a time on: 2026-11-15T10:00:00Z, or 2h, 7d ago (30d)',
    },
  },
  examples: ['foil crashes', 'foil crashes --since 1h --json'],
  run,
};

interface Shown extends Crash {
  /** Null for one that is only in the fallback file so far. */
  readonly seq: number | null;
}

async function run(context: Context): Promise<Outcome> {
  const { values, env, now } = context;
  const since = parseTime(values.text('since') ?? '30d', '--since', now());
  const located = place(context);
  const waiting = peekCrashes(runtimeDirectory(located.directory, env))
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
