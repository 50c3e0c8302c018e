// Files that a claim says were made or changed: "Added a guard in `src/mul.js`" rests on no change of another file.
import type { FoundClaim } from '../claims/index.ts';
import { holds, isFileOf } from '../ecosystems/index.ts';
import type { Evidence } from './evidence.ts';

const MOST_NAMED = 8;
const FILE = String.raw`[\w@.-]{0,64}(?:\/[\w@.-]{1,64}){0,12}\.[A-Za-z][A-Za-z0-9]{0,5}`;
/** One, or several in a row: "`a.ts`, `b.ts` and `c.ts`", "`a.ts` as well as in `b.ts`". */
const FILES = String.raw`${FILE}(?:[\`*]{0,3}(?:,| &|,? and|,? plus|,? as well as)(?: also)?(?: in| to)? [\`*]{0,3}${FILE}(?![\w/])){0,7}`;
const CHANGE =
  '(?:creat|add|writ|wrot|rewrot|rewrit|updat|edit|chang|delet|remov|expand|extend|rework|refactor|modif|includ|fix|convert|migrat)[a-z]{0,5}';
/** "Created `a.ts`", "Expanded tests/test_a.py": what a verb of change is said of. "A step to create `b.ts`" is none yet. */
const MADE = new RegExp(
  String.raw`(?<!\bto )\b${CHANGE} (?:(?:a|the|both|these|two|three|following|new|file|module|files:|modules:) ){0,4}[\`*]{0,3}(${FILES})(?![\w/])`,
  'gi',
);
/** "Taken from `a.ts`", "a link to `b.md`": what a change came from or points to. */
const OTHER_END = '(?<!\\b(?:taken|copied|derived|linked|links?|pointers?|references?|refers|points?) )';
/** "Created `a.db` from `b.sql`": what it was made of stays as it was. */
const SOURCE = new RegExp(
  String.raw`(?<=\b(?:created|generated|built|made|produced|rendered|loaded|imported|populated|seeded|exported|derived|copied)\b.*)\bfrom (?:the )?[\`*]{0,3}(?:${FILES})(?![\w/])`,
  'gi',
);
/** "Tweaked the copy in `style.css`", "Moved it from a.ts to b.ts": where it was made. */
const PLACED = new RegExp(
  String.raw`${OTHER_END}\b(?:in|into|to|from) (?:both )?[\`*]{0,3}(${FILES})(?![\w/])`,
  'gi',
);
/** "Both `a.ts` and `b.ts` are fixed": what is said to have been changed. */
const CHANGED = new RegExp(
  String.raw`^[\`*]{0,3}(?:(?:both|all of) )?[\`*]{0,3}(${FILES})[\`*]{0,3} (?:is|are|was|were|has been|have been)(?: (?:both|all|now|also))? ${CHANGE}\b`,
  'gi',
);
/** "`a.toml` is at 2.0 now": how a file is said to stand. */
const STATED = new RegExp(
  String.raw`^[\`*]{0,3}(${FILES})[\`*]{0,3} (?:now |also )?(?:is|are|has|have|uses?|sets?|says?|requires?|points?|contains?|includes?|lists?)\b(?!.*\b(?:already|still|unchanged|untouched|before|not)\b)`,
  'gi',
);
/** It begins with a verb of the past; and what stands behind these words tells something else: "as in `a.ts`". */
const DEED =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:also )?(?:[a-z]{2,}ed|wrote|made|built|split|put|set|rewrote|cut)\b/i;
const ELSEWHERE = /\b(?:like|as(?! well)|than|that|which|only|same|where|because|so|now)\b[\s\S]*$/i;
/** "**server.py** -- Replaced", "`a.ts`, `b.ts`: added": what the change stands behind. */
const LABEL = new RegExp(String.raw`^[\`*\s]*((?:${FILE}[\`*\s,&]*(?:and )?[\`*\s]*){1,6})(?:--|[-—–:]) ?\S`);
/** "**Type hints** – added to `a.py`": what stands before it is of the same deed. */
const HEAD =
  /^[`*]{0,3}[\w-][\w =<>-]{1,40}[`*]{0,3}(?::\*{0,2} | ?[–—] | - )\*{0,2}(?=[a-z]+(?:ed|en|wrote|made|built) )/i;
