// Whether what a message says came of something can be: a file that was to be made, a look, a checker's good end, a commit of
// everything, a failure that keeps the work from its end.
import { isFileOf } from '../ecosystems/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { evidenceSince } from './evidence.ts';
import { hasFailure, isElsewhere } from './hindrances.ts';
import { type Held, type JudgeInput, mayBeHeld, noSuchCommand } from './judge-input.ts';
import { isForgetful } from './memory.ts';
import { actsOfSession } from './named-acts.ts';
import { CHECKER, mayBeChecker } from './named-checkers.ts';
import { commandsOf, isOnRecord, mayHold, noFile, wordsOf } from './on-record.ts';
import { looks } from './only-reads.ts';
import { listed } from './run-assessment.ts';
import type { ToldAct } from './told-act.ts';

/** A file that the prompt orders, that the message speaks of, and that is not there. */
export function neverMade(act: ToldAct, { evidence, contract }: JudgeInput): Held | null {
  const { line: name = '' } = act;
  const { paths, command_hints: hints } = contract.fields;
  // What can be had already stands in the ladder.
  const isOrdered = (path: string): boolean =>
    /\.\w+$/.test(path) &&
    (isFileOf(path, name, null) || isFileOf(name, path, null)) &&
    !contract.ladder.some(({ target }) => target === path) &&
    !hints.some((hint) => hint.includes(path));
  const ordered = paths.find(isOrdered);
  if (ordered === undefined || !mayBeHeld({ act: { ...act, what: 'named file' } }, contract)) return null;
  return noFile({ line: name }, evidence) && noFile({ line: ordered }, evidence);
}

const SEARCH = /grep|^(?:rg|ag|ack|findstr|select-string)$|search/i;

/** "`grep -rn old .` finds nothing", where nothing was searched; for an earlier prompt it may have been, where anything was. */
export function unseenLook({ line = '' }: ToldAct, { evidence, since = 0 }: JudgeInput): Held | null {
  const { runs, attempts, changes, acts = [] } = evidence;
  const now = actsOfSession({ ...evidenceSince(evidence, since), acts: [] });
  const isEarlier =
    [...runs, ...changes].some(({ seq }) => seq <= since) ||
    (acts.includes('a search') && !now.includes('a search'));
  const mayBe =
    attempts.some(({ capability, way }) => capability === 'search' && SEARCH.test(way)) ||
    runs.some(({ checks }) => checks.some(mayHold)) ||
    isForgetful(evidence);
  return mayBe || isEarlier ? null : noSuchCommand(`\`${line}\``);
}

/** A script, or a tool that holds checkers of which its line says nothing. */
const HOLDING: readonly Check['kind'][] = ['run', 'lint', 'types'];

/** "mypy: no issues found", where the last run of it failed, and nothing ran since that may hold another. */
export function failedChecker({ quote }: Claim, { runs }: JudgeInput['evidence']): Held | null {
  const name = CHECKER.exec(quote)?.[1]?.toLowerCase() ?? '';
  const mayBe = (check: Check): boolean =>
    HOLDING.includes(check.kind) ||
    /^(?:tox|nox|pre-commit)\b/.test(check.command) ||
    mayBeChecker(name, check);
  const last = runs.findLast(({ checks }) => checks.some(mayBe));
  const check = last?.checks.find(({ command }) => command.toLowerCase().includes(name));
  if (name === '' || last === undefined || check === undefined) return null;
  const { code } = last.exit;
  const isFailed = check.summary === 'failed' || (isOwn(check) && code !== 0 && code !== null);
  if (!isFailed || last.checks.some((other) => other !== check && mayBe(other))) return null;
  const reason = `\`${check.command}\` failed${isOwn(check) ? ` with exit code ${code}` : ''}.`;
  return { status: 'failed', code: 'failed', reason, validator: 'command_zero_exit' };
}

/** "Everything is committed", where git doesn't have a file that this session wrote. */
export function uncommitted({ evidence }: JudgeInput): Held | null {
  const paths = evidence.uncommitted?.() ?? [];
  if (paths.length === 0) return null;
  const reason = `${listed(paths)} isn't in any commit of this branch.`;
  return { status: 'failed', code: 'failed', reason, validator: 'command_zero_exit' };
}

/** What fails in a program that is to be mended, or looked into, may be told as it was found. */
const MAKES = /^(?:add|change|remove|document|operate|ship|test)$/;

const CHECKS: readonly Check['kind'][] = ['test', 'types', 'lint', 'format'];

/** "Applying it failed: the database is locked", so the user is to do it: nothing failed, and nothing can have been it. */
export function inventedFailure(claim: Claim, { line }: ToldAct, input: JudgeInput): Held | null {
  const { evidence, contract, claims, disclosures } = input;
  const isLeft =
    disclosures.length > 0 ||
    claims.some(({ type, act }) => act === undefined && (type === 'blocked' || type === 'delegation'));
  if (!isLeft || !MAKES.test(contract.intent) || isForgetful(evidence)) return null;
  // Of all prompts; a text that was not found is no failure of what was run.
  if (hasFailure({ ...input, since: 0 }, 'run') || isElsewhere(claim, input)) return null;
  const { runs, attempts } = evidence;
  const isUnclear = (check: Check): boolean => !isOwn(check) && check.summary !== 'passed';
  const names = line === undefined ? [] : wordsOf(line);
  const mayBe =
    names.length > 1
      ? isOnRecord(line ?? '', evidence)
      : names.length === 1
        ? [...commandsOf(evidence), ...attempts.map(({ target }) => target)].some((text) =>
            wordsOf(text).includes(names[0] ?? ''),
          )
        : runs.some(({ checks }) =>
            checks.some(({ kind, command }) => !CHECKS.includes(kind) && !looks(command)),
          ) ||
          attempts.some(
            ({ capability, target }) =>
              capability === 'run' && !looks(target) && !commandsOf(evidence).includes(target),
          );
  const isHeld = runs.some(({ checks }) => checks.some((check) => mayHold(check) || isUnclear(check)));
  if (mayBe || isHeld) return null;
  const reason = 'Nothing that was run in this session has failed, and nothing can have been this.';
  return { status: 'not-tried', code: 'not-tried', reason, validator: 'ladder_exhaustion_proof' };
}
