// Secrets on a command's input: `echo … | docker login --password-stdin`, `sudo -S id <<< …`, a here-document, and what
// `expect` sends. The word stands alone; the program that reads it says what it is.
import type { SenseOf } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { skipSpaces } from './quoted.ts';
import { codeAt, isAlnum, type Probe, type Scan, takeAhead } from './scan.ts';
import { secretInFile } from './secret-files.ts';
import { isAbout, looksLikePassword } from './secret-shape.ts';
import { commandBefore, isLiteralWord, readWord } from './shell-words.ts';

const ID = 'command-password';
/** Programs and options that read a secret. */
const READER =
  /--(?:password|passwd|passphrase|token|secret|key)-(?:on-)?stdin\b|--with-token\b|--stdin\b|--pinentry\b|--passphrase-fd\b|--passwd-on-stdin\b|-file=-(?:\s|$)|\bsudo\b[^|;&\n]{0,60}\s-[A-Za-z]{0,4}S\b|\bchpasswd\b|\b(?:smb|vnc|ldap|yp|k)?passwd\b|\bkinit\b|\bsu\s+(?:-\s+)?\w|\bop\s+signin\b|\bpass\s+insert\b|\bbw\s+(?:login|unlock)\b|\bcryptsetup\b|\bgpg2?\b[^|;&\n]{0,80}--batch|\bsecrets?[ :](?:put|set|add|create|versions add)\b|\bcreate\s+secret\b|\benv add\b|\blogin\b|\bencrypt_string\b|\bopenconnect\b|\bmysql_config_editor\b|\bread\s+-[a-z]{0,4}s|\b(?:unlock|create)-keychain\b|\bveracrypt\b|\bkeyctl\s+padd\b|\bwpa_passphrase\b|\bkeepassxc-cli\b|\bkubeseal\b|--auth-user-pass\b|\bsecret-tool\s+store\b/;
const NOT_READING = /--(?:help|version)\b|\s-h\s*$/;
const ANSWER = /^(?:y|n|q|yes|no|ok|done|exit|quit|\d{1,3})$/i;
const MOST_WORDS = 6;
const FLAG = /-[neE]{1,3}[ \t]{1,4}/y;
/** What may stand between the words and the pipe: the rest of a group of echoes, a filter. */
const MORE_ECHOES = /(?:[ \t]{0,4};[ \t]{0,4}echo[ \t]+[^\s;|)]{1,100}){0,4}[ \t]{0,4};?[ \t]{0,4}\)/y;
const FILTER = /[ \t]{0,8}\|[ \t]{0,8}(?:base64|tr|head|tail|sed|xargs|tee)\b[^|\n;&]{0,60}(?=\|)/y;
const READS = /[ \t]{0,8}\|[ \t]{0,8}([^\n|;&]{1,200})/y;

interface Word {
  readonly start: number;
  readonly end: number;
}

/** A probe for `ho`, `tf` and `es`: what `echo`, `printf` and `yes` hand to a program that reads a secret, or write to a file of one. */
export function pipedProbe(senseOf: SenseOf): Probe {
  return (scan, at) => piped(scan, at, senseOf);
}

