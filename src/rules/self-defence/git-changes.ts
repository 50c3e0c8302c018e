// What git would do to files of ours that lie in the work tree. It depends on what they are to git: `clean` and `stash -u`
// take what is not tracked, `reset --hard` and `checkout -- .` put back what is, and a commit that holds a file which is
// not tracked here is written over it. What a patch, a merge or another branch brings can't be told from here: the
// hooks are looked at after the call.
import { programName, type Started } from '../../shell/index.ts';
import { all, bareOf, firstOf, piecesOf, type Target, valuesOf } from './given-words.ts';
import { type Hit, hitOf, namesOurs, type Ours, oursBelow, placeOf, type GitState as State } from './ours.ts';
import { spokenFile } from './spoken.ts';

const TAKES_WORD = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env)$/;
/** These leave the files of the work tree alone, but for the output they are told to write. */
const READS =
  /^(?:add|annotate|blame|branch|cat-file|check-attr|check-ignore|cherry|commit|commit-tree|count-objects|describe|diff|diff-files|diff-index|diff-tree|difftool|fetch|for-each-ref|format-patch|fsck|gc|grep|hash-object|help|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|notes|push|range-diff|reflog|remote|rev-list|rev-parse|shortlog|show|show-branch|show-ref|status|tag|update-index|update-ref|var|verify-commit|version|whatchanged|write-tree|archive|stage|maintenance|rerere|symbolic-ref|bisect|replace|send-email|request-pull|prune|repack|lfs)$/;

interface Git {
  readonly verb: string;
  readonly rest: readonly string[];
  readonly has: (option: RegExp) => boolean;
  /** What stands behind `--`, or without one all that is no option. */
  readonly paths: readonly string[];
  readonly dashes: number;
  /** Where its paths begin. */
  readonly place: string | null;
  /** Another repository is told to take this work tree for its own. */
  readonly foreign: boolean;
}

export function gitChanges(program: Started, ours: Ours): Hit | null {
  const git = readGit(program, ours);
  return named(git, ours) ?? swept(git, ours) ?? patched(git, program.input, ours);
}

/** What is ours to git once this has run: `git add` makes a file one that `git stash` and `git reset --hard` take. */
export function afterGit(program: Started, ours: Ours): Ours {
  const { git } = ours;
  if (git === undefined || programName(program.argv[0] ?? '') !== 'git') return ours;
  const { verb, rest, has, place } = readGit(program, ours);
  const isAdd = /^(?:add|stage)$/.test(verb) || (verb === 'update-index' && has(/^--add$/));
  if (!isAdd || has(DRY) || has(/^(?:-u|--update)$/)) return ours;
  const words = bareOf(rest);
  const tree = treeOf(place, ours);
  const whole = words.length === 0 && has(/^(?:-[a-zA-Z]*A|--all)/) && tree !== null ? [tree] : [];
  const paths = new Set([...words, ...whole].flatMap((word) => oursBelow(word, place, ours)));
  const forced = has(/^(?:-[a-zA-Z]*f|--force)/);
  const state = (path: string): State => {
    const before = git.state(path);
    const isAdded = paths.has(path) && (before === 'open' || (forced && before === 'ignored'));
    return isAdded ? 'changed' : before;
  };
  return { ...ours, git: { ...git, state } };
}

function readGit({ argv: [, ...args], cwd, env }: Started, ours: Ours): Git {
  let at = 0;
  let place = placeOf('.', cwd, ours);
  let foreign = env.some((text) => /^GIT_(?:DIR|WORK_TREE)=/.test(text));
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    const [option = '', joined] = (args[at] ?? '').split(/=(.*)/s, 2);
    const value = joined ?? args[at + 1] ?? '';
    if (option === '-C' || option === '--work-tree') place = placeOf(value, cwd, ours);
    if (option === '--git-dir' || option === '--work-tree') foreign = true;
    if (TAKES_WORD.test(args[at] ?? '')) at++;
  }
  const [verb = '', ...rest] = args.slice(at);
  const dashes = rest.indexOf('--');
  const paths = dashes < 0 ? bareOf(rest) : rest.slice(dashes + 1);
  const has = (option: RegExp): boolean => rest.some((arg) => option.test(arg));
  return { verb, rest, has, paths, dashes, place, foreign };
}

