// foil log --format: the entries in a form that other tools read. The forms themselves are pure, in format/; this turns
// the ledger's lines into entries for them, and says what was left out.
import manifest from '../../package.json' with { type: 'json' };
import { UsageError } from '../core/index.ts';
import { exportGently, exportKaiza, exportOtlp, exportWatchdog, type OtlpOptions } from '../exports/index.ts';
import type { Entry } from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { counted, type Line, parseLine } from '../report/index.ts';
import type { Context } from './command.ts';

const FORMATS = ['kaiza', 'otel', 'gently', 'watchdog'] as const;
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
    throw new UsageError(
      `--format: unknown format ${JSON.stringify(text)}. Use one of ${FORMATS.join(', ')}.`,
    );
  if (format === 'otel' && values.flag('follow'))
    throw new UsageError(
      "--follow doesn't work with this format, because a trace is only written when it ends. Leave out --follow, or use --format watchdog.",
    );
  return format;
}

export async function formatWriter(format: Format, context: Context, ledger: Ledger): Promise<FormatWriter> {
  const log = await logOf(format, ledger);
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
      const { text, warnings } = log.end();
      if (text !== '') yield text;
      for (const warning of warnings) context.warn(warning);
      if (unreadable > 0)
        context.warn(
          `${counted(unreadable, "line isn't an entry", "lines aren't entries")}. Run \`foil verify\`.`,
        );
    },
  };
}

interface Log {
  add(entry: Entry): string;
  end(): { readonly text: string; readonly warnings: readonly string[] };
}

async function logOf(format: Format, ledger: Ledger): Promise<Log> {
  if (format === 'gently' || format === 'watchdog') {
    const log = format === 'gently' ? exportGently() : exportWatchdog();
    const warnings = (): string[] => (log.malformed === 0 ? [] : [MALFORMED(log.malformed)]);
    return { add: log.add, end: () => ({ text: '', warnings: warnings() }) };
  }
  const log = format === 'kaiza' ? exportKaiza() : exportOtlp(await otlpOptions(ledger));
  return {
    add: log.add,
    end() {
      const { text, open } = log.end();
      return { text, warnings: open === 0 ? [] : [OPEN[format](open)] };
    },
  };
}

const MALFORMED = (count: number): string =>
  `${counted(count, 'entry is', 'entries are')} malformed, so foil left out ${count === 1 ? 'it' : 'them'}. Run \`foil verify\`.`;

/** A ledger that can't say who it is can still be read. */
async function otlpOptions(ledger: Ledger): Promise<OtlpOptions> {
  const { version } = manifest;
  const identity = await ledger.identity().catch(() => undefined);
  return identity === undefined ? { version } : { version, origin: identity.origin };
}

const OPEN: Readonly<Record<'kaiza' | 'otel', (open: number) => string>> = {
  kaiza: (open) =>
    `${counted(open, 'call has', 'calls have')} no result yet. The log ends with NO_RESULT for these; a later log will have the results there.`,
  otel: (open) =>
    `${counted(open, 'span has', 'spans have')} no recorded end. They are marked counterfoil.open, and end with the last entry of their session.`,
};
