// Secrets without a prefix, found by their length: words of 24 characters and more. Text is sampled, not read: a word
// of that length can't hide between two samples 24 apart. Runs over what the other rules left.
// A long base64 word goes only if it is as mixed as random bytes, is not named a digest, begins no known kind of file,
// and is no line of a longer text: certificates, public keys, images and integrity hashes stay.
import { charSet, DASHED, runEnd } from './char-set.ts';
import { keyBodyEnd } from './private-keys.ts';
import { isQuote, LONG_WORD } from './quoted.ts';
import { afterEscape, type Span } from './scan.ts';
import { mixOf } from './secret-shape.ts';

const SET = 'A-Za-z0-9_+/-';
const SLASH = 0x2f;
const BLOB_MIN = 64;
const BLOB_MAX = 1024;

/** Tokens without a separator behind their beginning, or with their mark at the end: one length, one form. */
const WHOLE_WORDS: readonly (readonly [id: string, form: RegExp])[] = [
  ['mailchimp-key', /^[0-9a-f]{32}-us\d{1,2}$/],
  ['mailgun-key', /^[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}$/],
  ['crates-token', /^cio(?=[a-z]*[A-Z0-9])(?=\D*\d)[A-Za-z0-9]{32}$/],
  ['nuget-key', /^oy2(?=[a-z]*\d[a-z]*\d)[a-z0-9]{43}$/],
  ['databricks-token', /^(?:dose|dkea|doau|dsapi)[0-9a-f]{32}$/],
  ['maxmind-key', /^[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk$/],
  ['newrelic-key', /^(?:[0-9a-f]{32,36}|[a-z]{2}\d\dx{1,2}[0-9a-f]{26,33})(?:FFFF)?NRAL$/],
  ['ngrok-token', /^[12](?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[a-z])[A-Za-z0-9]{26}_\d[A-Za-z0-9]{20}$/],
];

export const LONG_WORD_RULES = [
  'discord-token',
  'airtable-token',
  'zoho-token',
  ...new Set(WHOLE_WORDS.map(([id]) => id)),
  'base64',
];

/** Finds in text[from, to), and adds what it finds to `found`, in order. */
export function findLongWords(
  text: string,
  codes: Uint16Array,
  from: number,
  to: number,
  isOn: (id: string) => boolean,
  found: Span[],
): void {
  const set = charSet(SET);
  let done = from;
  /** The end of the last one found: nothing looks behind it. */
  let floor = from;
  for (let sample = from + LONG_WORD - 1; sample < to; ) {
    if (set[codes[sample] ?? 0] !== 1) {
      sample += LONG_WORD;
      continue;
    }
    let start = sample;
    while (start > done && set[codes[start - 1] ?? 0] === 1) start--;
    let end = sample + 1;
    while (end < to && set[codes[end] ?? 0] === 1) end++;
    done = end;
    start = afterEscape(codes, start, floor);
    if (end - start >= LONG_WORD) {
      const span = judge(text, start, end, floor, to, isOn);
      if (span !== undefined) {
        found.push(span);
        done = span.end;
        floor = span.end;
      }
    }
    sample = done + LONG_WORD - 1;
  }
}

function judge(
  text: string,
  start: number,
  end: number,
  from: number,
  to: number,
  isOn: (id: string) => boolean,
): Span | undefined {
  for (let at = start; at < end; ) {
    // Not by indexOf, which would look for it to the end of the text.
    let stop = at;
    while (stop < end && text.charCodeAt(stop) !== SLASH) stop++;
    const token = judgeToken(text, at, stop, from, to);
    if (token !== undefined && isOn(token.id)) return token;
    at = stop + 1;
  }
  if (isOn('private-key')) {
    const keyEnd = keyBodyEnd(text, start);
    if (keyEnd > 0) return { start, end: Math.min(keyEnd, to), id: 'private-key', quote: '' };
  }
  const length = end - start;
  if (length < BLOB_MIN - 2 || length > BLOB_MAX || !isOn('base64')) return undefined;
  const padded = runEnd(text, end, charSet('='), Math.min(to, end + 2));
  if (padded - start < BLOB_MIN || !isBlob(text, start, padded, from, to)) return undefined;
  return { start, end: padded, id: 'base64', quote: '' };
}

/** A token of a known form: a word, or one part of a path. */
function judgeToken(text: string, start: number, end: number, from: number, to: number): Span | undefined {
  const length = end - start;
  if (length < LONG_WORD || length > 64) return undefined;
  if (length <= 28) {
    const until = discordEnd(text, start, end, to);
    return until === 0 ? undefined : { start, end: until, id: 'discord-token', quote: '' };
  }
  if (text.charCodeAt(start - 1) === 46) return dottedToken(text, start, end, from, to);
  if (length < 35 || length > 50 || !mayBeWhole(text, start, end)) return undefined;
  const word = text.slice(start, end);
  const known = WHOLE_WORDS.find(([, form]) => form.test(word));
  return known === undefined ? undefined : { start, end, id: known[0], quote: '' };
}

/** One character each that the forms have at a fixed place: most long words are none of them. */
function mayBeWhole(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start + 32) === 45 || text.charCodeAt(start + 27) === 95) return true;
  const last = text.charCodeAt(end - 1);
  if ((last === 107 && text.endsWith('_mmk', end)) || (last === 76 && text.endsWith('NRAL', end)))
    return true;
  const first = text.charCodeAt(start);
  return (
    (first === 99 || first === 111 || first === 100) &&
    /^(?:cio|oy2|do|dk|ds)/.test(text.slice(start, start + 3))
  );
}