/** Paths that are named: a file of ours, or its folder. */
function named(git: Git, ours: Ours): Hit | null {
  return firstOf(namedTargets(git), ({ word, reach }) =>
    namesOurs(word.replace(/^:(?:\/|\(top\))/, ''), git.place, reach, ours),
  );
}

function namedTargets({ verb, rest, has, paths: words, dashes }: Git): readonly Target[] {
  const output = all(valuesOf(rest, /^(?:-o|--output|--output-directory)$/), 'inside');
  if (READS.test(verb)) return verb === 'commit' || verb === 'add' ? [] : output;
  switch (verb) {
    case 'rm':
      return has(/^--cached$|^-n$|^--dry-run$/) ? [] : all(words, 'parent');
    case 'mv':
      return all(words, 'above');
    case 'checkout':
    case 'restore':
      return has(/^--staged$|^-S$/) && !has(/^--worktree$|^-W$/) ? [] : all(words, 'parent');
    case 'stash':
      return all(dashes < 0 ? words.slice(1) : words, 'parent');
    case 'clean':
      return has(DRY) ? [] : all(unspared(words, rest), 'parent');
    case 'config':
      return has(/^(?:--get.*|-l|--list|get|list)$/) ? [] : all(valuesOf(rest, /^(?:-f|--file)$/), 'inside');
    // Whatever else it is given is a branch, a commit or an address, seldom a path.
    default:
      return all(rest.flatMap(piecesOf), 'inside');
  }
}

function unspared(words: readonly string[], rest: readonly string[]): readonly string[] {
  const spared = new Set(valuesOf(rest, /^(?:-e|--exclude)$/));
  return words.filter((word) => !spared.has(word));
}

const MOST_SPARED = 64;
const DRY = /^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run)$/;
const isUntracked = (state: State): boolean => state === 'open';
const isLoose = (state: State): boolean => state === 'open' || state === 'ignored' || state === null;

/** What goes with everything else that is at, or below, the paths that it is about. */
function swept(git: Git, ours: Ours): Hit | null {
  const { verb, rest, has, paths, dashes, place, foreign } = git;
  const letter = (sign: string): boolean => has(new RegExp(`^-[a-zA-Z]*${sign}`));
  const tree = treeOf(place, ours);
  /** What of ours is at, or below, the words, and goes. */
  const within = (words: readonly string[], takes: (state: State, path: string) => boolean): Hit | null =>
    firstOf(words, (word) => {
      const path = oursBelow(word.replace(/^:(?:\/|\(top\))/, `${tree ?? '.'}/`), place, ours).find((each) =>
        takes(ours.git?.state(each) ?? null, each),
      );
      return path === undefined ? null : hitOf(path, ours);
    });
  const everything = tree === null ? [] : [tree];
  /** Tracked files go back to a commit, by force; what is not tracked here and is there is written over. */
  const from = (source: string | undefined, words: readonly string[], isForced = true): Hit | null =>
    within(words, (state, path) => (isForced && state === 'changed') || isBrought(source, path, state, ours));
  if (
    foreign &&
    /^(?:checkout|reset|restore|clean|read-tree|checkout-index|stash|pull|merge)$/.test(verb) &&
    !has(DRY)
  )
    return within(['.'], () => true);
  switch (verb) {
    case 'clean': {
      if (has(DRY)) return null;
      const spared = valuesOf(rest, /^(?:-e|--exclude)$/)
        .slice(0, MOST_SPARED)
        .map((each) => each.replace(/^\/+|\/+$/g, ''));
      const takes = letter('X')
        ? (state: State) => state === 'ignored' || state === null
        : letter('x')
          ? isLoose
          : isUntracked;
      const isSpared = (path: string): boolean => spared.some((each) => `${path}/`.includes(`/${each}/`));
      // Which of the files are there is not known without git: then one that is spared speaks for all.
      if (ours.git === undefined && ours.files.some(isSpared)) return null;
      const words = unspared(paths, rest);
      return within(words.length === 0 ? ['.'] : words, (state, path) => takes(state) && !isSpared(path));
    }
    case 'stash': {
      if (/^(?:list|show|drop|clear|branch|create|store|pop|apply)$/.test(bareOf(rest)[0] ?? '')) return null;
      const takes =
        letter('a') || has(/^--all$/)
          ? isLoose
          : letter('u') || has(/^--include-untracked$/)
            ? isUntracked
            : () => false;
      const gone = (state: State): boolean =>
        takes(state) || (state === 'changed' && !has(/^(?:-S|--staged)$/));
      const words = dashes < 0 ? [] : paths;
      return within(words.length === 0 ? everything : words, gone);
    }
    case 'checkout': {
      if (has(/^(?:-b|-B|--orphan)$/)) return null;
      const [source, ...more] =
        dashes < 0 ? bareOf(rest) : rest.slice(0, dashes).filter((arg) => !arg.startsWith('-'));
      if (dashes >= 0) return from(source, paths);
      if (more.length > 0) return from(source, more);
      const isPath = source !== undefined && /^(?:\.{1,2}|:\/.*|.*\*.*)$/.test(source);
      if (isPath) return from(undefined, [source]);
      if (source === undefined) return letter('f') || has(/^--force$/) ? from(undefined, everything) : null;
      return from(source, everything, letter('f'));
    }
    case 'switch':
      return from(bareOf(rest)[0], everything, letter('f') || has(/^--(?:force|discard-changes)$/));
    case 'restore':
      if (has(/^--staged$|^-S$/) && !has(/^--worktree$|^-W$/)) return null;
      return from(valuesOf(rest, /^(?:-s|--source)$/)[0], paths.length === 0 ? [] : paths);
    case 'reset':
      return has(/^--(?:hard|merge|keep)$/) ? from(bareOf(rest)[0], everything, has(/^--hard$/)) : null;
    case 'read-tree':
      return letter('u') ? from(paths.at(-1), everything, has(/^--reset$/)) : null;
    case 'checkout-index':
      return letter('f') || has(/^--force$/) ? from(undefined, everything) : null;
    case 'rm':
      return has(/^--cached$/) || has(DRY)
        ? null
        : within(paths, (state) => state === 'tracked' || state === 'changed' || state === null);
    default:
      return null;
  }
}

