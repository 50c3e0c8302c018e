// Secrets with a structure of their own: JSON web tokens, passwords in addresses.
import { charSet, DASHED, runEnd } from './char-set.ts';
import { hasMarker } from './marker.ts';
import { beginsWord, codeAt, type Scan, take, takeAhead } from './scan.ts';
import { isAbout, isLooseReference, looksRandom } from './secret-shape.ts';

/** A probe for `yJ`: three parts (or five, or two) of which the first is the base64 of JSON that names an algorithm. */
export function jwtProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const start = at - 2;
  if (start < scan.floor || text.charCodeAt(start) !== 101) return;
  const before = codeAt(scan, start - 1);
  if (before === 95 || before === 45 || !beginsWord(scan, start)) return;
  const set = charSet(DASHED);
  let end = runEnd(text, at + 1, set);
  if (end - start < 16 || end - start > 4096 || text.charCodeAt(end) !== 46) return;
  const header = Buffer.from(text.slice(start, end), 'base64url').toString('latin1');
  if (!header.startsWith('{"') || !/"(?:alg|typ|enc|kid)" ?:/.test(header)) return;
  const payload = runEnd(text, end + 1, set);
  if (payload - end < 4) return;
  end = payload;
  for (let part = 0; part < 3 && text.charCodeAt(end) === 46; part++) {
    const next = runEnd(text, end + 1, set);
    if (next === end + 1) break;
    end = next;
  }
  take(scan, start, end, 'jwt');
}

const LONGEST_USERINFO = 1024;
/** What GitHub wants in the place of a password where the user is the token. */
const NO_PASSWORD = /^x-oauth-basic$/i;

/** A probe for `//`: the password of `scheme://user:password@host`. User and host stay. */
export function addressProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (codeAt(scan, at - 2) !== 58) return;
  const stop = Math.min(text.length, at + LONGEST_USERINFO);
  let colon = 0;
  let host = 0;
  for (let i = at + 1; i < stop; i++) {
    const code = text.charCodeAt(i);
    // Spaces, quotes, and what ends an authority; a marker too.
    if (code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 91 || code === 96)
      break;
    if (code === 47 || code === 63 || code === 35 || code === 92) break;
    if (code === 58 && colon === 0) colon = i;
    if (code === 64) host = i;
  }
  if (colon === 0 || colon > host) {
    tokenAsUser(scan, at + 1, host, host);
    return;
  }
  // `https://TOKEN:@host`: the password is empty because the user is the secret.
  if (host === colon + 1) {
    tokenAsUser(scan, at + 1, colon, host);
    return;
  }
  const password = text.slice(colon + 1, host);
  if (NO_PASSWORD.test(password)) {
    const user = text.slice(at + 1, colon);
    if (user !== '' && !isLooseReference(user) && !hasMarker(user) && !isAbout(user))
      takeAhead(scan, at + 1, colon, 'url-password');
    return;
  }
  if (isLooseReference(password) || hasMarker(password)) return;
  takeAhead(scan, colon + 1, host, 'url-password');
}

/** `https://TOKEN@host`: no user is called so. The public key of a Sentry address is one that everybody may see. */
function tokenAsUser(scan: Scan, start: number, end: number, host: number): void {
  if (end - start < 20) return;
  const user = scan.text.slice(start, end);
  if (!/^[A-Za-z0-9_]+$/.test(user) || /^[\w.-]{0,80}sentry\b/.test(scan.text.slice(host + 1, host + 100)))
    return;
  if (looksRandom(user) || /^[0-9a-f]{32,64}$/.test(user)) takeAhead(scan, start, end, 'url-password');
}