const HEX_WORD = /^[0-9a-f]+$/;

/** `pat<14>.<64 hex>` of Airtable and `1000.<32 hex>.<32 hex>` of Zoho: the word is the part behind the first dot. */
function dottedToken(text: string, start: number, end: number, from: number, to: number): Span | undefined {
  const length = end - start;
  if (length === 64 && start - 18 >= from && /^pat[A-Za-z0-9]{14}\.$/.test(text.slice(start - 18, start)))
    return HEX_WORD.test(text.slice(start, end))
      ? { start: start - 18, end, id: 'airtable-token', quote: '' }
      : undefined;
  if (length !== 32 || start - 5 < from || end + 33 > to || !text.startsWith('1000.', start - 5))
    return undefined;
  return /^[0-9a-f]{32}\.[0-9a-f]{32}$/.test(text.slice(start, end + 33))
    ? { start: start - 5, end: end + 33, id: 'zoho-token', quote: '' }
    : undefined;
}

/** `<user id>.<time>.<hmac>`, the user id being decimal digits in base64. */
function discordEnd(text: string, start: number, end: number, to: number): number {
  const set = charSet(DASHED);
  if (!/[MNO]/.test(text[start] ?? '') || text.charCodeAt(end) !== 46) return 0;
  const second = runEnd(text, end + 1, set, Math.min(to, end + 9));
  if (second - end !== 7 || text.charCodeAt(second) !== 46) return 0;
  const third = runEnd(text, second + 1, set, to);
  if (third - second < 27) return 0;
  return /^\d{17,20}$/.test(Buffer.from(text.slice(start, end), 'base64').toString('latin1')) ? third : 0;
}

const FILE_MAGIC =
  /^(?:iVBOR|\/9j\/|R0lGOD|UklGR|AAAAB3|AAAAC3|AAAAE2|AAAAG|AAAAF|AAABAA|MII[A-Z]|H4sI|UEsDB|JVBER|PHN2Z|PD94b|d09G|T2dnU|SUkq|Qk0|AAEAA|LS0tLS1CRUdJTi)/;
const LABEL =
  /(?:sha-?\d{1,3}|md5|blake\w*|base64|digest|integrity|checksum|signature|sig)["'\\]{0,3}\s?[-:=,]\s?["'\\]{0,3}$/i;

function isBlob(text: string, start: number, end: number, from: number, to: number): boolean {
  const length = end - start;
  if (runEnd(text, start, charSet('A-Za-z0-9+/='), end) !== end) return false;
  const { upper, lower, digits, changes } = mixOf(text, start, end);
  if (upper < length * 0.15 || lower < length * 0.15 || digits < length * 0.04 || changes < length * 0.45)
    return false;
  const word = text.slice(start, end);
  // A verifier key of a signed note is public: name, hash, key.
  if (FILE_MAGIC.test(word) || /\+[0-9a-f]{8}\+/.test(word)) return false;
  if (LABEL.test(text.slice(Math.max(from, start - 24), start))) return false;
  return !(isLineOf(text, start, from, to, -1) || isLineOf(text, end, from, to, 1));
}

/** Does the line before, or behind, go on in the same alphabet? Then this is a line of a longer text. */
function isLineOf(text: string, edge: number, from: number, to: number, step: 1 | -1): boolean {
  const set = charSet('A-Za-z0-9+/=');
  let at = step === 1 ? edge : edge - 1;
  let ends = 0;
  while (at >= from && at < to && ends < 4) {
    const code = text.charCodeAt(at);
    const isEscape =
      code === 92 || (step === -1 && (code === 110 || code === 114) && text.charCodeAt(at - 1) === 92);
    const isEscaped = step === 1 && (code === 110 || code === 114) && text.charCodeAt(at - 1) === 92;
    if (code !== 10 && code !== 13 && code !== 32 && !isEscape && !isEscaped) break;
    ends++;
    at += step;
  }
  if (ends === 0) return false;
  let length = 0;
  while (length < 128 && at >= from && at < to && set[text.charCodeAt(at)] === 1) {
    length++;
    at += step;
  }
  if (length < 16) return false;
  // A whole line, not the edge of another token; a gap's edge is one, the text's is not.
  if (at < from || at >= to) return at < 0 || at >= text.length;
  const edgeCode = text.charCodeAt(at);
  return length === 128 || edgeCode <= 32 || edgeCode === 92 || isQuote(edgeCode);
}
