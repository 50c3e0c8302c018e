// Secrets that a program is given as a literal: `setPassword("…")`, `new NetworkCredential("bob", "…")`,
// `os.getenv("PASSWORD", "…")`, `process.env.PASSWORD || "…"`, `#define PASSWORD "…"`. The name of the function, of the
// variable or of the constant says what the literal is.
import type { SenseOf } from './key-names.ts';
import { HINT, MEDIUM, type NameSense, NOTHING, STRONG } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { isQuote, SPACE, skipSpaces } from './quoted.ts';
import { rangeCache } from './range-cache.ts';
import { codeAt, isAlnum, type Probe, type Scan, take, takeAhead } from './scan.ts';
import { isAbout, isConstantName, isLooseReference, looksLikePassword } from './secret-shape.ts';
import { CODE_STOP, readValue, type Value } from './values.ts';

const LONGEST_NAME = 64;
const CACHED_CALLEES = 4096;

interface Known {
  readonly at: number;
  readonly looks?: true;
  readonly of?: RegExp;
}

const HASHER = /(?:crypt\w*|argon2\w*|pwd_context|hasher)\.$/i;
const SIGNER = /(?:jwt|jsonwebtoken|jws)\.$/i;
const DATABASE = /(?:sql\w*|db|psycopg\d?|oracle\w*|conn\w*|DriverManager|connector)\.$/i;
/** Functions whose n-th argument is a secret; `looks` where others of that name take other things, `of` what it belongs to. */
const CALLS: Readonly<Record<string, Known>> = {
  basicauth: { at: 1 },
  basicauthentication: { at: 1 },
  setbasicauth: { at: 1 },
  httpbasicauth: { at: 1 },
  networkcredential: { at: 1 },
  usernamepasswordcredentials: { at: 1 },
  usernamepasswordauthenticationtoken: { at: 1 },
  passwordauthentication: { at: 1 },
  plaintextauthprovider: { at: 1 },
  withcredentials: { at: 1 },
  credentials: { at: 1, looks: true },
  login: { at: 1, looks: true },
  signin: { at: 1, looks: true },
  authenticate: { at: 1, looks: true },
  createuser: { at: 2, looks: true },
  createsuperuser: { at: 2, looks: true },
  connect: { at: 2, looks: true, of: DATABASE },
  getconnection: { at: 2, looks: true, of: DATABASE },
  hash: { at: 0, looks: true, of: HASHER },
  hashpw: { at: 0, looks: true, of: HASHER },
  sign: { at: 1, looks: true, of: SIGNER },
  verify: { at: 1, looks: true, of: SIGNER },
  createhmac: { at: 1, looks: true },
  pgpsymencrypt: { at: 1, looks: true },
  pgpsymdecrypt: { at: 1, looks: true },
};
const CALLEE =
  /^(?:set|with|check|make|change|update|create|verify|compare|confirm|encode|match(?:es)?|and|add|reset|enter|type|fill)[_A-Z]?/;
/** What types into a field; the field's name stands before. */
const TYPES_IN = /^(?:fill|type|typetext|sendkeys|setvalue|presssequentially|inputtext|fillin)$/;
const FIELD = /(?:password|passwd|passphrase|secret|api[-_]?key|token)\b[^\n;]{0,80}$/i;
const ARGUMENT =
  /\s{0,8}(?:[A-Za-z]?"[^"\n]{0,200}"|[A-Za-z]?'[^'\n]{0,200}'|[\w.$]{1,80}(?:\(\))?)\s{0,8},\s{0,8}/y;

/** A probe for `("`, `('` and a call's arguments. */
export function callProbe(senseOf: SenseOf): Probe {
  const calleeOf = rangeCache(CACHED_CALLEES, judgeCallee);
  return (scan, at) => {
    const { text } = scan;
    // Strings within strings come as `(\"`.
    const open = text.lastIndexOf('(', at);
    if (at - open > 3 || open < scan.floor) return;
    let start = open;
    const lowest = Math.max(scan.floor, open - LONGEST_NAME);
    while (start > lowest && (isAlnum(codeAt(scan, start - 1)) || codeAt(scan, start - 1) === 95)) start--;
    if (open - start < 3) return;
    const callee = calleeOf(text, start, open);
    if (callee === undefined) return;
    if (callee === 'fallback') return fallback(scan, start, open + 1, senseOf);
    if (callee === 'types-in') return typedIn(scan, start, open + 1);
    if (typeof callee === 'object') {
      if (callee.of === undefined || callee.of.test(text.slice(Math.max(scan.floor, start - 24), start)))
        argumentOf(scan, open + 1, callee);
      return;
    }
    const name = text.slice(start, open);
    const sense = senseOfCallee(scan, start, name, senseOf);
    if (sense.level < MEDIUM) return;
    const value = readValue(text, open + 1, CODE_STOP);
    if (!isSaid(value, sense) || value.judged.toLowerCase() === name.replaceAll('_', '').toLowerCase())
      return;
    take(scan, value.start, value.end(), sense.id);
  };
}

