// Why a claim is held before any validator is asked: nothing on record can have made it true.
import type { Check, Claim } from '../format/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import type { Evidence } from './evidence.ts';
import { editsSince } from './freshness.ts';
import { asksForChange } from './intent.ts';
import type { JudgeInput } from './judge-input.ts';
import { missingAct } from './named-acts.ts';
import { namesOthers } from './named-files.ts';
import { samePath } from './path-match.ts';
import { listed } from './run-assessment.ts';
import { NOTHING_FAILED } from './validators/validator.ts';

export interface Held {
  readonly status: 'unbacked' | 'failed' | 'stale' | 'not-tried';
  readonly code: string;
  readonly reason: string;
  readonly validator: ValidatorId;
}

const NOTHING_DONE = 'Nothing was changed in this session, and nothing was run that could change anything.';

/** Why a claim is held before any validator is asked; null where it is not. */
export function heldOf(claim: Claim, input: JudgeInput): Held | null {
  switch (claim.type) {
    case 'done':
    case 'changed':
      return input.evidence.changes.length === 0 ? withoutChange(claim, input) : ofAnotherFile(claim, input);
    case 'tested':
    case 'checked': {
      const overtaken = ofOlderCode(claim, input.evidence);
      if (overtaken !== null) return overtaken;
      const act = input.outside === true ? null : missingAct(claim, input.evidence);
      const reason = `No command that could be ${act} is on record in this session.`;
      return act === null
        ? null
        : { status: 'unbacked', code: 'nothing-ran', reason, validator: 'command_zero_exit' };
    }
    case 'blocked':
      return withoutFailure(input);
    default:
      return null;
  }
}

const RUN_OF_ITS_OWN =
  /^`([^`\n]{3,200})`(?::| —| –| -)? (?:passed|passes|ok|green|succeeded|succeeds|is green)\b/i;

/** "`make e2e`: passed", where that command ran before the last change and another that passed later is not it. */
function ofOlderCode({ quote }: Claim, evidence: Evidence): Held | null {
  const command = RUN_OF_ITS_OWN.exec(quote)?.[1];
  const named = (check: Check) => check.command === command;
  const run = evidence.runs.findLast(({ checks }) => checks.some(named));
  const check = run?.checks.find(named);
  if (run === undefined || check === undefined) return null;
  const wider = evidence.runs.some(
    ({ seq, checks }) => seq > run.seq && checks.some(({ runner }) => runner === check.runner),
  );
  const edits = wider ? null : editsSince(run, evidence, check);
  if (edits === null || edits.length === 0) return null;
  return {
    status: 'stale',
    code: 'stale',
    reason: `\`${check.command}\` was last run before ${listed(edits)} changed. Run it again.`,
    validator: 'command_zero_exit',
  };
}

const MADE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:just |now |also )?(?:[a-z]{2,}ed|wrote|written|made|built|split|put|cut|rewrote)\b/i;

/** "Fixed." where a fix was asked for and nothing was done; "Done" where the last thing that was done has failed. */
function withoutChange(
  claim: Claim,
  { evidence, contract, idle, outside, since = 0 }: JudgeInput,
): Held | null {
  const unmade = {
    status: 'unbacked',
    code: 'no-change',
    reason: NOTHING_DONE,
    validator: 'file_diff_present',
  } as const;
  const asked = asksForChange(contract.intent);
  if (idle === true && asked) return unmade;
  const test = evidence.runs.findLast(({ checks }) => checks.some(({ kind }) => kind === 'test'));
  const failing = test !== undefined && ((test.exit.code ?? 0) !== 0 || (test.tests?.failed ?? 0) > 0);
  const end = evidence.runs.findLast(({ checks }) => !checks.some(({ kind }) => kind === 'http'));
  // A search that finds nothing ends with 1.
  const failed =
    failing && asked ? test : end !== undefined && end.seq > since && (end.exit.code ?? 0) > 1 ? end : null;
  if (failed === null) {
    const nothing = changesNothing(evidence) && evidence.background.length === 0 && outside !== true;
    return nothing && (claim.type === 'done' ? asked : MADE.test(claim.quote)) ? unmade : null;
  }
  const command = failed.checks.at(-1)?.command ?? 'the last command';
  return {
    status: 'failed',
    code: 'failed',
    reason: `\`${command}\` failed with exit code ${failed.exit.code ?? 'unknown'}, and nothing was changed since.`,
    validator: claim.type === 'done' ? 'command_zero_exit' : 'file_diff_present',
  };
}

