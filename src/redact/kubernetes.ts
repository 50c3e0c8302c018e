// A Secret of Kubernetes as YAML or JSON text: every value under its `data` and `stringData`, whatever its name is. `data`
// is a common word, so for that one the document must say `kind: Secret`, before it or behind it.
import { hasMarker } from './marker.ts';
import { closingQuote } from './quoted.ts';
import { type Scan, takeAhead } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';
import { depthOf } from './yaml-blocks.ts';

const NEAR = 2048;
const KIND = /(?:^|\n) {0,32}kind: ["']?Secret["']?[ \t\r]{0,4}(?:\n|$)/;
const MEMBER =
  /( {1,64})["']?[\w.-]{1,128}["']?: {1,8}(["']?)([^\s"'|>][^\n"']{0,4096}?)\2[ \t]{0,8}(?:\r?\n|$)/y;
const MOST = 256;

/** Takes what stands below `data:` or `stringData:`, its name being text[start, end). */
export function takeSecretData(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  const name = text.slice(start, end);
  if (name !== 'data' && name !== 'stringData') return;
  const line = /^:[ \t]{0,8}\r?\n/.exec(text.slice(end, end + 16));
  const depth = depthOf(scan, start, '\n');
  if (line === null || depth < 0) return;
  if (name === 'data' && !isSecret(scan, start, end)) return;
  let at = end + line[0].length;
  for (let members = 0; members < MOST; members++) {
    MEMBER.lastIndex = at;
    const member = MEMBER.exec(text);
    const value = member?.[3] ?? '';
    if (member === null || (member[1]?.length ?? 0) <= depth) return;
    const from = at + member[0].lastIndexOf(value);
    if (!hasMarker(value) && !isLooseReference(value)) takeAhead(scan, from, from + value.length, 'secret');
    at = MEMBER.lastIndex;
  }
}

function isSecret(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const before = text.slice(Math.max(scan.floor, start - NEAR), start);
  const behind = text.slice(end, end + NEAR);
  if (!before.includes('Secret') && !behind.includes('Secret')) return false;
  const last = before.lastIndexOf('\n---');
  const next = behind.indexOf('\n---');
  return KIND.test(before.slice(Math.max(last, 0))) || KIND.test(next < 0 ? behind : behind.slice(0, next));
}

const JSON_SPACE = String.raw`(?:\s|\\{1,8}[nt]){0,200}`;
const OPENS = new RegExp(String.raw`(\\{0,8}")${JSON_SPACE}:${JSON_SPACE}\{`, 'y');
const JSON_MEMBER = new RegExp(
  String.raw`,?${JSON_SPACE}(\\{0,8}")[\w./-]{1,253}\1${JSON_SPACE}:${JSON_SPACE}\1`,
  'y',
);
const JSON_END = new RegExp(String.raw`${JSON_SPACE}\}`, 'y');
const JSON_KIND = /"kind\\{0,8}"(?:\s|\\n){0,8}:(?:\s|\\n){0,8}\\{0,8}"Secret\\{0,8}"/;

/** The same in JSON text, whose members stand in any order: the name is text[start, end), and its quote stands at `end`. */
export function takeSecretJson(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  const name = text.slice(start, end);
  if (name !== 'data' && name !== 'stringData') return;
  OPENS.lastIndex = end;
  const quote = OPENS.exec(text)?.[1];
  if (quote === undefined) return;
  const values: [number, number][] = [];
  let at = OPENS.lastIndex;
  for (let members = 0; members < MOST; members++) {
    JSON_MEMBER.lastIndex = at;
    if (JSON_MEMBER.exec(text)?.[1] !== quote) break;
    const from = JSON_MEMBER.lastIndex;
    const to = closingQuote(text, from, 34, quote.length - 1, text.length);
    values.push([from, to]);
    at = to + quote.length;
  }
  JSON_END.lastIndex = at;
  const close = JSON_END.test(text) ? JSON_END.lastIndex : at;
  if (name === 'data' && !JSON_KIND.test(besideObject(scan, start, close))) return;
  for (const [from, to] of values) {
    const value = text.slice(from, to);
    if (value !== '' && !hasMarker(value) && !isLooseReference(value)) takeAhead(scan, from, to, 'secret');
  }
}

/** What else stands in the object that a member is in, without the objects within it, a bounded way back and ahead. */
function besideObject(scan: Scan, start: number, close: number): string {
  const { text } = scan;
  const before = text.slice(Math.max(scan.floor, start - NEAR), start);
  const behind = text.slice(close, close + NEAR);
  if (!before.includes('Secret') && !behind.includes('Secret')) return '';
  let beside = '';
  let depth = 0;
  for (let at = before.length - 1; at >= 0 && depth >= 0; at--) {
    const sign = before[at] ?? '';
    if (sign === '}') depth++;
    else if (sign === '{') depth--;
    else if (depth === 0) beside = sign + beside;
  }
  depth = 0;
  for (let at = 0; at < behind.length && depth >= 0; at++) {
    const sign = behind[at] ?? '';
    if (sign === '{') depth++;
    else if (sign === '}') depth--;
    else if (depth === 0) beside += sign;
  }
  return beside;
}
