// A Secret of Kubernetes as YAML text: every value under its `data` and `stringData`, whatever its name is. `data` is a
// common word, so for that one the document must say `kind: Secret`, before it or behind it.
import { hasMarker } from './marker.ts';
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
