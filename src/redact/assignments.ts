// Secrets that are secret by their name: `PASSWORD=…`, `"apiKey": "…"`, `\"token\":\"…\"`, `?access_token=…`,
// `X-Api-Key: …`, `--password …`, `<password>…`. Text is not data: the same words stand in shell commands, settings,
// JSON within JSON, source code and prose, so the value is judged too. In doubt, what reads as code or prose stays and
// what reads as a literal goes.
import { charSet, runEnd } from './char-set.ts';
import { headerValue } from './headers.ts';
import {
  EXACT,
  HINT,
  MEDIUM,
  mayBeHexKey,
  type NameSense,
  NONE,
  NOTHING,
  type SenseOf,
  STRONG,
  WEAK,
} from './key-names.ts';
import { hasMarker } from './marker.ts';
import { skipElements, skipEmphasis, skipSigns } from './markup-signs.ts';
import { isMixedLetters } from './mixed-letters.ts';
import { isType, LONGEST_NAME, nameStart, skipBack, typedNameEnd } from './name-before.ts';
import { hasWordBefore, senseInPlace } from './name-in-place.ts';
import { mayPromise } from './name-letters.ts';
import { phraseEnd } from './phrases.ts';
import { BACKSLASH, closesString, isLineEnd, isQuote, SPACE, skipSpaces, TAB } from './quoted.ts';
import { codeAt, isDigit, type Probe, type Scan, take } from './scan.ts';
import {
  hintHolds,
  isAbout,
  isLooseReference,
  looksLikePassword,
  looksRandom,
  looksSecret,
  weakHolds,
} from './secret-shape.ts';
import { isValidation } from './validation.ts';
import { listBelow, listValue } from './value-lists.ts';
import {
  afterPrefix,
  CODE_STOP,
  LITERAL_STOP,
  QUERY_STOP,
  readValue,
  scalarBelow,
  skipTags,
  type Value,
} from './values.ts';
import { depthOf, readBlock } from './yaml-blocks.ts';

const KEYWORDS =
  /^(?:true|false|null|none|nil|undefined|string|str|number|int|integer|bool|boolean|any|object|bytes|unknown|never|void|required|optional|yes|no|on|off|self|this|new|await|async|function|return|not|is|type|text|varchar|secret|password|token|key|default|empty|unset|missing|invalid|wrong|incorrect|expired)\b[?!]?$/i;
/** Where a key is sent, and what a workflow says of the secrets that it hands on: `api_key: header`, `secrets: inherit`. */
const PLACES = /^(?:header|query|body|cookie|inherit)$/;
/** What `typeof` says. */
const TYPE_NAMES = /^(?:string|object|undefined|number|boolean|function|symbol|bigint)$/;
/** Words that follow a flag's name in a sentence about the flag. */
const PROSE =
  /^(?:to|for|and|or|is|the|a|an|with|flag|flags|option|options|from|in|if|when|on|must|can|may|should|will|instead|value|argument|as|of|was|are|has|not|that|it|by|at|be|but|via|into|parameter|switch|here)$/i;

