// Secrets by their place in a command or a settings file: `curl -u user:password`, `mysql -pPASSWORD`,
// `sshpass -p …`, `-storepass …`, a .netrc, a .pgpass. A short flag means a password only to some commands, so the
// command is looked for before it.

import { charSet, runEnd } from './char-set.ts';
import type { SenseOf } from './key-names.ts';
import { MEDIUM, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { isLineEnd, isQuote, SPACE, skipSpaces } from './quoted.ts';
import { codeAt, isAlnum, isDigit, type Probe, type Scan, take, takeAhead } from './scan.ts';
import { isAbout, isLooseReference, looksLikePassword, looksRandom, looksSecret } from './secret-shape.ts';
import { commandBefore, isLiteralWord, readWord, type Word } from './shell-words.ts';

const ID = 'command-password';
const LONGEST = 512;
const CURL = /(?:^|[\s;&|('"`/])(?:curl|curlie|wget|https?|xh)\s/;

/** To these `-u` is no user, if they are what the command begins with. */
const NO_USER = /(?:^|:\s?\\*["'])\s*(?:date|rg|sort|diff|ls|cp)\s/;

/** A probe for `u `, `U `, `r ` and `h `: `-u user:password`, `--user user:password`, `--proxy-user …`, `--auth …`. */
export function userProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const last = text.charCodeAt(at - 1) | 32;
  if (last === 117) {
    // `-u`, or the last of several: `-sSu`.
    let dash = at - 2;
    while (at - dash < 9 && isAlnum(codeAt(scan, dash))) dash--;
    if (codeAt(scan, dash) !== 45 || codeAt(scan, dash - 1) > SPACE) return;
    const isOne = dash === at - 2 && text.charCodeAt(at - 1) === 117;
    const before = commandBefore(scan, dash);
    if ((isOne && !NO_USER.test(before)) || CURL.test(before))
      userAndPassword(scan, at, skipSpaces(text, at), isOne);
  } else if (isLongUser(scan, at)) userAndPassword(scan, at, skipSpaces(text, at), false);
}

/** A probe for `r=` and `h=`: `--user=user:password`. */
export function userEqualsProbe(scan: Scan, at: number): void {
  if (isLongUser(scan, at)) userAndPassword(scan, at, at + 1, false);
}

/** A probe for `-u` and `-U`: `curl -uuser:password`. */
export function joinedUserProbe(scan: Scan, at: number): void {
  const next = scan.text.charCodeAt(at + 1);
  if (codeAt(scan, at - 2) > SPACE || next <= SPACE || Number.isNaN(next)) return;
  if (CURL.test(commandBefore(scan, at - 1))) userAndPassword(scan, at, at + 1, true);
}

const HTTPIE = /(?:^|[\s;&|('"`/])(?:https?|xh)\s/;
const LONG_USER = ['--user', '--proxy-user', '--auth'];

function isLongUser(scan: Scan, at: number): boolean {
  // All of them have a dash before their last four letters.
  if (scan.codes[at - 5] !== 45) return false;
  return LONG_USER.some((flag) => at - flag.length >= scan.floor && scan.text.endsWith(flag, at));
}

function userAndPassword(scan: Scan, at: number, from: number, isShort: boolean): void {
  const value = readWord(scan.text, from);
  const colon = value.text.indexOf(':');
  if (
    colon < 0 ||
    colon > 128 ||
    hasMarker(value.text) ||
    !/^[\w.@+$%{}-]*$/.test(value.text.slice(0, colon))
  )
    return;
  const user = value.text.slice(0, colon);
  const password = value.text.slice(colon + 1);
  const isCurl = CURL.test(commandBefore(scan, at));
  // A token in the user's place, as some APIs have it: `-u TOKEN:`, `-u TOKEN:x`.
  if (isCurl && password.length < 2 && looksRandom(user)) {
    takeAhead(scan, value.start, value.start + colon, ID);
    return;
  }
  // `-u 1000:1000` is a user and a group.
  if (password === '' || /^\d+$/.test(user + password) || isLooseReference(password)) return;
  if (!isCurl && (user === '' || (!value.quoted && isGroup(value.text)) || !isUserFlag(value, isShort)))
    return;
  takeAhead(scan, value.start + colon + 1, value.start + value.text.length, ID);
}

/** `--user node:node`, `--user=www-data:www-data`, `-u 0:root`. */
function isGroup(text: string): boolean {
  return /^[a-z0-9_][a-z0-9_-]*:[a-z0-9_][a-z0-9_-]*$/.test(text) && !/[a-z]\d|\d[a-z]/.test(text);
}

function isUserFlag({ text, quoted }: Word, isShort: boolean): boolean {
  return quoted || !isShort || !/^[a-z_][a-z0-9_-]*:[a-z_][a-z0-9_-]*$/.test(text) || /\d/.test(text);
}

/** Commands to which a short flag is a password's, with the value behind a space, and joined. */
const SPACED: Readonly<Record<string, RegExp>> = {
  p: /\b(?:sshpass|twine\s+upload|mongo(?:sh|dump|restore|export|import|stat|files|top)?|cqlsh|rabbitmqadmin|psexec|evil-winrm|crackmapexec|nxc|rdesktop|steghide|unlock-keychain|create-keychain|set-keychain-password|import\b.*keychain|nuget\s+add\s+source|cypher-shell|neo4j-admin|useradd|usermod|influx\s+(?:setup|user|v1)|hdbsql|certutil|ncftp(?:put|get)|veracrypt|racadm|dev-certs|arangosh|couchbase-cli|cbq|vertica|vsql|iscsiadm|nexus3?|argocd|hydra|medusa|supabase\s+(?:link|db))\b|\b(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|oc|cf|az|helm|ibmcloud|expo|eas|regctl|jf|vercel|acr)\b.*\blogin\b/,
  P: /\b(?:sqlcmd|bcp|osql|tsql|isql|zip|unzip|zipcloak|mosquitto_[prs]{1,2}|mosquitto_[ps]ub|mqttx?|ipmitool|ssh-keygen|p4|security\s+import)\b/,
  a: /\b(?:redis-cli|valkey-cli|keydb-cli|redis-benchmark)\b/,
  w: /\b(?:ldap(?:search|modify|add|delete|passwd|whoami|compare|modrdn|exop)|security\s+(?:add|find)-\w+-password)\b/,
  k: /\bopenssl\s+enc\b|\bnuget\s+push\b/,
  K: /\bopenssl\s+enc\b|\b(?:ccrypt|ccencrypt|ccdecrypt|ccat)\b/,
  N: /\bssh-keygen\b/,
  t: /\b(?:doctl|codecov)\b/,
  b: /\bgh\s+secret\s+set\b/,
  s: /\bldappasswd\b/,
  c: /\bsnmp(?:walk|get|set|bulkwalk|getnext|table)\b/,
  A: /\bsnmp(?:walk|get|set|bulkwalk|getnext|table)\b/,
  X: /\bsnmp(?:walk|get|set|bulkwalk|getnext|table)\b/,
};
const JOINED: Readonly<Record<string, RegExp>> = {
  p: /\b(?:mysql(?:dump|admin|import|show|check|sh|slap|pump)?|mariadb(?:-\w+)?|sshpass|7z[arz]?|rar|unrar|cqlsh|mongo(?:sh|dump|restore|export|import|stat)?)\b/,
  P: /\b(?:sqlcmd|bcp|osql|tsql|zip|unzip)\b/,
  a: /\b(?:redis-cli|valkey-cli)\b/,
  b: /\bgh\s+secret\s+set\b/,
};
/** The first letters of flags that are looked at. */
export const FLAG_PAIRS = [...'pPaAwkKNtTbXsSdcC'].map((letter) => `-${letter}`);
const LONGEST_NAME = 32;

/** A probe for `-p` and the like: short flags of commands that take a secret so, and long ones behind one dash. */
export function passwordFlagProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    if (codeAt(scan, at - 2) > SPACE && !isQuote(codeAt(scan, at - 2))) return;
    const letter = text[at] ?? '';
    const next = text.charCodeAt(at + 1);
    const spaced = next === SPACE;
    const commands = (spaced ? SPACED : JOINED)[letter];
    if (spaced && letter === 'a' && HTTPIE.test(commandBefore(scan, at - 1)))
      userAndPassword(scan, at, skipSpaces(text, at + 1), false);
    else if (commands?.test(commandBefore(scan, at - 1))) {
      if (takeFlag(scan, at, spaced)) otherFlags(scan, at);
    } else if (!spaced && isAlnum(next)) longFlag(scan, at, senseOf);
  };
}

/** Takes the value of the short flag whose letter stands at `at`. Says whether there was one. */
function takeFlag(scan: Scan, at: number, spaced: boolean): boolean {
  const { text } = scan;
  const letter = text[at] ?? '';
  const equals = !spaced && text.charCodeAt(at + 1) === 61 ? 1 : 0;
  const value = readWord(text, spaced ? skipSpaces(text, at + 1) : at + 1 + equals);
  if (!isLiteralWord(value)) return false;
  // `-p 8080:80` is a port, also of a container called mongo.
  if (spaced && letter === 'p' && /^[\d.:]+(?:\/\w+)?$/.test(value.text)) return false;
  if (spaced && letter === 'c' && !looksLikePassword(value.text)) return false;
  takeAhead(scan, value.start, value.start + value.text.length, ID);
  return true;
}

const REST = /[ \t]-([A-Za-z])(?=[ \t])/g;

/** The same command's other secrets, which nothing finds any more once the first is taken: `ssh-keygen -P … -N …`. */
function otherFlags(scan: Scan, at: number): void {
  const command = commandBefore(scan, at - 1);
  const rest = /^[^\n|;&]{0,256}/.exec(scan.text.slice(at + 1, at + 257))?.[0] ?? '';
  if (hasMarker(rest)) return;
  for (const found of rest.matchAll(REST)) {
    const letter = found[1] ?? '';
    if (SPACED[letter]?.test(command)) takeFlag(scan, at + 1 + found.index + 2, true);
  }
}

/** `-storepass x`, `-passin pass:x`, `-Password x`. */
function longFlag(scan: Scan, at: number, senseOf: SenseOf): void {
  const { text } = scan;
  const end = runEnd(text, at, charSet('A-Za-z0-9'), at + LONGEST_NAME);
  if (end - at < 2 || text.charCodeAt(end) !== SPACE) return;
  const isPw =
    end - at === 2 &&
    text.startsWith('pw', at) &&
    /\b(?:plink|pscp|psftp|putty|pdftotext)\b/.test(commandBefore(scan, at - 1));
  const sense = senseOf(text, at, end);
  const isSource = /^(?:pass(?:in|out)?|password)$/.test(text.slice(at, end));
  if (!isPw && !isSource && sense.level < MEDIUM) return;
  const value = readWord(text, skipSpaces(text, end));
  if (!isLiteralWord(value) || /^(?:env|file|fd|stdin|prompt):?|^\/Users\//.test(value.text)) return;
  const source = value.text.startsWith('pass:') ? 5 : 0;
  // Behind `-pass` and `-token` alone a word may as well be prose.
  if (
    source === 0 &&
    !isPw &&
    (sense.level < STRONG || /^(?:token|session|cookie|auth)$/.test(sense.id)) &&
    !looksSecret(value.text)
  )
    return;
  if (source === 0 && !value.quoted && /^(?:to|for|and|or|is|the|an?|with|flag|option)$/i.test(value.text))
    return;
  if (value.text.length > source)
    take(scan, value.start + source, value.start + value.text.length, sense.level < STRONG ? ID : sense.id);
}

/** A probe for `s:`: the `pass:` of openssl, whatever flag stands before it. */
export function passSourceProbe(scan: Scan, at: number): void {
  if (at - 4 < scan.floor || !scan.text.startsWith('pass:', at - 4)) return;
  if (!/(?:^|\s)--?[\w-]*pass(?:in|out|word)?[\s='"\\]{1,8}$/.test(commandBefore(scan, at - 4))) return;
  const quote = codeAt(scan, at - 5);
  const value = readWord(scan.text, at + 1);
  if (isQuote(quote) || isLiteralWord(value))
    if (value.text !== '' && !isLooseReference(value.text) && !hasMarker(value.text))
      take(scan, value.start, value.start + value.text.length, ID);
}

/** A probe for `-b` in `curl -b name=value`: the cookies of a request. */
export function cookieFlagProbe(scan: Scan, at: number): void {
  if (codeAt(scan, at - 2) > SPACE || !CURL.test(commandBefore(scan, at - 1))) return;
  const value = readWord(scan.text, skipSpaces(scan.text, at + 1));
  const equals = value.text.indexOf('=');
  if (equals > 0 && isLiteralWord(value) && !isLooseReference(value.text.slice(equals + 1)))
    take(scan, value.start, value.start + value.text.length, 'cookie');
}

/** A probe for `d `: `machine … login … password …`. */
export function netrcProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (text.charCodeAt(at - 2) !== 114 || text.charCodeAt(at - 4) !== 119) return;
  if (at - 8 < scan.floor || text.slice(at - 8, at) !== 'password' || codeAt(scan, at - 9) > SPACE) return;
  if (!/^(?:login|user|account)$/.test(wordBeforeLast(scan, at - 8))) return;
  if (/\b(?:or|and|the|a|new|old|different)\s+$/i.test(text.slice(Math.max(scan.floor, at - 24), at - 8)))
    return;
  const value = readWord(text, skipSpaces(text, at));
  if (value.text === '' || isLooseReference(value.text) || hasMarker(value.text) || isAbout(value.text))
    return;
  if (/^(?:-.*|login|reset|field|input|form|prompt|page|auth\w*)$/i.test(value.text)) return;
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