/** "`a.ts`: the guard", an item under "Updated these files:". */
const LISTED = new RegExp(String.raw`^[\`*\s]*(${FILES})(?![\w/])`, 'g');
const EACH = new RegExp(FILE, 'g');
const KNOWN =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|php|cs|c|h|cpp|swift|sh|sql|css|scss|html|vue|svelte|md|ya?ml|json|toml|env|ini|cfg|conf|properties|tf|xml|proto|graphql)$/i;

/** "Next.js" is no file. */
const PRODUCT =
  /^(?:node|next|vue|nuxt|express|react|three|d3|chart|ember|backbone|alpine|nest|electron|discord|moment|p5|solid|angular|svelte|deno|bun|socket|plotly)\.js$/i;

/** "README and CHANGELOG are updated" */
const TITLE = /(?<![\w./`-])(?:README|CHANGELOG)(?![\w.`-])/g;

type Named = Pick<FoundClaim, 'quote' | 'listed'>;
type Row = readonly string[];

/** Rows of files that are said to be changed themselves, and of files in which something is said to be changed. */
function rowsNamed({
  quote,
  listed = [],
}: Named): Readonly<Record<'made' | 'places' | 'stated', readonly Row[]>> {
  const text = quote.slice(0, 2000).replace(HEAD, '').replace(SOURCE, '');
  // What begins in the middle of code is the end of a name.
  const label = /^[^`\s]+`/.test(text) ? [] : (LABEL.exec(text)?.[1]?.match(EACH) ?? []);
  // `matchAll` would make each of these forms anew, which takes longer than all else here.
  const rowsOf = (form: RegExp, part: string) => {
    const rows: Row[] = [];
    part.replace(form, (found, names: string) => {
      rows.push(names.match(EACH) ?? []);
      return found;
    });
    return rows;
  };
  const known = (names: readonly string[]) =>
    // `.js` alone isn't a file.
    [...new Set(names)]
      .filter((name) => KNOWN.test(name) && !/^\.\w+$/.test(name) && !PRODUCT.test(name))
      .slice(0, MOST_NAMED);
  return {
    made: [label, ...rowsOf(MADE, text)].map(known),
    places: [
      ...rowsOf(CHANGED, text),
      ...(DEED.test(text) ? rowsOf(PLACED, text.replace(ELSEWHERE, '')) : []),
      listed.flatMap((item) => rowsOf(LISTED, item.slice(0, 2000)).flat()),
    ].map(known),
    stated: rowsOf(STATED, text).map(known),
  };
}

export interface Unchanged {
  readonly name: string;
  /** Others of its row were changed. */
  readonly partly: boolean;
  /** It is said how it stands, not that it was changed. */
  readonly isState?: true;
}

/** Files that a claim says were changed and that are not among those that were, as far as such changes are known. */
export function namesOthers(
  claim: Named,
  changed: readonly string[],
  isKnown: (name: string) => boolean,
  { root, isThere }: Pick<Evidence, 'root' | 'isThere'>,
): readonly Unchanged[] {
  const inFull = (title: string): string => (isThere?.(`${title}.md`) === true ? `${title}.md` : title);
  const named = rowsNamed({ ...claim, quote: claim.quote.replace(TITLE, inFull) });
  const known = (rows: readonly Row[]) => rows.map((row) => row.filter(isKnown));
  const [made, places] = [known(named.made), known(named.places)];
  const isChanged = (name: string) => {
    // A file of that very name is meant, where there is one.
    const whole = isThere?.(name) === true;
    return changed.some((path) => isFileOf(name, path, root, whole) || holds(path, name));
  };
  // Who changed one of "`a.ts` and `b.ts`" says it of both.
  const unmade = [...made, ...places.filter((row) => row.some(isChanged))].flatMap((row) =>
    row.filter((name) => !isChanged(name)).map((name) => ({ name, partly: row.some(isChanged) })),
  );
  // "Moved it from `a.ts` to `b.ts`", "as in `c.ts`": of several places one is enough.
  const others =
    unmade.length > 0 || [...made, ...places].flat().some(isChanged)
      ? unmade
      : places.flat().map((name) => ({ name, partly: false }));
  if (others.length > 0) return others;
  const stated = known(named.stated).flat();
  return stated.flatMap((name) => (isChanged(name) ? [] : [{ name, partly: false, isState: true }]));
}
