// Secrets in XML and its kin: `<password>…</password>`, `<entry key="password">…</entry>`, a property list's
// `<key>Password</key><string>…</string>`, with CDATA or on a line of its own. The name is the element's, or one that an
// attribute, the element before it or the one around it gives.
import type { SenseOf } from './key-names.ts';
import { MEDIUM, type NameSense, NONE, NOTHING } from './key-names.ts';
import { hasMarker } from './marker.ts';
import { codeAt, isAlnum, type Probe, type Scan, take } from './scan.ts';
import { isAbout, isLooseReference, JUDGED, looksLikePassword } from './secret-shape.ts';

const LONGEST_TAG = 240;
const FURTHEST_BACK = 200;
const CDATA = '<![CDATA[';
/** `<wsse:Password Type="…"`: prefix, name, attributes. */
const TAG = /^<(?:[\w.-]{1,32}:)?([A-Za-z_][\w.-]{0,63})(\s[^<>]{0,220})?$/;
const LABEL = /\s(?:name|key|id)\s{0,2}=\s{0,2}(\\?["'])([\w.:-]{2,64})\1/;
/** The element before, or around, that names this one. */
const NAMED_BEFORE =
  /<(key|name|string|td|th|dt)>\s{0,4}([\w. -]{2,48})<\/\1>\s{0,64}$|<(?:setting|property|param|entry)\s[^<>]{0,120}?\bname=\\?["']([\w.:-]{2,64})\\?["'][^<>]{0,80}>\s{0,64}$/;
/** Elements that hold what the one before them names. */
const HOLDERS = /^(?:string|value|data|td|dd|integer)$/i;
/** Where the text is shown to somebody, a word may be a translation of the name. */
const SHOWN = /^(?:string|td|dd|label|option|span|div|p|li|th|dt|a|button|h\d)$/i;

/** A probe for `>`. */
export function elementProbe(senseOf: SenseOf): Probe {
  return (scan, at) => {
    const { text, codes } = scan;
    const last = codeAt(scan, at - 1);
    // `=>`, `->`, `/>`, and a closing tag is met at its `<`.
    if (!isAlnum(last) && last !== 34 && last !== 39 && last !== 95 && last !== 45) return;
    const lowest = Math.max(scan.floor, at - LONGEST_TAG);
    let open = at - 1;
    while (open >= lowest && codes[open] !== 60 && codes[open] !== 62 && codes[open] !== 10) open--;
    if (open < lowest || codes[open] !== 60 || codes[open + 1] === 47) return;
    const tag = TAG.exec(text.slice(open, at));
    if (tag === null) return;
    const element = tag[1] ?? '';
    const sense = senseOfElement(scan, open, element, tag[2] ?? '', senseOf);
    if (sense.level < MEDIUM) return;
    const value = readContent(text, at + 1);
    if (value === undefined) return;
    const { start, content } = value;
    if (content === '' || hasMarker(content) || isLooseReference(content)) return;
    const isOwn = tag[2] === undefined && !HOLDERS.test(element);
    if (!isOwn && /\s/.test(content)) return;
    // A property list's strings have no attributes, those that are shown have.
    const isShown = SHOWN.test(element) && (element !== 'string' || tag[2] !== undefined);
    if (isAbout(content) || (isShown && !looksLikePassword(content))) return;
    if (/\s/.test(content) && / (?:your|the|is|a|an|to|of|must|and) /i.test(` ${content} `)) return;
    take(scan, start, start + content.length, sense.id);
  };
}

function senseOfElement(
  scan: Scan,
  open: number,
  element: string,
  attributes: string,
  senseOf: SenseOf,
): NameSense {
  const own = senseOf(element, 0, element.length);
  if (own.level !== NONE) return own;
  const label = attributes === '' ? undefined : LABEL.exec(attributes)?.[2];
  if (label !== undefined) return senseOf(label, 0, label.length);
  if (!HOLDERS.test(element)) return NOTHING;
  const before = NAMED_BEFORE.exec(scan.text.slice(Math.max(scan.floor, open - FURTHEST_BACK), open));
  const name = before?.[2] ?? before?.[3] ?? '';
  return senseOf(name, 0, name.length);
}

/** The text of an element that has nothing else in it, without the space around it. */
function readContent(text: string, at: number): { start: number; content: string } | undefined {
  let start = at;
  while (start - at < 128 && text.charCodeAt(start) <= 32) start++;
  const isData = text.startsWith(CDATA, start);
  if (isData) start += CDATA.length;
  let end = start;
  if (isData) {
    const close = text.slice(start, start + JUDGED).indexOf(']]>');
    if (close < 0) return undefined;
    end = start + close;
  } else {
    while (end - start <= JUDGED && end < text.length && text.charCodeAt(end) !== 60) {
      if (text.charCodeAt(end) === 10 && !/^\s{0,128}<\//.test(text.slice(end, end + 132))) return undefined;
      end++;
    }
    if (text.charCodeAt(end) !== 60 || text.charCodeAt(end + 1) !== 47) return undefined;
  }
  return { start, content: text.slice(start, end).trimEnd() };
}
