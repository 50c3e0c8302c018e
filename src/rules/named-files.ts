// Files that a claim says were made or changed: "Added a guard in `src/mul.js`" rests on no change of another file.
import type { Evidence } from './evidence.ts';
import { isCode } from './file-kinds.ts';
import { holds, isFileOf } from './path-match.ts';

const MOST_NAMED = 8;
const FILE = String.raw`[\w@.-]{0,64}(?:\/[\w@.-]{1,64}){0,12}\.[A-Za-z][A-Za-z0-9]{0,5}`;
/** One, or several in a row: "`a.ts`, `b.ts` and `c.ts`". */
const FILES = String.raw`${FILE}(?:[\`*]{0,3}(?:,| and|, and| &) [\`*]{0,3}${FILE}(?![\w/])){0,7}`;
/** "Created `a.ts`", "Expanded tests/test_a.py": what a verb of change is said of. */
const MADE = new RegExp(
  String.raw`\b(?:creat|add|writ|wrot|rewrot|updat|edit|chang|delet|remov|expand|extend|rework|refactor|modif|includ|fix|convert|migrat)[a-z]{0,5} (?:(?:a|the|new|file|module) ){0,3}[\`*]{0,3}(${FILES})(?![\w/])`,
  'gi',
);
/** "Tweaked the copy in `style.css`", "Moved it from a.ts to b.ts": where it was made. */
const PLACED = new RegExp(String.raw`\b(?:in|into|to|from) [\`*]{0,3}(${FILES})(?![\w/])`, 'gi');
/** It begins with a verb of the past; and what stands behind these words tells something else: "as in `a.ts`". */
const DEED =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also )?(?:[a-z]{2,}ed|wrote|made|built|split|put|set|rewrote|cut)\b/i;
const ELSEWHERE = /\b(?:like|as|than|that|which|only|same|where|because|so|now)\b[\s\S]*$/i;
/** "**server.py** -- Replaced", "`a.ts`, `b.ts`: added": what the change stands behind. */
const LABEL = new RegExp(String.raw`^[\`*\s]*((?:${FILE}[\`*\s,&]*(?:and )?[\`*\s]*){1,6})(?:--|[-—–:]) ?\S`);
const EACH = new RegExp(FILE, 'g');
const KNOWN =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|php|cs|c|h|cpp|swift|sh|sql|css|scss|html|vue|svelte|md|ya?ml|json|toml)$/i;

/** Files that are said to be changed themselves, and files in which something is said to be changed. */
function filesNamed(quote: string): {
  readonly made: readonly string[];
  /** Each with the others of its row. */
  readonly places: readonly (readonly string[])[];
} {
  const text = quote.slice(0, 2000);
  // What begins in the middle of code is the end of a name.
  const label = /^[^`\s]+`/.test(text) ? [] : (LABEL.exec(text)?.[1]?.match(EACH) ?? []);
  const rowsOf = (form: RegExp, part: string) =>
    [...part.matchAll(form)].map(([, names = '']) => names.match(EACH) ?? []);
  const known = (names: readonly string[]) =>
    [...new Set(names)].filter((name) => KNOWN.test(name)).slice(0, MOST_NAMED);
  return {
    made: known([...label, ...rowsOf(MADE, text).flat()]),
    places: DEED.test(text) ? rowsOf(PLACED, text.replace(ELSEWHERE, '')).map(known) : [],
  };
}

/** Files that a claim says were changed and that are not among those that were: of all, or of code alone. */
export function namesOthers(
  quote: string,
  changed: readonly string[],
  all: boolean,
  { root, isThere }: Pick<Evidence, 'root' | 'isThere'>,
): readonly string[] {
  const known = (names: readonly string[]) => names.filter((name) => all || isCode(name));
  const named = filesNamed(quote);
  const [made, rows] = [known(named.made), named.places.map(known)];
  const isChanged = (name: string) => {
    // A file of that very name is meant, where there is one.
    const whole = isThere?.(name) === true;
    return changed.some((path) => isFileOf(name, path, root, whole) || holds(path, name));
  };
  // Who changed one of "`a.ts` and `b.ts`" says it of both.
  const unmade = [made, ...rows.filter((row) => row.some(isChanged))]
    .flat()
    .filter((name) => !isChanged(name));
  const places = rows.flat();
  // "Moved it from `a.ts` to `b.ts`", "as in `c.ts`": of several places one is enough.
  return unmade.length > 0 || [...made, ...places].some(isChanged) ? unmade : places;
}
