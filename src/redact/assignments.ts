// Secrets that are secret by their name: `PASSWORD=…`, `"apiKey": "…"`, `\"token\":\"…\"`, `?access_token=…`,
// `X-Api-Key: …`, `--password …`, `<password>…`. Text is not data: the same words stand in shell commands, settings,
// JSON within JSON, source code and prose, so the value is judged too. In doubt, what reads as code or prose stays and
// what reads as a literal goes.
import { type CharSet, charSet, runEnd } from './char-set.ts';
import { headerValue } from './headers.ts';
import { isPrivateName } from './json-web-keys.ts';
import {
  EXACT,
  HINT,
  MEDIUM,
  mayBeHexKey,
  type NameSense,
  NONE,
  NOTHING,
  STRONG,
  WEAK,
} from './key-names.ts';
import { hasMarker } from './marker.ts';
import { BACKSLASH, closesString, isLineEnd, isQuote, SPACE, skipSpaces, TAB } from './quoted.ts';
import { afterEscape, codeAt, isDigit, type Probe, type Scan, take } from './scan.ts';
import { hintHolds, isLooseReference, JUDGED, looksRandom, looksSecret } from './secret-shape.ts';
import { listValue } from './value-lists.ts';
import { CODE_STOP, LITERAL_STOP, QUERY_STOP, readValue, type Value } from './values.ts';
import { readBlock } from './yaml-blocks.ts';

export type SenseOf = (text: string, start: number, end: number) => NameSense;

const LONGEST_NAME = 64;
const NAME = 'A-Za-z0-9_.-';

const TYPES = new Set(['string', 'str', 'String', 'bytes', 'any', 'auto', 'var', 'text', 'varchar']);
const KEYWORDS =
  /^(?:true|false|null|none|nil|undefined|string|str|number|int|integer|bool|boolean|any|object|bytes|unknown|never|void|required|optional|yes|no|on|off|self|this|new|await|async|function|return|not|is|type|text|varchar|secret|password|token|key|default|empty|unset|missing|invalid|wrong|incorrect|expired)\b[?!]?$/i;
/** What `typeof` says. */
const TYPE_NAMES = /^(?:string|object|undefined|number|boolean|function|symbol|bigint)$/;
/** Words that follow a flag's name in a sentence about the flag. */
const PROSE =
  /^(?:to|for|and|or|is|the|a|an|with|flag|flags|option|options|from|in|if|when|on|must|can|may|should|will|instead|value|argument|as|of|was|are|has|not|that|it|by|at|be|but|via|into|parameter|switch|here)$/i;

/** A probe for `=` and `:`. */
export function assignmentProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const isEquals = codes[at] === 61;
    let end = at;
    const operator = codeAt(scan, at - 1);
    if (isEquals && (operator === 58 || operator === 63 || operator === 43)) end--;
    const spaced = codeAt(scan, end - 1) === SPACE;
    end = skipBack(scan, end);
    let close = codeAt(scan, end - 1);
    const isMember = close === 93 && end > scan.floor;
    if (isMember) close = codeAt(scan, --end - 1);
    let quoteEnd = 0;
    if (isQuote(close) && end > scan.floor) {
      quoteEnd = end--;
      while (end > scan.floor && codes[end - 1] === BACKSLASH && quoteEnd - end < 16) end--;
    } else if (isMember) return;
    let start = nameStart(scan, end);
    if (start === end) return;
    // Times and numbers are not worth a look.
    if (isDigit(codes[start] ?? 0) && isDigit(codes[end - 1] ?? 0)) return;
    let sense = senseOf(text, start, end);
    if (sense.level === NONE && isEquals) {
      const typed = typedNameEnd(scan, start);
      if (typed < start && TYPES.has(text.slice(start, end))) {
        end = typed;
        start = nameStart(scan, end);
        if (start < end) sense = senseOf(text, start, end);
      }
    }
    if (sense.level === NONE) sense = senseInPlace(scan, start, end, isEquals, senseOf);
    if (sense.level === NONE) return;
    const nameQuote = quoteEnd === 0 ? '' : text.slice(end, quoteEnd);
    assigned(scan, sense, { start, end, at, isEquals, spaced, nameQuote });
  };
}

