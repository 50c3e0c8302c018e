// A report: one HTML file that shows a run and checks it in the reader's browser. It is a page, the same for every
// report of a version, with the parts of the run's bundle in one place of it. Lines of the ledger stand there as they
// are, so that a changed byte spoils one line and no other. See spec/report.md.
import { utf8Decode, utf8Encode } from '#platform';
import { encodeBase64, ParseError, parseBase64 } from '../core/index.ts';
import { CHANGES_FILE, parseChanges } from './changes.ts';
import type { TreeFile } from './file-tree.ts';

/** Where the parts stand in a page. It occurs once. */
export const REPORT_SLOT = '<!--counterfoil-parts-->';
/** Base64 of the largest bundle, and the page. */
export const MOST_REPORT = 400_000_000;
export const REPORT_PART_TYPE = 'application/vnd.counterfoil.part';

const OPEN = `<script type="${REPORT_PART_TYPE}" data-path="`;
const CLOSE = '</script>\n';
const HEAD = /^([\w./-]{1,1024})"( data-base64)?$/;
/** Their only `<` stands in texts of JSON, and no text there is written with the escape that takes its place. */
const TEXTS = /\.jsonl?$/;

export interface ReportFile {
  /** The page without the parts, with the slot in their place. */
  readonly page: string;
  /** Of the bundle, its envelope among them, in their order. */
  readonly parts: readonly TreeFile[];
  /** `changes.json`, which stands beside them and is none of them; left out where there is none. */
  readonly changes?: Uint8Array | undefined;
}

export function encodeReport({ page, parts: own, changes }: ReportFile): string {
  const more = changes === undefined ? [] : [{ path: CHANGES_FILE, bytes: changes }];
  const parts = [...own, ...more].sort((a, b) => (a.path < b.path ? -1 : 1));
  const at = page.indexOf(REPORT_SLOT);
  if (at < 0) throw new RangeError('a page without a place for the parts');
  return `${page.slice(0, at)}${parts.map(encodePart).join('')}${page.slice(at + REPORT_SLOT.length)}`;
}

export function encodePart({ path, bytes }: TreeFile): string {
  return TEXTS.test(path)
    ? `${OPEN}${path}">${utf8Decode(bytes).replaceAll('<', '\\u003c')}${CLOSE}`
    : `${OPEN}${path}" data-base64>${encodeBase64(bytes)}${CLOSE}`;
}

/**
 * Throws ParseError for what `encodeReport` would not have written. A browser must see the same parts as we do and
 * nothing else between them: a `<` could end one early, and a carriage return never reaches a script. Says nothing yet
 * of whether the parts are those of a bundle.
 */
export function parseReport(html: string): ReportFile {
  const refuse = (why: string): never => {
    throw new ParseError('MALFORMED', why, 'report');
  };
  if (html.startsWith('\ufeff')) refuse('it begins with a byte order mark, so something rewrote it');
  if (html.includes('\r')) refuse('it has a carriage return, so something changed its line ends');
  const first = html.indexOf(OPEN);
  if (first < 0) refuse('it has no parts of a run');
  const parts: TreeFile[] = [];
  let at = first;
  while (html.startsWith(OPEN, at)) {
    const name = `part ${parts.length + 1}`;
    const head = html.indexOf('>', at);
    const [, path, base64] = HEAD.exec(html.slice(at + OPEN.length, head)) ?? [];
    if (head < 0 || path === undefined) return refuse(`${name} has no path, or one that no part has`);
    if ((base64 === undefined) !== TEXTS.test(path)) refuse(`${name}, ${path}, is not written as it must be`);
    const end = html.indexOf('<', head);
    if (end < 0 || !html.startsWith(CLOSE, end)) refuse(`${name}, ${path}, does not end as it must`);
    parts.push({ path, bytes: partBytes(path, html.slice(head + 1, end), base64 !== undefined) });
    at = end + CLOSE.length;
  }
  if (html.includes(OPEN, at)) refuse('parts of the run stand in two places');
  const [changes, ...others] = parts.filter(({ path }) => path === CHANGES_FILE);
  if (others.length > 0) refuse(`${CHANGES_FILE} is there twice`);
  if (parts.some(({ path }, i) => i > 0 && path <= (parts[i - 1]?.path ?? '')))
    refuse('its parts are not in order');
  if (changes !== undefined) parseChanges(changes.bytes);
  return {
    page: `${html.slice(0, first)}${REPORT_SLOT}${html.slice(at)}`,
    parts: parts.filter((part) => part !== changes),
    ...(changes === undefined ? {} : { changes: changes.bytes }),
  };
}

/** A page, by what can be compared of it. */
export interface PageMark {
  readonly sha256: string;
  /** Which it says it is of; null where it names none. */
  readonly version: string | null;
}

/** The version that a page says it is of; null where it names none. */
export function reportVersion(page: string): string | null {
  return /<meta name="generator" content="counterfoil ([0-9A-Za-z.+-]{1,64})">/.exec(page)?.[1] ?? null;
}

/** Ours is known whole. That of another version is not: its hash must be compared by hand. */
export function judgeReportPage(page: PageMark, own: PageMark): 'PASS' | 'FAIL' | 'UNKNOWN' {
  if (page.sha256 === own.sha256) return 'PASS';
  return page.version !== null && page.version === own.version ? 'FAIL' : 'UNKNOWN';
}

/** What a part's element holds. Throws ParseError for what is no base64. */
export function partBytes(path: string, text: string, isBase64: boolean): Uint8Array {
  if (!isBase64)
    return utf8Encode(text.replace(/\\(u003c|.)/gs, (pair, name) => (name === 'u003c' ? '<' : pair)));
  try {
    return parseBase64(text);
  } catch {
    throw new ParseError('MALFORMED', `${path} is not base64`, 'report');
  }
}
