// Which commands on record may have changed something, and which only look, test or ask.
import type { Check, Claim } from '../format/index.ts';
import type { Attempt, Evidence, Run } from './evidence.ts';
import type { JudgeInput } from './judge-input.ts';
import { onlyReads } from './only-reads.ts';

/** What it changes, the work tree shows. */
export function isOfTree({ kind, command }: Check): boolean {
  return (
    kind === 'build' ||
    kind === 'format' ||
    /^(?:git (?:add|commit|push|stash)|go run|python3? -c|node -e)\b/.test(command)
  );
}

/** Since then, nothing was run but tests, checks and looks. `isHarmless`: what else may have been. */
export function writesNothing(
  { runs, attempts }: Pick<Evidence, 'runs' | 'attempts'>,
  isHarmless: (check: Check) => boolean = isUnchanging,
): boolean {
  const checks = runs.flatMap((run) => run.checks);
  return (
    checks.every(isHarmless) &&
    attempts.every(
      ({ capability, target }) =>
        capability !== 'run' || LOOK.test(target) || checks.some(({ command }) => command === target),
    )
  );
}

/** A formatter writes into files that are there, and git's own part of a commit makes none. */
export function makesNoFile(check: Check): boolean {
  return isUnchanging(check) || check.kind === 'format' || /^git (?:add|commit|push)\b/.test(check.command);
}

/** Tests, checks and looks: none of them makes a change. Nor does git, unless what it puts in order is what is said; "Done" says what was asked. */
export function changesNothing({ quote }: Claim, { evidence, contract }: JudgeInput): boolean {
  const isOfGit = OF_GIT.test(/^\w+\W*$/.test(quote) ? contract.fields.keywords.join(' ') : quote);
  return (
    evidence.runs.every((run) => run.checks.every((check) => isUnchanging(check) || isTrial(check, run))) &&
    !evidence.attempts.some(
      (attempt) =>
        attempt.capability === 'run' &&
        attempt.ok &&
        (attempt.way === 'write' ||
          (mayChange(attempt, evidence) && (isOfGit || !OF_WORK_TREE.test(attempt.target)))),
    )
  );
}

/** Anything but a look or a check may have changed something. */
function mayChange({ target }: Attempt, { runs }: Pick<Evidence, 'runs'>): boolean {
  return (
    TIDIES.test(target) ||
    (!onlyReads(target) && !runs.some(({ checks }) => checks.some(({ command }) => command === target)))
  );
}

/** What git does to the work tree and its branches; not what it does to settings and passwords. */
const OF_WORK_TREE = /^git (?!(?:-\S+ )*(?:credential|config|lfs)\b)/;

export function isUnchanging({ kind, command }: Check): boolean {
  return UNCHANGING.has(kind) || LOOK.test(command) || isQuery(command);
}

/** Code on the command line that changed no code, and has no word for writing anything else. */
function isTrial({ command }: Check, { tree, treeBefore }: Run): boolean {
  return (
    tree !== null &&
    tree === treeBefore &&
    /^(?:python3?|node) -[ce] /.test(command) &&
    !MAY_WRITE.test(command)
  );
}

const MAY_WRITE =
  /\b(?:open|exec|call|run|main|create(?:_all|_table)?)\(|writ|save|commit|insert|updat|delet|remov|unlink|renam|mkdir|cop[iy]|mov|shutil|subproc|system|spawn|dump|migrat|seed|set|put|post|send|requests|fetch/i;

/** A client of a database that was given nothing but a question. */
function isQuery(command: string): boolean {
  return (
    /^(?:psql|mysql|sqlite3|duckdb)\b.*\b(?:select|pragma|explain|show)\b/is.test(command) &&
    !WRITES_ROWS.test(command)
  );
}

const WRITES_ROWS =
  /\b(?:insert|update|delete|replace|create|alter|drop|truncate|merge|copy|call|do|into|commit|import|read|restore|perform)\b|(?<!\b(?:count|sum|min|max|avg|upper|lower|length|coalesce|substr|round|date))\(|<| -f| --file/i;

/** What puts branches, folders and packages in order is no check, and no change of a file that anybody sees. */
const TIDIES =
  /^(?:(?:mkdir|rmdir|cp|mv|rm|ln|chmod|chown|touch|tar|unzip|crontab|systemctl|launchctl|brew|apt|apt-get|pip3?|npm|pnpm|yarn|bun|uv) |git (?:-\S+ )*(?:switch|checkout|branch (?:\w|.*-[dDmMcC]\b)|remote (?:add|rm|remove|rename|set-url|prune)|worktree|stash|clone|init|config|reset|restore|clean|tag|submodule|sparse-checkout|gc)\b)/;

/** It may have put something in order; `npm test` is a check. */
export function isTidying({ target }: Attempt, { runs }: Pick<Evidence, 'runs'>): boolean {
  return TIDIES.test(target) && !runs.some(({ checks }) => checks.some(({ command }) => command === target));
}

const OF_GIT =
  /\b(?:branch|switch|check(?:ed)? ?out|restor|revert|undid|undo|reset|roll|discard|back|stash|unstag|tag|remote|worktree|clon|repo|init|config|submodule|prun|clean|drop)\w*/i;

const UNCHANGING: ReadonlySet<string> = new Set(['test', 'types', 'lint', 'http']);
/** Commands that only look. */
export const LOOK =
  /^(?:cat|ls|grep|rg|find|head|tail|wc|diff|tree|pwd|git (?:status|diff|log|show|branch|blame|ls-files))\b/;
