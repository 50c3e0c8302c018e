// foil overrides: prompts that told the agent to go past the gate, and the word of a person that they have seen them.

import { reading, textOf, withLedger } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import { type Entry, parseOverride } from '../../format/index.ts';
import { acknowledge, openOverrides, recentEntries } from '../../gate/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { DAY } from '../../ledger/index.ts';
import { contentReader, counted, harmless, moment, type ReadContent, table } from '../../report/index.ts';
import { parseTime } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const overrides: Command = {
  name: 'overrides',
  summary: 'list prompts that told the agent to bypass the gate, or acknowledge that you have seen them',
  usage: '[ack] [--since TIME]',
  arguments: [0, 1],
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      help: 'from this time on: 2026-11-15T10:00:00Z, or an age such as 2h or 7d (default 30d)',
    },
  },
  examples: ['foil overrides', 'foil overrides --since 24h --json', 'foil overrides ack'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [action] = context.arguments;
  if (action !== undefined && action !== 'ack')
    throw new UsageError(`Unknown subcommand "${action}". Use \`foil overrides\` or \`foil overrides ack\`.`);
  const located = place(context);
  return action === 'ack'
    ? withLedger(located, (ledger) => ack(ledger, context))
    : reading(located, (ledger) => list(ledger, contentReader(ledger, located), context));
}

async function list({ store }: Ledger, read: ReadContent, { values, now }: Context): Promise<Outcome> {
  const since = parseTime(values.text('since') ?? '30d', '--since', now());
  const entries = await recentEntries(store, since, ['override', 'notice']);
  const found: Shown[] = [];
  for (const entry of entries) if (entry.kind === 'override') found.push(...(await shown(entry, read)));
  const open = openOverrides(entries, now()).length;
  const rows = found.map(({ seq, ts, session, prompt, phrase, words }) => [
    String(seq),
    moment(ts),
    session?.slice(0, 12) ?? '-',
    prompt === null ? '-' : `prompt ${prompt}`,
    harmless(words === null ? phrase : `${phrase}: "${words}"`),
  ]);
  const end =
    open === 0 ? '' : `\n${counted(open, 'prompt')} from the last day not acknowledged: foil overrides ack\n`;
  return {
    json: { since, overrides: found, open },
    text: found.length === 0 ? `No overrides since ${moment(since)}.\n` : `${table(rows).join('\n')}\n${end}`,
  };
}

async function ack(ledger: Ledger, { now }: Context): Promise<Outcome> {
  const entries = await recentEntries(ledger.store, new Date(now() - DAY).toISOString(), [
    'override',
    'notice',
  ]);
  const open = openOverrides(entries, now());
  const seen = { count: open.length, since: open[0]?.ts ?? null };
  const last = await acknowledge(ledger.store, 'overrides', seen, { source: 'cli', now });
  return {
    json: { seq: last, acknowledged: open.length },
    text: `Entry ${last}: ${counted(open.length, 'prompt')} acknowledged. The count starts again from zero.\n`,
  };
}

interface Shown {
  readonly seq: number;
  readonly ts: string;
  readonly session: string | null;
  readonly prompt: number | null;
  readonly phrase: string;
  /** The prompt's own words; null where they are not kept, or not any more. */
  readonly words: string | null;
}

async function shown(entry: Entry, read: ReadContent): Promise<Shown[]> {
  const { seq, ts, session_id: session, cause: prompt, payload } = entry;
  try {
    const { phrase } = parseOverride(payload);
    return [{ seq, ts, session, prompt, phrase, words: await textOf(read, entry, 'quote') }];
  } catch {
    return [];
  }
}
