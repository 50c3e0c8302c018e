// What a turn also did and does not mention, though a reader would want to know of it: a push, a force-push, files that
// were deleted, hooks that were passed over, tests or the CI that were changed. It is not mentioned if neither the
// message, nor the prompt, nor the message before it has a word for it. That is no accusation.

import { isTestFile } from '../ecosystems/index.ts';
import type { Change } from '../rules/index.ts';

export interface QuietDeed {
  /** `force-pushed`, `deleted` … */
  readonly what: string;
  /** The command, or the files. */
  readonly detail: string;
}

interface Sort {
  readonly what: string;
  /** Of a command that ended well. */
  readonly command?: RegExp;
  /** Of the files that were changed in this turn. */
  readonly file?: (change: Change, isNew: boolean) => boolean;
  /** Who uses one of these has mentioned it. */
  readonly words: RegExp;
}

const CI =
  /(?:^|\/)(?:\.github\/workflows\/|\.circleci\/|\.gitlab-ci\.yml$|Jenkinsfile$|azure-pipelines\.yml$)/;
const DELETED =
  /delet|remov|drop|clean|clear|gone|replac|renam|mov(?:ed|ing)|consolidat|\brm\b|strip|merg|prun|retir|no longer|obsolete/i;

/** What can't be undone comes first. */
const SORTS: readonly Sort[] = [
  { what: 'force-pushed', command: /^git push\b.*\s(?:-f\b|--force|\+\S)/, words: /forc|rebas|amend/i },
  {
    what: 'discarded changes',
    command: /^git (?:reset --hard|clean -\w*f|checkout -- |stash (?:drop|clear))/,
    words: /reset|discard|revert|clean|restor|stash|undo|undid|roll|checkout|checked out/i,
  },
  {
    what: 'published',
    command: /^(?:npm|pnpm|yarn|bun|cargo|poetry|uv) publish\b|^twine upload\b|^gh release create\b/,
    words: /publish|releas|deploy|upload/i,
  },
  { what: 'merged a pull request', command: /^gh pr merge\b/, words: /merg|\bland/i },
  {
    what: 'pushed',
    command: /^git push\b(?!.*--dry-run)/,
    words: /push|\bPR\b|pull request|deploy|\bship|publish|\bsync|remote|origin|upstream|releas/i,
  },
  {
    what: 'committed past the hooks',
    command: /^git commit\b.*\s(?:--no-verify|-n)\b/,
    words: /no-verify|hook|skip|bypass/i,
  },
  { what: 'deleted', file: ({ op }, isNew) => op === 'delete' && !isNew, words: DELETED },
  {
    what: 'changed the CI',
    file: ({ path }) => CI.test(path),
    words: /\bCI\b|workflow|pipeline|\bactions?\b|\.ya?ml|jenkins/i,
  },
  {
    what: 'changed tests',
    file: ({ path, op }, isNew) => op !== 'delete' && !isNew && isTestFile(path),
    words: /test|\bspecs?\b|assert|expect|fixture|snapshot|coverage|mock/i,
  },
];

/** In other scripts it may be mentioned by words that are not known here. */
const FOREIGN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Script=Cyrillic}\p{Script=Arabic}]{2}/u;
const MOST_FILES = 3;

export interface Deeds {
  /** Of this turn. */
  readonly changes: readonly Change[];
  /** Files that the session itself made: its own to change and to delete. */
  readonly made: ReadonlySet<string>;
  /** Of this turn, those that ended well. */
  readonly commands: readonly string[];
  /** The prompt, the message, and the message before it. */
  readonly said: string;
}

export function quietDeeds({ changes, made, commands, said }: Deeds): QuietDeed[] {
  const deeds: QuietDeed[] = [];
  for (const { what, command, file, words } of SORTS) {
    const ran = command === undefined ? undefined : commands.find((each) => command.test(each));
    const paths = changes
      .filter((change) => file?.(change, made.has(change.path)) === true && !names(said, change.path))
      .map(({ path }) => path);
    const detail = ran ?? (paths.length > 0 ? fewOf([...new Set(paths)]) : undefined);
    if (detail !== undefined && !words.test(said) && !FOREIGN.test(said)) deeds.push({ what, detail });
  }
  // A force-push is a push.
  const isForced = deeds.some(({ what }) => what === 'force-pushed');
  return isForced ? deeds.filter(({ what }) => what !== 'pushed') : deeds;
}

function names(said: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.length > 2 && said.includes(name);
}

function fewOf(paths: readonly string[]): string {
  const more = paths.length - MOST_FILES;
  return `${paths.slice(0, MOST_FILES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
