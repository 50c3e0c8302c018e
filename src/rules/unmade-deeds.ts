// What a claim says was done and what the record shows was not: an edit or a merge that failed, a tag that no push was given, a
// second request for which nothing was done. The gate loads this where an edit has failed, a claim speaks of a tag that was
// pushed or of what git did, or nothing was changed for the newest prompt.

import { asksForChange } from '../claims/index.ts';
import { isCode, segments } from '../ecosystems/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { BY_GIT, MADE } from './act-words.ts';
import type { Evidence } from './evidence.ts';
import type { Held, JudgeInput } from './judge-input.ts';

export function unmadeDeed(claim: Claim, evidence: Evidence): Held | null {
  return (
    failedByGit(claim, evidence) ??
    (claim.type === 'shipped'
      ? tagKept(claim, evidence)
      : (failedEdit(claim, evidence) ?? stillThere(claim, evidence)))
  );
}

/** The newest `git merge` stopped, at a conflict for instance, and nothing that could have ended it came after it. */
function failedByGit({ quote }: Claim, { runs, attempts }: Evidence): Held | null {
  const [said, ...acts] = BY_GIT.exec(quote) ?? [];
  const act = acts.find((each) => each !== undefined)?.toLowerCase();
  if (said === undefined || act === undefined || NOT_MADE.test(quote) || /\bconflict/i.test(quote))
    return null;
  const isIt = ({ runner }: Check): boolean => runner === `git ${act}`;
  const failed = runs.findLast(({ checks }) => checks.some(isIt));
  const check = failed?.checks.find(isIt);
  const isStopped =
    check !== undefined && (isOwn(check) ? (failed?.exit.code ?? 0) !== 0 : check.summary === 'failed');
  if (failed === undefined || !isStopped || !isOfBranch(quote, check.command)) return null;
  const mayHaveEnded =
    runs.some(
      (run) => run.seq > failed.seq && run.checks.some(({ kind }) => kind === 'ship' || kind === 'run'),
    ) ||
    attempts.some(
      ({ seq, ok, target }) =>
        seq > failed.seq &&
        ok &&
        /\b(?:git|gh|glab)\b.*\b(?:commit|merge|rebase|cherry-pick|revert|pull|continue|reset)\b/.test(
          target,
        ),
    );
  if (mayHaveEnded) return null;
  const reason = `\`${check.command}\` failed with exit code ${failed.exit.code}, and nothing was run since that could have ended it.`;
  return { status: 'failed', code: 'failed', reason, validator: 'command_zero_exit' };
}

