// TAP, versions 13 and 14 (testanything.org), as a report that must be whole: a version first, a plan for each group, and as
// many tests as it says. Lines that are no TAP are passed over, as TAP has it; a report that bails out is none.
import { ParseError } from '../core/index.ts';
import { BETWEEN, MOST_REPORTED, type ReportedTest } from './reported-test.ts';

const INDENT = 4;
const DEEPEST = 32;

interface Group {
  planned: number | null;
  /** Nothing of the group may follow a plan that came behind its tests. */
  ended: boolean;
  points: number;
  readonly tests: { readonly path: readonly string[]; readonly passed: boolean }[];
}

const VERSION = /^TAP version 1[34]$/;
const PLAN = /^1\.\.(0|[1-9][0-9]{0,6})(?:\s*#.*)?$/;
const POINT = /^(not )?ok(?:[ \t]+([0-9]{1,7}))?(?:[ \t]+-)?(?:[ \t]+(.*))?$/;
const DIRECTIVE = /(?:^|\s)#\s*(?:skip|todo)/i;

/** Throws ParseError. */
export function parseTap(text: string): ReportedTest[] {
  const groups: Group[] = [newGroup()];
  let begun = false;
  let block: string | null = null;
  let afterPoint = false;
  let count = 0;
  for (const [i, line] of text.split('\n').entries()) {
    const written = line.replace(/\r$/, '');
    const refuse = (why: string): never => {
      throw new ParseError('MALFORMED', why, `report, line ${i + 1}`);
    };
    // What stands in a block of details is data, whatever it looks like.
    if (block !== null) {
      if (written === `${block}...`) block = null;
      continue;
    }
    if (VERSION.test(written)) {
      if (begun) refuse('a second report begins');
      begun = true;
      continue;
    }
    const spaces = /^ */.exec(written)?.[0].length ?? 0;
    const rest = written.slice(spaces);
    if (rest === '---' && afterPoint) {
      block = ' '.repeat(spaces);
      continue;
    }
    afterPoint = false;
    if (/^Bail out!/i.test(rest)) refuse('the tests bailed out');
    const [plan, point] = [PLAN.exec(rest), POINT.exec(rest)];
    if (plan === null && point === null) continue;
    if (!begun) refuse('no version comes first');
    if (spaces % INDENT !== 0 || spaces / INDENT > DEEPEST) refuse('indented by an odd number of spaces');
    const depth = spaces / INDENT;
    const group = groupAt(groups, depth, refuse);
    if (plan !== null) {
      if (groups.length > depth + 1) refuse('a group has no result');
      if (group.planned !== null) refuse('a second plan');
      group.planned = Number(plan[1]);
      group.ended = group.points > 0;
      continue;
    }
    if (group.ended) refuse('a test after the plan');
    if (++count > MOST_REPORTED) refuse(`more than ${MOST_REPORTED} tests`);
    takePoint(groups, depth, point as RegExpExecArray, refuse);
    afterPoint = true;
  }
  const [top] = groups;
  const refuse = (why: string): never => {
    throw new ParseError('MALFORMED', why, 'report');
  };
  if (top === undefined || !begun) return refuse('not TAP: a report begins with TAP version 13 or 14');
  if (block !== null || groups.length > 1) refuse('is cut short');
  assertWhole(top, refuse);
  return top.tests.map(({ path, passed }) => ({
    names: [path.at(-1) ?? '', path.join(BETWEEN)],
    passed,
  }));
}

type Refuse = (why: string) => never;

/** A group deeper than the newest is begun; one that is less deep ends by its own result alone. */
function groupAt(groups: Group[], depth: number, refuse: Refuse): Group {
  if (depth > groups.length) refuse('indented too far');
  if (depth === groups.length) groups.push(newGroup());
  return groups[depth] ?? refuse('indented too far');
}

function takePoint(groups: Group[], depth: number, point: RegExpExecArray, refuse: Refuse): void {
  const [, not, number, described = ''] = point;
  const group = groups[depth] ?? refuse('indented too far');
  group.points++;
  if (number !== undefined && Number(number) !== group.points) refuse('numbered out of order');
  const at = DIRECTIVE.exec(unquoted(described));
  const name = unescaped(described.slice(0, at?.index ?? described.length)).trim();
  const passed = not === undefined && at === null;
  if (groups.length > depth + 2) refuse('a group has no result');
  const inner = groups.length === depth + 2 ? groups.pop() : undefined;
  if (inner !== undefined) assertWhole(inner, refuse);
  // What is in a group that failed or was skipped has not plainly passed.
  for (const test of inner?.tests ?? [])
    group.tests.push({ path: [name, ...test.path], passed: test.passed && passed });
  group.tests.push({ path: [name], passed });
}

function assertWhole({ planned, points }: Group, refuse: Refuse): void {
  if (planned === null) refuse('has no plan: it was cut short');
  if (planned !== points) refuse(`plans ${planned} tests and has ${points}`);
}

function newGroup(): Group {
  return { planned: null, ended: false, points: 0, tests: [] };
}

/** A `#` behind a backslash begins nothing. Of the same length, so that places stay. */
function unquoted(text: string): string {
  return text.replace(/\\[\\#]/g, '__');
}

function unescaped(text: string): string {
  return text.replace(/\\([\\#])/g, '$1');
}
