// HTTP credentials: `Authorization: Bearer …`, `Cookie: …`, `Set-Cookie: session=…; Path=/`, and the two schemes on
// their own. The scheme and the cookie's name stay, they are no secret.
import { charSet, runEnd } from './char-set.ts';
import { hasMarker } from './marker.ts';
import { BACKSLASH, closingQuote, headerEnd, isQuote } from './quoted.ts';
import { beginsWord, isDigit, type Scan, take, takeAhead } from './scan.ts';
import { isDigest, isLooseReference, looksSecret } from './secret-shape.ts';

const SCHEMES =
  /^(bearer|basic|token|digest|negotiate|ntlm|apikey|api-key|hawk|aws4-hmac-sha256|jwt|bot|oauth|signature|dpop|key|sharedkey|splunk|sso-key|ghost) +/i;
const JUDGED = 512;
const CREDENTIAL = 'A-Za-z0-9._~+/=:-';

/** Judges what stands at `at` as the value of a header of that name. Says whether it was one, taken or not. */
export function headerValue(scan: Scan, id: string, name: string, at: number): boolean {
  const { text } = scan;
  let from = at;
  while (text.charCodeAt(from) === BACKSLASH && from - at < 16) from++;
  const quote = text.charCodeAt(from);
  const quoted = isQuote(quote);
  const start = quoted ? from + 1 : at;
  const depth = from - at;
  const endBy = (limit: number) =>
    quoted ? closingQuote(text, start, quote, depth, limit) : headerEnd(text, start, limit);
  const end = endBy(start + JUDGED);
  const value = text.slice(start, end);
  if (hasMarker(value)) return true;
  const wholeEnd = () => (end === start + JUDGED ? endBy(text.length) : end);
  if (id === 'cookie') return cookieValue(scan, name, value, start, wholeEnd);
  const scheme = SCHEMES.exec(value) ?? unknownScheme(name, value);
  if (scheme === null) return false;
  const rest = value.slice(scheme[0].length);
  if (rest === '' || isLooseReference(rest)) return true;
  take(scan, start + scheme[0].length, wholeEnd(), id);
  return true;
}

/** `GenieKey …`, `SSWS …`, or the credential alone: one word that looks like nothing else. */
function unknownScheme(name: string, value: string): RegExpExecArray | null {
  if (!/authorization$/i.test(name)) return null;
  const scheme = /^(?:[A-Za-z][\w-]{1,30} +)?(?=\S{8,}$)/.exec(value);
  if (scheme === null) return null;
  const rest = value.slice(scheme[0].length);
  return looksSecret(rest) || isDigest(rest) ? scheme : null;
}

function cookieValue(
  scan: Scan,
  name: string,
  value: string,
  start: number,
  wholeEnd: () => number,
): boolean {
  const equals = value.indexOf('=');
  if (equals < 1 || equals > 64 || !/^[\w.+~!*-]+$/.test(value.slice(0, equals))) return false;
  if (!/set|^document\./i.test(name)) {
    if (isLooseReference(value.slice(equals + 1))) return true;
    take(scan, start, wholeEnd(), 'cookie');
    return true;
  }
  const semicolon = value.indexOf(';', equals);
  const end = semicolon === -1 ? wholeEnd() : start + semicolon;
  // A program's own line may set any cookie: a theme, a language.
  if (
    /^document\./.test(name) &&
    !looksSecret(value.slice(equals + 1, semicolon === -1 ? undefined : semicolon))
  )
    return true;
  // The name is still to be scanned.
  if (end > start + equals + 1) takeAhead(scan, start + equals + 1, end, 'cookie');
  return true;
}

/** A probe for `r `: a bearer token without its header. Prose about bearers has no digits in the next word. */
export function bearerProbe(scan: Scan, at: number): void {
  const { text } = scan;
  // Asked behind every word in `r`: the letters before it decide first.
  if ((text.charCodeAt(at - 2) | 32) !== 101 || (text.charCodeAt(at - 4) | 32) !== 97) return;
  if (at < scan.floor + 6 || !/^bearer$/i.test(text.slice(at - 6, at)) || !beginsWord(scan, at - 6)) return;
  const set = charSet(CREDENTIAL);
  const end = runEnd(text, at + 1, set, at + 1 + JUDGED);
  const value = text.slice(at + 1, end);
  if (value.length < 10 || /^https?:/.test(value) || ![...value].some((char) => isDigit(char.charCodeAt(0))))
    return;
  take(scan, at + 1, runEnd(text, end, set), 'auth');
}

/** A probe for `c `: `Basic` and the base64 of a user and a password. */
export function basicProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if ((text.charCodeAt(at - 2) | 32) !== 105 || (text.charCodeAt(at - 5) | 32) !== 98) return;
  if (at < scan.floor + 5 || !/^basic$/i.test(text.slice(at - 5, at)) || !beginsWord(scan, at - 5)) return;
  const end = runEnd(text, at + 1, charSet('A-Za-z0-9+/='), at + 1 + JUDGED);
  if (end - at < 9) return;
  const decoded = Buffer.from(text.slice(at + 1, end), 'base64').toString('latin1');
  if (/^[\x20-\x7e]+:[\x20-\x7e]*$/.test(decoded)) take(scan, at + 1, end, 'auth');
}
