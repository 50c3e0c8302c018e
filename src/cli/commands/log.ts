// foil log: the entries as they stand, unverified. For people a line an entry, with nothing in it that a terminal
// would act on; with --json the ledger's own lines, byte for byte.
import { type Entry, parseEntry } from '../../format/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { parseCount, parseSeq, parseTime } from '../arguments.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { openPlace, place } from '../place.ts';
import { renderEntry, renderUnreadable } from '../render-entry.ts';

const POLL = 100;

export const log: Command = {
  name: 'log',
  summary: 'show entries, newest last (does not verify: that is `foil verify`)',
  usage: '[options]',
  arguments: [0, 0],
  options: {
    kind: { type: 'string', value: 'K[,K]', help: 'only these kinds' },
    session: { type: 'string', value: 'HEX', help: 'only the session whose id begins so' },
    from: { type: 'string', value: 'SEQ', help: 'from this entry on' },
    to: { type: 'string', value: 'SEQ', help: 'up to this entry' },
    since: {
      type: 'string',
      value: 'TIME',
      help: 'from a time on: 2026-11-15T10:00:00Z, or 30m, 2h, 7d ago',
    },
    until: { type: 'string', value: 'TIME', help: 'up to a time' },
    last: { type: 'string', value: 'N', help: 'only the last N of them' },
    follow: { type: 'boolean', short: 'f', help: 'go on with new entries as they come, until Ctrl-C' },
  },
  examples: ['foil log --last 20', 'foil log --kind note,x.build --since 2h', 'foil log --follow --json'],
  run,
};

interface Filter {
  readonly from: number;
  readonly to: number;
  readonly last: number | undefined;
  /** Undefined when every entry in the range is wanted. */
  readonly wants: ((entry: Entry) => boolean) | undefined;
}

async function run(context: Context): Promise<Outcome> {
  const filter = parseFilter(context);
  if (context.values.flag('follow') && context.values.text('to') !== undefined) {
    throw new UsageError('--follow has no end: leave --to out.');
  }
  const ledger = openPlace(place(context));
  return { text: entries(context, ledger, filter) };
}

function parseFilter({ values, now }: Context): Filter {
  const kinds = values.text('kind')?.split(',');
  const session = values.text('session');
  if (session !== undefined && !/^[0-9a-f]{1,64}$/.test(session))
    throw new UsageError('--session: not the beginning of a session id, in hex.');
  const time = (name: string): string | undefined => {
    const text = values.text(name);
    return text === undefined ? undefined : parseTime(text, `--${name}`, now());
  };
  const number = (name: string, parse: typeof parseSeq): number | undefined => {
    const text = values.text(name);
    return text === undefined ? undefined : parse(text, `--${name}`);
  };
  const since = time('since');
  const until = time('until');
  const filtered = kinds !== undefined || session !== undefined || since !== undefined || until !== undefined;
  const wants = (entry: Entry): boolean =>
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (session === undefined || entry.session_id?.startsWith(session) === true) &&
    (since === undefined || entry.ts >= since) &&
    (until === undefined || entry.ts <= until);
  return {
    from: number('from', parseSeq) ?? 1,
    to: number('to', parseSeq) ?? Number.MAX_SAFE_INTEGER,
    last: number('last', parseCount),
    wants: filtered ? wants : undefined,
  };
}

/** The lines of one piece of the log, each as it will be printed. */
type Lines = readonly (Uint8Array | string)[];

async function* entries(context: Context, ledger: Ledger, filter: Filter): AsyncGenerator<Uint8Array> {
  const follow = context.values.flag('follow');
  let stop = (): void => undefined;
  const stopped = new Promise<true>((resolve) => {
    stop = () => resolve(true);
  });
  const undo = follow ? context.onInterrupt(stop) : undefined;
  try {
    let { seq } = await ledger.store.head();
    yield* joined(tail(context, ledger, { ...filter, to: Math.min(filter.to, seq) }));
    while (follow && !(await Promise.race([stopped, pause()]))) {
      const next = (await ledger.store.head()).seq;
      if (next > seq)
        yield* joined(range(context, ledger, { ...filter, from: Math.max(filter.from, seq + 1), to: next }));
      seq = Math.max(seq, next);
    }
  } finally {
    undo?.();
    await ledger.close();
  }
}

/** The last so many of a range. Without other filters they are found by their number. */
async function* tail(context: Context, ledger: Ledger, filter: Filter): AsyncGenerator<Lines> {
  const { last, from, to, wants } = filter;
  if (last === 0) return;
  if (last === undefined) yield* range(context, ledger, filter);
  else if (wants === undefined)
    yield* range(context, ledger, { ...filter, from: Math.max(from, to - last + 1) });
  else {
    let kept: Lines = [];
    for await (const lines of range(context, ledger, filter)) kept = [...kept, ...lines].slice(-last);
    yield kept;
  }
}

async function* range(context: Context, ledger: Ledger, { from, to, wants }: Filter): AsyncGenerator<Lines> {
  if (from > to) return;
  const json = context.values.flag('json');
  const { paint, columns } = context;
  let seq = from;
  for await (const piece of ledger.store.read(from, to)) {
    if (json && wants === undefined) {
      yield [piece];
      continue;
    }
    const lines: (Uint8Array | string)[] = [];
    for (
      let start = 0, end = piece.indexOf(0x0a);
      end >= 0;
      start = end + 1, end = piece.indexOf(0x0a, start), seq++
    ) {
      const line = piece.subarray(start, end);
      const entry = tryParse(line);
      if (wants !== undefined && (entry === undefined || !wants(entry))) continue;
      if (json) lines.push(piece.slice(start, end + 1));
      else
        lines.push(
          `${entry === undefined ? renderUnreadable(seq, line.length, paint) : renderEntry(entry, paint, columns)}\n`,
        );
    }
    yield lines;
  }
}

async function* joined(pieces: AsyncIterable<Lines>): AsyncGenerator<Uint8Array> {
  for await (const lines of pieces)
    yield Buffer.concat(lines.map((line) => (typeof line === 'string' ? Buffer.from(line) : line)));
}

function tryParse(line: Uint8Array): Entry | undefined {
  try {
    return parseEntry(line);
  } catch {
    return undefined;
  }
}

function pause(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, POLL, false));
}