/** A probe for `=` and `:`. `isPlain` where the user has added no names. */
export function assignmentProbe(senseOf: SenseOf, isPlain: boolean): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const isEquals = codes[at] === 61;
    let end = at;
    const operator = codeAt(scan, at - 1);
    if (isEquals && (operator === 58 || operator === 63 || operator === 43 || operator === 33)) end--;
    const spaced = codeAt(scan, end - 1) === SPACE;
    end = skipBack(scan, end);
    let close = codeAt(scan, end - 1);
    if (close === 42 || close === 63 || close === 93 || close === 62) {
      end = skipSigns(scan, end, close);
      close = codeAt(scan, end - 1);
    }
    const isMember = close === 93 && end > scan.floor;
    if (isMember) close = codeAt(scan, --end - 1);
    let quoteEnd = 0;
    if (isQuote(close) && end > scan.floor) {
      quoteEnd = end--;
      while (end > scan.floor && codes[end - 1] === BACKSLASH && quoteEnd - end < 16) end--;
    } else if (isMember) return;
    let start = nameStart(scan, end);
    if (codeAt(scan, start - 1) > 127) {
      const abroad = ABROAD.exec(text.slice(Math.max(scan.floor, start - 12), end));
      if (abroad !== null) {
        assigned(scan, SAID_ABROAD, {
          start: end - abroad[0].length,
          end,
          at,
          isEquals,
          spaced,
          nameQuote: '',
        });
        return;
      }
    }
    if (start === end) {
      // YAML's explicit key: `? password`, and its value behind the colon on the next line.
      if (isEquals || close !== 10) return;
      const key = EXPLICIT_KEY.exec(text.slice(Math.max(scan.floor, end - 100), end));
      if (key === null) return;
      const name = key[1] ?? '';
      const sense = senseOf(name, 0, name.length);
      if (sense.level > NONE)
        assigned(scan, sense, { start: end, end, at, isEquals, spaced, nameQuote: '"' });
      return;
    }
    // Times and numbers are not worth a look.
    if (isDigit(codes[start] ?? 0) && isDigit(codes[end - 1] ?? 0)) return;
    let sense = isPlain && !mayPromise(codes, start, end) ? NOTHING : senseOf(text, start, end);
    if (sense.level === NONE && isEquals && isType(text, start, end)) {
      const typed = typedNameEnd(scan, start);
      if (typed < start) {
        end = typed;
        start = nameStart(scan, end);
        if (start < end) sense = senseOf(text, start, end);
      }
    }
    if (sense.level === NONE) sense = senseInPlace(scan, start, end, isEquals, senseOf);
    if (sense.level === NONE) return;
    if (sense.level === WEAK && end - start === 3 && hasWordBefore(scan, start)) sense = KEY_OF_TWO_WORDS;
    const nameQuote = quoteEnd === 0 ? '' : text.slice(end, quoteEnd);
    assigned(scan, sense, { start, end, at, isEquals, spaced, nameQuote });
  };
}

/** A password in languages whose letters are not ASCII's. */
const ABROAD = /(?:contraseña|пароль|密码|密碼|パスワード|비밀번호|hasło|şifre)$/i;
const SAID_ABROAD: NameSense = { level: MEDIUM, id: 'password' };

/** `My api key: …`. A sentence may go on there, so the value must look like a secret. */
const KEY_OF_TWO_WORDS: NameSense = { level: MEDIUM, id: 'key' };