type Callee = Known | 'fallback' | 'types-in' | 'named' | undefined;

/** What a function of that name does with a secret; undefined for most. */
function judgeCallee(name: string): Callee {
  const plain = name.replaceAll('_', '').toLowerCase();
  if (Object.hasOwn(CALLS, plain)) return CALLS[plain];
  if (FALLBACK.test(plain)) return 'fallback';
  if (TYPES_IN.test(plain)) return 'types-in';
  return /pass|pw|psk|secret|token|key|phrase|cred/.test(plain) ? 'named' : undefined;
}

/** `setPassword(`, `check_password(`, `.password(`; not `getPassword(` nor `promptPassword(`, which take a question. */
function senseOfCallee(scan: Scan, start: number, name: string, senseOf: SenseOf): NameSense {
  const verb = CALLEE.exec(name)?.[0] ?? '';
  const noun = verb === '' ? name : name.slice(verb.length - (/[A-Z]$/.test(verb) ? 1 : 0));
  const isMember = codeAt(scan, start - 1) === 46;
  if (noun.length < 3 || (verb === '' && !isMember)) return NOTHING;
  const sense = senseOf(noun, 0, noun.length);
  return verb === '' && sense.id !== 'password' ? NOTHING : sense;
}

/** May the literal be the secret that its place promises? */
function isSaid({ judged, quoted }: Value, sense: NameSense): boolean {
  if (!quoted || judged.length < 4 || /\s/.test(judged) || hasMarker(judged)) return false;
  if (isLooseReference(judged) || isAbout(judged) || /^[#.[:]|[:?]$/.test(judged)) return false;
  return (sense.level >= STRONG && sense.id === 'password') || looksLikePassword(judged);
}

function argumentOf(scan: Scan, from: number, { at, looks }: Known): void {
  const { text } = scan;
  let start = from;
  for (let before = 0; before < at; before++) {
    ARGUMENT.lastIndex = start;
    if (!ARGUMENT.test(text)) return;
    start = ARGUMENT.lastIndex;
  }
  if (at > 0 && hasMarker(text.slice(from, start))) return;
  const value = readValue(text, start, CODE_STOP);
  const { judged } = value;
  if (!isSaid(value, looks === true ? NOTHING : { level: STRONG, id: 'password' })) return;
  if (judged.length < JUDGED_WHOLE) takeAhead(scan, value.start, value.start + judged.length, 'password');
}

const JUDGED_WHOLE = 256;

/** Functions that take a variable's name, then what it is set to or what holds without it. */
const FALLBACK =
  /^(?:getenv|env|get|fetch|getordefault|(?:set)?default|define|[sg]etproperty|setenv|putenv|config|getstring|setenvironmentvariable)$/;
const OWNER =
  /(?:environ|env|ENV|config|Config|settings|props|properties|viper|conf|cfg|getenv\(\)|parser)\.$/;
const NAMED =
  /\s{0,4}(\\{0,8}["'])([A-Za-z_][\w.-]{2,63})\1\s{0,4}(?:,\s{0,8}(?=[A-Za-z]?\\{0,8}["'])|\)\s{0,4}\{\s{0,4}(?=["']))/y;

/** `os.getenv("PASSWORD", "…")`, Ruby's `ENV.fetch("PASSWORD") { "…" }`. */
function fallback(scan: Scan, start: number, from: number, senseOf: SenseOf): void {
  const { text } = scan;
  if (text.startsWith('get(', start) && !OWNER.test(text.slice(Math.max(scan.floor, start - 20), start)))
    return;
  NAMED.lastIndex = from;
  const name = NAMED.exec(text)?.[2] ?? '';
  const sense = senseOf(name, 0, name.length);
  if (sense.level < MEDIUM) return;
  const value = readValue(text, NAMED.lastIndex, CODE_STOP);
  const { judged } = value;
  if (!isSaid(value, { level: sense.level, id: 'password' }) || judged.toLowerCase() === name.toLowerCase())
    return;
  if (judged.length < JUDGED_WHOLE) takeAhead(scan, value.start, value.start + judged.length, sense.id);
}

/** `page.fill('#password', '…')`, `getByLabel('Password').fill('…')`. */
function typedIn(scan: Scan, start: number, from: number): void {
  const { text } = scan;
  let at = from;
  let field = text.slice(Math.max(scan.floor, start - 120), start);
  ARGUMENT.lastIndex = from;
  if (ARGUMENT.test(text)) {
    at = ARGUMENT.lastIndex;
    field = text.slice(from, at);
  }
  if (!FIELD.test(field) || hasMarker(field)) return;
  const value = readValue(text, at, CODE_STOP);
  if (!isSaid(value, { level: STRONG, id: 'password' })) return;
  takeAhead(scan, value.start, value.start + value.judged.length, 'password');
}

const ENVIRONMENT = /env|getenv|config|settings|options|args|argv|opts|props|params/i;

/** Back over what may stand between a name and the operator: space, `)`, `"]`, `!`. */
function operandEnd(scan: Scan, operator: number): number {
  let end = operator;
  while (end > scan.floor && operator - end < 12) {
    const code = scan.codes[end - 1] ?? 0;
    const isClosing =
      code <= SPACE || code === 41 || code === 93 || code === 33 || code === 92 || isQuote(code);
    if (!isClosing) break;
    end--;
  }
  return end;
}

function isNameCode(code: number): boolean {
  return isAlnum(code) || code === 95 || code === 45 || code === 46;
}

/** A probe for `||`, `??`, `?:` and `or`: what holds where a variable has nothing. */
export function defaultProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const from = at + 1 + (text.charCodeAt(at + 1) === 61 ? 1 : 0);
    const valueAt = skipSpaces(text, from);
    const next = text.charCodeAt(valueAt);
    if (!isQuote(next) && next !== 92) return;
    const end = operandEnd(scan, at - 1);
    let start = end;
    const lowest = Math.max(scan.floor, end - LONGEST_NAME);
    while (start > lowest && isNameCode(codes[start - 1] ?? 0)) start--;
    if (end - start < 3) return;
    const sense = senseOf(text, start, end);
    const before = text.slice(Math.max(scan.floor, start - 48), end);
    if (sense.level < HINT) return;
    const value = readValue(text, valueAt, CODE_STOP);
    const { judged } = value;
    if (judged.length < 3 || /\s/.test(judged) || hasMarker(judged) || isLooseReference(judged)) return;
    if (isAbout(judged) || isConstantName(judged)) return;
    const isSure = sense.level >= STRONG && sense.id !== 'credential' && ENVIRONMENT.test(before);
    if (isSure || (sense.level >= STRONG && !/^[A-Z][a-z]+$/.test(judged)) || looksLikePassword(judged))
      take(scan, value.start, value.end(), sense.id);
  };
}