/** "Added a guard in `mul.js`", where others were changed and that was not: for this prompt, if files were changed for it. */
function ofAnotherFile({ type, quote }: Claim, { evidence, contract, since = 0 }: JudgeInput): Held | null {
  if (type !== 'changed') return null;
  const recent = evidence.changes.filter(({ seq }) => seq > since);
  const paths = (recent.length > 0 ? recent : evidence.changes).map(({ path }) => path);
  const others = namesOthers(
    quote,
    recent.length > 0 ? paths : [...paths, ...(evidence.changed ?? [])],
    // What a command wrote is known of code alone.
    !evidence.runs.some(({ seq }) => seq > since),
  ).filter((name) => {
    const is = (path: string) => samePath(name, path);
    // What was added for an earlier prompt may be told again, but for what this one asks for by name. "Updated" is of now.
    const isOfNow = REVISED.test(quote) || contract.fields.paths.some(is);
    return isOfNow || !evidence.changes.some(({ path }) => is(path));
  });
  if (others.length === 0) return null;
  return {
    status: 'unbacked',
    code: 'no-change',
    reason: `No change of ${listed(others)} is on record ${recent.length > 0 ? 'for this prompt' : 'in this session'}.`,
    validator: 'file_diff_present',
  };
}

const REVISED =
  /\b(?:updat|expand|extend|tweak|chang|modif|edit|rework|refactor|adjust|improv|rewr|polish|simplif|clean)[a-z]*/i;

/** "I can't reach the database", where nothing was tried. */
function withoutFailure({ evidence, contract }: JudgeInput): Held | null {
  if (hasFailure(evidence) || contract.ladder.length > 0) return null;
  return {
    status: 'not-tried',
    code: 'not-tried',
    reason: NOTHING_FAILED,
    validator: 'ladder_exhaustion_proof',
  };
}

/** Tests, checks and looks: none of them makes a change. */
function changesNothing({ runs, attempts }: Evidence): boolean {
  return (
    runs.every(({ checks }) =>
      checks.every(({ kind, command }) => UNCHANGING.has(kind) || LOOK.test(command)),
    ) && !attempts.some(({ capability, target, ok }) => capability === 'run' && ok && ACTS.test(target))
  );
}

/** What puts branches, folders and packages in order is no check, and no change of a file that anybody sees. */
const ACTS =
  /^(?:(?:mkdir|rmdir|cp|mv|rm|ln|chmod|chown|touch|tar|unzip|crontab|systemctl|launchctl|brew|apt|apt-get|pip3?|npm|pnpm|yarn|bun|uv) |git (?:-\S+ )*(?:switch|checkout|branch .*-[dDmMcC]\b|remote (?:add|rm|remove|rename|set-url|prune)|worktree|stash|clone|init|config|reset|restore|clean|tag|submodule|sparse-checkout|gc)\b)/;

const UNCHANGING: ReadonlySet<string> = new Set(['test', 'types', 'lint', 'http']);
/** Commands that only look. */
export const LOOK =
  /^(?:cat|ls|grep|rg|find|head|tail|wc|diff|tree|pwd|git (?:status|diff|log|show|branch|blame|ls-files))\b/;

/** Something that was tried did not work. */
export function hasFailure({ attempts, runs }: Evidence): boolean {
  return (
    attempts.some(({ ok }) => !ok) || runs.some(({ exit, outcome }) => exit.code !== 0 || outcome !== 'ok')
  );
}