const EXPLICIT_KEY = /(?:^|\n)[ \t-]{0,32}\? ["']?([\w.-]{2,64})["']?[ \t]{0,4}\n[ \t]{0,32}$/;

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
    // LDIF's `userPassword:: `, and its value in base64; `Token::new` is something else.
    if (next === 58 && text.charCodeAt(from + 1) === SPACE && sense.id === 'password') from++;
    else if (next === 58 || (next === 47 && text.charCodeAt(from + 1) === 47)) return;
    if (next === 61) from++;
  }
  let valueAt = skipSpaces(text, from);
  const name = text.slice(start, end);
  const isExpansion = !isEquals && codeAt(scan, start - 1) === 123 && codeAt(scan, start - 2) === 36;
  if (isExpansion) {
    // `${DB_PASSWORD:-…}` says what holds without it, `${DB_PASSWORD:?…}` what is printed then.
    const sign = text.charCodeAt(valueAt);
    if (sign === 63 || sign === 43 || /^-?\d+(?::-?\d+)?\}/.test(text.slice(valueAt, valueAt + 24))) return;
    if (sign === 45 || sign === 61) valueAt++;
  }
  if (
    (sense.id === 'auth' || sense.id === 'cookie') &&
    headerValue(scan, sense.id, name, afterPrefix(text, valueAt))
  )
    return;
  if (!isEquals) valueAt = skipTags(text, skipEmphasis(text, valueAt));
  const block = isEquals ? undefined : readBlock(scan, start, valueAt);
  if (block !== undefined) {
    if (believes(sense, block.judged, false)) take(scan, block.start, block.end(), sense.id);
    return;
  }
  if (!isEquals && text.charCodeAt(valueAt) <= 13) {
    if (listBelow(scan, sense, start, valueAt)) return;
    valueAt = belowOf(scan, start, end, valueAt);
  }
  const shownAt = skipElements(text, sense.id === 'password' ? lineBelow(scan, start, valueAt) : valueAt);
  const isShown = shownAt > valueAt;
  valueAt = shownAt;
  if (sense.level >= STRONG) valueAt = withinCall(text, valueAt);
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
    isExpansion ||
    name.charCodeAt(0) === 45 ||
    /^_(?:auth|authToken|password)$/.test(name);
  if (isEquals && text.endsWith('--from-file=', start)) return;
  if (listValue(scan, sense, valueAt, nameQuote)) return;
  const value = readValue(
    text,
    valueAt,
    isQuery ? QUERY_STOP : literal && !isSet && !isExpansion ? LITERAL_STOP : CODE_STOP,
  );
  const { judged, quoted } = value;
  if (!quoted && sense.id !== 'key' && sense.id !== 'token' && PHRASE_NAME.test(name)) {
    const phrase = phraseEnd(text, value.start);
    if (phrase > 0) {
      take(scan, value.start, phrase, sense.id);
      return;
    }
  }
  if (quoted && nameQuote === '' && closesString(text, start, text.charCodeAt(value.start - 1), scan.floor))
    return;
  if (judged === '' || isLooseReference(judged) || hasMarker(judged)) return;
  if (isShown && !looksLikePassword(judged)) return;
  const isData = literal || nameQuote !== '';
  if (!isData && (judged.length < 3 || (from > at + 1 && TYPE_NAMES.test(judged)))) return;
  if (isSoft(sense) && /^https?:\/\//.test(judged)) return;
  if ((sense.id === 'credential' && isAbout(judged)) || isValidation(judged)) return;
  // What is compared with may be a field's name or its state.
  if (quoted && (from > at + 1 || codeAt(scan, at - 1) === 33) && isEquals && isAbout(judged)) return;
  if (!quoted && nameQuote !== '' && /^-?\d[\d.eE+-]*$/.test(judged)) {
    if (sense.level === EXACT) take(scan, value.start, value.end(), sense.id, nameQuote);
    return;
  }
  if (!quoted) {
    if (isEquals && codeAt(scan, at - 1) === 33) return;
    if (!literal && !isLiteral(scan, name, value, sense)) return;
    if (KEYWORDS.test(judged) && !(isVariable && judged.length > 5)) return;
    if (PLACES.test(judged) && sense.id !== 'password' && !isVariable) return;
  }
  const isHexKey = isVariable && sense.id === 'key' && HEX_KEY.test(judged) && mayBeHexKey(name);
  if (
    isPart ||
    isHexKey ||
    believes(sense, judged, isData) ||
    (quoted && isToldByPlace(scan, sense, start, judged))
  )
    take(scan, value.start, value.end(), sense.id);
}

/** The key of an encrypted database, and the `pass` beside a `user`: names that mean little by themselves. */
function isToldByPlace(scan: Scan, sense: NameSense, start: number, value: string): boolean {
  const before = scan.text.slice(Math.max(scan.floor, start - 80), start);
  if (sense.id === 'key') return PRAGMA.test(before);
  if (sense.level !== HINT || sense.id !== 'password') return false;
  return /^\S{4,64}$/.test(value) && !isAbout(value) && USER_BEFORE.test(before);
}

