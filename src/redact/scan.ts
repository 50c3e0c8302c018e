// One pass over a text. Two neighbouring characters decide, by table, whether any rule could be at home here; only
// then is a rule asked. A rule looks back and ahead a bounded way, or takes what it has walked over, so the whole is
// linear. Nothing looks back past `floor`, the end of the last thing taken: there, a rule sees what it would see behind
// a marker. That makes redaction idempotent.
import { encodeMarker, markerEnd } from './marker.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
  readonly id: string;
  /** Put before and behind the marker: quotes, where a bare number in JSON text becomes a string. */
  readonly quote: string;
}

export interface Scan {
  readonly text: string;
  /** The text's code units, which are read twice as fast from here. */
  readonly codes: Uint16Array;
  readonly spans: Span[];
  floor: number;
  /** Spans found ahead of where the scan is, in order: a password behind its user. What lies before them is still scanned. */
  readonly ahead: Span[];
  /** How far the text was searched for the end of an object that says `kty`, and where the last that is a key ends. */
  searched: number;
  keyEnd: number;
  /** How far rows of values, and lines of tables, were read already: nothing is read twice. */
  rowsEnd: number;
  linesEnd: number;
  /** There is something in the text that a view would show otherwise: see views.ts. */
  hides: boolean;
}

/** Asked when its pair of characters ends at `at`; takes what it finds by `take`. */
export type Probe = (scan: Scan, at: number) => void;

export interface Dispatch {
  /** For a character and the one before it, the index of the probes to ask; 0 for none. */
  readonly table: Uint16Array;
  readonly probes: Probe[][];
  /** For a list of probes and the character before the pair, whether it is worth asking: most hits end here. */
  readonly before: Uint8Array;
  /** For a list of probes, whether a letter may follow: 0 where every one of them wants the end of a word. */
  readonly within: Uint8Array;
  /** How many of the lists of probes are asked whatever the first character. */
  shared: number;
}

/** More than every rule of ours and every rule that a user may add have pairs. */
const MOST_LISTS = 512;

export function makeDispatch(): Dispatch {
  return {
    table: new Uint16Array(128 * 128),
    probes: [[]],
    before: new Uint8Array(MOST_LISTS * 128),
    within: new Uint8Array(MOST_LISTS),
    shared: 0,
  };
}

/** Asks the probe at every `second`, whatever stands before it but one of `except`. Comes before any `askAtPair`. */
export function askAt(dispatch: Dispatch, second: string, list: Probe[], except: string): void {
  const { table, probes } = dispatch;
  const index = probes.push(list) - 1;
  dispatch.shared = index;
  const row = second.charCodeAt(0) << 7;
  table.fill(index, row, row + 128);
  for (const sign of except) table[row | sign.charCodeAt(0)] = 0;
  dispatch.before.fill(1, index << 7, (index + 1) << 7);
  dispatch.within[index] = 1;
}

/** Asks the probe where `text` ends a word. */
export function askAtEnd(dispatch: Dispatch, text: string, probe: Probe): void {
  addProbe(dispatch, text, probe);
}

/** Asks the probe at the last two characters of `text`, and only behind the third from the end, where there is one. */
export function askAtPair(dispatch: Dispatch, text: string, probe: Probe): void {
  dispatch.within[addProbe(dispatch, text, probe)] = 1;
}

/** The index of the list that the probe is in. */
function addProbe(dispatch: Dispatch, text: string, probe: Probe): number {
  const { table, probes, shared, before } = dispatch;
  const size = text.length;
  const at = (text.charCodeAt(size - 1) << 7) | text.charCodeAt(size - 2);
  let index = table[at] ?? 0;
  const list = probes[index];
  const isOwn = index > shared;
  if (isOwn) {
    if (list?.at(-1) !== probe) list?.push(probe);
  } else {
    if (probes.length >= MOST_LISTS) throw new RangeError('too many rules');
    const isShared = index > 0;
    index = probes.push(isShared ? [probe, ...(list ?? [])] : [probe]) - 1;
    table[at] = index;
    if (isShared) {
      before.fill(1, index << 7, (index + 1) << 7);
      dispatch.within[index] = 1;
    }
  }
  if (size > 2) before[(index << 7) | text.charCodeAt(size - 3)] = 1;
  else before.fill(1, index << 7, (index + 1) << 7);
  return index;
}

/** The code unit at `at`, within the text; before `floor` it is what a marker or the start of the text would show. */
export function codeAt(scan: Scan, at: number): number {
  if (at >= scan.floor) return scan.codes[at] ?? 0;
  return scan.floor === 0 ? 10 : 93;
}

export function take(scan: Scan, start: number, end: number, id: string, quote = ''): void {
  scan.spans.push({ start, end, id, quote });
  scan.floor = end;
}

export function takeAhead(scan: Scan, start: number, end: number, id: string): void {
  const { ahead } = scan;
  let at = ahead.length;
  while (at > 0 && (ahead[at - 1]?.start ?? 0) > start) at--;
  ahead.splice(at, 0, { start, end, id, quote: '' });
}

