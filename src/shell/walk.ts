// What is gathered while a command line is walked, and the small steps that all parts of the walk share: where exits
// lead, what a subshell keeps to itself, whose exit code a variable holds, and how a lost exit code is noted.
import { type CommandNode, parse, type Statement, type Word } from 'unbash';
import type { Check, Flaw } from '../format/index.ts';
import { clip, type Effect, MAX_WRITTEN, type Told, type View, type Way, type Where } from './facts.ts';
import { inWorkspace, resolvePath } from './places.ts';
import type { Shadows } from './shadows.ts';
import { ALL, type Bits, bitsOf, differs, join, type Result, type State, settle } from './shell-state.ts';
import { referenceIn } from './words.ts';

/** A check that was found, before it is known whether its exit code is its own. */
export interface Seen {
  readonly check: Omit<Check, 'flaw' | 'status'>;
  /** Something that no exit code can mend. */
  readonly flaw: Flaw | null;
  /** What took its exit code away, the first time that happened. */
  reason: Flaw | null;
  /** The first thing after it that may change files. */
  overtaken: string | null;
  /** Nothing before it could keep it from running without a word of git or the shell. */
  readonly reached: boolean;
  /** What has passed if it runs at all. */
  readonly after: Bits;
  /** What its output goes through, nothing where it comes as it is; null: it can't be told. */
  readonly through: View | null;
  /** The same, once its exit code is lost and that hides nothing. */
  view: View | null;
}

/** As the walk finds it: checks by their bits. */
export interface Echo extends Omit<Told, 'zero' | 'known' | 'absent'> {
  readonly zero: Bits;
  readonly known: Bits;
  absent?: Bits;
}

/** Where exits, returns and breaks lead. */
export interface Sink {
  zero: State | null;
  fail: State | null;
}

export interface Frame {
  readonly exit: Sink;
  readonly back: Sink | null;
  readonly loop: Sink | null;
  readonly given: readonly string[];
  /** Variables that the function declares for itself; null outside of functions. */
  readonly locals: Set<string> | null;
  /** Somebody looks at the exit code. */
  readonly quiet: boolean;
}

/** A program as the line starts it, or `>` with a file that the line writes to. */
export interface Started {
  /** Without what wraps it; what only the shell knows is left as it is written. */
  readonly argv: readonly string[];
  readonly cwd: string | null;
  /** `FOIL…=value`, `GIT_…=value`, editors and the like, as far as the line itself sets them for it. */
  readonly env: readonly string[];
  /** What here-documents and here-strings hand to it. */
  readonly input: readonly string[];
}

const MAX_VISITS = 8_000;

/** Walks statements in order; exit-flow.ts has it, and a command can run a script by it. */
export type WalkList = (walk: Walk, statements: readonly Statement[], state: State, at: Frame) => Result;

/** What is gathered on the way. One a line; nested scripts share it. */
export class Walk {
  source: string;
  readonly where: Where;
  readonly list: WalkList;
  /** Folders are told that are only known by their kind: a new temporary one, one of those that a loop goes through. */
  readonly guesses: boolean;
  /** What stands between what is printed here and who reads it; null: it goes elsewhere, to a file or into `$(…)`. */
  through: View | null = [];
  /** Around what is walked: so much decides whether it runs. */
  doubts = 0;
  /** A function was defined: any name may be one. */
  defines = false;
  /** What `echo` printed into view, and what that tells of checks. */
  readonly told: Echo[] = [];
  /** Loops around what is walked. */
  rounds = 0;
  /** A program shows a text that nobody knows. */
  showsText = false;
  readonly seen: Seen[] = [];
  readonly ways: Way[] = [];
  /** Files that `cat` reads, where what it prints goes on to something else; cleared at its end. */
  printed: string[] = [];
  /** What was put together in a file, by its path: the files it was made of. */
  readonly copies = new Map<string, readonly string[]>();
  /** Text comes in through a pipe, from a program that only prints. */
  piped = false;
  fed: readonly string[] = [];
  /** What is walked stands behind a pipe. */
  follows = false;
  readonly texts: string[] = [];
  readonly written = new Set<string>();
  readonly pastedFiles = new Set<string>();
  /** With how many checks were seen before, and whether it may be any file of the work tree. */
  readonly wrote: { readonly effect: Effect; readonly checks: number; readonly whole: boolean }[] = [];
  shadows: Shadows = { names: new Map(), all: null, sourced: null };
  /** The words after which nobody can tell how the shell goes on or ends. */
  unclear: string | null = null;
  /** What the shell is to run at a signal or at its end. */
  traps: { readonly action: string; readonly signals: string }[] = [];
  /** Variables with which an assignment does something else than to set them: references, constants. */
  readonly odd = new Set<string>();
  /** Why nothing here is ever reached; null where it is. */
  dead: string | null = null;
  lastExit = '';
  pasted: string | null = null;
  /** It prints words that a runner without numbers might print. */
  says = false;
  readonly heads: { readonly text: string; readonly behind: number }[] = [];
  feedsHooks = false;
  background = false;
  writes = false;
  /** Nodes that may still be visited: a line can call itself. */
  budget = MAX_VISITS;
  depth = 0;
  /** Something lies too deep to be walked: whoever asks what the line may do does not know all of it. */
  cut = false;
  /** Everything that is started, what is never reached included: for those who ask what a line may do. */
  readonly started: Started[] = [];
  programs = 0;
  /** The first check is the first of them. */
  opens = false;
  /** Before the last of them that nobody knows, so many checks were seen. */
  foreign = 0;
  /** Before the first of them, so many. */
  firstForeign = Number.POSITIVE_INFINITY;
  /** The words that a loop goes through, by its variable. */
  readonly loops = new Map<string, readonly string[]>();
  /** Variables that programs get, and so a shell that the line starts. */
  readonly exports = new Set<string>();

