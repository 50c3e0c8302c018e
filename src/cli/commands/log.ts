// foil log: the entries as they are, unverified. For people it prints one line per entry, with nothing in it that a
// terminal would act on; with --json the ledger's own lines, byte for byte; with --format a form that other tools
// read.

import { openToRead } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import type { Ledger, Located } from '../../ledger/index.ts';
import {
  contentReader,
  counted,
  type Line,
  lineRenderer,
  type ReadContent,
  scanLines,
} from '../../report/index.ts';
import { parseCount, parseSeq, parseTime } from '../arguments.ts';
import type { Bytes, Command, Context, Outcome } from '../command.ts';
import { formatWriter, parseFormat } from '../log-exports.ts';
import { placeToRead } from '../project-ledgers.ts';

const POLL = 100;
const NEWLINE = Buffer.from('\n');
/** Characters that are worth a write of their own. */
const ENOUGH = 16_384;

export const log: Command = {
  name: 'log',
  summary: 'show entries, newest last (to verify them, use `foil verify`)',
  usage: '[options]',
  arguments: [0, 0],
  options: {
    kind: { type: 'string', value: 'K[,K]', help: 'only these kinds' },
    session: { type: 'string', value: 'HEX', help: 'only the session whose id begins with this' },
    from: { type: 'string', value: 'SEQ', help: 'from this entry on' },
    to: { type: 'string', value: 'SEQ', help: 'up to this entry' },
    since: {
      type: 'string',
      value: 'TIME',
      help: 'from this time on: 2026-11-15T10:00:00Z, or an age such as 30m, 2h or 7d',
    },
    until: { type: 'string', value: 'TIME', help: 'up to a time' },
    last: { type: 'string', short: 'n', value: 'N', help: 'only the last N entries' },
    'no-content': {
      type: 'boolean',
      help: 'only the entries themselves, without prompts and commands, which are kept separately',
    },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'write for another tool: kaiza or gently (hash-chained logs), otel (traces), watchdog (events)',
    },
    follow: { type: 'boolean', short: 'f', help: 'keep showing new entries until Ctrl-C' },
  },
  examples: [
    'foil log -n 20',
    'foil log --kind note,x.build --since 2h',
    'foil log --follow --json',
    'foil log --format kaiza > audit.log && foil verify audit.log --format kaiza',
    'foil log --format gently > sessions.log && foil verify sessions.log --format gently',
    'foil log --format otel --since 1d > traces.jsonl',
    'foil log --format watchdog --follow',
  ],
  run,
};

interface Filter {
  readonly from: number;
  readonly to: number;
  readonly last: number | undefined;
  /** Undefined when every entry in the range is wanted. */
  readonly wants: ((line: Line) => boolean) | undefined;
}

async function run(context: Context): Promise<Outcome> {
  const filter = parseFilter(context);
  if (context.values.flag('follow') && context.values.text('to') !== undefined) {
    throw new UsageError('--follow has no end. Leave out --to.');
  }
  parseFormat(context);
  const { located } = placeToRead(context);
  const isWhole = !context.values.flag('follow') && !context.values.flag('format');
  return { text: entries(context, openToRead(located), located, filter), paged: isWhole };
}

function parseFilter({ values, now }: Context): Filter {
  const kinds = values.text('kind')?.split(',');
  const session = values.text('session');
  if (session !== undefined && !/^[0-9a-f]{1,64}$/.test(session))
    throw new UsageError("--session: this isn't the beginning of a session id. Use hex digits.");
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
  const wants = (line: Line): boolean =>
    line.kind !== '' &&
    (kinds === undefined || kinds.includes(line.kind)) &&
    (session === undefined || line.session?.startsWith(session) === true) &&
    (since === undefined || line.ts >= since) &&
    (until === undefined || line.ts <= until);
  return {
    from: number('from', parseSeq) ?? 1,
    to: number('to', parseSeq) ?? Number.MAX_SAFE_INTEGER,
    last: number('last', parseCount),
    wants: filtered ? wants : undefined,
  };
}