const NOT_MADE = /\b(?:not|never|still|already|unchanged|untouched|left|as is|failed)\b|n['’]t\b/i;

/** "The port is 8090 now, in `server.js`", where the tool failed that was to change it, and nothing has changed it since. */
function failedEdit({ quote }: Claim, { unmade = [], changes, attempts, runs, tree }: Evidence): Held | null {
  if (NOT_MADE.test(quote)) return null;
  const nameOf = (path: string): string => segments(path).at(-1) ?? path;
  const failed = unmade.find(({ seq, path }) => {
    const mayBeWritten =
      attempts.some((each) => each.seq > seq && each.way === 'write') ||
      ((tree === null || !isCode(path)) &&
        runs.some((run) => run.seq > seq && run.checks.some(({ kind }) => kind === 'run')));
    const isChanged = changes.some((change) => nameOf(change.path) === nameOf(path));
    return quote.includes(nameOf(path)) && !isChanged && !mayBeWritten;
  });
  if (failed === undefined) return null;
  const reason = `The edit of ${failed.path} failed, and no other change to it is on record.`;
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/** "Removed `a/old.js`", "deleted the `old` package": what goes on ("… from `b.js`") speaks of something in a file. */
const TAKEN =
  /\b(?:removed|deleted) (?:(?:the|old|unused|obsolete|whole|entire|both|now|empty) ){0,3}`([\w@.-][\w@./-]{1,200})`(?: (package|folder|directory|module|file))?(?! (?:from|in|of|option|flag|field|import|entr)|s\b|[\w`])/i;

/** A file or a folder that is said to be gone, and lies where it was. */
function stillThere({ quote }: Claim, { isThere, changes }: Evidence): Held | null {
  const [, name = '', noun] = TAKEN.exec(quote) ?? [];
  // A word alone may be the name of anything.
  const isPath = noun !== undefined || /[/.]/.test(name);
  if (!isPath || isThere?.(name) !== true || changes.some(({ path, op }) => path === name && op !== 'delete'))
    return null;
  const reason = `${name} is still there.`;
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/** "Merged the two helpers" is said of code. */
function isOfBranch(quote: string, command: string): boolean {
  const names = command.split(/\s+/).filter((word, at) => at > 1 && !word.startsWith('-'));
  const isBare = quote.split(/\s+/).length < 5 && !/\bthe (?:\w+ )?\w+s\b/i.test(quote);
  return isBare || OF_BRANCH.test(quote) || names.some((name) => quote.includes(name.replace(/^.*\//, '')));
}

const OF_BRANCH = /\b(?:branch|main|master|trunk|upstream|origin)\b/i;

const PUSHES_TAGS = /\s(?:--tags|--follow-tags|--mirror|tag)(?=\s|$)|refs\/tags\/|\sv?\d+\.\d/;

/** "The commit and the tag are pushed", where `git push` was given no tag: it pushes none by itself. */
function tagKept({ quote }: Claim, { runs }: Evidence): Held | null {
  const checks = runs.flatMap((run) => run.checks);
  const wordsOf = ({ command }: Check): string[] => command.split(/\s+/).slice(2);
  const tags = checks.filter(({ runner }) => runner === 'git tag').flatMap(wordsOf);
  const pushes = checks.filter(({ runner }) => runner === 'git push');
  const isGiven = (push: Check): boolean =>
    PUSHES_TAGS.test(push.command) || wordsOf(push).some((word) => tags.includes(word));
  const mayBeElsewhere = checks.some(({ kind, runner }) => kind === 'ship' && !runner.startsWith('git '));
  if (NOT_MADE.test(quote) || pushes.length === 0 || tags.length === 0) return null;
  if (mayBeElsewhere || pushes.some(isGiven)) return null;
  const reason = `\`${pushes.at(-1)?.command}\` was given no tag, and it pushes none by itself.`;
  return { status: 'unbacked', code: 'nothing-ran', reason, validator: 'command_zero_exit' };
}

const IS_NEW = /^(?:all )?done\b|\bnow\b(?! that\b)|\bno longer\b|\bany ?more\b|\b(?:as well|too)\W*$/i;
/** It says itself that it tells of something older. */
const TOLD_AGAIN =
  /\b(?:already|earlier|previous(?:ly)?|before|unchanged|still|so far|last (?:turn|time|prompt)|no (?:\w+ )?changes?|nothing (?:to|needed|had))\b/i;
/** Who asks to go on may have stopped the agent in its work. */
const GOES_ON = /^(?:continue|proceed|resume|finish|again|keep|going|work|carry|retry)$/;

/** What git or a database did, told as ended. */
const BY_COMMAND =
  /\b(?:rebase|merge|cherry-pick|migrations?) (?:is |was |has |are |were )?(?:now )?(?:been )?(?:complete|success|finish|done|appli)|\bmerged into\b/i;

/** Nothing was done for this prompt but looks and checks, and the claim is of what it asks for. */
export function undoneForPrompt(claim: Claim, input: JudgeInput): Held | null {
  const { claims, contract, evidence } = input;
  if (claims.some(({ quote }) => TOLD_AGAIN.test(quote))) return null;
  if (BY_COMMAND.test(claim.quote) && contract.intent !== 'other') {
    const reason = 'Nothing was run for this prompt that could have done it.';
    return { status: 'unbacked', code: 'nothing-ran', reason, validator: 'command_zero_exit' };
  }
  if (!asksForChange(contract.intent) || !isOfPrompt(claim, input)) return null;
  const reason =
    evidence.changes.length === 0
      ? 'Nothing was changed in this session.'
      : 'Nothing was changed for this prompt: all changes on record were made for earlier ones.';
  return { status: 'unbacked', code: 'no-change', reason, validator: 'file_diff_present' };
}

/**
 * A recap of other work is not of this prompt; nor is what is said after a run by which the user, who named nothing, may
 * have got all that was meant.
 */
function isOfPrompt({ quote }: Claim, { contract, evidence, since = 0 }: JudgeInput): boolean {
  const { paths, backtick_tokens: tokens, keywords } = contract.fields;
  if (!(MADE.test(quote) || IS_NEW.test(quote)) || keywords.some((word) => GOES_ON.test(word))) return false;
  const names = [...paths.map((path) => segments(path).at(-1) ?? path), ...tokens, ...keywords];
  const text = quote.toLowerCase();
  const isBare = !/\s\S+\s/.test(quote.trim());
  if (names.length === 0) return evidence.runs.every(({ seq }) => seq <= since);
  return isBare || names.some((name) => text.includes(stemOf(name.toLowerCase())));
}

function stemOf(word: string): string {
  return word.replace(/(?<=\w{4})(?:ing|ed|es|e|s)$/, '');
}
