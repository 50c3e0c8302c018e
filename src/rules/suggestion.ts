// What would settle a claim that is not backed: the validator, its arguments, and the exact command to run. The command
// is one that the prompt names, else one that ran in this session, without what narrowed or hid it, else one of the
// project's own. It is named only if its success would settle the claim, and not if it was run already, in vain.
import type { JsonObject } from '../core/index.ts';
import { runsTests, samePath, segments } from '../ecosystems/index.ts';
import type { Check, CheckKind, Claim, LadderHop } from '../format/index.ts';
import type { ValidatorId } from '../policy/index.ts';
import { isInstall, isLook, readCommand } from '../shell/index.ts';
import { isPlain, isReached, speaksOf, untriedWay } from './attempt-match.ts';
import { isNarrowed } from './coverage.ts';
import type { Run } from './evidence.ts';
import { editsSince } from './freshness.ts';
import { OF_TREE } from './validators/aside.ts';
import { commandRefusal, pathRefusal } from './validators/binding.ts';
import { VALIDATORS } from './validators/index.ts';
import type { Fail, ValidatorContext } from './validators/validator.ts';

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

/** What is told to be wrong, and by whom. */
type Told = { readonly id: ValidatorId; readonly fail: Fail } | null;

interface Wanted {
  /** Those that the policy lets settle the claim. */
  readonly validators: readonly ValidatorId[];
  readonly context: ValidatorContext;
  readonly project: ProjectCommands;
  readonly told: Told;
  /** A command that ran already is as good as another, as for who runs it himself. */
  readonly again: boolean;
  /** No command would do. */
  readonly silent?: boolean;
  /** Why it was held before any validator was asked. */
  readonly held?: { readonly code: string; readonly validator: ValidatorId };
}

export function suggest(wanted: Wanted): Suggestion | null {
  const { held, silent, validators, context } = wanted;
  if (held?.code === 'nothing-ran' || held?.code === 'only-skips')
    return { validator: held.validator, args: {}, command: null };
  const isTry = held?.code === 'not-tried';
  const isOwn = isTry || context.claim.type === 'changed';
  const step = stepOf({ ...wanted, validators: held !== undefined && isOwn ? [held.validator] : validators });
  // What is not there yet no command makes true, but for what was not tried.
  const isWithout = silent === true || (held !== undefined && !isTry);
  return step !== null && isWithout ? { ...step, command: null } : step;
}

