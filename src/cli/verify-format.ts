// foil verify --format: a log that is no ledger, read from a file or a pipe as it comes, however long it is.
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isHash, StoreError } from '../core/index.ts';
import { verifyKaizaLog } from '../verify/index.ts';
import { type Context, EXIT, type Outcome, UsageError } from './command.ts';
import { renderKaizaReport } from './render-report.ts';
import { progressBar } from './text.ts';

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

export async function verifyFormat(context: Context): Promise<Outcome> {
  const { values, paint, cwd } = context;
  const format = values.text('format');
  if (format !== 'kaiza')
    throw new UsageError(`--format: ${JSON.stringify(format)} is no format to verify. There is: kaiza.`);
  const other = OF_LEDGERS.find((name) => values.flag(name));
  if (other !== undefined)
    throw new UsageError(`--${other} belongs to a ledger, and a log of the format kaiza is none.`);
  const [given] = context.arguments;
  if (given === undefined)
    throw new UsageError('name the log: foil verify FILE --format kaiza, or - for standard input.');
  const continues = values.text('continues');
  if (continues !== undefined && !isHash(continues))
    throw new UsageError('--continues: not an entry_hash, 64 hex digits in lower case.');
  const path = resolve(cwd, given);
  try {
    const report = await verifyKaizaLog(given === '-' ? context.stdin() : open(path), {
      ...(continues === undefined ? {} : { continues }),
      progress: (lines) => context.progress(progressBar(lines, undefined)),
    });
    const name = given === '-' ? 'standard input' : path;
    return {
      json: report,
      text: renderKaizaReport(report, name, paint),
      exit: report.valid ? EXIT.FINE : EXIT.BROKEN,
    };
  } finally {
    context.progress('');
  }
}

function open(path: string): AsyncIterable<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new StoreError('NOT_FOUND', `there is no log ${path}.`);
  if (found.isDirectory()) throw new UsageError(`${path} is a directory. Name the log in it.`);
  return createReadStream(path, { highWaterMark: PIECE });
}
