// An entry as one line for a person: number, time, kind, session, and what it says, in short. On a terminal the day
// has a line of its own, to leave room for the rest; in a pipe every line has its date.
import type { Entry } from '../format/index.ts';
import { type Content, type ReadContent, refOf } from './content.ts';
import { type Line, parseLine } from './entry-lines.ts';
import { summarize, telling } from './entry-summary.ts';
import type { Paint } from './text.ts';
import { counted, harmless, moment, shorten } from './text.ts';

const SEQ_WIDTH = 7;
const KIND_WIDTH = 13;
/** Of a summary where there is no terminal to fit. */
const DEFAULT_WIDTH = 100;
const LEAST_WIDTH = 20;
/** More than this is not opened to show a line of it. */
const LARGEST = 64 * 1024;

export interface Look {
  readonly paint: Paint;
  /** Columns of the terminal; undefined where there is none. */
  readonly columns?: number | undefined;
}

export function renderEntry(entry: Entry, { paint, columns }: Look, content?: Content): string {
  const seq = String(entry.seq).padStart(SEQ_WIDTH);
  const time = columns === undefined ? moment(entry.ts) : entry.ts.slice(11, 19);
  const session = entry.session_id === null ? '-'.padEnd(8) : entry.session_id.slice(0, 8);
  const kind = entry.kind.padEnd(KIND_WIDTH);
  const used = seq.length + time.length + session.length + kind.length + 8;
  const width = columns === undefined ? DEFAULT_WIDTH : Math.max(LEAST_WIDTH, columns - used);
  const summary = colour(entry, paint)(shorten(harmless(summarize(entry, content)), width));
  return `${paint.bold(seq)}  ${paint.dim(time)}  ${kind}  ${paint.dim(session)}  ${summary}`.trimEnd();
}

export function renderUnreadable(seq: number, bytes: number, { paint }: Look): string {
  return `${String(seq).padStart(SEQ_WIDTH)}  ${paint.red(`not an entry (${counted(bytes, 'byte')}): run foil verify`)}`;
}

/** The content that says in a word what an entry is about, where there is a reference to some. */
export async function tellingContent(read: ReadContent, entry: Entry): Promise<Content | undefined> {
  const member = telling(entry);
  const ref = member === undefined ? undefined : refOf(entry.payload[member]);
  return ref === undefined ? undefined : read(entry.session_id, ref, LARGEST);
}

/** Renders one line after the other, and says on a terminal when a new day begins. No content without `read`. */
export function lineRenderer(look: Look, read: ReadContent | undefined): (line: Line) => Promise<string> {
  let day = '';
  return async (line) => {
    const entry = parseLine(line);
    if (entry === undefined) return `${renderUnreadable(line.seq, line.bytes.length, look)}\n`;
    const content = read === undefined ? undefined : await tellingContent(read, entry);
    const today = entry.ts.slice(0, 10);
    const heading =
      look.columns === undefined || today === day ? '' : `${look.paint.dim(`${today}, times in UTC`)}\n`;
    day = today;
    return `${heading}${renderEntry(entry, look, content)}\n`;
  };
}

const YELLOW: ReadonlySet<string> = new Set(['tool.denied', 'gap', 'override']);

function colour({ kind, payload }: Entry, paint: Paint): (text: string) => string {
  const { result, exit_code: exit } = payload;
  if (kind === 'tool.result')
    return result === 'ok' && (typeof exit !== 'number' || exit === 0) ? (text) => text : paint.red;
  if (kind === 'gate') {
    if (payload.verdict === 'block' || payload.verdict === 'unproven') return paint.red;
    return payload.verdict === 'warn' || payload.verdict === 'ungated' ? paint.yellow : (text) => text;
  }
  if (kind === 'crash') return paint.red;
  return YELLOW.has(kind) ? paint.yellow : (text) => text;
}
