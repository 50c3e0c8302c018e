// Secrets in sentences: "my password is …", "Password for bob: …", "use … as the password", "log in as admin with password
// …". Sentences about secrets have the same words, so the words between the noun and the value come from a closed list,
// and a bare value must look like a password. One in quotes may be a word, if it is none that says something about one.
import { hasMarker } from './marker.ts';
import { hasWordBefore } from './name-in-place.ts';
import { phraseEnd } from './phrases.ts';
import { isQuote, SPACE } from './quoted.ts';
import { codeAt, type Scan, take, takeAhead } from './scan.ts';
import { isAbout, isDigest, isLooseReference, looksLikePassword, looksRandom } from './secret-shape.ts';

const MOST_WORDS = 12;
/** Words behind which the value stands. */
const POINTS = new Set('is was are be to ist est es lautet: now equals'.split(' '));
/** Words that name whose secret it is; up to four words of any kind follow. */
const WHOSE = new Set('for of on at in from by an der für pour de'.split(' '));
const FILLS = new Set(
  'the a an my our your his her its this that user account admin root temporary initial new old default current currently set changed reset updated generated created assigned will has been should have and following'.split(
    ' ',
  ),
);
/** The first two letters of what may stand behind a token's noun. */
const POINTING = new Set(
  'is was are be to for of on will has now should -> → ist est es'
    .split(' ')
    .map((word) => (word.charCodeAt(0) << 8) | word.charCodeAt(1)),
);
const WORD = /[ \t]{0,4}([^\s]{1,128})/y;

/** The kinds of nouns: what the value must look like. */
export type Noun = 'password' | 'token' | 'phrase' | 'credentials';
/** `compound` is a token named by two words, `api key`, which are believed as much as `password` is. */
type Kind = Exclude<Noun, 'credentials'> | 'compound';
const IDS: Readonly<Record<Kind, string>> = {
  password: 'password',
  token: 'token',
  compound: 'token',
  phrase: 'secret',
};

/** A noun ends at `at`, where a space stands. */
export function said(scan: Scan, noun: Noun, start: number, at: number): boolean {
  if (noun === 'credentials') return saidPair(scan, at);
  // Most sentences about keys and tokens go on otherwise: two letters tell.
  const first = at + 2 < scan.text.length ? ((scan.codes[at + 1] ?? 0) << 8) | (scan.codes[at + 2] ?? 0) : 0;
  const isCompound = noun === 'token' && hasWordBefore(scan, start);
  if (noun === 'token' && !isCompound && !POINTING.has(first)) return usedToken(scan, start, at);
  return pointedAt(
    scan,
    isCompound || (noun === 'token' && isOwn(scan, start)) ? 'compound' : noun,
    start,
    at,
  );
}

const FRENCH = /[ \u00a0]{0,2}[:=][ \t\u00a0]{0,4}(?=[^\s])/y;

/** `mot de passe : …`: asked at its last letter. The noun is three words, so no other rule sees a name before the colon. */
export function frenchProbe(scan: Scan, at: number): void {
  const start = at + 1 - 'mot de passe'.length;
  FRENCH.lastIndex = at + 1;
  if (FRENCH.test(scan.text)) judge(scan, 'password', FRENCH.lastIndex);
  else if (codeAt(scan, at + 1) === SPACE) said(scan, 'password', start, at + 1);
}

