// The fast twin of parseEntry: one pass over the bytes of a line that proves it is the one encoding of a well-formed
// entry, without decoding or allocating. It answers yes or no; for the reason, ask parseEntry, which is the
// definition. A differential property test holds the two together: accepting more here would be a forgery. It is
// one pass with one state; only what needs none of that state stands in entry-bytes.ts and timestamp-scan.ts.
import { sha256Hex, utf8Decode } from '#platform';
import { MAX_DEPTH, MAX_LINE } from './entry.ts';
import {
  BACKSLASH,
  CLOSE,
  CLOSE_BRACE,
  COLON,
  COMMA,
  CONTENT_KEY,
  FALSE,
  fourOf,
  HEX,
  isDigit,
  isTail,
  KIND,
  LINE_FEED,
  MCP_KEY,
  NULL,
  OPEN_CAUSE,
  PAYLOAD,
  PLAIN,
  PREV,
  QUOTE,
  SEQ,
  SESSION,
  SHORT_ESCAPE,
  SOURCE,
  TREE_KEY,
  TRUE,
  TS,
  V1_HASH,
} from './entry-bytes.ts';
import { timestampEnd } from './timestamp-scan.ts';

/** Positions are offsets into the buffer last given to scan, valid after it returned true. */
export class EntryScan {
  seq = 0;
  cause = 0; // 0: null
  kind = '';
  /** The braces of the payload: the first one, and behind the last one. */
  payloadStart = 0;
  payloadEnd = 0;
  prevStart = 0;
  sessionStart = -1; // -1: null
  /** The comma before `"entry_hash"`. */
  bodyEnd = 0;
  hashStart = 0;
  /** A member named `$content` is somewhere in the payload. */
  hasContent = false;
  /** So is one named `tree`: whoever recorded this knows of the evidence gate. */
  hasTree = false;
  /** So is one named `mcp`: it passed a proxy, and others may have seen the same call. */
  hasMcp = false;

  #buffer: Uint8Array = new Uint8Array(0);
  #end = 0;
  #value = 0; // the integer last read
  #unusual = false; // the string last read needs decoding before it can be ordered
  readonly #kinds = new Map<number, string>();

  /** Is buffer[start, end) — a line without `\n` — exactly an entry? */
  scan(buffer: Uint8Array, start: number, end: number): boolean {
    return end - start <= MAX_LINE && this.#entry(buffer, start, end) === end;
  }

  /** Where the entry that begins at `start` ends, if its `\n` follows before `limit`; else -1. Needs no search for it. */
  scanLine(buffer: Uint8Array, start: number, limit: number): number {
    const end = this.#entry(buffer, start, limit);
    return end < limit && end - start <= MAX_LINE && buffer[end] === LINE_FEED ? end : -1;
  }

