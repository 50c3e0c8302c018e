// Code by which tests pass whatever the code under test does: assertions that were replaced, a stand-in in the place of what
// a test asks, code that gives another result while tests run. By the tables of the languages, over text; only what the
// session wrote counts. A stand-in for what the code under test uses is everyday work, and none of these.
import { belongsTo, isTestConfig, isTestFile, languageOf, stemWords } from '../../ecosystems/index.ts';
import type { Weakening } from '../evidence.ts';
import { sourceView } from './source-view.ts';
import type { Marks } from './test-marks.ts';

const LONGEST = 512 * 1024;
/** Of one sort in a file. */
const MOST = 50;
/** The stand-in keeps what it replaces. */
const KEEPS = /importActual|importOriginal|requireActual|spy:\s*true|\bwraps=|callThrough/;
/** It is asked how it was called, not what it gives. */
const IS_WATCHED = /toHaveBeen|toBeCalled|\.mock\b|called|callCount|toHaveReturned/i;
const FROM_HERE = /["'`]\.{1,2}\//;

/** For a file that mayDefeat. `marks` are those of the file as it is now; `code`, what else was changed, null where that is not known. */
export function defeated(
  path: string,
  before: string | null,
  now: string,
  marks: Marks | undefined,
  code: readonly string[] | null,
): Weakening[] {
  const { defeats = [], knowsTests = [], replaces = [], syntax } = languageOf(path) ?? {};
  const text = now.slice(0, LONGEST);
  if (syntax === undefined) return [];
  const view = sourceView(text, syntax);
  const linesOf = (forms: readonly RegExp[], counts: (match: RegExpMatchArray) => boolean): string[] =>
    forms
      .flatMap((form) => [...text.matchAll(new RegExp(form, `${form.flags}g`))].slice(0, MOST))
      .flatMap((match) => {
        const at = match.index + match[0].search(/\S/);
        // What stands in a string or a comment does nothing.
        const isNew = view.charAt(at) === text.charAt(at) && before?.includes(match[0]) !== true;
        return isNew && counts(match) ? text.slice(at, at + 400).split('\n', 1) : [];
      });
  const isOfTests = isTestFile(path) || isTestConfig(path);
  const asked = askedIn(text, marks?.asserts ?? []);
  const lines = [
    ...linesOf(defeats, () => true),
    ...linesOf(replaces, (match) =>
      marks !== undefined && (marks.tests.length > 0 || match.groups?.made !== undefined)
        ? isSubject(path, text, match, marks, asked)
        : // For all tests at once: then what was changed is not what they test.
          isOfTests &&
          isLoaded(text, match[0]) &&
          (code ?? []).some((each) => stemWords(each).join() === stemWords(replacedBy(match).place).join()),
    ),
  ];
  const told = linesOf(isOfTests ? [] : knowsTests, () => true);
  return [
    ...(lines.length === 0 ? [] : [{ path, what: 'loosened', lines } as const]),
    ...(told.length === 0 ? [] : [{ path, what: 'loosened', expects: true, lines: told } as const]),
  ];
}

/** The object whose member is assigned must be one that the file loads. The code under test doesn't see other objects. */
function isLoaded(text: string, line: string): boolean {
  const [, object] = /^\s*(\w+)(?:\.\w+)+\s*=/.exec(line) ?? [];
  return (
    object === undefined ||
    new RegExp(`\\b(?:import|from|require)\\b.*\\b${object}\\b|\\b${object}\\b.*\\b(?:from|require)\\b`).test(
      text,
    )
  );
}

/** What is replaced: a module by its path or its name, or an object and its member. */
function replacedBy(match: RegExpMatchArray): { module: string; member: string | undefined; place: string } {
  const [module = '', member] = match.slice(1).filter((group) => group !== undefined);
  return { module, member, place: module.includes('/') ? module : module.replaceAll('.', '/') };
}

/** Is what a stand-in replaces the very thing that the file asks? */
function isSubject(
  path: string,
  text: string,
  match: RegExpMatchArray,
  { origins }: Marks,
  asked: readonly string[],
): boolean {
  const { module, member, place } = replacedBy(match);
  // The test makes for itself what it loaded.
  if (match.groups?.made !== undefined)
    return LOADS.test(origins.get(module)?.line ?? '') && asked.includes(module);
  const end = (match.index ?? 0) + match[0].length;
  if (KEEPS.test(text.slice(end, end + 300))) return false;
  const isNamesake = belongsTo(path, place);
  if (member !== undefined)
    return (
      // `tests.test_stats.mean` is what that test calls `mean`.
      (stemOf(path) === module && asked.includes(member)) ||
      ((isNamesake || FROM_HERE.test(origins.get(module)?.line ?? '')) &&
        asked.includes(`${module}.${member}`))
    );
  const others = [...origins].filter(([, { line }]) => !LOADS.test(line) || !line.includes(module));
  const names = new Set(others.map(([name]) => name));
  return (
    (isNamesake || others.every(([, { line }]) => !FROM_HERE.test(line))) &&
    asked.some((each) => origins.has(firstOf(each)) && !names.has(firstOf(each)))
  );
}

const stemOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

const LOADS = /\b(?:from|import|require)\b/;
const ASKS =
  /^(?:await\s+)?(?:expect|(?:self\.)?assert[\w.]*)\s*\(?\s*(?:await\s+)?(?:new\s+)?([\w$.]{1,80}\(?)/;
const GIVES = /([\w$]{1,60})\s{0,4}=\s{0,4}(?:await\s+)?(?:new\s+)?([\w$.]{1,80})\(/g;

function firstOf(name: string): string {
  return name.split('.', 1).join();
}

/** What assertions call, and what gave the values that they ask. */
function askedIn(text: string, asserts: readonly string[]): string[] {
  const asked = asserts.flatMap((line) => (IS_WATCHED.test(line) ? [] : (ASKS.exec(line)?.[1] ?? [])));
  const values = new Set(asked.map((each) => firstOf(each)));
  const gave = [...text.matchAll(GIVES)].filter(([, value = '']) => values.has(value));
  return [
    ...asked.flatMap((each) => (each.endsWith('(') ? [each.slice(0, -1)] : [])),
    ...gave.map(([, , call = '']) => call),
  ];
}