  constructor(source: string, where: Where, list: WalkList, guesses: boolean) {
    this.source = source;
    this.where = where;
    this.list = list;
    this.guesses = guesses;
  }

  /** The line may change files here: what was checked before may not be what there is after it. */
  overtake(by: string): void {
    this.writes = true;
    for (const seen of this.seen) seen.overtaken ??= by;
  }

  /** The exit codes of some checks are lost here, by these words, that hide nothing else if `isSeen`. The first loss is told. */
  lose(
    before: Bits,
    after: Bits,
    detail: string,
    code: 'masked' | 'background' = 'masked',
    isSeen = false,
  ): void {
    if (before === ALL) return;
    const lost = before & ~after;
    if (lost === 0) return;
    for (const [bit, seen] of this.seen.entries()) {
      if (bit >= 31 || (lost & (1 << bit)) === 0) continue;
      if (seen.reason === null && isSeen && !this.#isShadowed()) seen.view = seen.through;
      seen.reason ??= { code, detail: clip(detail, 120) };
    }
  }

  #isShadowed(): boolean {
    return this.defines || this.shadows.all !== null || this.shadows.names.size > 0;
  }

  /** Has it a redirection with one of these signs, other than of its errors? */
  isLed(node: CommandNode, signs: string): boolean {
    const redirects = 'redirects' in node ? node.redirects : [];
    return redirects.some(({ pos, end }) => {
      const text = this.source.slice(pos, end);
      return !text.startsWith('2>') && [...signs].some((sign) => text.includes(sign));
    });
  }

  /** What is in here runs only if something else says so. */
  perhaps<T>(visit: () => T): T {
    this.doubts++;
    const result = visit();
    this.doubts--;
    return result;
  }

  /** Comes what is printed here into view as it is? */
  get isPlain(): boolean {
    return this.through?.length === 0;
  }

  /** Does any line of it come into view? */
  get isInView(): boolean {
    return this.through?.every(([name]) => name !== 'wc') === true;
  }

  /** What is printed in here goes through these, or elsewhere. */
  apart<T>(visit: () => T, view: View | null = null): T {
    const outer = this.through;
    this.through = view === null || outer === null ? null : [...view, ...outer];
    const result = visit();
    this.through = outer;
    return result;
  }

  /** What is printed in here goes to a file: it is made of what was read. Nothing read: what was in it is gone. */
  copied(target: string, append: boolean, visit: () => Result): Result {
    const kept = this.printed;
    this.printed = [];
    const result = visit();
    if (this.copies.size < MAX_WRITTEN)
      this.copies.set(
        target,
        [...(append ? (this.copies.get(target) ?? []) : []), ...this.printed].slice(0, 16),
      );
    this.printed = kept;
    return result;
  }