  /** The offset behind the entry that begins at `start`, or -1. */
  #entry(buffer: Uint8Array, start: number, end: number): number {
    this.#buffer = buffer;
    this.#end = end;
    this.hasContent = false;
    this.hasTree = false;
    this.hasMcp = false;
    let at = this.#literal(start, OPEN_CAUSE);
    if (at < 0) return -1;
    this.cause = 0;
    if (buffer[at] === 0x6e) at = this.#literal(at, NULL);
    else {
      at = this.#positive(at);
      this.cause = this.#value;
    }
    at = this.#literal(at, KIND);
    at = this.#kind(at);
    at = this.#literal(at, PAYLOAD);
    if (at < 0 || buffer[at] !== 0x7b) return -1;
    this.payloadStart = at;
    at = this.#object(at + 1, 2);
    this.payloadEnd = at;
    at = this.#literal(at, PREV);
    this.prevStart = at;
    at = this.#hex64(at);
    at = this.#literal(at, SEQ);
    at = this.#positive(at);
    this.seq = this.#value;
    if (at < 0 || this.cause >= this.seq) return -1;
    at = this.#literal(at, SESSION);
    if (at >= 0 && buffer[at] === QUOTE) {
      this.sessionStart = at + 1;
      at = this.#hex64(at + 1);
      if (at < 0 || buffer[at] !== QUOTE) return -1;
      at++;
    } else {
      this.sessionStart = -1;
      at = this.#literal(at, NULL);
    }
    at = this.#literal(at, SOURCE);
    at = this.#source(at);
    at = this.#literal(at, TS);
    at = timestampEnd(buffer, at);
    this.bodyEnd = at + 7; // the comma behind `","v":1`
    at = this.#literal(at, V1_HASH);
    this.hashStart = at;
    at = this.#hex64(at);
    return this.#literal(at, CLOSE);
  }

  /** Does `entry_hash` match the line scanned last? Borrows one byte of the buffer and gives it back. */
  hashMatches(start: number): boolean {
    const buffer = this.#buffer;
    const comma = this.bodyEnd;
    buffer[comma] = CLOSE_BRACE;
    const hash = sha256Hex(buffer.subarray(start, comma + 1));
    buffer[comma] = COMMA;
    return this.sameText(this.hashStart, hash);
  }

  /** Is `text` (ASCII) what stands at `at`? */
  sameText(at: number, text: string): boolean {
    const buffer = this.#buffer;
    for (let i = 0; i < text.length; i++) if (buffer[at + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** ASCII text of the given length. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.#buffer.subarray(at, at + length));
  }

  // Each method below takes an offset, or -1 where an earlier step failed, and gives the offset behind what it
  // read, or -1. Reads past #end give a byte of the next line or undefined; neither can complete a line, because
  // scan() compares the final offset with the end.

  #literal(at: number, literal: Uint8Array): number {
    if (at < 0) return -1;
    const buffer = this.#buffer;
    for (let i = 0; i < literal.length; i++) if (buffer[at + i] !== literal[i]) return -1;
    return at + literal.length;
  }

  #positive(at: number): number {
    if (at < 0) return -1;
    const buffer = this.#buffer;
    let value = 0;
    let i = at;
    for (; i < at + 16; i++) {
      const digit = (buffer[i] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#value = value;
    return i === at || buffer[at] === 0x30 || value > Number.MAX_SAFE_INTEGER || isDigit(buffer[i]) ? -1 : i;
  }

  #hex64(at: number): number {
    if (at < 0) return -1;
    const buffer = this.#buffer;
    for (let i = at; i < at + 64; i += 4) if (!fourOf(HEX, buffer, i)) return -1;
    return at + 64;
  }

  /** See isKind: dotted lower-case words, up to 64 bytes. Kinds are few, so their strings are kept. */
  #kind(at: number): number {
    if (at < 0) return -1;
    const buffer = this.#buffer;
    let hash = 0;
    let wordStart = true;
    let i = at;
    for (; i < at + 65; i++) {
      const b = buffer[i] ?? 0;
      const letter = b >= 0x61 && b <= 0x7a;
      if (wordStart) {
        if (!letter) return -1;
        wordStart = false;
      } else if (b === 0x2e) wordStart = true;
      else if (!letter && !isDigit(b) && b !== 0x5f) break;
      hash = (hash * 31 + b) | 0;
    }
    if (wordStart || i - at > 64 || buffer[i] !== QUOTE) return -1;
    let kind = this.#kinds.get(hash);
    if (kind === undefined || kind.length !== i - at || !this.sameText(at, kind)) {
      kind = this.text(at, i - at);
      if (this.#kinds.size < 1024) this.#kinds.set(hash, kind);
    }
    this.kind = kind;
    return i;
  }

  /** `[a-z][a-z0-9-]{0,31}(:[a-z0-9][a-z0-9._-]{0,63})?` */
  #source(at: number): number {
    if (at < 0) return -1;
    const buffer = this.#buffer;
    let i = at;
    const first = buffer[i] ?? 0;
    if (first < 0x61 || first > 0x7a) return -1;
    for (i++; i < at + 33; i++) {
      const b = buffer[i] ?? 0;
      if (!((b >= 0x61 && b <= 0x7a) || isDigit(b) || b === 0x2d)) break;
    }
    if (i - at > 32) return -1;
    if (buffer[i] === QUOTE) return i;
    if (buffer[i] !== COLON) return -1;
    const name = ++i;
    for (; i < name + 65; i++) {
      const b = buffer[i] ?? 0;
      const word = (b >= 0x61 && b <= 0x7a) || isDigit(b);
      if (!word && (i === name || (b !== 0x2d && b !== 0x2e && b !== 0x5f))) break;
    }
    return i === name || i - name > 64 || buffer[i] !== QUOTE ? -1 : i;
  }

  #any(at: number, depth: number): number {
    const buffer = this.#buffer;
    const b = buffer[at];
    switch (b) {
      case QUOTE:
        return this.#string(at + 1);
      case 0x7b:
        return this.#object(at + 1, depth);
      case 0x5b:
        return this.#array(at + 1, depth);
      case 0x74:
        return this.#literal(at, TRUE);
      case 0x66:
        return this.#literal(at, FALSE);
      case 0x6e:
        return this.#literal(at, NULL);
      default:
        return this.#number(at);
    }
  }

  /** Behind `[`. */
  #array(start: number, depth: number): number {
    if (depth > MAX_DEPTH) return -1;
    const buffer = this.#buffer;
    if (buffer[start] === 0x5d) return start + 1;
    for (let at = start; ; at++) {
      at = this.#any(at, depth + 1);
      if (at < 0) return -1;
      if (buffer[at] === 0x5d) return at + 1;
      if (buffer[at] !== COMMA) return -1;
    }
  }

  /** Behind `{`. Names must rise strictly by UTF-16 code unit, which also rules out duplicates. */
  #object(start: number, depth: number): number {
    if (depth > MAX_DEPTH) return -1;
    const buffer = this.#buffer;
    if (buffer[start] === CLOSE_BRACE) return start + 1;
    let before = -1;
    let beforeEnd = 0;
    let beforeUnusual = false;
    for (let at = start; ; at++) {
      if (buffer[at] !== QUOTE) return -1;
      const name = at + 1;
      at = this.#string(name);
      if (at < 0 || buffer[at] !== COLON) return -1;
      const nameEnd = at - 1;
      const unusual = this.#unusual;
      if (before >= 0 && !this.#rises(before, beforeEnd, name, nameEnd, unusual || beforeUnusual)) return -1;
      if (nameEnd - name === 8 && buffer[name] === 0x24 && this.#literal(name, CONTENT_KEY) > 0)
        this.hasContent = true;
      else if (nameEnd - name === 4 && buffer[name + 1] === 0x72 && this.#literal(name, TREE_KEY) > 0)
        this.hasTree = true;
      else if (nameEnd - name === 3 && buffer[name] === 0x6d && this.#literal(name, MCP_KEY) > 0)
        this.hasMcp = true;
      before = name;
      beforeEnd = nameEnd;
      beforeUnusual = unusual;
      at = this.#any(at + 1, depth + 1);
      if (at < 0) return -1;
      if (buffer[at] === CLOSE_BRACE) return at + 1;
      if (buffer[at] !== COMMA) return -1;
    }
  }

  /** Byte order is UTF-16 order, except with escapes and beyond U+DFFF: those names are decoded first. */
  #rises(a: number, aEnd: number, b: number, bEnd: number, unusual: boolean): boolean {
    if (unusual) return this.#decode(a, aEnd) < this.#decode(b, bEnd);
    const buffer = this.#buffer;
    const shared = Math.min(aEnd - a, bEnd - b);
    for (let i = 0; i < shared; i++) {
      const difference = (buffer[a + i] ?? 0) - (buffer[b + i] ?? 0);
      if (difference !== 0) return difference < 0;
    }
    return aEnd - a < bEnd - b;
  }

  /** A decoder of its own default would drop a byte order mark at the beginning of a name, and order it as another. */
  #decode(start: number, end: number): string {
    return JSON.parse(`"${utf8Decode(this.#buffer.subarray(start, end))}"`);
  }

  /** Behind the opening quote; gives the offset behind the closing one. */
  #string(start: number): number {
    const buffer = this.#buffer;
    const end = this.#end;
    this.#unusual = false;
    let i = start;
    while (i < end) {
      while (i + 4 <= end && fourOf(PLAIN, buffer, i)) i += 4;
      const b = buffer[i] ?? 0;
      if (PLAIN[b] === 1) i++;
      else if (b === QUOTE) return i + 1;
      else {
        i = b === BACKSLASH ? this.#escape(i + 1) : this.#multibyte(i, b);
        if (i < 0) return -1;
      }
    }
    return -1;
  }

  /** Behind a backslash: the short escapes, or \u00xx in lower case for the other control characters. */
  #escape(at: number): number {
    const buffer = this.#buffer;
    this.#unusual = true;
    const b = buffer[at] ?? 0;
    if (SHORT_ESCAPE.has(b)) return at + 1;
    if (b !== 0x75 || buffer[at + 1] !== 0x30 || buffer[at + 2] !== 0x30) return -1;
    const high = buffer[at + 3] ?? 0;
    const low = buffer[at + 4] ?? 0;
    const lowDigit = isDigit(low) || (low >= 0x61 && low <= 0x66);
    if ((high !== 0x30 && high !== 0x31) || !lowDigit) return -1;
    // \b \t \n \f \r have short forms, so their long ones are not canonical.
    if (high === 0x30 && (low === 0x38 || low === 0x39 || low === 0x61 || low === 0x63 || low === 0x64))
      return -1;
    return at + 5;
  }

  /** A UTF-8 sequence of two to four bytes (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF. */
  #multibyte(at: number, b: number): number {
    if (b < 0xc2 || b > 0xf4) return -1;
    const second = this.#buffer[at + 1] ?? 0;
    if (b < 0xe0) return isTail(second) ? at + 2 : -1;
    if (b >= 0xee) this.#unusual = true;
    if (b < 0xf0) {
      const good = isTail(second) && (b !== 0xe0 || second >= 0xa0) && (b !== 0xed || second < 0xa0);
      return good && isTail(this.#buffer[at + 2]) ? at + 3 : -1;
    }
    const good = isTail(second) && (b !== 0xf0 || second >= 0x90) && (b !== 0xf4 || second < 0x90);
    return good && isTail(this.#buffer[at + 2]) && isTail(this.#buffer[at + 3]) ? at + 4 : -1;
  }

  #number(at: number): number {
    const buffer = this.#buffer;
    const negative = buffer[at] === 0x2d;
    const first = negative ? at + 1 : at;
    let i = first;
    while (isDigit(buffer[i])) i++;
    if (i === first) return -1;
    const b = buffer[i];
    if (b === 0x2e || b === 0x65) return this.#fraction(at, i);
    if (buffer[first] === 0x30) return i === first + 1 && !negative ? i : -1;
    if (i - first > 15 && (i - first > 16 || !Number.isSafeInteger(Number(this.text(at, i - at))))) return -1;
    return i;
  }

  #fraction(start: number, from: number): number {
    const buffer = this.#buffer;
    let i = from;
    for (; i - start < 32; i++) {
      const b = buffer[i] ?? 0;
      if (!isDigit(b) && b !== 0x2e && b !== 0x65 && b !== 0x2b && b !== 0x2d) break;
    }
    const text = this.text(start, i - start);
    const value = Number(text);
    return Number.isFinite(value) && !Number.isInteger(value) && String(value) === text ? i : -1;
  }
}
