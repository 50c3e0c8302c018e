// A test that takes more errors than it did: any instead of one sort, or one sort whatever it says.
import { without } from './asked-less.ts';
import type { Marks } from './test-marks.ts';

const OF_ERRORS =
  /\b(?:raises|throws|rejects|assertRaises\w*|assertThrows\w*|assert_raise\w*)\(|\.toThrow\w*\(/;
/** What every error is one of. */
const EVERY = /\b(?:(?:Base)?Exception|Throwable|StandardError|Error)\b(?:\.class|::class)?/;
/** Behind what is expected: `):`, `) as caught:`, `);`. */
const REST = /\)(?: as \w+)?[:;]*$/;

/** Undefined where there is none. */
export function widerErrors(old: Marks | undefined, marks: Marks): readonly string[] | undefined {
  const before = (old?.asserts ?? []).filter((line) => OF_ERRORS.test(line));
  const gone = without(before, marks.asserts);
  const added = without(marks.asserts, old?.asserts ?? []).filter((line) => OF_ERRORS.test(line));
  const found = added.filter((line) => gone.some((was) => isWider(was, line)));
  return gone.length === 0 || found.length === 0 ? undefined : found;
}

function isWider(was: string, is: string): boolean {
  const head = is.replace(REST, '');
  // `throws(f)` for `throws(f, RangeError)`, `toThrow()` for `toThrow(RangeError)`
  if (
    head !== is &&
    was.startsWith(head) &&
    (head.endsWith('(') ? !was.startsWith(`${head})`) : was[head.length] === ',')
  )
    return true;
  const { 0: every = '', index = 0 } = EVERY.exec(is) ?? {};
  const named = /^[\w.]+/.exec(was.slice(index))?.[0] ?? '';
  return (
    every !== '' &&
    OF_ERRORS.test(is.slice(0, index)) &&
    was.startsWith(is.slice(0, index)) &&
    /[A-Z]/.test(named) &&
    !EVERY.test(named)
  );
}
