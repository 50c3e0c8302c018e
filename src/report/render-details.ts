// One entry in full for a person: where it stands, its facts, its content, what was redacted. Line by line, so that
// long content is never held twice; every line is made harmless.
import type { Json } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { type Content, contentValue, refOf } from './content.ts';
import { size, summarize } from './entry-summary.ts';
import type { Look } from './render-entry.ts';
import { harmless, lasted, shorten, sized, columns as twoColumns } from './text.ts';
import { weakenedWords } from './weakened-words.ts';

/** Of one piece of content, unless all of it is asked for. */
const LINES = 40;
const CHARACTERS = 8000;
/** A line longer than this is cut, likewise. */
const LINE = 1000;
/** Of what answers an entry. */
const LISTED = 10;
const DEFAULT_WIDTH = 120;

/** An entry with what it hangs on. */
export interface Details {
  readonly entry: Entry;
  /** By the path of the payload's member. */
  readonly content: ReadonlyMap<string, Content>;
  /** What it answers, what that answers, and so on. */
  readonly cause: readonly Related[];
  /** What answers it, within its session. */
  readonly answers: readonly Related[];
  /** The size of the checkpoint that covers it, null where none does yet, undefined where that can't be told. */
  readonly sealed: number | null | undefined;
}

export interface Related {
  readonly entry: Entry;
  readonly content: Content | undefined;
}

export function* renderDetails(
  { entry, content, cause, answers, sealed }: Details,
  look: Look,
  full: boolean,
  now: number,
): Generator<string> {
  const { paint } = look;
  const width = Math.max(40, look.columns ?? DEFAULT_WIDTH);
  const ago = now - Date.parse(entry.ts);
  yield `${paint.bold(`entry ${entry.seq}`)}  ${harmless(entry.kind)}\n`;
  const facts: [string, string][] = [
    ['time', `${entry.ts}${ago >= 0 ? ` (${lasted(ago)} ago)` : ''}`],
    ['session', entry.session_id ?? 'none'],
    ['source', entry.source],
    ['sealed', sealedText(sealed)],
    ['hash', entry.entry_hash],
    ...cause.map((related, i): [string, string] => [i === 0 ? 'answers' : '', brief(related)]),
    ...answers
      .slice(0, LISTED)
      .map((related, i): [string, string] => [i === 0 ? 'answered by' : '', brief(related)]),
    ...(answers.length > LISTED ? [['', `… and ${answers.length - LISTED} more`] as [string, string]] : []),
  ];
  yield `${lines(facts, width)}\n`;

  const payload =
    entry.kind === 'validation'
      ? { ...entry.payload, weakened: weakenedWords(entry.payload.weakened).replace(/^weakened: /, '') }
      : entry.payload;
  const members = Object.entries(payload).filter(
    ([name, value]) => name !== 'redacted' && value !== null && !isEmpty(value) && refOf(value) === undefined,
  );
  const absent = Object.entries(payload).flatMap(([name, value]) => (value === null ? [name] : []));
  if (members.length > 0) yield `\n${paint.bold('facts')}\n`;
  const longest = Math.min(24, Math.max(0, ...members.map(([name]) => name.length)));
  for (const [name, value] of members) yield* renderMember(name.padEnd(longest), value, width, full);
  if (absent.length > 0) yield `  ${paint.dim(shorten(harmless(`null: ${absent.join(', ')}`), width - 2))}\n`;

  for (const [path, each] of content) yield* renderContent(path, each, look, full);

  const redacted = isObject(entry.payload.redacted) ? Object.entries(entry.payload.redacted) : [];
  if (redacted.length > 0) {
    yield `\n${paint.bold('redacted')}\n`;
    for (const [rule, count] of redacted) yield `  ${harmless(`${String(count)} × ${rule}`)}\n`;
  }
}

function sealedText(sealed: number | null | undefined): string {
  if (sealed === undefined) return 'unknown: the checkpoint is wrong. Run foil verify.';
  return sealed === null ? 'not yet' : `yes, by the checkpoint over entries 1 to ${sealed}`;
}

function brief({ entry, content }: Related): string {
  return `${entry.seq}  ${entry.kind}  ${summarize(entry, content)}`;
}

/** A short member on a line, a long one below its name. */
function* renderMember(name: string, value: Json, width: number, full: boolean): Generator<string> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const label = `  ${harmless(name)}  `;
  if (!text.includes('\n') && text.length <= Math.max(20, width - label.length)) {
    yield `${label}${harmless(text)}\n`;
    return;
  }
  yield `  ${harmless(name.trimEnd())}\n`;
  yield* renderText(typeof value === 'string' ? value : JSON.stringify(value, null, 2), '    ', full);
}

/** What has lines of its own, as `stdout` and `stderr` have, is shown on its own; the rest as JSON. */
function* renderContent(path: string, content: Content, { paint }: Look, full: boolean): Generator<string> {
  const { ref, state } = content;
  const heading = (name: string, note: string): string =>
    `\n${paint.bold(harmless(name))}  ${paint.dim(harmless(note))}\n`;
  const note = [sized(ref.bytes), ...(ref.type === undefined ? [] : [ref.type])].join(', ');
  if (content.state !== 'kept') {
    const why = state === 'large' ? `${note}: --full shows it` : size(null, ref.bytes, content);
    yield heading(path, why);
    return;
  }
  const value = contentValue(content.bytes, ref.type);
  if (value === undefined) {
    yield heading(path, `${note}: not text`);
    return;
  }
  if (!isObject(value)) {
    yield heading(path, note);
    yield* renderText(typeof value === 'string' ? value : JSON.stringify(value, null, 2), '  ', full);
    return;
  }
  const apart = Object.entries(value).filter(
    (member): member is [string, string] =>
      typeof member[1] === 'string' && (/^std(?:out|err)$/.test(member[0]) || member[1].includes('\n')),
  );
  const names = new Set(apart.map(([name]) => name));
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
  if (Object.keys(rest).length > 0 || apart.length === 0) {
    yield heading(path, note);
    yield* renderText(JSON.stringify(rest, null, 2), '  ', full);
  }
  for (const [name, text] of apart) {
    yield heading(`${path}.${name}`, text === '' ? 'empty' : sized(Buffer.byteLength(text)));
    if (text !== '') yield* renderText(text, '  ', full);
  }
}

/** The lines of a text, each made harmless. Tabs become spaces: a terminal would jump to where it likes. */
function* renderText(text: string, indent: string, full: boolean): Generator<string> {
  let shown = 0;
  let at = 0;
  for (let count = 0; at < text.length && (full || (count < LINES && shown < CHARACTERS)); count++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = harmless(text.slice(at, text[end - 1] === '\r' ? end - 1 : end).replaceAll('\t', '    '));
    yield `${indent}${full ? line : shorten(line, LINE)}\n`;
    shown += Math.min(line.length, LINE);
    at = end + 1;
  }
  if (at >= text.length) return;
  let left = 0;
  for (let next = at; next < text.length && next > 0; next = text.indexOf('\n', next) + 1) left++;
  yield `${indent}… ${left} more ${left === 1 ? 'line' : 'lines'}: --full shows all\n`;
}

function lines(rows: readonly (readonly [string, string])[], width: number): string {
  return twoColumns(rows.map(([name, value]) => [name, shorten(harmless(value), Math.max(66, width - 15))]));
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
