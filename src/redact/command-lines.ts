// Secrets that a command takes as a plain word: `aws configure set aws_secret_access_key …`, `npm config set
// //host/:_authToken …`, `ENV TOKEN …`, `ngrok authtoken …`, `echo … | docker login --password-stdin`. The words before
// it are its only label.
import type { SenseOf } from './assignments.ts';
import { MEDIUM, type NameSense, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { SPACE, skipSpaces, TAB } from './quoted.ts';
import { askAtPair, codeAt, type Dispatch, isAlnum, type Probe, type Scan, take, takeAhead } from './scan.ts';
import { isDigest, isLooseReference, looksRandom, looksSecret } from './secret-shape.ts';
import { commandBefore, isLiteralWord, readWord } from './shell-words.ts';

const ID = 'command-password';

/** The ends of the words behind which `setProbe` is asked. */
export const SET_ENDS = ['set', 'put', 'SET', 'etx', 'env', 'fig', 'ENV'];
const SETTERS = ['set', 'SET', 'setx', 'setenv', 'config', 'ENV', 'put'];
/** What stands before `set`: a command's word for its settings; or nothing, for a shell's own. */
const BEFORE_SET =
  /(?:^\s*(?:\$ |> |PS> |# )?|\b(?:config|configure|secrets?|env|user-secrets|kv|redis-cli(?:\s+\S+){0,4}|CONFIG|RUN|&&)\s+)(?:--?\S+\s+){0,3}$/;
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
    NAME.lastIndex = from;
    const name = NAME.exec(text)?.[2];
    if (name === undefined || hasMarker(name)) return;
    const sense = senseOfPath(name, senseOf);
    if (sense.level < MEDIUM || /\bsigning_?key$/i.test(name)) return;
    const value = readWord(text, NAME.lastIndex);
    if (!isLiteralWord(value) || /^(?:to|for|and|or|is|as|in|on|from|with|=|:)$/.test(value.text)) return;
    const before = commandBefore(scan, at - setter.length);
    if (!(setter === 'config' ? BEFORE_CONFIG : BEFORE_SET).test(before)) return;
    const isSure =
      /^[A-Z][A-Z0-9_]+$/.test(name) ||
      (sense.level >= STRONG && !/^(?:token|session|cookie|auth)$/.test(sense.id));
    if (!isSure && !looksSecret(value.text) && !isDigest(value.text)) return;
    takeAhead(scan, value.start, value.start + value.text.length, sense.id);
  };
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

const ARGUMENT = String.raw`(?:"[^"\n]{1,200}"|'[^'\n]{1,200}'|[^\s"'|;&<>]{1,200})[ \t]+`;
/**
 * What a command begins with, as far as a rare pair of letters, what then stands before the secret, and what must stand
 * before both. Each pattern is bounded.
 */
const POSITIONS: readonly (readonly [trigger: string, rest: string, within?: RegExp])[] = [
  ['ngrok', String.raw`[ \t]+(?:config[ \t]+add-|http[ \t]+--)?authtoken[ \t=]+`],
  ['cargo', String.raw`[ \t]+login[ \t]+(?:--registry[ =]\S{1,80}[ \t]+)?(?:--[ \t]+)?`],
  [
    'vault',
    String.raw`[ \t]+(?:login|unseal|operator[ \t]+unseal)[ \t]+(?:-no-\S{1,20}[ \t]+)?(?:token=)?(?!-)`,
  ],
  ['wandb', String.raw`[ \t]+login[ \t]+(?:--relogin[ \t]+)?`],
  ['snyk', String.raw`[ \t]+auth[ \t]+`],
  ['bw ', String.raw`(?:unlock|login[ \t]+\S{1,100}@\S{1,100})[ \t]+`],
  ['nug', String.raw`et[ \t]+setapikey[ \t]+`],
  ['requirep', String.raw`ass[ \t]+`],
  ['masterau', String.raw`th[ \t]+`],
  [
    'redis-c',
    String.raw`li[ \t]+(?:-[a-z][ \t]+\S{1,100}[ \t]+){0,3}(?:AUTH|auth)[ \t]+(?:\w{1,40}[ \t]+(?=\S))?`,
  ],
  [
    'htpasswd',
    String.raw`[ \t]+(?:-nb[A-Za-z]?[ \t]+|-bn[A-Za-z]?[ \t]+|-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]+(?:-[A-Za-z]{1,3}[ \t]+)?${ARGUMENT})${ARGUMENT}`,
  ],
  ['wpa_', String.raw`passphrase[ \t]+${ARGUMENT}`],
  ['mc ', String.raw`(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+${ARGUMENT}${ARGUMENT}${ARGUMENT}`],
  ['http-b', String.raw`asic\.${ARGUMENT}${ARGUMENT}`],
  ['-oauth.', String.raw`[\w.-]{3,80}[ \t]+(?:--\S{1,20}[ \t]+)?`],
  ['lft', String.raw`p[ \t]+(?:[^-\s]\S{0,100}[ \t]+)?-u[ \t]+["']?[\w.@-]{1,64},`],
  ['smbc', String.raw`lient[ \t]+[^\n]{0,120}?-U[ \t]*["']?[\w.@/\\-]{1,64}%`],
  ['b2 ', String.raw`(?:authorize-account|account[ \t]+authorize)[ \t]+${ARGUMENT}`],
  ['user-s', String.raw`ecrets[ \t]+set[ \t]+${ARGUMENT}`],
  ['config set --s', String.raw`ecret[ \t]+[\w:.-]{1,80}[ \t]+`],
  ['chpasswd', String.raw`[ \t]*<<<[ \t]*["']?[\w.-]{1,64}:`],
  ['sqlp', String.raw`lus[ \t]+(?:-[A-Za-z]{1,8}[ \t]+)?["']?[\w$.-]{1,64}/(?![\s@/])`],
  ['oracle:t', String.raw`hin:[\w$.-]{1,64}/(?![\s@/])`],
  ['ConvertTo-S', String.raw`ecureString[ \t]+(?:-String[ \t]+)?(?=["'])`],
  ['mysq', String.raw`ladmin[ \t]+[^\n|;&]{0,160}?[ \t]password[ \t]+`],
  ['--b', 'ody[= ]', /\bsecret\s+set\b/],
  ['--from-l', String.raw`iteral[= ]["']?[\w.-]{1,100}=`],
  [' /p', String.raw`(?:ass)?:(?=\S)`, /\b(?:freerdp|xfreerdp3?|wfreerdp|cmdkey|mstsc)\b/i],
  [
    'bundl',
    String.raw`e[ \t]+config[ \t]+(?:set[ \t]+)?(?:--\w{1,20}[ \t]+){0,3}[\w.-]{3,80}[ \t]+[\w.-]{1,64}:`,
  ],
  ['-Dsonar.', 'login='],
  [
    '--v',
    'alue[= ]',
    /\bsecrets?\s+(?:set|create|put)\b|SecureString|put-parameter\b.*(?:password|secret|token)/i,
  ],
  ['-cr', String.raw`eds[= ][^\s:]{1,64}:`],
];
const WORDS_AHEAD =
  /^(?:to|for|and|or|is|the|an?|with|from|command|commands|flow|status|help|list|logout|user|method|methods|then|in|via|page|using|--.*)$/i;

/** A probe for each trigger of the table. */
export function addPositionProbes(dispatch: Dispatch): void {
  for (const [trigger, rest, within] of POSITIONS) {
    let pattern: RegExp | undefined;
    const needsWord = isAlnum(trigger.charCodeAt(0));
    askAtPair(dispatch, trigger, (scan, at) => {
      const { text } = scan;
      const start = at + 1 - trigger.length;
      if (start < scan.floor || !text.startsWith(trigger, start)) return;
      const before = codeAt(scan, start - 1);
      if (needsWord && (isAlnum(before) || before === 45 || before === 95 || before === 46)) return;
      if (within !== undefined && !within.test(commandBefore(scan, start))) return;
      pattern ??= new RegExp(rest, 'y');
      pattern.lastIndex = at + 1;
      // Nothing looks through a marker: there was more text in its place.
      if (!pattern.test(text) || hasMarker(text.slice(at, pattern.lastIndex))) return;
      const value = readWord(text, pattern.lastIndex);
      if (!isLiteralWord(value) || (!value.quoted && WORDS_AHEAD.test(value.text))) return;
      const host = trigger === 'sqlp' || trigger === 'oracle:t' ? value.text.indexOf('@') : -1;
      takeAhead(scan, value.start, value.start + (host > 0 ? host : value.text.length), ID);
    });
  }
}

const STDIN =
  /[ \t]*\|[ \t]*(?:sudo[ \t]+)?[^\n|;&]{0,120}?(?:--password-stdin|--with-token|--pinentry|--passphrase-fd|--stdin|--token-stdin|-S\b|chpasswd|\blogin\b[^\n|;&]{0,40}$|\blogin\b|secret (?:put|set|add)|secrets (?:set|versions add|create)|--data-file=-|--key-file=-|passwd\b|cryptsetup|gpg\b[^\n|;&]{0,80}--batch)/y;

/** A probe for `ho` and `tf`: what `echo` and `printf` hand to a command that reads a secret from its input. */
export function pipedProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const name = text.charCodeAt(at) === 111 ? 'echo' : 'printf';
  const start = at + 1 - name.length;
  if (start < scan.floor || !text.startsWith(name, start) || isAlnum(codeAt(scan, start - 1))) return;
  let from = skipSpaces(text, at + 1);
  if (from === at + 1) return;
  const flag = /-[neE]{1,3}[ \t]{1,4}|(["'])%s(?:\\n)?\1[ \t]{1,4}|%s[ \t]{1,4}/y;
  flag.lastIndex = from;
  if (flag.test(text)) from = flag.lastIndex;
  const value = readWord(text, from);
  let end = value.start + value.text.length;
  while (end < text.length && /["'\\]/.test(text[end] ?? '') && end - value.start - value.text.length < 8)
    end++;
  if (text.charCodeAt(skipSpaces(text, end)) !== 124 || !isLiteralWord(value)) return;
  STDIN.lastIndex = end;
  const reader = STDIN.exec(text);
  if (reader === null || hasMarker(reader[0])) return;
  const isPair = reader[0].endsWith('chpasswd');
  const colon = isPair ? value.text.indexOf(':') + 1 : 0;
  takeAhead(scan, value.start + colon, value.start + value.text.length, ID);
}

const READS_SECRET =
  /--password-stdin|--with-token|--token-stdin|--stdin|chpasswd|\blogin\b|secret (?:put|set|add)|--passphrase-fd|\benv add\b|-file=-/;

/** A probe for `<<`: a here-string for such a command. */
export function hereStringProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (text.charCodeAt(at + 1) !== 60) return;
  const command = commandBefore(scan, at - 1);
  if (!READS_SECRET.test(command)) return;
  const value = readWord(text, skipSpaces(text, at + 2));
  if (!isLiteralWord(value) || isLooseReference(value.text)) return;
  const colon = command.includes('chpasswd') ? value.text.indexOf(':') + 1 : 0;
  take(scan, value.start + colon, value.start + value.text.length, ID);
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
