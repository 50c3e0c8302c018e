// foil log --format: the entries in a form that other tools read. The forms themselves are pure, in format/; this turns
// the ledger's lines into entries for them, and says what was left out.
import manifest from '../../package.json' with { type: 'json' };
import { exportKaiza, exportOtlp, type OtlpOptions } from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type Context, UsageError } from './command.ts';
import { type Line, parseLine } from './entry-lines.ts';
import { counted } from './text.ts';

const FORMATS = ['kaiza', 'otel'] as const;
type Format = (typeof FORMATS)[number];

export interface FormatWriter {
  write(found: AsyncIterable<readonly Line[]>): AsyncGenerator<string>;
  /** What can only be said once nothing more will come. */
  end(): Generator<string>;
}

export function parseFormat({ values }: Context): Format | undefined {
  const text = values.text('format');
  if (text === undefined) return undefined;
  const format = FORMATS.find((known) => known === text);
  if (format === undefined)
    throw new UsageError(`--format: ${JSON.stringify(text)} is no format. There are: ${FORMATS.join(', ')}.`);
  if (format === 'otel' && values.flag('follow'))
    throw new UsageError(
      '--follow: a trace is written when it ends. Leave it out, or follow with --format kaiza.',
    );
  return format;
}

export async function formatWriter(format: Format, context: Context, ledger: Ledger): Promise<FormatWriter> {
  const log = format === 'kaiza' ? exportKaiza() : exportOtlp(await otlpOptions(ledger));
  let unreadable = 0;
  return {
    async *write(found) {
      for await (const lines of found) {
        let text = '';
        for (const line of lines) {
          const entry = parseLine(line);
          if (entry === undefined) unreadable++;
          else text += log.add(entry);
        }
        if (text !== '') yield text;
      }
    },
    *end() {
      const { text, open } = log.end();
      if (text !== '') yield text;
      if (open > 0) context.warn(OPEN[format](open));
      if (unreadable > 0)
        context.warn(`${counted(unreadable, 'line is no entry', 'lines are no entries')}: run foil verify.`);
    },
  };
}

/** A ledger that can't say who it is can still be read. */
async function otlpOptions(ledger: Ledger): Promise<OtlpOptions> {
  const { version } = manifest;
  const identity = await ledger.identity().catch(() => undefined);
  return identity === undefined ? { version } : { version, origin: identity.origin };
}

const OPEN: Readonly<Record<Format, (open: number) => string>> = {
  kaiza: (open) =>
    `${counted(open, 'call has', 'calls have')} no result yet: NO_RESULT, at the end. A later log will have the results in that place.`,
  otel: (open) =>
    `${counted(open, 'span has', 'spans have')} no end on record: counterfoil.open, ended with its session's last entry.`,
};
