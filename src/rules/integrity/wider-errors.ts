// A test that takes more errors than it did: any instead of one sort, or one sort whatever it says.
import { without } from './asked-less.ts';
import type { Marks } from './test-marks.ts';

const OF_ERRORS =
  /\b(?:raises|throws|rejects|assertRaises\w*|assertThrows\w*|assert_raise\w*)\(|\.toThrow\w*\(|\braise_error\b|\bassertFails/;
/** In Go: which error it must be, and whether there is one at all. */
const WHICH =
  /\berrors\.(?:Is|As)\([\w.]+, (?!nil)|\.(?:ErrorIs|ErrorAs|EqualError|ErrorContains)\(|\berr\.Error\(\) != /;
const WHETHER = /\berr [!=]= nil\b|\b(?:assert|require)\.(?:Error|NotNil)\(/;
/** What every error is one of. */
const EVERY = /\b(?:(?:Base)?Exception|Throwable|StandardError|Error)\b(?:\.class|::class)?/;
/** Behind what is expected: `):`, `) as caught:`, `);`. */
const REST = /\)(?: as \w+)?[:;]*$/;

/** Undefined where there is none. */
export function widerErrors(old: Marks | undefined, marks: Marks): readonly string[] | undefined {
  const before = (old?.asserts ?? []).filter((line) => OF_ERRORS.test(line));
  const gone = without(before, marks.asserts);
  const news = without(marks.asserts, old?.asserts ?? []);
  const found = news.filter(
    (line) => OF_ERRORS.test(line) && !isAskedOf(line, news) && gone.some((was) => isWider(was, line)),
  );
  if (found.length === 0) found.push(...onlyWhether(old, marks));
  return found.length === 0 ? undefined : found;
}

/** `raises(ValueError) as error` and then `assert "negative" in str(error.value)`: what it says is asked there. */
function isAskedOf(line: string, news: readonly string[]): boolean {
  const [, name] = / as (\w+):$/.exec(line) ?? [];
  const asks = new RegExp(`^(?!with\\b).*(?:["'=(].*\\b${name}\\b|\\b${name}\\b.*["'=])`);
  return name !== undefined && news.some((each) => asks.test(each));
}

/** As many places fewer ask which error it is as others ask whether there is one. */
function onlyWhether(old: Marks | undefined, marks: Marks): string[] {
  const [before, now] = [old, marks].map((each) => each?.asked.flat().map(({ text }) => text) ?? []) as [
    string[],
    string[],
  ];
  const asksWhich = (text: string): boolean => WHICH.test(text);
  if (before.filter(asksWhich).length <= now.filter(asksWhich).length) return [];
  return without(now, before).filter((text) => WHETHER.test(text) && !asksWhich(text));
}

function isWider(was: string, is: string): boolean {
  const head = is.replace(REST, '');
  // `to raise_error`, `assertFails { … }`
  if (is.endsWith('raise_error') && was !== is && was.startsWith(is)) return true;
  if (was.replace(/FailsWith<[\w.]+>\s*/, 'Fails ') === is) return true;
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