const SHORT = 2048;
const LARGEST_SCRATCH = 65_536;
/** Kept for texts of middling size: a scan ends before the next begins. */
let scratch: Uint16Array | undefined;

/** What stands behind the text is garbage. Short texts, the hook's, go by what costs least the first time. */
function codesOf(text: string): Uint16Array {
  if (text.length <= SHORT) {
    const bytes = Buffer.from(text, 'utf16le');
    if (bytes.byteOffset % 2 === 0) return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  }
  let codes = scratch;
  if (codes === undefined || text.length > codes.length) {
    codes = new Uint16Array(Math.max(text.length, LARGEST_SCRATCH));
    if (text.length <= LARGEST_SCRATCH) scratch = codes;
  }
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
}

/** Apart from the loop, which stays small and is compiled well for that. */
function ask(asked: readonly Probe[] | undefined, scan: Scan, at: number): void {
  if (asked === undefined) return;
  for (let i = 0; i < asked.length && scan.floor <= at; i++) asked[i]?.(scan, at);
}

/** The spans of a text, in order. Markers that were there are stepped over and not listed. */
export function scanText(text: string, dispatch: Dispatch): Scan {
  const codes = codesOf(text);
  const scan: Scan = {
    text,
    codes,
    spans: [],
    floor: 0,
    ahead: [],
    searched: 0,
    keyEnd: 0,
    rowsEnd: 0,
    linesEnd: 0,
    hides: false,
  };
  const { table, probes, before: worth, within } = dispatch;
  const size = text.length;
  let stop = size;
  let before = 10;
  let at = 0;
  for (;;) {
    for (; at < stop; at++) {
      const code = codes[at] ?? 0;
      if (code > 127) {
        before = 0;
        continue;
      }
      const index = table[(code << 7) | before] ?? 0;
      before = code;
      if (index === 0) continue;
      const third = at > 1 ? (codes[at - 2] ?? 0) : 0;
      if (worth[(index << 7) | (third > 127 ? 0 : third)] === 0) continue;
      if (within[index] === 0 && isLetter(codes[at + 1] ?? 0)) continue;
      ask(probes[index], scan, at);
      if (scan.floor > at) {
        at = scan.floor - 1;
        before = 93;
      }
      if (scan.ahead.length > 0) stop = scan.ahead[0]?.start ?? size;
    }
    const next = scan.ahead.shift();
    if (next === undefined) return scan;
    stop = scan.ahead[0]?.start ?? size;
    if (next.start < scan.floor) continue;
    take(scan, next.start, next.end, next.id);
    at = next.end;
    before = 93;
  }
}

/** A probe for `[R`: steps over a marker that is already there. */
export function stepOverMarker(scan: Scan, at: number): void {
  const end = markerEnd(scan.text, at - 1);
  if (end > 0) scan.floor = end;
}

/**
 * May something begin at `start`? Not in the middle of a word; but `\n`, `%3D`, `\u0022` and a colour's `\x1b[31m` end
 * in a letter or a digit without being one.
 */
export function beginsWord(scan: Scan, start: number): boolean {
  const c = codeAt(scan, start - 1);
  if (!isAlnum(c)) return true;
  const b = codeAt(scan, start - 2);
  if (b === 92 && (c === 110 || c === 114 || c === 116)) return true;
  if (isHex(c) && isHex(b)) {
    const a = codeAt(scan, start - 3);
    if (a === 37 || (a === 120 && codeAt(scan, start - 4) === 92)) return true;
    if (codeAt(scan, start - 5) === 117 && codeAt(scan, start - 6) === 92) return true;
  }
  if (c !== 109) return false;
  let back = start - 2;
  while (start - back < 12 && (isDigit(codeAt(scan, back)) || codeAt(scan, back) === 59)) back--;
  return codeAt(scan, back) === 91 && back >= scan.floor;
}

/**
 * A word walked back to `start` may have an escape's last letters at its head: `\\npassword`, `%3Dpassword`,
 * `\\x1b[31mpassword`. Where the word itself begins.
 */
export function afterEscape(codes: Uint16Array, start: number, floor: number): number {
  const before = start > floor ? codes[start - 1] : 0;
  if (before !== 92 && before !== 37 && before !== 91) return start;
  const first = codes[start] ?? 0;
  if (before === 92) return first === 110 || first === 114 || first === 116 ? start + 1 : start;
  if (before === 37) return isHex(first) && isHex(codes[start + 1] ?? 0) ? start + 2 : start;
  let at = start;
  while (at - start < 12 && (isDigit(codes[at] ?? 0) || codes[at] === 59)) at++;
  return at > start && codes[at] === 109 ? at + 1 : start;
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isAlnum(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

/** The text with its spans replaced; the very text if there are none. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, id, quote } of spans) {
    pieces.push(text.slice(from, start), quote, encodeMarker(id), quote);
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