/** The work tree is the project's, unless git is told of another one, or works in one that lies within it. */
function treeOf(place: string | null, { root, git }: Ours): string | null {
  const isHere = place !== null && root !== null && `${place}/`.startsWith(`${root}/`);
  return isHere ? (git?.repository?.(place) ?? root) : place;
}

/** A commit that holds a file which is not tracked here: git writes over what is ignored without a word. */
function isBrought(source: string | undefined, path: string, state: State, ours: Ours): boolean {
  if (source === undefined || source === '-' || /^-|[$`]/.test(source)) return false;
  return (state === 'ignored' || state === 'open') && ours.git?.holds(source, path) === true;
}

/** A patch that stands in the line itself. */
function patched({ verb }: Git, input: readonly string[], ours: Ours): Hit | null {
  if (!/^(?:apply|am|checkout-index|update-index)$/.test(verb) || input.length === 0) return null;
  return spokenFile(input.join('\n'), ours, { writes: true });
}

/** Lines that git is told to run: for each commit of a rebase, in each submodule, to find a commit. */
export function gitScripts(args: readonly string[]): readonly string[] {
  const at = args.findIndex(
    (arg, index) => /^(?:foreach|run)$/.test(arg) && /^(?:submodule|bisect)$/.test(args[index - 1] ?? ''),
  );
  const filters = args.some((arg) => /^(?:rebase|filter-branch|difftool|mergetool)$/.test(arg))
    ? valuesOf(args, /^(?:-x|--exec|--\w+-filter|--extcmd|-x)$/)
    : [];
  // `-c core.editor=…`, and whatever else of the configuration is run.
  const set = valuesOf(args, /^-c$/).filter((value) =>
    /^[\w.]*(?:editor|pager|command|cmd|fsmonitor|askpass|driver|helper)\w*=/i.test(value),
  );
  return [
    ...set.map((value) => value.replace(/^[^=]*=!?/, '')),
    ...filters,
    ...(at < 0 ? [] : [args.filter((arg, index) => index > at && !/^--\w/.test(arg)).join(' ')]),
  ];
}
