// Names that mean something only where they stand: the `value` beside a `name`, a signature in an address, a variable's
// `default`, the private members of a JSON web key, `phrase` behind `seed`.

import { isPrivateName } from './json-web-keys.ts';
import type { SenseOf } from './key-names.ts';
import { HINT, type NameSense, NOTHING, STRONG } from './key-names.ts';
import { takeSecretData, takeSecretJson } from './kubernetes.ts';
import { SPACE } from './quoted.ts';
import { codeAt, type Scan } from './scan.ts';

const WORD_BEFORE =
  /(?:^|[^\w.-])(?:api|access|auth|authentication|client|secret|private|signing|encryption|master|refresh|bearer|bot|deploy|webhook|app|application|account|consumer|service|admin|license|shared|subscription|integration) $/i;

/** Does the word before the noun at `start` make the two a secret's name, as in `api key` and `access token`? */
export function hasWordBefore(scan: Scan, start: number): boolean {
  if (start - scan.floor < 4 || scan.codes[start - 1] !== SPACE) return false;
  const before = (scan.codes[start - 2] ?? 0) | 32;
  if (before < 97 || before > 122) return false;
  return WORD_BEFORE.test(scan.text.slice(Math.max(scan.floor, start - 20), start));
}

const PHRASE: NameSense = { level: HINT, id: 'secret' };
const PHRASE_OF = /(?:seed|recovery|backup|secret|mnemonic) (?:phrase|words)$/i;
const KEY_MEMBER: NameSense = { level: STRONG, id: 'private-key' };
const SIGNATURE: NameSense = { level: STRONG, id: 'url-signature' };
const SIGNED = /^(?:sig|signature|x-amz-signature|x-goog-signature|x-amz-credential)$/i;
const LABEL =
  /\b(?:parameter)?(?:name|key)["'\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}["'\\]{0,4}([\w.-]{2,48})["'\\]{0,4}[\s,]{0,40}(?:\\n[ \t]{0,40})?["'\\]{0,4}$/i;

/** Terraform's `variable "db_password" {`, before its default. */
const VARIABLE = /\bvariable[ \t]{1,8}\\?"([\w-]{2,64})\\?"[ \t]{0,8}\{[^{}]{0,256}$/;

/** Names that mean something only where they stand: a signature in an address, the `value` beside a `name`. */
export function senseInPlace(
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
  if (first === 118 || (first === 112 && end - start === 14)) {
    if (!VALUE.test(text.slice(start, end))) return NOTHING;
    const before = text.slice(Math.max(scan.floor, start - 200), start);
    if (isEquals && isPasswordInput(text, before, end)) return PASSWORD;
    const name = LABEL.exec(before)?.[1] ?? (isEquals ? nameBehind(text, end) : memberBehind(text, end));
    return senseOf(name, 0, name.length);
  }
  if (first === 46 && isEquals && end - start === 6 && codeAt(scan, start - 1) === 41)
    return text.startsWith('.value', start) ? senseOfElement(scan, start, senseOf) : NOTHING;
  if (first === 99 && isEquals && end - start === 7 && text.startsWith('content', start)) {
    const name = META.exec(text.slice(Math.max(scan.floor, start - 120), start))?.[1] ?? '';
    return senseOf(name, 0, name.length);
  }
  if (!isEquals && (first === 100 || first === 115) && (end - start === 4 || end - start === 10)) {
    const quote = scan.codes[end] ?? 0;
    if (quote === 34 || quote === 92) {
      takeSecretJson(scan, start, end);
      return NOTHING;
    }
  }
  if (!isEquals && (first === 100 || first === 115) && text.charCodeAt(end + 1) <= 13) {
    takeSecretData(scan, start, end);
    return NOTHING;
  }
  if (first === 112 && end - start === 6 && PHRASE_OF.test(text.slice(Math.max(scan.floor, start - 16), end)))
    return PHRASE;
  if (first === 100 && isEquals && text.slice(start, end) === 'default') {
    const variable = VARIABLE.exec(text.slice(Math.max(scan.floor, start - 256), start));
    const name = variable?.[1] ?? '';
    return senseOf(name, 0, name.length);
  }
  if ((first !== 115 && first !== 120) || !isEquals || !SIGNED.test(text.slice(start, end))) return NOTHING;
  const before = codeAt(scan, start - 1);
  return before === 63 || before === 38 ? SIGNATURE : NOTHING;
}

const ELEMENT =
  /(?:querySelector|getElementById|getElementsByName|\$)\(\s{0,4}\\{0,4}["']([^"'\\\n]{1,80})\\{0,4}["']\s{0,4}\)$/;

/** `document.querySelector('#password').value = …`: what the selector names. */
function senseOfElement(scan: Scan, start: number, senseOf: SenseOf): NameSense {
  const selector = ELEMENT.exec(scan.text.slice(Math.max(scan.floor, start - 120), start))?.[1] ?? '';
  for (const name of selector.split(/[^\w-]+/)) {
    const sense = senseOf(name, 0, name.length);
    if (sense.level >= STRONG) return sense;
  }
  return NOTHING;
}

const VALUE = /^(?:parameter)?value$/i;
const PASSWORD: NameSense = { level: STRONG, id: 'password' };
const META = /<meta\s[^<>]{0,40}\bname=\\?["']([\w.:-]{2,64})\\?["']\s{1,8}$/i;
const INPUT_BEFORE = /<input\s[^<>]{0,180}\btype=\\?["']?password\b[^<>]{0,120}$/i;
const INPUT_BEHIND = /=\s{0,4}\\?(["'])[^"'<>\n]{0,256}\1\s[^<>]{0,120}?\btype=\\?["']?password\b/iy;

/** `<input type="password" value="…">`, in either order. */
function isPasswordInput(text: string, before: string, end: number): boolean {
  if (INPUT_BEFORE.test(before)) return true;
  if (!/<input\s[^<>]*$/i.test(before)) return false;
  INPUT_BEHIND.lastIndex = end;
  return INPUT_BEHIND.test(text);
}

const MEMBER_BEHIND =
  /(?:(\\{0,8}["'])[ \t]{0,4}:\s{0,4}(?:\1[^"'\n\\]{1,256}\1|[\w.-]{1,64})\s{0,8},(?:\s|\\{1,8}n){0,64}\1|:[ \t]{1,8}[^\n]{1,256}\n[ \t]{1,32}["']?)(?:parameter)?(?:name|key)["'\\]{0,4}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,4}([\w.-]{2,64})/iy;

/** In `{"value":"…","name":"DB_PASSWORD"}`, and the same as YAML, the name. */
function memberBehind(text: string, valueEnd: number): string {
  MEMBER_BEHIND.lastIndex = valueEnd;
  return MEMBER_BEHIND.exec(text)?.[2] ?? '';
}

const NAME_BEHIND = /=\s{0,4}(["'])[^"'<>\n]{0,256}\1\s[^<>\n]{0,80}?\b(?:name|key)=["']([\w.:-]{2,64})["']/y;

/** In `<property value="…" name="password"/>`, the name. */
function nameBehind(text: string, valueEnd: number): string {
  NAME_BEHIND.lastIndex = valueEnd;
  return NAME_BEHIND.exec(text)?.[2] ?? '';
}