function stepOf(wanted: Wanted): Suggestion | null {
  const { validators, context, told } = wanted;
  const { claim } = context;
  const asked = told?.id === 'http_2xx' ? askedAgain(told.fail, context) : null;
  if (asked !== null) return asked;
  const validator = preferred(claim, validators);
  if (validator === null) return null;
  switch (validator) {
    case 'ladder_exhaustion_proof':
    case 'fetch_attempt_proof': {
      const hops = openHops(context);
      const [hop] = hops;
      const args: JsonObject =
        validator === 'fetch_attempt_proof' && hop !== undefined ? { target: hop.target } : {};
      // What was had needs no other way, and others are not what is asked for.
      const command = told?.fail.code === 'was-had' ? '' : untriedWays(hops, context);
      return { validator, args, command: command || seenAgain(claim, hops, context) };
    }
    case 'file_diff_present': {
      const path = changedPath(context);
      return { validator, args: path === undefined ? {} : { path }, command: null };
    }
    case 'http_2xx': {
      const url = context.contract.fields.urls[0];
      if (url === undefined) return { validator, args: {}, command: null };
      return { validator, args: { url }, command: isPlain(url) ? `curl -i ${url}` : null };
    }
    case 'command_zero_exit': {
      const command = commandFor(wanted);
      // The message of a commit is not known yet.
      const named = command?.replace(/ -am "….*/, '');
      const bound = named !== undefined && commandRefusal(named, context) === null;
      return { validator, args: bound ? { command: named } : {}, command };
    }
    case 'test_pass': {
      const target = [...context.scope.changed, ...context.scope.named].find(
        (path) => pathRefusal(path, context, true, false) === null,
      );
      return { validator, args: target === undefined ? {} : { target }, command: commandFor(wanted) };
    }
    // One that has nothing better to say than its name.
    default:
      return { validator, args: {}, command: null };
  }
}

/** All that is to be tried for the first target, in one line: it ends with the exit code of the read. */
function untriedWays(hops: readonly LadderHop[], { evidence }: ValidatorContext): string {
  const ways = hops.map((hop) => ({ hop, line: untriedWay(hop, evidence.attempts) }));
  const first = ways.find(({ line }) => line !== null)?.hop.target;
  const lines = ways.flatMap(({ hop, line }) => (hop.target === first && line !== null ? [line] : []));
  return [...new Set(lines)].reverse().join('; ');
}

/** The file that the claim names, if the prompt lets it be asked for; where it names none, the first of the prompt. */
function changedPath(context: ValidatorContext): string | undefined {
  const { claim, contract, scope } = context;
  const { paths } = contract.fields;
  const named = claim.quote.replace(/\w+:\/\/\S+/g, '').match(/[\w./-]+\.\w{1,5}\b/g) ?? [];
  if (named.length === 0) return paths[0] ?? scope.changed[0];
  const meant = paths.filter((path) => named.some((name) => samePath(name, path)));
  return paths.length === 0 ? named[0] : meant[0];
}

/** Where the prompt names nothing: what was tried through a viewer, so that its end is seen. */
function seenAgain(
  { quote }: Claim,
  hops: readonly LadderHop[],
  { evidence }: ValidatorContext,
): string | null {
  if (hops.length > 0) return null;
  const tried = evidence.attempts.findLast(
    ({ capability, target, ok }) => capability === 'run' && ok && speaksOf(quote, target) && !isCut(target),
  );
  return tried === undefined ? null : unredirected(tried.target);
}

/** The first that the policy names, but a command for a claim that speaks of one. */
function preferred(claim: Claim, validators: readonly ValidatorId[]): ValidatorId | null {
  const first = claim.type === 'checked' ? 'command_zero_exit' : validators[0];
  return validators.find((id) => id === first) ?? validators[0] ?? null;
}

/** The request that did not get what it should is the one to make again. */
function askedAgain({ evidence: [at], code }: Fail, context: ValidatorContext): Suggestion | null {
  const { runs, attempts } = context.evidence;
  const check = runs.find(({ seq }) => seq === at)?.checks.find(({ kind }) => kind === 'http');
  const url = check?.url ?? attempts.find(({ seq }) => seq === at)?.target;
  if (url === undefined || code === 'grade') return null;
  const isWhole = check !== undefined && code !== 'no-status' && check.flaw === null && !isCut(check.command);
  const command = isWhole ? placed(check) : isPlain(url) ? `curl -i ${url}` : null;
  return { validator: 'http_2xx', args: {}, command };
}

function kindsOf({ type, about }: Claim): CheckKind[] {
  if (type === 'shipped') return ['ship'];
  if (about === 'build' || about === 'types' || about === 'lint' || about === 'format') return [about];
  return ['test', 'build', 'types', 'lint', 'run'];
}

/** What ships where nothing is known of the project. The message of a commit is the agent's to write. */
const SHIPS: readonly (readonly [about: RegExp, ...commands: string[]])[] = [
  [/commit/i, 'git commit -am "…"'],
  [/push/i, 'git push', 'git push -u origin HEAD'],
  [/\bpr\b|pull/i, 'gh pr create --fill'],
  [/\bmr\b|merge.request/i, 'glab mr create --fill'],
];

/** What was looked at with eyes, or looked up, is shown by no test. */
const SEEN =
  /\b(?:documentation|manual|reference|looked (?:it |this |that )?up)\b|\b(?:browser|page|screen(?:shots?)?|renders?|rendered|looks?|visual(?:ly)?|colou?rs?|contrast|layout|click(?:s|ed|ing)?|mobile|desktop)\b/i;

const MOST_RAN = 16;

function commandFor({ validators, context, project, told, again }: Wanted): string | null {
  const { claim, contract, evidence, scope } = context;
  if (claim.type === 'checked' && OF_TREE.test(claim.quote)) return 'git status';
  if (claim.about === 'ci') return null;
  if (claim.type === 'checked' && claim.about === null && SEEN.test(claim.quote)) return null;
  const kinds = kindsOf(claim);
  const vain = again ? [] : ranInVain(context);
  const fits = (line: string | null, kind: CheckKind): line is string =>
    line !== null && !vain.includes(line) && wouldSettle(line, kind, validators, context);
  // "`gofmt` is clean": the formatter that the claim names, told to look and not to write.
  const [, format = ''] = (claim.about === 'format' && /`([\w-]{2,40})`/.exec(claim.quote)) || [];
  const looks = `${format} ${format.endsWith('fmt') ? '-l' : '--check'} .`;
  const hints = [...contract.fields.command_hints.map(unredirected), looks];
  for (const kind of kinds) {
    const hint = hints.find((line) => fits(line, kind));
    if (hint !== undefined) return hint;
  }
  const ran = evidence.runs
    .toReversed()
    .flatMap(({ checks, genuine }) => (genuine ? checks : []))
    .filter((check) => isUsable(check) && check.directory !== null);
  // "Run it again", "Run it alone", "Fix it, then run": that command, or the whole of what it ran a part of.
  const isOfOne =
    /^(?:stale|failed|trick)$/.test(told?.fail.status ?? '') || told?.fail.code === 'unclear-end';
  const seqs = isOfOne ? told?.fail.evidence : [];
  const wanting = evidence.runs.filter(({ seq }) => seqs?.includes(seq)).flatMap(({ checks }) => checks);
  const named = ran
    .filter(({ runner }) => wanting.some((check) => check.runner === runner))
    .slice(0, MOST_RAN);
  for (const check of [...named.filter((each) => !isNarrowed(each)), ...named])
    if (kinds.some((kind) => isOfKind(check, kind) && fits(placed(check), kind))) return placed(check);
  for (const kind of kinds) {
    const alike = ran.filter((check) => isOfKind(check, kind)).slice(0, MOST_RAN);
    const whole = alike.filter((check) => !isNarrowed(check));
    const own =
      kind === 'test' || kind === 'build' || kind === 'types' || kind === 'lint' ? project[kind] : null;
    const lines = [
      ...whole.map(placed),
      ...alike.map(placed),
      // `go test` is less than `go test ./...`.
      ...alike.map(widened).flatMap((each) => (own?.startsWith(`${each} `) ? [own, each] : [each])),
      own,
      ...whole.flatMap((check) => beside(check, scope.changed)),
    ];
    const line = [...new Set(lines)].find((each) => fits(each, kind));
    if (line != null) return line;
  }
  return claim.type === 'shipped'
    ? (SHIPS.find(([about]) => about.test(claim.about ?? ''))
        ?.slice(1)
        .find((line): line is string => typeof line === 'string' && !vain.includes(line)) ?? null)
    : null;
}

const ROOT = '/workspace';

/** Would it, if it went well? Asked of the validators that the policy names, as they will be asked at the end. */
function wouldSettle(
  line: string,
  kind: CheckKind,
  validators: readonly ValidatorId[],
  context: ValidatorContext,
): boolean {
  const { evidence, scope, claim } = context;
  if (isCut(line)) return false;
  const { checks, background } = readCommand(line, { cwd: ROOT, root: ROOT, changed: scope.changed });
  if (background || !checks.some((check) => isOfKind(check, kind))) return false;
  const passed = claim.count ?? 1;
  const run = {
    seq: Number.MAX_SAFE_INTEGER,
    checks,
    exit: { code: 0, origin: 'host' },
    outcome: 'ok',
    tests:
      kind === 'test' || kind === 'run' ? { runner: '', passed, failed: 0, skipped: 0, total: passed } : null,
    treeBefore: evidence.tree,
    tree: evidence.tree,
    genuine: true,
  } as const;
  const after = { ...context, evidence: { ...evidence, runs: [run] } };
  return validators.some((id) => {
    const outcome = VALIDATORS[id].judge({}, after);
    return outcome.outcome === 'pass' && outcome.evidence.includes(run.seq);
  });
}

/** Words of an entry are redacted and cut; what is left of them is another command. */
function isCut(line: string): boolean {
  return /\[REDACTED:|…/.test(line);
}

/**
 * What came to its end on the code as it is now did not settle the claim, and would not the next time. A check that failed
 * is to be run again once the code is mended; what failed to ship is to be done in another way, and so is what is not there.
 */
function ranInVain({ evidence, claim }: ValidatorContext): readonly string[] {
  const isAbsent = ({ exit }: Run): boolean => exit.code === 127;
  // Without tests there is nothing to mend.
  const isOver = ({ exit, tests }: Run): boolean =>
    claim.type === 'shipped' ||
    ((exit.code ?? 0) === 0 && (tests?.failed ?? 0) === 0) ||
    (tests?.failed === 0 && tests.total === 0);
  return evidence.runs
    .filter((run) => run.genuine && (isAbsent(run) || (isOver(run) && editsSince(run, evidence) === null)))
    .flatMap(({ checks, tests }) =>
      checks.filter(({ flaw }) => flaw === null || tests?.total === 0).map(placed),
    );
}

/** A program that is named for tests is one for that; what only looks or installs shows nothing of the work. */
function isOfKind({ kind, runner }: Check, wanted: CheckKind): boolean {
  if (isLook(runner) || isInstall(runner)) return false;
  if (kind === 'run')
    return wanted === 'run' || wanted === 'ship' || (wanted === 'test' && runsTests(runner));
  return kind === wanted;
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

/** The same command without what it was narrowed to: `go test -run Stock ./...` is `go test ./...`. */
function widened(check: Check): string | null {
  if (!isNarrowed(check)) return null;
  const names = check.selectors.map((selector) => selector.replace(/^!/, ''));
  const words: string[] = [];
  for (const word of unredirected(check.command).split(' ')) {
    const bare = word.replace(/^["']|["']$/g, '');
    const path = bare.replace(/^\.\//, '').replace(/(?:\/\.\.\.|\/|::.*)$/, '');
    if (names.includes(bare)) {
      if (/^-[^=]*$/.test(words.at(-1) ?? '')) words.pop();
    } else if (
      !names.some((name) => bare.endsWith(`=${name}`)) &&
      !check.targets.some((target) => target === path || target.endsWith(`/${path}`))
    )
      words.push(word);
  }
  if (words.at(-1) === '--') words.pop();
  return placed({ ...check, command: words.join(' ') });
}

/** The same command in the folders beside its own that hold what changed: packages are tested alike. */
function beside(check: Check, changed: readonly string[]): string[] {
  const own = segments(check.directory ?? '');
  if (own.length === 0) return [];
  return changed
    .map((file) => segments(file).slice(0, own.length))
    .filter((place) => place.slice(0, -1).join('/') === own.slice(0, -1).join('/'))
    .map((place) => placed({ ...check, directory: place.join('/') }));
}

/** Where its output went is not part of the check: `npm test 2>&1`, `make > out.txt`. */
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

/** What the prompt names and was never had, what the claim speaks of first. */
function openHops({ claim, contract, evidence }: ValidatorContext): readonly LadderHop[] {
  const open = contract.ladder.filter(({ target }) => !isReached(target, evidence));
  const spoken = open.filter(({ target }) => speaksOf(claim.quote, target));
  return spoken.length > 0 ? spoken : open;
}
