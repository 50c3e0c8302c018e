// Secrets that a command takes as a plain word behind their name: `aws configure set aws_secret_access_key …`, `npm
// config set //host/:_authToken …`, `ENV TOKEN …`, `fly secrets set A=…`. The words before it are its only label.
import type { SenseOf } from './key-names.ts';
import { MEDIUM, type NameSense, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { SPACE, skipSpaces, TAB } from './quoted.ts';
import { codeAt, isAlnum, type Probe, type Scan, takeAhead } from './scan.ts';
import { isDigest, looksRandom, looksSecret } from './secret-shape.ts';
import { commandBefore, isLiteralWord, readWord } from './shell-words.ts';

const ID = 'command-password';

/** The ends of the words behind which `setProbe` is asked. */
export const SET_ENDS = ['set', 'put', 'SET', 'etx', 'env', 'fig', 'ENV'];
const SETTERS = ['set', 'SET', 'setx', 'setenv', 'config', 'ENV', 'put'];
/** What stands before `set`: a command's word for its settings; or nothing, for a shell's own. */
const BEFORE_SET =
  /(?:^\s*(?:\$ |> |PS> |# )?|\benv:|\b(?:config|configure|secrets?|env|user-secrets|kv|redis-cli(?:\s+\S+){0,4}|CONFIG|RUN|&&)\s+)(?:--?\S+\s+){0,3}$/;
const BEFORE_CONFIG =
  /\b(?:git|composer|poetry|bundle|yarn|npm|pnpm|pip3?|conda|hg|flutter)\s+(?:-\S+\s+){0,3}$/;
const FLAG = /-{1,2}[A-Za-z][\w-]{0,40}(?:=[^\s'"]{1,80})?[ \t]{1,8}/y;
const MOST_FLAGS = 4;
const NAME = /(["']?)((?:[^\s"'=]|"[^\s"]{1,100}"\.){2,200})\1[ \t]{1,16}/y;

/** A probe for the space behind `set` and its like: a name that promises a secret, then its value. */
export function setProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    const setter = SETTERS.find((word) => at - word.length >= scan.floor && text.endsWith(word, at));
    if (setter === undefined || isAlnum(codeAt(scan, at - setter.length - 1))) return;
    let from = skipSpaces(text, at);
    for (let flags = 0; flags < MOST_FLAGS && text.charCodeAt(from) === 45; flags++) {
      FLAG.lastIndex = from;
      if (!FLAG.test(text)) return;
      from = FLAG.lastIndex;
    }
    const given = commandBefore(scan, at - setter.length);
    if (PAIRS.test(given)) settings(scan, from, senseOf, /\bsecrets?[: \t]/.test(commandBefore(scan, from)));
    else if (VAULT.test(given)) {
      const path = readWord(text, from);
      const end = path.start + path.text.length + (path.quoted ? 1 : 0);
      settings(scan, skipSpaces(text, end), senseOf, true);
    }
    NAME.lastIndex = from;
    const name = NAME.exec(text)?.[2];
    if (name === undefined || hasMarker(name)) return;
    const sense = senseOfPath(name, senseOf);
    if (sense.level < MEDIUM || /\bsigning_?key$/i.test(name)) return;
    const value = readWord(text, NAME.lastIndex);
    if (!isLiteralWord(value) || /^(?:to|for|and|or|is|as|in|on|from|with|=|:)$/i.test(value.text)) return;
    const before = commandBefore(scan, at - setter.length);
    if (!(setter === 'config' ? BEFORE_CONFIG : BEFORE_SET).test(before)) return;
    const isSure =
      /^[A-Z][A-Z0-9_]+$/.test(name) ||
      (sense.level >= STRONG && !/^(?:token|session|cookie|auth)$/.test(sense.id));
    if (!isSure && !looksSecret(value.text) && !isDigest(value.text)) return;
    takeAhead(scan, value.start, value.start + value.text.length, sense.id);
  };
}

/** What stands before `set` where every value that follows as `NAME=value` is a secret, or is likely one. */
const PAIRS =
  /(?:\bsecrets?|\b(?:config|env|secrets?|vars?):|\bvariables|\benv)[ \t]*(?:-{1,2}[\w-]+[ \t]+){0,3}$/;
/** Behind it a path, and then such values. */
const VAULT = /\bvault[ \t]+kv[ \t]+$/;
const PAIR = /(?:-{1,2}[A-Za-z][\w-]{0,30}(?:[ =][^\s='"]{1,60})?|(["']?)([A-Za-z_][\w.-]{0,80})=)/y;
const MOST_PAIRS = 32;

/** `fly secrets set A=… B=…`: secrets whatever they are called; of `config:set`, those that look like one. */
function settings(scan: Scan, at: number, senseOf: SenseOf, isSecret: boolean): void {
  const { text } = scan;
  let from = at;
  for (let pairs = 0; pairs < MOST_PAIRS; pairs++) {
    PAIR.lastIndex = from;
    const pair = PAIR.exec(text);
    if (pair === null) return;
    let next = PAIR.lastIndex;
    const name = pair[2];
    if (name !== undefined) {
      const isWhole = pair[1] !== '';
      const value = readWord(text, isWhole ? next - name.length - 2 : next);
      const start = isWhole ? next : value.start;
      const secret = isWhole ? value.text.slice(name.length + 1) : value.text;
      // What follows a marker was judged before it was put there.
      if (hasMarker(secret)) return;
      next = start + secret.length + (value.quoted ? 1 : 0);
      const isNamed = senseOf(name, 0, name.length).level >= MEDIUM;
      if (isLiteralWord({ start, text: secret, quoted: value.quoted }) && !/^@/.test(secret))
        if (isSecret || isNamed || looksRandom(secret))
          takeAhead(scan, start, start + secret.length, isSecret ? 'secret' : ID);
    }
    from = skipSpaces(text, next);
    if (from === next) return;
  }
}

/** `//registry/:_authToken`, `pypi-token.pypi`, `profile.x.aws_secret_access_key`: the last part that means something. */
function senseOfPath(name: string, senseOf: SenseOf): NameSense {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':')) + 1);
  const sense = senseOf(last, 0, last.length);
  const dot = last.indexOf('.');
  return sense.level < MEDIUM && /^[a-z]+-token\./.test(last) ? senseOf(last, 0, dot) : sense;
}

/** The ends of the names behind which `keyThenValueProbe` is asked. */
export const NAME_ENDS = ['key', 'KEY', 'ord', 'ORD', 'ken', 'KEN', 'ret', 'RET'];
const WRITER = /\b(?:consul\s+kv|etcdctl|chamber|rclone|credstash|confd|vault|berglas|teller)\b/;

/** A probe for the space behind a name of several words, such as `secret_access_key` or `app/db_password`. */
export function keyThenValueProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    if (!endsName(scan.codes, at)) return;
    const lowest = Math.max(scan.floor, at - 80);
    let start = at;
    while (start > lowest && codeAt(scan, start - 1) > SPACE && !isQuoteCode(codeAt(scan, start - 1)))
      start--;
    const name = text.slice(start, at);
    if (start === lowest || !/[a-zA-Z0-9][_/][a-zA-Z]/.test(name) || /^-|[=({[<>$]/.test(name)) return;
    const sense = senseOfPath(name, senseOf);
    if (sense.level < MEDIUM) return;
    const value = readWord(text, skipSpaces(text, at));
    if (!isLiteralWord(value) || /[()[\]{}]/.test(value.text)) return;
    if (looksRandom(value.text) || (looksSecret(value.text) && WRITER.test(commandBefore(scan, start))))
      takeAhead(scan, value.start, value.start + value.text.length, sense.id);
  };
}

/** `…key`, `…word`, `…token`, `…secret`, by the letters before the last. */
function endsName(codes: Uint16Array, at: number): boolean {
  const before = (codes[at - 2] ?? 0) | 32;
  const third = (codes[at - 3] ?? 0) | 32;
  switch ((codes[at - 1] ?? 0) | 32) {
    case 121:
      return before === 101 && third === 107;
    case 100:
      return before === 114 && third === 111;
    case 110:
      return before === 101 && third === 107;
    default:
      return before === 101 && third === 114;
  }
}

function isQuoteCode(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

const PLAIN_SPACE: ReadonlySet<number> = new Set([SPACE, TAB, 10, 13]);

/** Is there nothing but space between the line's head and `at`? */
export function beginsLine(scan: Scan, at: number): boolean {
  let from = at;
  while (from > scan.floor && at - from < 64 && PLAIN_SPACE.has(codeAt(scan, from - 1))) {
    if (codeAt(scan, from - 1) === 10) return true;
    from--;
  }
  return from === 0;
}