async function* entries(
  context: Context,
  ledger: Ledger,
  located: Located,
  filter: Filter,
): AsyncGenerator<Bytes> {
  const follow = context.values.flag('follow');
  let stop = (): void => undefined;
  const stopped = new Promise<true>((resolve) => {
    stop = () => resolve(true);
  });
  const undo = follow ? context.onInterrupt(stop) : undefined;
  const format = parseFormat(context);
  const writer = format === undefined ? undefined : await formatWriter(format, context, ledger);
  const print =
    writer === undefined
      ? printer(context, contentReader(ledger, located))
      : (found: AsyncIterable<Found>) => writer.write(linesIn(found));
  try {
    let { seq } = await ledger.store.head();
    let isEmpty = true;
    for await (const piece of print(tail(context, ledger, { ...filter, to: Math.min(filter.to, seq) }))) {
      isEmpty &&= piece.length === 0;
      yield piece;
    }
    if (isEmpty && !follow && writer === undefined && filter.last !== 0)
      context.warn(`no entry matches. The ledger has ${counted(seq, 'entry', 'entries')}.`);
    if (!follow && writer !== undefined) yield* writer.end();
    while (follow && !(await Promise.race([stopped, pause()]))) {
      const next = (await ledger.store.head()).seq;
      if (next > seq)
        yield* print(range(context, ledger, { ...filter, from: Math.max(filter.from, seq + 1), to: next }));
      seq = Math.max(seq, next);
    }
  } finally {
    undo?.();
    await ledger.close();
  }
}

/** Whole pieces of the log, or the lines of one that are wanted. */
type Found = Uint8Array | readonly Line[];

/** What was found, as it is printed. Only now is content looked at: for what was passed over, nothing is opened. */
function printer(
  { values, paint, columns }: Context,
  read: ReadContent,
): (found: AsyncIterable<Found>) => AsyncGenerator<Bytes> {
  const render = lineRenderer({ paint, columns }, values.flag('no-content') ? undefined : read);
  const json = values.flag('json');
  return async function* (found) {
    for await (const lines of found) {
      if (lines instanceof Uint8Array) yield lines;
      else if (json) yield Buffer.concat(lines.flatMap(({ bytes }) => [bytes, NEWLINE]));
      else {
        let text = '';
        for (const line of lines) {
          text += await render(line);
          if (text.length < ENOUGH) continue;
          yield text;
          text = '';
        }
        yield text;
      }
    }
  };
}

/** The last so many of a range. Without other filters they are found by their number. */
async function* tail(context: Context, ledger: Ledger, filter: Filter): AsyncGenerator<Found> {
  const { last, from, to, wants } = filter;
  if (last === 0) return;
  if (last === undefined) yield* range(context, ledger, filter);
  else if (wants === undefined)
    yield* range(context, ledger, { ...filter, from: Math.max(from, to - last + 1) });
  else {
    let kept: readonly Line[] = [];
    for await (const lines of scanLines(ledger.store, from, to)) {
      // Copied, so that a few lines do not hold on to all that was read.
      const fresh = lines.filter(wants).slice(-last);
      kept = [...kept, ...fresh.map((line) => ({ ...line, bytes: Buffer.from(line.bytes) }))].slice(-last);
    }
    yield kept;
  }
}

async function* range(context: Context, ledger: Ledger, { from, to, wants }: Filter): AsyncGenerator<Found> {
  if (from > to) return;
  const raw = context.values.flag('json') && !context.values.flag('format');
  if (raw && wants === undefined) yield* ledger.store.read(from, to);
  else
    for await (const lines of scanLines(ledger.store, from, to))
      yield wants === undefined ? lines : lines.filter(wants);
}

/** Whole pieces are only found where no format is asked for. */
async function* linesIn(found: AsyncIterable<Found>): AsyncGenerator<readonly Line[]> {
  for await (const lines of found) if (!(lines instanceof Uint8Array)) yield lines;
}

function pause(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, POLL, false));
}