const KEY_MEMBER: NameSense = { level: STRONG, id: 'private-key' };
const SIGNATURE: NameSense = { level: STRONG, id: 'url-signature' };
const SIGNED = /^(?:sig|signature|x-amz-signature|x-goog-signature|x-amz-credential)$/i;
const LABEL =
  /\b(?:name|key)["'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}["'\\]{0,4}([\w.-]{2,48})["'\\]{0,4}[\s,]{0,40}(?:\\n[ \t]{0,40})?["'\\]{0,4}$/i;

/** Terraform's `variable "db_password" {`, before its default. */
const VARIABLE = /\bvariable[ \t]{1,8}\\?"([\w-]{2,64})\\?"[ \t]{0,8}\{[^{}]{0,256}$/;

/** Names that mean something only where they stand: a signature in an address, the `value` beside a `name`. */
function senseInPlace(
  scan: Scan,
  start: number,
  end: number,
  isEquals: boolean,
  senseOf: SenseOf,
): NameSense {
  const { text } = scan;
  if (end - start <= 4 && start < scan.keyEnd && /["'\\]/.test(text[end] ?? '')) {
    if (isPrivateName(text.slice(start, end))) return KEY_MEMBER;
  }
  const first = (scan.codes[start] ?? 0) | 32;
  if (first === 118) {
    if (end - start !== 5 || text.slice(start, end).toLowerCase() !== 'value') return NOTHING;
    const label = LABEL.exec(text.slice(Math.max(scan.floor, start - 160), start));
    const name = label?.[1] ?? '';
    return senseOf(name, 0, name.length);
  }
  if (first === 100 && isEquals && text.slice(start, end) === 'default') {
    const variable = VARIABLE.exec(text.slice(Math.max(scan.floor, start - 256), start));
    const name = variable?.[1] ?? '';
    return senseOf(name, 0, name.length);
  }
  if ((first !== 115 && first !== 120) || !isEquals || !SIGNED.test(text.slice(start, end))) return NOTHING;
  const before = codeAt(scan, start - 1);
  return before === 63 || before === 38 ? SIGNATURE : NOTHING;
}

interface Assigned {
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly isEquals: boolean;
  readonly spaced: boolean;
  readonly nameQuote: string;
}

function assigned(scan: Scan, sense: NameSense, found: Assigned): void {
  const { text } = scan;
  const { start, end, at, isEquals, nameQuote } = found;
  let from = at + 1;
  if (isEquals) {
    while (from - at < 3 && text.charCodeAt(from) === 61) from++;
    if (text.charCodeAt(from) === 62) from++;
  } else {
    const next = text.charCodeAt(from);
    if (next === 58 || (next === 47 && text.charCodeAt(from + 1) === 47)) return;
    if (next === 61) from++;
  }
  const valueAt = skipSpaces(text, from);
  const name = text.slice(start, end);
  if ((sense.id === 'auth' || sense.id === 'cookie') && headerValue(scan, sense.id, name, valueAt)) return;
  const block = isEquals ? undefined : readBlock(scan, start, valueAt);
  if (block !== undefined) {
    if (believes(sense, block.judged, false)) take(scan, block.start, block.end(), sense.id);
    return;
  }
  const before = codeAt(scan, start - 1);
  const isQuery = isEquals && (before === 63 || before === 38);
  const isVariable = isEquals && !found.spaced && valueAt === from && /^[A-Z][A-Z0-9_]*$/.test(name);
  // `;Pwd=…` stands in a connection string, `--set a.password=…` in a chart's values.
  const isPart = isEquals && before === 59 && sense.id === 'password';
  const isSet = isEquals && SET.test(text.slice(Math.max(scan.floor, start - 64), start));
  const literal =
    isQuery ||
    isVariable ||
    isPart ||
    isSet ||
    name.charCodeAt(0) === 45 ||
    /^_(?:auth|authToken|password)$/.test(name);
  if (isEquals && text.endsWith('--from-file=', start)) return;
  if (listValue(scan, sense, valueAt, nameQuote)) return;
  const value = readValue(text, valueAt, isQuery ? QUERY_STOP : literal && !isSet ? LITERAL_STOP : CODE_STOP);
  const { judged, quoted } = value;
  if (quoted && nameQuote === '' && closesString(text, start, text.charCodeAt(value.start - 1), scan.floor))
    return;
  if (judged === '' || isLooseReference(judged) || hasMarker(judged)) return;
  const isData = literal || nameQuote !== '';
  if (!isData && (judged.length < 3 || (from > at + 1 && TYPE_NAMES.test(judged)))) return;
  if (isSoft(sense) && /^https?:\/\//.test(judged)) return;
  if (!quoted && nameQuote !== '' && /^-?\d[\d.eE+-]*$/.test(judged)) {
    if (sense.level === EXACT) take(scan, value.start, value.end(), sense.id, nameQuote);
    return;
  }
  if (!quoted) {
    if (!literal && !isLiteral(text, name, value, sense)) return;
    if (KEYWORDS.test(judged) && !(isVariable && judged.length > 5)) return;
  }
  const isHexKey = isVariable && sense.id === 'key' && HEX_KEY.test(judged) && mayBeHexKey(name);
  if (isPart || isHexKey || believes(sense, judged, isData)) take(scan, value.start, value.end(), sense.id);
}

const SET = /--set(?:-string)?[ =]["']?(?:[^\s"']{0,40},)?$/;
const HEX_KEY = /^[0-9a-fA-F]{32,128}$/;

/** Names that programs also use for things that are no secret: a lexer's token, a screen's session. */
function isSoft(sense: NameSense): boolean {
  return sense.level < STRONG || /^(?:token|session|cookie|auth)$/.test(sense.id);
}

function believes(sense: NameSense, value: string, isData: boolean): boolean {
  if (!isSoft(sense)) return true;
  if (sense.level >= MEDIUM) return (isData && sense.id !== 'session') || looksSecret(value);
  return sense.level === WEAK ? looksRandom(value) : hintHolds(sense.id, value);
}

/** Does a bare word stand for itself, and not for a variable, a call or the next word of a sentence? */
function isLiteral(text: string, name: string, value: Value, sense: NameSense): boolean {
  const { judged, start } = value;
  if (/[([{]/.test(judged) || /^[&*!]/.test(judged)) return false;
  if (/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(judged)) return false;
  if (!/^[A-Za-z_]+$/.test(judged)) return judged.length >= 4;
  // A bare word of letters: the value of a settings file if it ends its line, and no identifier.
  if (isSoft(sense) || /_|[a-z][A-Z]/.test(judged)) return false;
  if (/^(?:self|this|cls)\./.test(name) || name.toLowerCase().endsWith(judged.toLowerCase())) return false;
  const next = text.charCodeAt(start + judged.length);
  return isLineEnd(next) || next === BACKSLASH || isQuote(next);
}

/** A probe for `--`: the value of a flag that comes behind a space. `--password=x` is an assignment. */
export function flagProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    const before = codeAt(scan, at - 2);
    if (before !== SPACE && before !== 10 && before !== TAB && !isQuote(before)) return;
    const end = runEnd(text, at + 1, charSet('A-Za-z0-9_-'), at + LONGEST_NAME);
    if (end - at < 4 || text.charCodeAt(end) !== SPACE) return;
    const sense = senseOf(text, at + 1, end);
    if (sense.level < HINT) return;
    const value = readValue(text, skipSpaces(text, end), LITERAL_STOP);
    const { judged } = value;
    if (judged === '' || judged.startsWith('-') || isLooseReference(judged) || hasMarker(judged)) return;
    if (!value.quoted && (PROSE.test(judged) || /^(?:[[({<]|id=|type=|src=)/.test(judged))) return;
    if (believes(sense, judged, true)) take(scan, value.start, value.end(), sense.id);
  };
}

/** A probe for `>`: `<password>…</password>`. */
export function elementProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text } = scan;
    const start = nameStart(scan, at);
    if (start === at || codeAt(scan, start - 1) !== 60) return;
    const sense = senseOf(text, start, at);
    if (sense.level < MEDIUM) return;
    let end = at + 1;
    while (
      end - at <= JUDGED &&
      end < text.length &&
      text.charCodeAt(end) !== 60 &&
      text.charCodeAt(end) !== 10
    )
      end++;
    if (text.charCodeAt(end) !== 60 || text.charCodeAt(end + 1) !== 47) return;
    const value = text.slice(at + 1, end);
    if (value.trim() === '' || isLooseReference(value) || hasMarker(value)) return;
    take(scan, at + 1, end, sense.id);
  };
}

let nameSet: CharSet | undefined;

function nameStart(scan: Scan, end: number): number {
  nameSet ??= charSet(NAME);
  const set = nameSet;
  const lowest = Math.max(scan.floor, end - LONGEST_NAME);
  let start = end;
  while (start > lowest && set[scan.codes[start - 1] ?? 0] === 1) start--;
  return Math.min(end, afterEscape(scan.codes, start, scan.floor));
}

/** In `password: string = …`, from the type back to the name. */
function typedNameEnd(scan: Scan, typeStart: number): number {
  let end = typeStart;
  if (codeAt(scan, end - 1) === 38) end--;
  end = skipBack(scan, end);
  if (codeAt(scan, end - 1) !== 58) return typeStart;
  end--;
  return codeAt(scan, end - 1) === 63 ? end - 1 : end;
}

function skipBack(scan: Scan, from: number): number {
  let end = from;
  while (end > scan.floor && from - end < 8) {
    const code = scan.codes[end - 1];
    if (code !== SPACE && code !== TAB) break;
    end--;
  }
  return end;
}
