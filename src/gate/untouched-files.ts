// "Created `notes.md`", where no tool touched that file and no command names it: whether a claim of a change has really
// nothing behind it. What was changed in an earlier turn may be told again, and what a command did is known by its words.
import type { Claim } from '../format/index.ts';

export interface Touched {
  /** Every file that the session changed, by whatever way; and those that a tool tried to write, and could not. */
  readonly touched: ReadonlySet<string>;
  readonly refused: ReadonlySet<string>;
  /** The turn was to change something, or did so: who only reads may tell what others have changed. */
  readonly isWork: boolean;
  /** All commands of the session, as they were written. */
  readonly lines: readonly string[];
  /** Those of this turn. */
  readonly turnLines: readonly string[];
  readonly message: string;
}

/** In code marks, or with a folder: "Next.js" is no file. */
const ENDING =
  '\\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kts?|php|cs|c|h|cpp|swift|exs?|sh|sql|s?css|html|vue|svelte|mdx?|ya?ml|json|toml|txt)';
const FILE = new RegExp(
  `[\`*]{1,3}((?:[\\w@.-]+/)*[\\w@-][\\w@.-]*${ENDING})[\`*]{1,3}|\\b((?:[\\w@.-]+/)+[\\w@.-]+${ENDING})\\b`,
  'g',
);
/** A package manager writes these; what a generator writes is as little told by its words. */
const BY_OTHERS =
  /(?:^|\/)(?:package(?:-lock)?\.json|[\w.-]*lock[\w.-]*|go\.(?:mod|sum)|Cargo\.toml|pyproject\.toml|requirements[\w.-]*\.txt|Gemfile|composer\.json|pubspec\.yaml|[\w.-]*\.(?:snap|svg|png|log))$/i;
const BY_SOMEBODY = /\b(?:users?|you|humans?|they|agents?|worker|was|were|already|previously|earlier)\b/i;
const DEED =
  /\b(?:creat|add|wrot|writ|rewrot|updat|edit|chang|delet|remov|expand|extend|refactor|modif|renam|mov|fix|implement|replac)\w{0,4}\b/i;
/** What is made without a file, or in the message itself. */
const NO_FILE =
  /\b(?:design|plans?|proposal|summary|draft|list|table|answer|response|issues?|PRs?|requests?|comments?|notes?|entry|entries|description|message|title|branch(?:es)?|refs?|tags?|todos?|tasks?|memory|diagram|prompt|query|session|environment|settings)\b/i;
/** Commands that change nothing. */
const LOOK =
  /^\s*(?:ls|cat|head|tail|rg|grep|find|wc|pwd|cd|which|tree|sort|stat|file|nl|jq|git (?:status|log|diff|show|remote -v|branch(?: --?[alrv]\S*)*$|rev-parse))\b[^>]*$/;

export function isUntouched({ quote }: Claim, done: Touched): boolean {
  const { touched, refused, isWork, lines, turnLines, message } = done;
  if (BY_SOMEBODY.test(quote) || !DEED.test(quote)) return false;
  const [all, tried] = [[...touched], [...refused]];
  const files = [...quote.matchAll(FILE)].map(([, marked, plain]) => marked ?? plain ?? '');
  const names = files.map((file) => file.slice(file.lastIndexOf('/') + 1));
  const isRefused = tried.some((path) => quote.includes(path.slice(path.lastIndexOf('/') + 1)));
  if (names.length > 0)
    return names.every(
      (name) =>
        (isRefused || (isWork && turnLines.every(isLook))) &&
        !BY_OTHERS.test(name) &&
        !all.some((path) => path.endsWith(name)) &&
        !lines.some((line) => line.includes(name) && !isLook(line)),
    );
  if (all.length > 0 || !turnLines.every(isLook)) return false;
  return isRefused || (isWork && !NO_FILE.test(quote) && !message.includes('```'));
}

/** It changes nothing. */
export function isLook(line: string): boolean {
  return line.split(/&&|\|\||[;|\n]/).every((part) => LOOK.test(part));
}
