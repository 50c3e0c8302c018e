// Secrets by their place in a command or a settings file: `curl -u user:password`, `mysql -pPASSWORD`,
// `sshpass -p …`, a .netrc, a .pgpass.
import { charSet, runEnd } from './char-set.ts';
import { hasMarker } from './marker.ts';
import { closingQuote, isLineEnd, isQuote, SPACE, skipSpaces } from './quoted.ts';
import { codeAt, isAlnum, isDigit, type Scan, take, takeAhead } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';

const ID = 'command-password';
const LONGEST = 512;
/** What a shell leaves in a word without quotes. */
const BARE = '!#$%*+,./0-9:=?@A-Z[]^_a-z{}~-';

/** A probe for `u ` and `r `: `-u user:password`, `--user user:password`, `--proxy-user …`. */
export function userProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const isShort =
    text.charCodeAt(at - 1) === 117 && codeAt(scan, at - 2) === 45 && codeAt(scan, at - 3) <= SPACE;
  if (!isShort && (at - 6 < scan.floor || text.slice(at - 6, at) !== '--user')) {
    if (at - 12 < scan.floor || text.slice(at - 12, at) !== '--proxy-user') return;
  }
  const value = word(text, skipSpaces(text, at));
  const colon = value.text.indexOf(':');
  if (colon < 1 || colon > 128 || !/^[\w.@+$%{}-]+$/.test(value.text.slice(0, colon))) return;
  const password = value.text.slice(colon + 1);
  // `-u 1000:1000` is a user and a group.
  if (password === '' || /^\d+$/.test(value.text.replace(':', '')) || isLooseReference(password)) return;
  if (
    isShort &&
    !value.quoted &&
    /^[a-z_][a-z0-9_-]*:[a-z_][a-z0-9_-]*$/.test(value.text) &&
    !isCurl(scan, at)
  )
    return;
  if (hasMarker(value.text)) return;
  takeAhead(scan, value.start + colon + 1, value.start + value.text.length, ID);
}

function isCurl(scan: Scan, at: number): boolean {
  return /(?:^|[\s;&|('"`])(?:curl|wget|https?|xh)\s/.test(lineBefore(scan, at));
}

/** A probe for `-p` and `-a`: the password flags of a few commands that take no other form. */
export function passwordFlagProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (codeAt(scan, at - 2) !== SPACE) return;
  const next = text.charCodeAt(at + 1);
  const line = lineBefore(scan, at - 1);
  const isP = text.charCodeAt(at) === 112;
  const spaced = next === SPACE;
  if (spaced) {
    if (
      isP
        ? !/\b(?:sshpass|docker login|podman login|az login|helm registry login)\b/.test(line)
        : !/\bredis-cli\b/.test(line)
    )
      return;
  } else if (!isP || !/\b(?:mysql(?:dump|admin|import|show)?|mariadb(?:-\w+)?|sshpass)\b/.test(line)) return;
  const value = word(text, spaced ? skipSpaces(text, at + 1) : at + 1);
  if (
    value.text === '' ||
    value.text.startsWith('-') ||
    isLooseReference(value.text) ||
    hasMarker(value.text)
  )
    return;
  take(scan, value.start, value.start + value.text.length, ID);
}

/** A probe for `d `: `machine … login … password …`. */
export function netrcProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (text.charCodeAt(at - 2) !== 114 || text.charCodeAt(at - 4) !== 119) return;
  if (at - 8 < scan.floor || text.slice(at - 8, at) !== 'password' || isAlnum(codeAt(scan, at - 9))) return;
  if (!/^(?:login|user|account)$/.test(wordBeforeLast(scan, at - 8))) return;
  const value = word(text, skipSpaces(text, at));
  if (value.text === '' || isLooseReference(value.text) || hasMarker(value.text)) return;
  take(scan, value.start, value.start + value.text.length, ID);
}

/** A probe for `:`: the port of `host:port:database:user:password`, alone on its line. */
export function pgpassProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const last = scan.codes[at - 1] ?? 0;
  if (last !== 42 && !isDigit(last)) return;
  let port = at;
  if (codeAt(scan, at - 1) === 42) port--;
  else while (at - port < 6 && isDigit(codeAt(scan, port - 1))) port--;
  const digits = at - port;
  if ((digits < 4 && text.charCodeAt(port) !== 42) || digits > 5 || codeAt(scan, port - 1) !== 58) return;
  let host = port - 1;
  const set = charSet('A-Za-z0-9_.*-');
  while (host > scan.floor && port - host < 256 && set[text.charCodeAt(host - 1)] === 1) host--;
  if (host === port - 1 || !isLineEnd(host === 0 ? 10 : codeAt(scan, host - 1))) return;
  const rest = /^([A-Za-z_*][\w*-]{0,63}:[A-Za-z_*][\w.@*-]{0,63}:)([^\s:]{1,256})(?=\r?\n|$)/.exec(
    text.slice(at + 1, at + LONGEST),
  );
  if (rest === null || hasMarker(rest[0])) return;
  const start = at + 1 + (rest[1] ?? '').length;
  takeAhead(scan, start, start + (rest[2] ?? '').length, ID);
}

interface Word {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
}

/** A shell word, with or without quotes. */
function word(text: string, at: number): Word {
  let from = at;
  while (text.charCodeAt(from) === 92 && from - at < 8) from++;
  const quote = text.charCodeAt(from);
  if (isQuote(quote)) {
    const start = from + 1;
    return {
      start,
      text: text.slice(start, closingQuote(text, start, quote, from - at, start + LONGEST)),
      quoted: true,
    };
  }
  return { start: at, text: text.slice(at, runEnd(text, at, charSet(BARE), at + LONGEST)), quoted: false };
}

/** Two words back from `at`: in `login me password`, from `password` to `login`. */
function wordBeforeLast(scan: Scan, at: number): string {
  const lowest = Math.max(scan.floor, at - 264);
  const back = (from: number, wanted: boolean) => {
    let to = from;
    while (to > lowest && scan.text.charCodeAt(to - 1) <= SPACE === wanted) to--;
    return to;
  };
  const end = back(back(back(at, true), false), true);
  return scan.text.slice(back(end, false), end);
}

/** The rest of the command that stands before `at`, a bounded way back. */
function lineBefore(scan: Scan, at: number): string {
  const before = scan.text.slice(Math.max(scan.floor, at - 200), at);
  return before.slice(before.lastIndexOf('\n') + 1);
}
