// Private keys: PEM whole, cut short at either end, or only its lines of base64; the same once more in base64, as
// kubeconfig has it; the private members of a JSON web key. Certificates and public keys stay.
import { charSet, runEnd } from './char-set.ts';
import { beginsWord, codeAt, type Scan, take } from './scan.ts';

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const LONGEST_KEY = 65_536;
const ID = 'private-key';
const PRIVATE = /^(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/;
const LINE = 'A-Za-z0-9+/=';
/** Between two lines of a key, however their ends are written. */
const BETWEEN = ' \t\r\n\\"\',+';

/** A probe for `N `: from `-----BEGIN … PRIVATE KEY-----` to its end, or as far as a key cut short goes. */
export function privateKeyProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = at + 1 - BEGIN.length;
  if (start < scan.floor || !text.startsWith(BEGIN, start)) return;
  const label = PRIVATE.exec(text.slice(at + 1, at + 80));
  if (label === null) return;
  const body = at + 1 + label[0].length;
  const dashes = text.indexOf('-----', body);
  // `"-----BEGIN PRIVATE KEY-----"` in a program is only the words.
  if (!hasBody(text, body, dashes === -1 ? text.length : dashes)) return;
  if (dashes !== -1 && dashes - body <= LONGEST_KEY && text.startsWith('-----END', dashes)) {
    const close = text.indexOf('-----', dashes + 8);
    const isNear = close !== -1 && close - dashes < 80;
    take(scan, start, isNear ? close + 5 : dashes + 8, ID);
    return;
  }
  take(scan, start, cutKeyEnd(text, body), ID);
}

/** A probe for `D `: `-----END … PRIVATE KEY-----` without its beginning. The lines before it are the key's. */
export function keyEndProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const dashes = at + 1 - END.length;
  if (dashes < scan.floor || !text.startsWith(END, dashes)) return;
  const label = PRIVATE.exec(text.slice(at + 1, at + 80));
  if (label === null) return;
  const start = cutKeyStart(scan, dashes);
  // One line is enough if it is as long as PEM's lines are; what is walked over is taken.
  if (start < dashes) take(scan, start, at + 1 + label[0].length, ID);
}

/** The beginnings of keys without any line around them: PKCS#8, PKCS#1, SEC1 and OpenSSH, in base64. */
const BODIES = [
  ...['MHcCAQEE', 'MHQCAQEE', 'MIGkAgEBBD', 'MIHcAgEBBE', 'MIGHAgEAMB', 'MIGEAgEAMB', 'MIG2AgEAMB'],
  ...['MIHuAgEAMB', 'MC4CAQAwBQ', 'b3BlbnNzaC1rZXktdjE'],
];
export const KEY_BODY_PAIRS = ['BA', ...new Set(BODIES.map((body) => body.slice(-2)))];
const SHORTEST_BODY = 48;

/** A probe for the last two characters of such a beginning. */
export function keyBodyProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = bodyStart(scan, at);
  if (start < 0 || !beginsWord(scan, start)) return;
  if (runEnd(text, start, charSet(LINE), start + SHORTEST_BODY) - start < SHORTEST_BODY) return;
  take(scan, start, cutKeyEnd(text, start), ID);
}

function bodyStart(scan: Scan, at: number): number {
  const { text } = scan;
  // DER's sequence of two length bytes, then version 0 or, of PKCS#12, 3: `MII` + three characters + `IBA`.
  if (at - 8 >= scan.floor && text.startsWith('IBA', at - 2) && text.startsWith('MII', at - 8))
    return /[ADz]/.test(text[at + 1] ?? '') ? at - 8 : -1;
  for (const body of BODIES) {
    const start = at + 1 - body.length;
    if (start >= scan.floor && text.startsWith(body, start)) return start;
  }
  return -1;
}

const ENCODED = 'LS0tLS1CRUdJTi';

/** A probe for `Ti`: PEM in base64 once more. */
export function encodedKeyProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = at + 1 - ENCODED.length;
  if (start < scan.floor || !text.startsWith(ENCODED, start)) return;
  const label = Buffer.from(text.slice(start, start + 96), 'base64').toString('latin1');
  if (PRIVATE.test(label.slice(BEGIN.length))) take(scan, start, cutKeyEnd(text, start), ID);
}

/** Is there a line of base64 near the beginning? */
function hasBody(text: string, from: number, to: number): boolean {
  const line = charSet(LINE);
  const stop = Math.min(to, from + 512);
  for (let at = from; at < stop; at++) {
    const end = runEnd(text, at, line, stop);
    if (end - at >= 8) return true;
    at = end;
  }
  return false;
}

/** A key without its end: lines of base64, however their ends are written, until something else comes. */
function cutKeyEnd(text: string, body: number): number {
  const line = charSet(LINE);
  const between = charSet(BETWEEN);
  let end = body;
  for (;;) {
    let from = runEnd(text, end, between);
    // An escaped line end leaves its letter at the head of the next line; it is of the alphabet, and no matter.
    if (/^(?:Proc-Type|DEK-Info|Version|Comment|Hash): /.test(text.slice(from, from + 16))) {
      while (from < text.length && text.charCodeAt(from) !== 10 && text.charCodeAt(from) !== 92) from++;
      end = from;
      continue;
    }
    const to = runEnd(text, from, line);
    if (to - from >= 16 || (to > from && to === text.length)) end = to;
    else return end;
  }
}

/** The same, backwards from the line that ends the key. The last line may be short. */
function cutKeyStart(scan: Scan, dashes: number): number {
  const { text } = scan;
  const line = charSet(LINE);
  const between = charSet(BETWEEN);
  const lowest = Math.max(scan.floor, dashes - LONGEST_KEY);
  let start = dashes;
  for (let lines = 0; ; lines++) {
    let to = start;
    while (to > lowest && between[codeAt(scan, to - 1)] === 1) to--;
    // The letter of an escaped line end is of the alphabet: it goes with the line before it.
    if (to > lowest + 1 && /[nr]/.test(text[to - 1] ?? '') && text[to - 2] === '\\') {
      to--;
      while (to > lowest && between[codeAt(scan, to - 1)] === 1) to--;
    }
    let from = to;
    while (from > lowest && line[codeAt(scan, from - 1)] === 1) from--;
    if (codeAt(scan, from - 1) === 92 && /[nr]/.test(text[from] ?? '')) from++;
    const length = to - from;
    const isLine = length >= 40 || (lines === 0 && length > 0 && length < 80);
    if (!isLine || to === start) return lines === 0 || dashes - start < 24 ? dashes : start;
    start = from;
    if (start === lowest) return start;
  }
}