const PRAGMA = /\bpragma\s{1,4}$/i;
const USER_BEFORE = /\b(?:user(?:_?name)?|login|email|account|usr)["'\\]{0,3}\s?[:=][^\n]{0,60}$/i;
const PHRASE_NAME = /(?:phrase|mnemonic|words)$/i;
const CALL =
  /(?:new )?(?:string|str|bytes|\[\]byte|buffer\.from|securestring|secretstr|secret|some|just|optional\.of|quote|lit|md5|sha\d{0,3}|crypt|password|encrypt|hash\w{0,12}|b64encode|btoa|tostring)\(\s{0,4}(?=[A-Za-z]?\\{0,8}["'`])/iy;

/** Where the string begins in `String('…')`, `[]byte("…")` and `crypt('…', …)`; what a call of another name is given is no secret. */
function withinCall(text: string, at: number): number {
  CALL.lastIndex = at;
  return CALL.test(text) ? CALL.lastIndex : at;
}

/** Where a scalar stands on the line below its name; `at` if none does. */
function belowOf(scan: Scan, start: number, end: number, at: number): number {
  const depth = depthOf(scan, start, '\n');
  const below = depth < 0 ? -1 : scalarBelow(scan.text, Math.max(at, end + 1), depth);
  return below < 0 ? at : below;
}

/** Where a word stands alone on the line below `Password:` and no deeper, as programs print it; `at` if none does. */
function lineBelow(scan: Scan, start: number, at: number): number {
  if (scan.text.charCodeAt(at) > 13 || depthOf(scan, start, '\n') !== 0) return at;
  const below = scalarBelow(scan.text, at, -1);
  return below < 0 ? at : below;
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
  return sense.level === WEAK ? weakHolds(sense.id, value) : hintHolds(sense.id, value);
}

/** Does a bare word stand for itself, and not for a variable, a call or the next word of a sentence? */
function isLiteral(scan: Scan, name: string, value: Value, sense: NameSense): boolean {
  const { text } = scan;
  const { judged, start } = value;
  if (/[([{]/.test(judged) || (/^[&*!]/.test(judged) && !looksSecret(judged))) return false;
  if (/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(judged)) return judged.split('.').some(looksRandom);
  if (!/^[A-Za-z_]+$/.test(judged)) return judged.length >= 4;
  if (sense.level >= MEDIUM && isMixedLetters(judged)) return true;
  // A bare word of letters: the value of a settings file if it ends its line, and no identifier.
  if (isSoft(sense) || /_|[a-z][A-Z]/.test(judged)) return false;
  if (/^(?:self|this|cls)\./.test(name) || name.toLowerCase().endsWith(judged.toLowerCase())) return false;
  const end = start + judged.length;
  const next = text.charCodeAt(end);
  if (isLineEnd(next) || next === BACKSLASH || isQuote(next)) return true;
  if (next === SPACE && /^ {1,8}# \S/.test(text.slice(end, end + 12))) return true;
  return (next === 125 || next === 44) && judged.length >= 6 && isFlowMap(scan, start, end);
}

/** YAML's `db: {host: h, password: …}`, alone on its line. In code a bare word there is a variable. */
function isFlowMap(scan: Scan, start: number, end: number): boolean {
  const before = scan.text.slice(Math.max(scan.floor, start - 200), start);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  if (!/^\s*(?:- )?(?:[\w.-]+: +)?\{[^(){}=;"'`]*$/.test(line)) return false;
  return /^[^(){}=;\n]{0,200}\}[ \t]{0,8}(?:\r?\n|$)/.test(scan.text.slice(end, end + 210));
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
    // Pulumi's `config set --secret name …`: a flag without a value.
    if (end - at === 7 && /\bconfig\s+set\s/.test(text.slice(Math.max(scan.floor, at - 60), at))) return;
    const value = readValue(text, skipSpaces(text, end), LITERAL_STOP);
    const { judged } = value;
    if (judged === '' || judged.startsWith('-') || isLooseReference(judged) || hasMarker(judged)) return;
    if (!value.quoted && (PROSE.test(judged) || /^(?:[[({<]|id=|type=|src=)/.test(judged))) return;
    if (believes(sense, judged, true)) take(scan, value.start, value.end(), sense.id);
  };
}
