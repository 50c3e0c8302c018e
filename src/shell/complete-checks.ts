// What the output adds to the checks of a line: the sum of a test run, the status of an HTTP answer, what a script that it ran
// says of itself, and make's own word that it ignored a failure.
import { isTestFile, plainText, standsIn, traitsOf } from '../ecosystems/index.ts';
import { type Check, type Flaw, isOwn, type TestCounts } from '../format/index.ts';
import type { CommandFacts, View } from './facts.ts';
import { hookChecks } from './hook-checks.ts';
import { NO_REPLY, statusesOf, statusOf } from './http-status.ts';
import { readCommand } from './read-command.ts';
import { endsAlike, type Summary, showsFailure, summaryOf } from './summary.ts';
import { toldEnds } from './told.ts';
import { isKept, onlyShows } from './views.ts';

const MAX_OUTPUT = 256 * 1024;

export interface Ended {
  readonly output: string;
  /** The line's; null where it is not known. */
  readonly exit: number | null;
  /** What its output counts; null where it counts nothing, or printed it by itself. */
  readonly tests: TestCounts | null;
  readonly changed?: readonly string[];
}

type Read = Pick<
  CommandFacts,
  | 'checks'
  | 'views'
  | 'reached'
  | 'after'
  | 'told'
  | 'single'
  | 'foreign'
  | 'firstForeign'
  | 'heads'
  | 'pasted'
  | 'says'
  | 'mutes'
  | 'opens'
  | 'changed'
>;

/** Never throws. */
export function completeChecks(read: Read, ended: Ended): Check[] {
  const { checks } = read;
  const { output, exit, tests } = ended;
  const raw =
    output.length <= MAX_OUTPUT
      ? output
      : `${output.slice(0, MAX_OUTPUT / 2)}\n${output.slice(-MAX_OUTPUT / 2)}`;
  const text = plainText(raw);
  const asked = checks.filter((check) => check.kind === 'http' && check.flaw?.code !== 'not-a-check');
  const inTurn = asked.length > 1 ? statusesOf(asked, text) : [];
  const byHook =
    exit === 0 && !read.says && read.pasted === null ? hookChecks(checks, raw, ended.changed ?? []) : [];
  const told = read.pasted === null ? toldEnds(read.told, raw, exit) : new Map<Check, Summary>();
  const completed = checks.map((each): Check => {
    const check = summed(each, read, { ...ended, output: raw }, told.get(each) ?? null);
    if (check.kind === 'http') {
      if (!asked.includes(each) || exit === null) return check;
      const status = asked.length === 1 ? statusOf(check, text) : (inTurn[asked.indexOf(each)] ?? null);
      if (asked.length > 1 && status === null) return check;
      if (status === NO_REPLY) return { ...check, summary: 'failed' };
      if (status === null && read.pasted === null && isAnswered(each, read, text, told))
        return { ...check, summary: 'passed' };
      const isShown = isOwn(check) || (check.flaw?.code === 'masked' && told.get(each) === 'passed');
      const view = isShown ? [] : check.flaw?.code === 'masked' ? read.views.get(each) : undefined;
      if (
        status === null &&
        exit === 0 &&
        view !== undefined &&
        isLookedAt(view, ended) &&
        !isLoud(read) &&
        !NO_ANSWER.test(text)
      )
        return { ...check, status, summary: 'unclear' };
      // Who has the answer needs no exit code.
      return {
        ...check,
        status,
        ...(status !== null && read.views.get(each)?.length === 0 && { summary: 'passed' }),
      };
    }
    // Where a runner ran beside it, the counts are the runner's.
    const counts = tests !== null && isOwn(check) && !checks.some(({ kind }) => kind === 'test');
    const own = counts ? standsIn(check, read.changed ?? []) : null;
    if (own !== null) return { ...check, flaw: { code: 'shadowed', detail: own.slice(0, 120) } };
    const ignored = /^make\b/.test(check.runner)
      ? /^g?make(?:\[\d+\])?: \[.{1,200}\] Error \d+ \(ignored\)$/m.exec(text)?.[0]
      : undefined;
    if (check.flaw === null && SCRIPTS.test(check.runner))
      return {
        ...check,
        flaw: absentScript(check, text) ?? scriptFlaw(text, tests === null ? [] : (read.changed ?? [])),
      };
    return ignored !== undefined && isOwn(check)
      ? { ...check, flaw: { code: 'masked', detail: ignored.slice(0, 120) } }
      : check;
  });
  const shown = completed.flatMap(({ summary }, at) => (summary === 'passed' ? (checks[at] ?? []) : []));
  const before = new Set(shown.flatMap((check) => read.after.get(check) ?? []));
  // Where all was committed before, a commit does nothing, and fails at nothing.
  const isIdle = ({ runner, summary }: Check): boolean =>
    runner === 'git commit' && checks.length === 1 && (exit === 1 || summary === 'failed') && IDLE.test(text);
  return [
    ...completed
      .map((check, at) => led(check, before.has(checks[at] ?? check)))
      .filter((check) => !isIdle(check)),
    ...byHook,
  ];
}

