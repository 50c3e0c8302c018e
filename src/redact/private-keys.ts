// Private keys: PEM whole, cut short at either end, or only its lines of base64; the same once more in base64, as
// kubeconfig has it; the private members of a JSON web key. Certificates and public keys stay.
import { charSet, runEnd } from './char-set.ts';
import { codeAt, type Scan, take } from './scan.ts';

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

/**
 * The beginnings of keys without any line around them, in base64: PKCS#8, PKCS#1 and PKCS#12 (a sequence of two length
 * bytes, then a version), SEC1, Ed25519, OpenSSH; and PEM itself in base64.
 */
const BODY =
  /^(?:MII[A-Za-z0-9+/]{3}IBA[ADz]|M(?:HcCAQEE|HQCAQEE|IGkAgEBBD|IHcAgEBBE|I(?:GH|GE|G2|Hu)AgEAMB|C4CAQAwBQ)|b3BlbnNzaC1rZXktdjE|LS0tLS1CRUdJTi)/;
const SHORTEST_BODY = 48;

/** Where the key ends whose first word begins at `start`; 0 if none does. */
export function keyBodyEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first !== 77 && first !== 98 && first !== 76) return 0;
  if (!BODY.test(text.slice(start, start + 24))) return 0;
  if (runEnd(text, start, charSet(LINE), start + SHORTEST_BODY) - start < SHORTEST_BODY) return 0;
  if (first === 76) {
    const label = Buffer.from(text.slice(start, start + 96), 'base64').toString('latin1');
    if (!PRIVATE.test(label.slice(BEGIN.length))) return 0;
  }
  return cutKeyEnd(text, start);
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
  const lowest = Math.max(scan.floor, dashes - LONGEST_KEY);
  let start = dashes;
  for (let lines = 0; ; lines++) {
    const to = lineEndBefore(scan, start, lowest);
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

/** Back over line ends. The letter of an escaped one is of the alphabet: it does not belong to the line before it. */
function lineEndBefore(scan: Scan, start: number, lowest: number): number {
  const between = charSet(BETWEEN);
  let to = start;
  for (;;) {
    while (to > lowest && between[codeAt(scan, to - 1)] === 1) to--;
    if (to <= lowest + 1 || !/[nr]/.test(scan.text[to - 1] ?? '') || scan.text[to - 2] !== '\\') return to;
    to--;
  }
}