const OWN = /(?:^|[\s("'`])(?:my|our|mein|mon|mi) $/i;

/** "my token is …" is about one value, which may be short; "the token is …" is mostly about tokens. */
function isOwn(scan: Scan, start: number): boolean {
  return (
    codeAt(scan, start - 1) === SPACE && OWN.test(scan.text.slice(Math.max(scan.floor, start - 6), start))
  );
}

/** Behind what was made: `API key created: …`, `Your API token (keep it safe!): …`. */
const MADE =
  /[ \t](?:\([^()\n]{1,60}\)|(?:has been |was |successfully )?(?:created|generated|issued|set|reset|rotated)(?: successfully)?)[ \t]{0,2}:[ \t]{1,4}/iy;
const TO_DO = /[ \t](?:to|for) [\w ]{2,40}:[ \t]{1,4}/y;
const JUST_MADE = /\b(?:temporary|initial|generated|new|default|one-time|admin|root|your|the) $/i;

function pointedAt(scan: Scan, noun: Kind, start: number, at: number): boolean {
  const { text } = scan;
  for (const made of [MADE, TO_DO]) {
    made.lastIndex = at;
    if (made.test(text) && judge(scan, noun, made.lastIndex)) return true;
  }
  const opens = text.charCodeAt(at + 1);
  if (noun === 'password' && (opens === 34 || opens === 39)) {
    const isHead = /(?:^|\n)[ \t]{0,32}$/.test(text.slice(Math.max(scan.floor, start - 33), start));
    const isMade = JUST_MADE.test(text.slice(Math.max(scan.floor, start - 16), start));
    if ((isHead || isMade) && judge(scan, noun, at + 1)) return true;
  }
  let from = at;
  let points = false;
  let open = 0;
  for (let words = 0; words < MOST_WORDS; words++) {
    WORD.lastIndex = from;
    const found = WORD.exec(text)?.[1];
    if (found === undefined) return below(scan, noun, from, points);
    const wordAt = WORD.lastIndex - found.length;
    const lower = found.toLowerCase();
    // Right behind the noun they are an assignment's.
    const isSign = (words > 0 && (found === ':' || found === '=')) || found === '->' || found === '→';
    if (isSign || POINTS.has(lower) || (POINTS.has(lower.slice(0, -1)) && lower.endsWith(':'))) {
      points = true;
      open = 0;
    } else if (WHOSE.has(lower)) {
      points = false;
      open = 4;
    } else if (points && !FILLS.has(lower))
      return judge(scan, noun, wordAt) || below(scan, noun, WORD.lastIndex, false);
    else if (open > 0) {
      open--;
      points = found.endsWith(':');
    } else if (!FILLS.has(lower)) {
      const mayFollow = words === 0 && (noun === 'password' || noun === 'compound');
      if (mayFollow && besideUser(scan, start, noun) && judge(scan, noun, wordAt)) return true;
      return below(scan, noun, WORD.lastIndex, false);
    }
    from = WORD.lastIndex;
  }
  return false;
}

/** "use token …": a random word right behind the noun. */
function usedToken(scan: Scan, start: number, at: number): boolean {
  if (!USED.test(scan.text.slice(Math.max(scan.floor, start - 24), start))) return false;
  return judge(scan, 'token', at + 1);
}

const USED = /\b(?:use|using|with|enter|paste|try) (?:the |this |my )?$/i;

const BESIDE =
  /(?:\bwith|\band|\buse|\busing|\benter|\btype|\btry|\buser(?:name)?(?:[ :=]+\S{1,40})?,?|\blogin(?: \S{1,40})?,?|,|\/)\s{1,2}(?:the |an? |my |this )?$/i;

/** "user bob, pass …", "use the password …": where a value may stand right behind the noun. */
function besideUser(scan: Scan, start: number, noun: Kind): boolean {
  const before = scan.text.slice(Math.max(scan.floor, start - 64), start);
  return BESIDE.test(noun === 'compound' ? before.replace(/\w+ $/, '') : before);
}

/** Takes the word at `at` if it is a value; what lies between the noun and it is still scanned. */
function judge(scan: Scan, noun: Kind, at: number): boolean {
  const { text } = scan;
  if (noun === 'phrase') {
    const end = phraseEnd(text, isQuote(text.charCodeAt(at)) ? at + 1 : at);
    if (end > 0) takeAhead(scan, isQuote(text.charCodeAt(at)) ? at + 1 : at, end, 'secret');
    return end > 0;
  }
  const quoted = QUOTED.exec(text.slice(at, at + 300));
  if (quoted !== null) {
    const value = quoted[2] ?? '';
    const start = at + (quoted[1] ?? '').length;
    if (value.length < 4 || !isValue(value) || isAbout(value) || /[(){}<>]|\.\w{1,4}$/.test(value))
      return false;
    if (noun === 'token' && !looksRandom(value)) return false;
    if (noun === 'compound' && !looksLikePassword(value) && !isDigest(value)) return false;
    takeAhead(scan, start, start + value.length, IDS[noun]);
    return true;
  }
  if (isQuote(text.charCodeAt(at))) return false;
  const value = (/^[^\s"'`<>()]{1,128}/.exec(text.slice(at, at + 128))?.[0] ?? '').replace(/[.,;:]+$/, '');
  if (!isValue(value) || /^[-/\\@[{]|^[\w-]+\(|:\/\/|=/.test(value) || /^[\w.+-]+@[\w-]+\.\w/.test(value))
    return false;
  const next = text.charCodeAt(at + value.length);
  if (next === 40 || next === 60) return false;
  const isDigits = noun === 'password' && /^\d{6,}$/.test(value);
  const holds =
    noun === 'password' || noun === 'compound'
      ? isDigits || looksLikePassword(value) || isDigest(value)
      : looksRandom(value) || /^[0-9a-f]{32,64}$/.test(value);
  if (!holds || (isDigest(value) && noun === 'password' && value.includes('-'))) return false;
  takeAhead(scan, at, at + value.length, IDS[noun]);
  return true;
}

const QUOTED = /^((?:\*{2})?\\{0,4}["'`“‘])([^\s"'`”’]{1,200})\\{0,4}["'`”’]/;

function isValue(value: string): boolean {
  return value !== '' && !hasMarker(value) && !isLooseReference(value);
}

const NEXT_LINE = /[ \t]{0,4}\r?\n[ \t]{0,8}(?:\r?\n[ \t]{0,8})?([^\s]{16,128})[ \t]{0,4}(?=\r?\n|$)/y;

/** "Use the following password to proceed:", and the password alone on a line below. */
function below(scan: Scan, noun: Kind, from: number, points: boolean): boolean {
  const { text, codes } = scan;
  let end = from;
  while (end - from < 90 && end < text.length && codes[end] !== 10) end++;
  if (codes[end] !== 10) return false;
  let colon = end;
  while (colon > from && (codes[colon - 1] ?? 0) <= SPACE) colon--;
  if (codes[colon - 1] !== 58 && !(points && colon === from)) return false;
  NEXT_LINE.lastIndex = colon;
  const value = NEXT_LINE.exec(text)?.[1] ?? '';
  if (value === '' || hasMarker(value) || text.slice(from, colon).includes('.')) return false;
  if (!looksRandom(value) && !/^[0-9a-f]{32,64}$/.test(value)) return false;
  const start = colon + text.slice(colon, NEXT_LINE.lastIndex).lastIndexOf(value);
  takeAhead(scan, start, start + value.length, IDS[noun]);
  return true;
}

const USED_AS =
  /(?:^|[\s(])(?:use|using|enter|type|try|with|put|choose|set)\s+([`"'“]?)(\S{4,64}?)([`"'”]?)\s+as\s+(?:(?:the|your|my|an?|our|its|new|admin|root|default|database|db|user|login|sudo)\s+){0,3}$/i;

/** "use … as the password". */
export function usedAs(scan: Scan, start: number): boolean {
  const from = Math.max(scan.floor, start - 130);
  if (!scan.text.slice(Math.max(from, start - 32), start).includes(' as ')) return false;
  const found = USED_AS.exec(scan.text.slice(from, start));
  if (found === null) return false;
  const value = found[2] ?? '';
  const isQuoted = found[1] !== '' && found[3] !== '';
  if (!isValue(value) || isAbout(value) || !(isQuoted || looksLikePassword(value))) return false;
  const at = from + found.index + found[0].indexOf(value);
  take(scan, at, at + value.length, 'password');
  return true;
}

const PAIR = /[ \t]{0,4}(?:(?:are|is|:|=)[ \t]{1,4})?[`"']?([\w.@+-]{2,64})(?: ?\/ ?|:)([^\s"'`,;]{4,64})/y;

/** "creds are bob:…", "credentials: bob / …". */
function saidPair(scan: Scan, at: number): boolean {
  PAIR.lastIndex = at;
  const found = PAIR.exec(scan.text);
  const password = (found?.[2] ?? '').replace(/[.]+$/, '');
  if (found === null || !isValue(password) || !looksLikePassword(password) || password.includes('/'))
    return false;
  const start = PAIR.lastIndex - (found[2] ?? '').length;
  takeAhead(scan, start, start + password.length, 'credential');
  return true;
}

const LINE_HEAD =
  /(?:^|\n)[ \t]{0,32}(?:(?:username|user|enable|bindDN|set|export|neighbor|tacacs-server|radius-server|crypto|ppp|key-string)\b[^\n]{0,80}[ \t])?$/i;
const LINE_VALUE =
  /[ \t]{1,32}(?:--plaintext[ \t]+|--iscrypted[ \t]+)?(?:[05789][ \t]+)?(\S{4,128})[ \t]{0,4}(?=\r?\n|$)/y;

/** A setting without a sign: `rootpw …`, `username bob secret 5 …`, alone on its line. */
export function lineSetting(scan: Scan, start: number, at: number): boolean {
  const before = codeAt(scan, start - 1);
  if (before > SPACE && before !== 93) return false;
  LINE_VALUE.lastIndex = at;
  const value = LINE_VALUE.exec(scan.text)?.[1] ?? '';
  if (value === '' || !isValue(value) || isQuote(value.charCodeAt(0))) return false;
  if (/[(){}<>=;]$|^[-#(:=]/.test(value)) return false;
  if (!looksLikePassword(value) && !/^\{[A-Z0-9]+\}\S{8,}$/.test(value)) return false;
  if (!LINE_HEAD.test(scan.text.slice(Math.max(scan.floor, start - 120), start))) return false;
  const end = LINE_VALUE.lastIndex;
  const from = at + scan.text.slice(at, end).lastIndexOf(value);
  takeAhead(scan, from, from + value.length, 'password');
  return true;
}