const IDLE = /^nothing to commit, working tree clean$/m;

/** What shows its own good end was reached: then all that it waited for passed. Tests count what passed, or have a code. */
function led(check: Check, isBefore: boolean): Check {
  return isBefore && check.summary === 'unclear' && check.kind !== 'test'
    ? { ...check, summary: 'passed' }
    : check;
}

/** A server of the line prints as well: what is in view may be its word. */
function isLoud({ checks }: Read): boolean {
  return checks.some(({ flaw, command }) => flaw?.code === 'background' && !command.includes('>'));
}

/** `curl -f` prints no body of an error: what is in view is an answer, where no server of the line prints as well. */
function isAnswered(check: Check, read: Read, text: string, told: ReadonlyMap<Check, Summary>): boolean {
  if (check.flaw?.code !== 'masked' || !/\s(?:-[a-zA-Z]*f[a-zA-Z]*|--fail)(?=\s)/.test(check.command))
    return false;
  const isBody = read.checks.every(({ kind, flaw }) => kind === 'http' || flaw?.code === 'background');
  const isSeen = isBody && !isLoud(read) && read.views.get(check)?.length === 0 && read.foreign === 0;
  return told.get(check) === 'passed' || (isSeen && text.trim() !== '' && !/^curl: \(/m.test(text));
}

/** With what its own summary says, where the exit code tells nothing of it. */
function summed(check: Check, read: Read, ended: Ended, told: Summary | null): Check {
  const { checks, views, reached, single, foreign, pasted, says } = read;
  const { output, exit, tests } = ended;
  const shown = exit === 0 && isOwn(check) ? shownBy(check, output, single && pasted === null) : null;
  if (shown !== null) return { ...check, summary: shown };
  const isMasked = check.flaw?.code === 'masked';
  const view = isMasked ? views.get(check) : undefined;
  const isOpen = isOwn(check) && (exit === null || (exit !== 0 && !single));
  if (check.kind === 'http' || !(isMasked || isOpen)) return check;
  const isFirst = speaksFirst(check, read, output, tests);
  // What others may have printed, the line itself among them, is no word of the check.
  const isOthers =
    pasted !== null ||
    (says && check.kind !== 'test') ||
    (checks.indexOf(check) < foreign && !isFirst && !isHeard(check, read, output, tests)) ||
    (exit === null && isRewritten(check, ended));
  // If there is only one sum, it belongs to this check.
  const isSole = isFirst && checks[0] === check;
  const same = checks.filter(
    (other) => endsAlike(check, other) && (!isSole || other.runner === check.runner),
  ).length;
  const own =
    isOthers || (view === undefined && !isOpen)
      ? null
      : summaryOf(check, output, tests, view ?? [], {
          line: checks,
          same,
          reached: reached.has(check),
        });
  const end = own === 'failed' || !isMasked ? own : (told ?? own);
  if (end !== null) return { ...check, summary: end };
  const isPlain = view?.length === 0 && exit !== null;
  if (isPlain && check.kind === 'run' && showsFailure(output)) return { ...check, summary: 'failed' };
  const isSeen =
    view !== undefined && (check.kind === 'run' || (isChecker(check) && showsErrors(view, output)));
  const isShown = exit === 0 && isSeen && isLookedAt(view, ended);
  // Another command of the line may have failed, this one may never have run.
  return isPlain || isShown || (isOpen && exit !== null) ? { ...check, summary: 'unclear' } : check;
}

/** `python -m app report | head`: what a program printed is in view, and nothing of it tells of a failure. */
function isLookedAt(view: View, { output, tests }: Ended): boolean {
  const isBad = showsFailure(output) || NOT_BEGUN.test(output) || (tests?.failed ?? 0) > 0;
  const isSought = view.some(([name]) => name === 'grep');
  return view.every(onlyShows) && (output.trim() !== '' || isSought) && !isBad;
}

const isChecker = ({ kind }: Check): boolean => /^(?:build|types|lint|format)$/.test(kind);

/** An error would be in view: it stands at the end, or the words of one are looked for. */
function showsErrors(view: View, output: string): boolean {
  const isSought = ([name = '', ...args]: readonly string[]): boolean =>
    name === 'grep' && /\berr/i.test(args.join(' '));
  return (
    view.length > 0 &&
    view.every(
      (words) =>
        isSought(words) ||
        /^(?:tail|tee|cat)$/.test(words[0] ?? '') ||
        (words[0] === 'wc' && view.some(isSought) && output.trim() === '0'),
    )
  );
}

/** An error of the client, the server or the page. */
const NO_ANSWER = /^curl: \(|error\b|\b(?:forbidden|unauthorized|refused|[45]\d\d)\b|\bE[A-Z]{6,}\b/im;

/** Words of what never began to run. */
const NOT_BEGUN = /\b(?:No module named|not found|Cannot find)\b/;

/**
 * A program that nobody knows ran behind the tests: what they print stands before what it prints. So it is for a sum that
 * stands in the output once, no further down than the tests' own lines can reach, with no sign that they never began.
 */
function speaksFirst(check: Check, read: Read, output: string, tests: TestCounts | null): boolean {
  const once = check.kind === 'test' ? traitsOf(tests?.runner ?? '')?.once : undefined;
  const last = read.views.get(check)?.at(-1);
  const isHidden = />(?!&1)/.test(check.command);
  if (once === undefined || last === undefined || isHidden) return false;
  const lines = plainText(output).split('\n', 10_000);
  // What stands above a heading that the line itself prints can't come from a program that it runs after it.
  const index = read.checks.indexOf(check);
  const { text = '' } = read.heads?.findLast(({ behind }) => behind > index) ?? {};
  const end = lines.indexOf(text) === lines.lastIndexOf(text) && text !== '' ? lines.indexOf(text) : 0;
  const own = index < (read.firstForeign ?? 0) ? lines.length : end;
  const reach = reachOf(last, lines, output.includes('\u001b'));
  const sums = lines.flatMap((line, at) => (once.test(line) ? at : []));
  const [at = reach] = sums;
  return sums.length === 1 && at < Math.min(reach, own) && !NOT_BEGUN.test(lines.slice(0, at).join('\n'));
}

/**
 * The same, where its words may stand anywhere: it ran before all of those, whatever came before it, a sum of its own would be
 * in view however it ended, and there is one, with no sign that anything broke off. So that sum is its own.
 */
function isHeard(check: Check, read: Read, output: string, tests: TestCounts | null): boolean {
  const { once, lines: known, depth = Number.POSITIVE_INFINITY } = traitsOf(tests?.runner ?? '') ?? {};
  const view = read.views.get(check);
  const isOnly = read.checks.filter(({ kind }) => kind === 'test').length === 1 && check.kind === 'test';
  if (!isOnly || view === undefined || !read.reached.has(check) || read.mutes === true) return false;
  if ((read.firstForeign ?? 0) <= read.checks.indexOf(check)) return false;
  // Who ends it from outside lets it say nothing.
  if (/\b(?:timeout|kill)\b/.test(check.command)) return false;
  const text = plainText(output);
  const printed = text.split('\n', 10_000);
  const shown = { lines: printed.length, coloured: output.includes('\u001b') };
  const last = read.opens === true ? view.at(-1) : undefined;
  const reach = last === undefined ? printed.length : reachOf(last, printed, shown.coloured);
  const sums = printed.filter((line) => once?.test(line) ?? known?.exec(line)?.groups?.good !== undefined);
  return (
    sums.length > 0 &&
    printed.indexOf(sums.at(-1) ?? '') < reach &&
    (once === undefined || sums.length === 1) &&
    sums.every((line) => isKept(line, view, shown, once === undefined ? 1 : depth)) &&
    !NOT_BEGUN.test(text) &&
    !BROKE_OFF.test(text) &&
    !showsFailure(text)
  );
}

/** What the shell, or a program, says where it came to no end of its own. */
const BROKE_OFF =
  /^(?:\S*\/)?(?:go|\w*sh|python[\d.]*|node|npm|g?make|cargo|timeout): |^(?:error|fatal|usage|killed|terminated|aborted|segmentation fault|timeout)\b|^[\w.]*(?:Error|Exception|Interrupt|Exit)\b|No such file/im;

/** How many lines, from the first on, may be what came out of this viewer. */
function reachOf(
  [name = '', ...args]: readonly string[],
  lines: readonly string[],
  coloured: boolean,
): number {
  if (name === 'tail') return Number(/^-(?:n ?)?(\d{1,4})$/.exec(args.join(' '))?.[1] ?? 0);
  if (name !== 'grep') return 0;
  const shown = { lines: lines.length, coloured };
  const other = lines.findIndex((line) => !isKept(line, [[name, ...args]], shown));
  return other < 0 ? lines.length : other;
}

/** Nobody told how a script ended that was written in this session: then what it prints is the session's own word. */
function isRewritten({ runner }: Check, { changed = [] }: Ended): boolean {
  const script = SCRIPTS.test(runner) ? /(?:^|\/)package\.json$/ : MAKE.test(runner) ? MAKEFILE : null;
  return script !== null && changed.some((path) => script.test(path));
}

/** A formatter that only shows what it would change passes by printing nothing, where that would be in view. */
function shownBy({ runner, command }: Check, output: string, alone: boolean): 'failed' | 'unclear' | null {
  const shows = traitsOf(runner)?.shows;
  if (shows === undefined || /\s-(?:w|i)\b/.test(command)) return null;
  if (/(?:^|[\s&1])>/.test(command)) return 'unclear';
  return shows.test(plainText(output)) ? (alone ? 'failed' : 'unclear') : null;
}

const SCRIPTS = /^(?:npm|pnpm|yarn|bun) /;
const MAKE = /^(?:g?make|just|task)\b/;
const MAKEFILE = /(?:^|\/)(?:(?:GNU)?[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile\.ya?ml|[^/]+\.mk)$/;

/** A script that is not there is no failure with this option, and nothing is printed. */
function absentScript({ command }: Check, text: string): Flaw | null {
  return /\s--if-present\b/.test(command) && text.trim() === ''
    ? { code: 'not-a-check', detail: '--if-present: there is no such script' }
    : null;
}

/**
 * npm and its kin print the script before they run it: `> tsc || true`. What it says against the check counts,
 * what it says for it does not: it may be printed by anybody.
 */
function scriptFlaw(text: string, changed: readonly string[]): Flaw | null {
  for (const match of text.slice(0, 16_384).matchAll(/^(?:> \S.{0,200}\n> (?!\S+@)|\$ )(.{1,1000})$/gm)) {
    const script = match[1] ?? '';
    const { checks, attempts, unparsed } = readCommand(script, { cwd: null, root: null, changed });
    if (unparsed) continue;
    const flawed = checks.find((check) => check.flaw !== null && check.flaw.code !== 'dry-run');
    const clean = checks.some((check) => check.flaw === null);
    const runs = attempts.some(({ capability }) => capability === 'run');
    if (!clean && flawed?.flaw && (flawed.flaw.code !== 'not-a-check' || !runs))
      return { code: flawed.flaw.code, detail: script.slice(0, 120) };
    if (!clean && !runs) return { code: 'not-a-check', detail: script.slice(0, 120) };
    // What a script of this session prints is no count of anybody's.
    const own = script.split(/\s+/).map((word) => word.replace(/^\.\//, ''));
    const isCheck = checks.some((check) => check.flaw === null && check.kind !== 'run');
    if (!isCheck && own.some((word) => changed.includes(word) && !isTestFile(word)))
      return { code: 'shadowed', detail: script.slice(0, 120) };
  }
  return null;
}