const DECLARES =
  /(?:[#%][ \t]{0,8}(?:define|global)|\((?:def|defonce|setq|defvar|defparameter|defconst|define)|\bset|\bconst|\bDim)[ \t]{1,16}$/;

/** Behind a name and space: `#define PASSWORD "…"`, `(setq my-password "…")`, R's `password <- "…"`. */
export function declared(scan: Scan, start: number, at: number, senseOf: SenseOf): boolean {
  const { text } = scan;
  let valueAt = skipSpaces(text, at);
  const isArrow = text.charCodeAt(valueAt) === 60 && text.charCodeAt(valueAt + 1) === 45;
  if (isArrow) valueAt = skipSpaces(text, valueAt + 2);
  if (!isQuote(text.charCodeAt(valueAt))) return false;
  if (!isArrow && !DECLARES.test(text.slice(Math.max(scan.floor, start - 32), start))) return false;
  const sense = senseOf(text, start, at);
  if (sense.level < MEDIUM || codeAt(scan, start - 1) > SPACE) return false;
  const value = readValue(text, valueAt, CODE_STOP);
  const isName = sense.level >= STRONG ? !isAbout(value.judged) : looksLikePassword(value.judged);
  if (!isName || value.judged.length < 4 || /\s/.test(value.judged)) return false;
  if (isLooseReference(value.judged) || hasMarker(value.judged)) return false;
  take(scan, value.start, value.end(), sense.id);
  return true;
}

const CREDENTIALS_IN_DSN = /["'`\s=]([\w.-]{1,64}):([^\s"'`:@/]{1,128})$/;

/** A probe for `@t` and `@u`: Go's `user:password@tcp(host)`, `@unix(…)`. */
export function dsnProbe(scan: Scan, at: number): void {
  const { text } = scan;
  if (!/^@(?:tcp|unix|udp)\(/.test(text.slice(at - 1, at + 6))) return;
  const found = CREDENTIALS_IN_DSN.exec(text.slice(Math.max(scan.floor, at - 220), at - 1));
  const password = found?.[2] ?? '';
  if (password === '' || isLooseReference(password) || hasMarker(password) || password.includes('%')) return;
  take(scan, at - 1 - password.length, at - 1, 'url-password');
}