function piped(scan: Scan, at: number, senseOf: SenseOf): void {
  const { text } = scan;
  const last = text.charCodeAt(at);
  const name = last === 111 ? 'echo' : last === 102 ? 'printf' : 'yes';
  const start = at + 1 - name.length;
  if (start < scan.floor || !text.startsWith(name, start) || isAlnum(codeAt(scan, start - 1))) return;
  let from = skipSpaces(text, at + 1);
  if (from === at + 1) return;
  FLAG.lastIndex = from;
  if (FLAG.test(text)) from = FLAG.lastIndex;
  const words: Word[] = [];
  for (let count = 0; count < MOST_WORDS; count++) {
    const value = readWord(text, from);
    if (value.text === '') break;
    if (hasMarker(value.text)) return;
    const end = value.start + value.text.length;
    const isFormat = count === 0 && name === 'printf' && value.text.includes('%');
    if (!isFormat && isLiteralWord(value) && !ANSWER.test(value.text))
      words.push({ start: value.start, end });
    let next = end;
    while (value.quoted && next - end < 8 && /["'\\]/.test(text[next] ?? '')) next++;
    from = skipSpaces(text, next);
    if (from === next) break;
  }
  if (words.length === 0) return;
  const [only] = words;
  if (only !== undefined && words.length === 1 && writtenTo(scan, only, from, senseOf)) return;
  const reader = readerBehind(text, from);
  if (reader === undefined || hasMarker(reader)) return;
  for (const word of words) takeWord(scan, word, reader);
}

/** Takes the one word that is written to the file behind `from`, if the file is one of secrets. */
function writtenTo(scan: Scan, { start, end }: Word, from: number, senseOf: SenseOf): boolean {
  const sign = scan.text.charCodeAt(from);
  if (sign !== 62 && sign !== 124) return false;
  const secret = secretInFile(scan.text, start, end, from, senseOf);
  if (secret === 0) return false;
  takeAhead(scan, secret, end, ID);
  return true;
}

/** The program behind the pipe at `from`, if it reads a secret. */
function readerBehind(text: string, from: number): string | undefined {
  let at = from;
  for (const step of [MORE_ECHOES, FILTER]) {
    step.lastIndex = at;
    if (step.test(text)) at = step.lastIndex;
  }
  if (text.charCodeAt(skipSpaces(text, at)) !== 124) return undefined;
  READS.lastIndex = at;
  const reader = READS.exec(text)?.[1];
  return reader !== undefined && READER.test(reader) && !NOT_READING.test(reader) ? reader : undefined;
}

/** Of `user:password`, which some programs read, the second. */
function takeWord(scan: Scan, { start, end }: Word, reader: string): void {
  const colon = reader.includes('chpasswd') ? scan.text.slice(start, end).indexOf(':') + 1 : 0;
  takeAhead(scan, start + colon, end, ID);
}

const HEREDOC = /-?[ \t]{0,4}(["']?)(\w{1,24})\1[ \t]{0,8}\r?\n/y;
const MOST_LINES = 4;

/** A probe for `<<`: a here-string or a here-document for such a program. */
export function hereStringProbe(scan: Scan, at: number): void {
  const { text } = scan;
  const isString = text.charCodeAt(at + 1) === 60;
  if (codeAt(scan, at - 2) === 60) return;
  const command = commandBefore(scan, at - 1);
  if (!READER.test(command) || NOT_READING.test(command)) return;
  if (isString) {
    const value = readWord(text, skipSpaces(text, at + 2));
    if (!isLiteralWord(value) || ANSWER.test(value.text)) return;
    takeWord(scan, { start: value.start, end: value.start + value.text.length }, command);
    return;
  }
  HEREDOC.lastIndex = at + 1;
  const tag = HEREDOC.exec(text)?.[2];
  if (tag === undefined) return;
  let start = HEREDOC.lastIndex;
  for (let lines = 0; lines < MOST_LINES; lines++) {
    const line = /^[^\r\n]{0,256}/.exec(text.slice(start, start + 257))?.[0] ?? '';
    if (line.trim() === tag || !/^\S{4,256}$/.test(line)) return;
    if (!hasMarker(line) && isLiteralWord({ start, text: line, quoted: false }))
      takeWord(scan, { start, end: start + line.length }, command);
    start += line.length + 1;
  }
}

const SENT = /end[ \t]{1,8}(?:--[ \t]{1,8})?(\\{0,8}["'])([^\s"']{4,128}?)\\{1,8}[rn]\1/y;

/** A probe for `nd`: `send "…\r"` of expect, behind a prompt for a password or with what looks like one. */
export function sentProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (at - 3 < scan.floor || text.charCodeAt(at - 3) !== 115 || isAlnum(codeAt(scan, at - 4))) return;
  SENT.lastIndex = at - 2;
  const found = SENT.exec(text);
  const value = found?.[2] ?? '';
  if (found === null || value === '' || hasMarker(value) || /^[$[{]/.test(value) || isAbout(value)) return;
  const before = text.slice(Math.max(scan.floor, at - 120), at);
  if (!/ass(?:word|phrase)/i.test(before) && !looksLikePassword(value)) return;
  const start = at - 2 + found[0].indexOf(value);
  takeAhead(scan, start, start + value.length, ID);
}
