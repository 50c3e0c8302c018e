// JUnit XML, as a report that must be whole: one root, every element closed, no document type, no entities but XML's own. A
// test case has passed if nothing in it says otherwise; an element or a status that is not known says otherwise.
import { ParseError } from '../core/index.ts';
import { BETWEEN, MOST_REPORTED, type ReportedTest } from './reported-test.ts';

const DEEPEST = 64;
const LONGEST_NAME = 4096;
/** What may be in a case that passed. */
const HARMLESS: ReadonlySet<string> = new Set(['system-out', 'system-err', 'properties', 'property']);
const DONE: ReadonlySet<string> = new Set(['', 'run', 'passed', 'pass', 'success', 'completed', 'executed']);

interface Open {
  readonly tag: string;
  readonly name: string;
  readonly classname: string;
  passed: boolean;
}

type Refuse = (why: string) => never;

const TAG = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const OPENING = /^\uFEFF?(?:<\?xml [^?<>]*\?>)?/;

/** Throws ParseError. */
export function parseJunit(text: string): ReportedTest[] {
  const tests: ReportedTest[] = [];
  const open: Open[] = [];
  let at = OPENING.exec(text)?.[0].length ?? 0;
  let roots = 0;
  const refuse: Refuse = (why) => {
    throw new ParseError('MALFORMED', why, `report, character ${at}`);
  };
  while (at < text.length) {
    const next = text.indexOf('<', at);
    const between = text.slice(at, next < 0 ? text.length : next);
    if (open.length === 0 && between.trim() !== '') refuse('text outside of the root');
    if (next < 0) break;
    at = next;
    const end = skipped(text, at, open.length > 0, refuse);
    if (end !== null) {
      at = end;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(text) ?? refuse('not XML as test reports have it');
    at = TAG.lastIndex;
    const [, closing, name = '', written = '', empty] = tag;
    if (closing === '/') {
      if (written !== '' || empty === '/' || open.at(-1)?.tag !== name)
        refuse(`</${name.slice(0, 50)}> closes nothing`);
      close(open, tests, refuse);
      continue;
    }
    if (open.length === 0 && ++roots > 1) refuse('a second root');
    if (open.length === 0 && name !== 'testsuites' && name !== 'testsuite')
      refuse("the root isn't a test suite");
    if (open.length >= DEEPEST) refuse(`deeper than ${DEEPEST} elements`);
    enter(open, name, attributes(written, refuse), refuse);
    if (empty === '/') close(open, tests, refuse);
  }
  if (roots === 0 || open.length > 0) refuse('is cut short');
  return tests;
}

/** Where a comment or a piece of character data ends; null where none begins. */
function skipped(text: string, at: number, inside: boolean, refuse: Refuse): number | null {
  const form = (
    [
      ['<!--', '-->'],
      ['<![CDATA[', ']]>'],
    ] as const
  ).find(([begin]) => text.startsWith(begin, at));
  if (form === undefined) return null;
  const [begin, finish] = form;
  if (begin !== '<!--' && !inside) refuse('text outside of the root');
  const end = text.indexOf(finish, at + begin.length);
  return end < 0 ? refuse('is cut short') : end + finish.length;
}

function enter(open: Open[], tag: string, found: ReadonlyMap<string, string>, refuse: Refuse): void {
  const above = open.at(-1)?.tag;
  const isSuite = tag === 'testsuite' || tag === 'testsuites';
  if (
    (isSuite || tag === 'testcase') &&
    above !== undefined &&
    above !== 'testsuite' &&
    above !== 'testsuites'
  )
    refuse(`a ${tag} in a ${above}`);
  const inCase = open.find((each) => each.tag === 'testcase');
  if (inCase !== undefined && !HARMLESS.has(tag)) inCase.passed = false;
  const statuses = [found.get('status') ?? '', found.get('result') ?? ''];
  open.push({
    tag,
    name: found.get('name') ?? '',
    classname: found.get('classname') ?? '',
    passed: statuses.every((status) => DONE.has(status.toLowerCase())),
  });
}

function close(open: Open[], tests: ReportedTest[], refuse: Refuse): void {
  const closed = open.pop();
  if (closed?.tag !== 'testcase') return;
  if (tests.length >= MOST_REPORTED) refuse(`more than ${MOST_REPORTED} tests`);
  const { name, classname, passed } = closed;
  const suites = open.map((each) => each.name).filter((each) => each !== '');
  const [inner, whole] = [suites.at(-1), suites.join(BETWEEN)];
  const groups = new Set([classname, inner ?? '', whole].filter((each) => each !== ''));
  tests.push({ names: [name, ...[...groups].map((group) => `${group}${BETWEEN}${name}`)], passed });
}

function attributes(written: string, refuse: Refuse): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of written.matchAll(ATTRIBUTE)) {
    if (found.has(name)) refuse(`${name.slice(0, 50)} stands twice`);
    const value = double ?? single ?? '';
    // Only these are looked at; a message may be as long as it likes.
    if (['name', 'classname', 'status', 'result'].includes(name)) {
      if (value.length > LONGEST_NAME) refuse('a name that is too long');
      found.set(name, unescaped(value, refuse));
    } else found.set(name, '');
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(value: string, refuse: Refuse): string {
  return value.replace(/&(?:#(x?)([0-9A-Fa-f]{1,6})|([a-z]+));|&/g, (_, hex, number, name) => {
    if (number === undefined) return ENTITIES[name as string] ?? refuse('an entity that is not known');
    const code = Number.parseInt(number as string, hex === 'x' ? 16 : 10);
    return code > 0 && code <= 0x10ffff
      ? String.fromCodePoint(code)
      : refuse('a character that is not known');
  });
}
