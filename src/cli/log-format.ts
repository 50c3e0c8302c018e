// foil log --format: the entries in a form that other tools read. The forms themselves are pure, in format/; this turns
// the ledger's lines into entries for them, and says what was left out.
import { exportKaiza } from '../format/index.ts';
import { type Context, UsageError } from './command.ts';
import { type Line, parseLine } from './entry-lines.ts';
import { counted } from './text.ts';

const FORMATS = ['kaiza'] as const;
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
  return format;
}

export function formatWriter(_format: Format, context: Context): FormatWriter {
  const kaiza = exportKaiza();
  let unreadable = 0;
  return {
    async *write(found) {
      for await (const lines of found) {
        let text = '';
        for (const line of lines) {
          const entry = parseLine(line);
          if (entry === undefined) unreadable++;
          else text += kaiza.add(entry);
        }
        if (text !== '') yield text;
      }
    },
    *end() {
      const { text, open } = kaiza.end();
      if (text !== '') yield text;
      if (open > 0)
        context.warn(
          `${counted(open, 'call has', 'calls have')} no result yet: NO_RESULT, at the end. A later log will have the results in that place.`,
        );
      if (unreadable > 0)
        context.warn(`${counted(unreadable, 'line is no entry', 'lines are no entries')}: run foil verify.`);
    },
  };
}
