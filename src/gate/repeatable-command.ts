// Which command is to be run again for a claim: one that was given, else what the gate would name. It must be a check
// that the rules know, whose success would settle the claim: they are asked about that success before it is run, so
// that nothing runs that could prove nothing. A command that ships or fetches is never run again.
import type { JsonObject } from '../core/index.ts';
import { runsTests } from '../ecosystems/index.ts';
import type { Check } from '../format/index.ts';
import type { ClaimPolicy, ValidatorId } from '../policy/index.ts';
import {
  askValidator,
  type Outcome,
  type ProjectCommands,
  type Run,
  suggest,
  type ValidatorContext,
} from '../rules/index.ts';
import { type CommandFacts, isInstall, readCommand } from '../shell/index.ts';

export interface RefusedRun {
  readonly outcome: 'refused';
  readonly code: string;
  readonly reason: string;
}

export interface Repeatable {
  readonly command: string;
  readonly validator: ValidatorId;
  readonly args: JsonObject;
  readonly checks: readonly Check[];
}

export interface CommandWanted {
  /** Null for the one that the gate would name. */
  readonly command: string | null;
  /** Null for whichever settles the claim. */
  readonly validator: ValidatorId | null;
}

const REPEATABLE = ['test_pass', 'command_zero_exit'] as const satisfies readonly ValidatorId[];

export function repeatableCommand(
  wanted: CommandWanted,
  context: ValidatorContext,
  { policy, project, root }: { policy: ClaimPolicy; project: ProjectCommands; root: string },
): Repeatable | RefusedRun {
  const { type } = context.claim;
  const { validators } = policy.claims[type];
  const usable = REPEATABLE.filter((id) => validators.includes(id));
  const asked = usable.filter((id) => wanted.validator === null || id === wanted.validator);
  if (type === 'shipped' || asked.length === 0)
    return refuse(
      'not-repeatable',
      `A claim of type ${type} is not settled by running a check again${usable.length > 0 && type !== 'shipped' ? `, but by ${usable.join(' or ')}` : ''}.`,
    );
  if (wanted.command !== null) {
    const { command } = wanted;
    const facts = factsOf(command, context, root);
    if ('outcome' in facts) return facts;
    return firstSettling(
      asked,
      (validator) => ({ command, validator, args: {}, checks: facts.checks }),
      context,
      policy,
    );
  }
  const refusals: RefusedRun[] = [];
  for (const id of asked) {
    const suggestion = suggest({ validators: [id], context, project, told: null, again: true });
    const command = suggestion?.command ?? null;
    if (suggestion === null || command === null) continue;
    const facts = factsOf(command, context, root);
    const { validator, args } = suggestion;
    const found =
      'outcome' in facts
        ? facts
        : settling({ command, validator, args, checks: facts.checks }, context, policy);
    if (!('outcome' in found)) return found;
    refusals.push(found);
  }
  return (
    refusals[0] ??
    refuse('no-command', 'No command is known that would check this. Name one with --command "…".')
  );
}

function firstSettling(
  validators: readonly ValidatorId[],
  make: (id: ValidatorId) => Repeatable,
  context: ValidatorContext,
  policy: ClaimPolicy,
): Repeatable | RefusedRun {
  let first: RefusedRun | undefined;
  for (const id of validators) {
    const found = settling(make(id), context, policy);
    if (!('outcome' in found)) return found;
    first ??= found;
  }
  return first ?? refuse('not-repeatable', 'Nothing that can be run again settles this claim.');
}

function factsOf(command: string, { scope }: ValidatorContext, root: string): CommandFacts | RefusedRun {
  // Words of an entry are redacted and cut; what is left of them is another command.
  if (command.includes('[REDACTED:') || command.includes('…'))
    return refuse('incomplete', `\`${command}\` is not on record in full. Name it with --command "…".`);
  const facts = readCommand(command, { cwd: root, root, changed: scope.changed });
  if (facts.unparsed) return refuse('unreadable', "The command can't be read as a shell line.");
  if (facts.feedsHooks) return refuse('feeds-hooks', "The command talks to foil's own hooks.");
  if (facts.background) return refuse('background', 'The command leaves something running.');
  if (facts.pasted !== null)
    return refuse('pasted', `The command itself prints what looks like a report: \`${facts.pasted}\`.`);
  if (facts.checks.some(({ kind }) => kind === 'ship' || kind === 'http'))
    return refuse(
      'not-repeatable',
      'The command ships or fetches something, and foil never runs that again.',
    );
  if (
    facts.checks.some(({ runner }) => isInstall(runner)) &&
    facts.checks.every(({ runner }) => isInstall(runner))
  )
    return refuse('not-repeatable', 'The command installs packages, and foil never runs that again.');
  if (facts.checks.length === 0)
    return refuse('not-a-check', `\`${command}\` isn't a check that foil knows.`);
  return facts;
}

/** Would its success settle the claim? Weakened tests are told after the run, as a failure. */
function settling(
  found: Repeatable,
  context: ValidatorContext,
  policy: ClaimPolicy,
): Repeatable | RefusedRun {
  const outcome = askOfOwn(found, successOf(found, context), context, policy, []);
  if (outcome.outcome === 'pass' || (outcome.outcome === 'fail' && outcome.status === 'weakened'))
    return found;
  return refuse(outcome.code, outcome.reason);
}

function successOf({ checks }: Repeatable, { evidence }: ValidatorContext): Run {
  const tests = { runner: '', passed: 1, failed: 0, skipped: 0, total: 1 };
  return {
    seq: Number.MAX_SAFE_INTEGER,
    checks,
    exit: { code: 0, origin: 'host' },
    outcome: 'ok',
    tests: checks.some(({ kind, runner }) => kind === 'test' || runsTests(runner)) ? tests : null,
    treeBefore: evidence.tree,
    tree: evidence.tree,
    genuine: true,
    grade: 're-executed',
  };
}

/** What the validator says of our run, among those that are given beside it. */
export function askOfOwn(
  { validator, args }: Pick<Repeatable, 'validator' | 'args'>,
  own: Run,
  context: ValidatorContext,
  policy: ClaimPolicy,
  others: readonly Run[],
): Outcome {
  const evidence = { ...context.evidence, runs: [...others, own] };
  return askValidator({ validator, args, asked: false }, { ...context, evidence }, policy);
}

export function refuse(code: string, reason: string): RefusedRun {
  return { outcome: 'refused', code, reason };
}
