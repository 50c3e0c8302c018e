// Code by which tests pass whatever the code under test does: assertions that were replaced, a stand-in in the place of what
// a test asks, code that gives another result while tests run. By the tables of the languages, over text; only what the
// session wrote counts. A stand-in for what the code under test uses is everyday work, and none of these.
import { languageOf } from '../../ecosystems/index.ts';
import type { Weakening } from '../evidence.ts';
import { isTestConfig, isTestFile } from '../file-kinds.ts';
import { belongsTo, stemWords } from '../path-match.ts';
import { sourceView } from './source-view.ts';
import type { Marks } from './test-marks.ts';

const LONGEST = 512 * 1024;
/** The stand-in keeps what it replaces. */
const KEEPS = /importActual|importOriginal|requireActual|spy:\s*true|\bwraps=|callThrough/;
/** It is asked how it was called, not what it gives. */
const IS_WATCHED = /toHaveBeen|toBeCalled|\.mock\b|called|callCount|toHaveReturned/i;

/** May code that is no test bear on tests all the same? */
export function mayDefeat(path: string, text: string): boolean {
  const { defeats = [], knowsTests = [], replaces = [] } = languageOf(path) ?? {};
  return [...defeats, ...knowsTests, ...replaces].some((form) => form.test(text));
}

/** `marks` are those of the file as it is now; `code`, what else was changed, null where that is not known. */
export function defeated(
  path: string,
  before: string | null,
  now: string,
  marks: Marks | undefined,
  code: readonly string[] | null,
): Weakening[] {
  const language = languageOf(path);
  if (language === undefined) return [];
  const text = now.slice(0, LONGEST);
  const found = (forms: readonly RegExp[] = []): RegExpMatchArray[] => {
    const all = forms.flatMap((form) => [...text.matchAll(new RegExp(form, `${form.flags}g`))]);
    const view = all.length === 0 ? '' : sourceView(text, language.syntax);
    // What stands in a string or a comment does nothing.
    const isCode = (match: RegExpMatchArray): boolean => {
      const at = (match.index ?? 0) + match[0].search(/\S/);
      return view.charAt(at) === text.charAt(at) && before?.includes(match[0]) !== true;
    };
    return all.filter(isCode);
  };
  const isOfTests = isTestFile(path) || isTestConfig(path);
  const lines = [
    ...found(language.defeats),
    ...found(language.replaces).filter((match) => isSubject(path, text, match, marks, code)),
  ].map((match) => lineOf(text, match));
  const told = isOfTests ? [] : found(language.knowsTests).map((match) => lineOf(text, match));
  return [
    ...(lines.length === 0 ? [] : [{ path, what: 'loosened', lines } as const]),
    ...(told.length === 0 ? [] : [{ path, what: 'loosened', expects: true, lines: told } as const]),
  ];
}

function lineOf(text: string, { 0: match, index = 0 }: RegExpMatchArray): string {
  const start = text.lastIndexOf('\n', index + match.search(/\S/)) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? undefined : end).trim();
}

/** Is what a stand-in replaces the very thing that is tested? */
function isSubject(
  path: string,
  text: string,
  match: RegExpMatchArray,
  marks: Marks | undefined,
  code: readonly string[] | null,
): boolean {
  const [first = '', member] = match.slice(1).filter((group) => group !== undefined);
  const end = (match.index ?? 0) + match[0].length;
  if (KEEPS.test(text.slice(end, end + 300))) return false;
  // For all tests at once: then it is what was to be changed.
  if ((marks?.tests.length ?? 0) === 0) {
    const words = stemWords(first.replaceAll('.', '/').replace(/\/[cm]?[jt]sx?$/, '')).join(' ');
    return (
      (isTestFile(path) || isTestConfig(path)) &&
      (code ?? []).some((each) => stemWords(each).join(' ') === words)
    );
  }
  const asserts = marks?.asserts ?? [];
  if (member !== undefined)
    return (
      new RegExp(`^\\s*(?:import|from|const|let|var)\\b[^=\\n]*\\b${first}\\b(?!\\s*=\\s*[^ar])`, 'm').test(
        text,
      ) && isAsked(`${first}\\.${member}`, text, asserts)
    );
  const isOnly = [...text.matchAll(/\bfrom\s+["'](\.[^"'\n]+)["']/g)].every(([, other]) => other === first);
  return (
    (isOnly || belongsTo(path, first.replaceAll('.', '/'))) &&
    namesOf(text, first).some((name) => isAsked(`${name}(?:\\.\\w+)?`, text, asserts))
  );
}

/** The names under which a module is loaded. */
function namesOf(text: string, module: string): string[] {
  const quoted = module.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const loads = new RegExp(
    `^import\\s+([^'"\`;]{1,400}?)\\s+from\\s+["']${quoted}["']|(?:const|let|var)\\s+([^=;]{1,400}?)\\s*=\\s*(?:await\\s+import|require)\\(\\s*["'\`]${quoted}["'\`]|^from\\s+${quoted}\\s+import\\s+(.{1,400})|^import\\s+(${quoted})\\s*$`,
    'gm',
  );
  return [...text.matchAll(loads)].flatMap(
    (match) =>
      match
        .slice(1)
        .join(' ')
        .match(/[A-Za-z_]\w*/g) ?? [],
  );
}

/** Does an assertion ask what a call of it gives, or gave? */
function isAsked(name: string, text: string, asserts: readonly string[]): boolean {
  const call = `(?:await\\s+)?(?:new\\s+)?${name}\\(`;
  const results = [...text.matchAll(new RegExp(`(\\w{1,60})\\s{0,4}=\\s{0,4}${call}`, 'g'))].map(
    ([, result]) => result,
  );
  const asks = new RegExp(
    `^(?:await\\s+)?(?:expect|(?:self\\.)?assert[\\w.]*)\\s*\\(?\\s*(?:${[call, ...results.map((each) => `${each}\\b`)].join('|')})`,
  );
  return asserts.some((line) => asks.test(line) && !IS_WATCHED.test(line));
}
