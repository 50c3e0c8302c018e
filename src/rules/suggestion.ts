// What would settle a claim that is not backed: the validator, its arguments, and the exact command to run. The command
// is one that the prompt names, else one that ran in this session, else one of the project's own; never made up.
import type { JsonObject } from '../core/index.ts';
import { kindOf, runsTests } from '../ecosystems/index.ts';
import type { Check, CheckKind, Claim } from '../format/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import { isReached, speaksOf } from './attempt-match.ts';
import { isInstall, isLook } from './command/runners/aside.ts';
import { gapOf, isNarrowed } from './coverage.ts';
import { commandRefusal, pathRefusal } from './validators/binding.ts';
import type { ValidatorContext } from './validators/validator.ts';

export interface ProjectCommands {
  readonly test: string | null;
  readonly build: string | null;
  readonly types: string | null;
  readonly lint: string | null;
}

export interface Suggestion {
  readonly validator: ValidatorId;
  readonly args: JsonObject;
  /** Null where nobody can know it. */
  readonly command: string | null;
}

/** How a command is told by its words alone: of a prompt's commands no more is known. */
const SORTS: readonly (readonly [CheckKind, RegExp])[] = [
  ['types', /\b(?:type-?check|types)\b/],
  ['lint', /\b(?:lint|clippy|vet)\b/],
  ['test', /\b(?:tests?|spec|check)\b/],
  ['build', /\b(?:build|compile|make|assemble|package|bundle)\b/],
];

export function suggest(
  claim: Claim,
  validators: readonly ValidatorId[],
  context: ValidatorContext,
  project: ProjectCommands,
): Suggestion | null {
  const validator = preferred(claim, validators);
  if (validator === null) return null;
  switch (validator) {
    case 'ladder_exhaustion_proof':
    case 'fetch_attempt_proof': {
      const hop = openHop(claim, context);
      const args: JsonObject =
        validator === 'fetch_attempt_proof' && hop !== null ? { target: hop.target } : {};
      return { validator, args, command: hop === null ? null : attemptCommand(hop) };
    }
    case 'file_diff_present': {
      const path = context.contract.fields.paths[0] ?? context.scope.changed[0];
      return { validator, args: path === undefined ? {} : { path }, command: null };
    }
    case 'http_2xx': {
      const url = context.contract.fields.urls[0];
      return { validator, args: url === undefined ? {} : { url }, command: null };
    }
    case 'command_zero_exit': {
      const command = commandFor(kindsOf(claim), context, project);
      const bound = command !== null && commandRefusal(command, context) === null;
      return { validator, args: bound ? { command } : {}, command };
    }
    case 'test_pass': {
      const target = [...context.scope.changed, ...context.scope.named].find(
        (path) => pathRefusal(path, context, true) === null,
      );
      const command = commandFor(['test'], context, project);
      return { validator, args: target === undefined ? {} : { target }, command };
    }
    // One that has nothing better to say than its name.
    default:
      return { validator, args: {}, command: null };
  }
}

/** The first that the policy names, but a command for a claim that speaks of one. */
function preferred(claim: Claim, validators: readonly ValidatorId[]): ValidatorId | null {
  const first = claim.type === 'checked' ? 'command_zero_exit' : validators[0];
  return validators.find((id) => id === first) ?? validators[0] ?? null;
}

function kindsOf({ type, about }: Claim): CheckKind[] {
  if (type === 'shipped') return ['ship'];
  if (about === 'build' || about === 'types' || about === 'lint' || about === 'format') return [about];
  return ['test', 'build', 'types', 'lint', 'run'];
}

function commandFor(
  kinds: readonly CheckKind[],
  { contract, evidence, scope }: ValidatorContext,
  project: ProjectCommands,
): string | null {
  for (const kind of kinds) {
    const hint = contract.fields.command_hints.find((command) => sortOf(command) === kind);
    if (hint !== undefined) return unredirected(hint);
  }
  const ran = evidence.runs.toReversed().flatMap(({ checks, genuine }) => (genuine ? checks : []));
  for (const kind of kinds) {
    const usable = ran.filter(
      (check) => isOfKind(check, kind) && isUsable(check) && check.directory !== null,
    );
    const best =
      usable.find((check) => !isNarrowed(check) && gapOf(check, scope) === null) ??
      usable.find((check) => gapOf(check, scope) === null);
    if (best !== undefined) return placed(best);
    const known =
      kind === 'test' || kind === 'build' || kind === 'types' || kind === 'lint' ? project[kind] : null;
    if (known !== null) return known;
  }
  return null;
}

/** A program that is named for tests is one for that; what only looks or installs shows nothing of the work. */
function isOfKind({ kind, runner }: Check, wanted: CheckKind): boolean {
  if (isLook(runner) || isInstall(runner)) return false;
  return kind === wanted || (wanted === 'test' && kind === 'run' && runsTests(runner));
}

function sortOf(command: string): CheckKind {
  const programs = command.split(/[^\w.-]+/, 32).map(kindOf);
  return SORTS.find(([kind, words]) => words.test(command) || programs.includes(kind))?.[0] ?? 'run';
}

/** What hid its exit code is not part of the check itself; what only listed or pretended is no check at all. */
function isUsable({ flaw }: Check): boolean {
  return flaw === null || ['masked', 'background', 'overtaken'].includes(flaw.code);
}

function placed({ command, directory }: Check): string {
  const plain = unredirected(command);
  return directory === '' || directory === null || !isPlain(directory)
    ? plain
    : `cd ${directory} && ${plain}`;
}

/** Where its output went is not part of the check: `npm test 2>&1`, `pytest > out.txt`. */
function unredirected(command: string): string {
  const words = command.split(' ');
  for (;;) {
    const last = words.at(-1) ?? '';
    const isTarget = /^(?:\d|&)?>>?$/.test(words.at(-2) ?? '') && isPlain(last);
    if (words.length > 2 && isTarget) words.splice(-2);
    else if (words.length > 1 && /^(?:\d?>&\d|(?:\d|&)?>>?[\w./-]+)$/.test(last)) words.pop();
    else return words.join(' ');
  }
}

interface Hop {
  readonly capability: string;
  readonly target: string;
}

function openHop(claim: Claim, { contract, evidence }: ValidatorContext): Hop | null {
  const open = contract.ladder.filter(({ target }) => !isReached(target, evidence));
  return open.find(({ target }) => speaksOf(claim.quote, target)) ?? open[0] ?? null;
}

function attemptCommand({ capability, target }: Hop): string | null {
  if (capability === 'run') return target;
  if (!isPlain(target)) return null;
  return capability === 'fetch' ? `curl -fsSL ${target}` : `cat ${target}`;
}

/** A shell takes it as one word. */
function isPlain(text: string): boolean {
  return /^[\w./:@%+,=-]+$/.test(text);
}
