// Assertions that moved into a function beside the tests: each call of it asks what a line in the test asked before.
import type { Marks } from './test-marks.ts';

const DECLARES = /^([ \t]*)(?:def|func|(?:async )?function|fn)\s+(\w+)\s*\(([^)\n]*)\)/gm;
const COMPARES = /[!=]=|[<>]|[eE]qual|\.to[A-Z]|_eq!/;
const LITERAL = /"[^"\n]*"|'[^'\n]*'|\b\d[\d._]*/g;
const MOST_HELPERS = 8;

interface Helper {
  readonly name: string;
  readonly asserts: number;
}

/** Do calls of helpers that are new stand for all of the assertions that are gone, with the values that these compared? */
export function isMovedToHelper(before: string, now: string, old: Marks, marks: Marks): boolean {
  const helpers = helpersIn(now, marks).filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(before));
  if (helpers.length === 0 || helpers.length > MOST_HELPERS) return false;
  const calls = now.split('\n').filter((line) => helpers.some(({ name }) => callsOf(name).test(line)));
  const inside = helpers.reduce((sum, { asserts }) => sum + asserts, 0);
  const gone = old.asserts.flatMap((line, at) =>
    marks.asserts.includes(line) ? [] : [conditionOf(old.around[at]) || line],
  );
  const text = calls.join('\n');
  return (
    marks.asserts.length - inside + calls.length >= old.asserts.length &&
    gone.flatMap((line) => line.match(LITERAL) ?? []).every((value) => text.includes(value))
  );
}

/** Of the line before an assertion: what an `if` compares. */
function conditionOf(line = ''): string {
  return line.startsWith('if ') ? line : '';
}

/** A line that begins with it: what it gives back is used by nobody. */
function callsOf(name: string): RegExp {
  return new RegExp(`^\\s*(?:await |self\\.)?${name}\\(`);
}

/** Functions that compare, with an assertion, what they are given: all of it. */
function helpersIn(text: string, { asserts, around }: Marks): Helper[] {
  return [...text.matchAll(DECLARES)].flatMap(
    ({ 0: head, 1: indent = '', 2: name = '', 3: given = '', index }) => {
      if (/^test/i.test(name)) return [];
      const rest = text
        .slice(index + head.length)
        .split('\n')
        .slice(1);
      const end = rest.findIndex(
        (line) => /\w/.test(line) && !line.startsWith(`${indent} `) && !line.startsWith(`${indent}\t`),
      );
      const body = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim());
      const own = asserts.flatMap((line, at) =>
        body.includes(line) ? [`${conditionOf(around[at])} ${line}`] : [],
      );
      const words = new Set(own.join(' ').match(/\w+/g));
      const parameters = given.split(',').map((each) => /\w+/.exec(each)?.[0] ?? '');
      const isWhole = parameters.every((each) => each === '' || each === 'self' || words.has(each));
      return own.length > 0 && isWhole && own.every((line) => COMPARES.test(line))
        ? [{ name, asserts: own.length }]
        : [];
    },
  );
}