  /** A file is written here. A name that only the shell knows is none. */
  noteWrite({ path, op, to }: Effect, cwd: string | null): void {
    if (op === 'write') this.copies.delete(path);
    if (this.dead !== null || this.wrote.length >= MAX_WRITTEN) return;
    const place = (name: string): string => {
      if (/[$`]/.test(name)) return '';
      const whole = resolvePath(name, cwd);
      return clip(whole === null ? name : (inWorkspace(whole, this.where.root) ?? whole), 1024);
    };
    const effect = { path: place(path), op, ...(to === undefined ? {} : { to: place(to) }) };
    this.wrote.push({ effect, checks: this.seen.length, whole: path === '' });
  }

  textOf(node: { pos: number; end: number }): string {
    return this.source.slice(node.pos, node.end).replace(/\s+/g, ' ').trim();
  }

  /** Counts what is visited: a line can call itself, and then nothing is said of it. */
  spend(): void {
    if (--this.budget < 0) throw new TooMuch('too much to walk');
  }

  /** Walks what never runs, so that what is named there can be told. */
  unreached(why: string, visit: () => void): void {
    const before = this.dead;
    this.dead ??= why;
    visit();
    this.dead = before;
  }

  /** What happens in a subshell stays there; its exit is its end. */
  inSubshell(visit: (inner: Frame) => Result, at: Frame): Result {
    const { shadows, unclear, traps, lastExit } = this;
    this.shadows = { ...shadows, names: new Map(shadows.names) };
    this.unclear = null;
    this.traps = [];
    const inner = frame(at.given, at.quiet);
    const result = visit(inner);
    sinkTo(inner.exit, result);
    const { zero, fail } = inner.exit;
    for (const trap of this.traps) this.#sprung(trap, fail ?? zero);
    const words = this.unclear as string | null;
    Object.assign(this, { shadows, unclear, traps, lastExit });
    if (words === null) return { zero, fail };
    this.lose(bitsOf(zero), 0, words);
    return { zero: zero && { ...zero, known: 0 }, fail };
  }

  /** A trap has the last word if it can end a shell with 0 that has failed, or writes what the line goes by. */
  #sprung({ action, signals }: Walk['traps'][number], end: State | null): void {
    if (end === null) return;
    const words = clip(`trap '${action}' ${signals}`, 100);
    const script = parse(action);
    if ((script.errors?.length ?? 0) > 0) {
      this.unclear ??= words;
      return;
    }
    const { fail: failed } = settle({ zero: null, fail: end });
    if (failed === null) return;
    const [source, checks] = [this.source, this.seen.length];
    this.source = action;
    const inner = frame([], true);
    const { zero, fail } = this.list(this, script.commands, { ...failed, errexit: false }, inner);
    this.source = source;
    this.seen.length = checks;
    const isLast = /^(?:EXIT|0|SIGEXIT|exit)$/.test(signals);
    const writes = !isLast && [zero, fail].some((after) => differs({ ...failed, errexit: false }, after));
    if (inner.exit.zero !== null || writes) this.unclear ??= words;
  }
}

export const newSink = (): Sink => ({ zero: null, fail: null });
export const frame = (given: readonly string[] = [], quiet = false): Frame => ({
  exit: newSink(),
  back: null,
  loop: null,
  given,
  locals: null,
  quiet,
});

export function sinkTo(sink: Sink, result: Result): void {
  sink.zero = join(sink.zero, result.zero);
  sink.fail = join(sink.fail, result.fail);
}

export class TooMuch extends RangeError {}

/** set -e: a command that fails ends the shell, unless somebody looks at its exit code. */
export function stopOnFailure(result: Result, state: State, at: Frame): Result {
  if (!state.errexit || at.quiet) return result;
  sinkTo(at.exit, { zero: null, fail: result.fail });
  return { zero: result.zero, fail: null };
}

/** `[ $? -eq 0 ]` and the like: the exit code that is asked for is the one of a command before. */
export function comparison(left: Word, operator: string, right: Word, state: State): Result | null {
  const equal = /^(?:-eq|=|==)$/.test(operator);
  const unequal = /^(?:-ne|!=|-gt)$/.test(operator);
  if ((!equal && !unequal) || !/^["']?0["']?$/.test(right.text)) return null;
  const name = referenceIn(left);
  return name === null ? null : compared(name, equal, state);
}

export function compared(name: string, equal: boolean, state: State): Result | null {
  const known = statusBits(name, state);
  if (known === null) return null;
  const zero = known === ALL ? null : { ...state, known: state.known | known };
  return settle(equal ? { zero, fail: state } : { zero: state, fail: zero });
}

/** What is known if this variable is 0. */
export function statusBits(name: string, state: State): Bits | null {
  if (name === '?') return state.last.zero;
  if (name === '!') return state.job;
  const part = /^PIPESTATUS(?:\[(\d)\])?$/.exec(name);
  if (part) return state.pipe[Number(part[1] ?? 0)] ?? null;
  return state.variables.get(name)?.zero ?? null;
}
