// foil verify --format: a log that is no ledger, read from a file or a pipe as it comes, however long it is.
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isHash, StoreError, UsageError } from '../core/index.ts';
import { verifyGentlyLog, verifyKaizaLog } from '../exports/index.ts';
import { progressBar, renderLogReport } from '../report/index.ts';
import { type Context, EXIT, type Outcome } from './command.ts';

const PIECE = 1 << 20;
/** They speak of signatures and content, which such a log has not. */
const OF_LEDGERS = [
  'ledger',
  'key',
  'trust',
  'checkpoint',
  'stamp',
  'headers',
  'require',
  'no-content',
  'entry',
];

const VERIFIERS = { kaiza: verifyKaizaLog, gently: verifyGentlyLog } as const;
type Format = keyof typeof VERIFIERS;

export async function verifyFormat(context: Context): Promise<Outcome> {
  const { values, paint, cwd } = context;
  const format = parseFormat(values.text('format') ?? '');
  const other = OF_LEDGERS.find((name) => values.flag(name));
  if (other !== undefined)
    throw new UsageError(`--${other} is only for a ledger, and this is a log in the format ${format}.`);
  const [given] = context.arguments;
  if (given === undefined)
    throw new UsageError(`Which log? Use \`foil verify FILE --format ${format}\`, or - for standard input.`);
  const continues = values.text('continues');
  if (continues !== undefined && !isHash(continues))
    throw new UsageError("--continues: this isn't the hash of a line. A hash has 64 lower-case hex digits.");
  const path = resolve(cwd, given);
  try {
    const report = await VERIFIERS[format](given === '-' ? context.stdin() : open(path), {
      ...(continues === undefined ? {} : { continues }),
      progress: (lines) => context.progress(progressBar(lines, undefined)),
    });
    const name = given === '-' ? 'standard input' : path;
    return {
      json: report,
      text: renderLogReport(report, name, paint),
      exit: report.valid ? EXIT.FINE : EXIT.BROKEN,
    };
  } finally {
    context.progress('');
  }
}

function parseFormat(text: string): Format {
  const formats = Object.keys(VERIFIERS) as Format[];
  const format = formats.find((known) => known === text);
  if (format !== undefined) return format;
  throw new UsageError(
    `--format: can't verify the format ${JSON.stringify(text)}. Use one of ${formats.join(', ')}.`,
  );
}

function open(path: string): AsyncIterable<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new StoreError('NOT_FOUND', `there is no log ${path}.`);
  if (found.isDirectory()) throw new UsageError(`${path} is a directory. Name the log in it.`);
  return createReadStream(path, { highWaterMark: PIECE });
}
