// What the evidence gate stores: what a finished command says of itself, the contract of a prompt, a claim, a
// validation, the gate's verdict. Small, redacted facts, so that a verdict can be judged again from the entries alone.
// How each is written stands in the file of its name: check.ts, contract.ts, claim.ts, validation.ts, gate.ts,
// mishap.ts, validator-key.ts. spec/evidence.md is the specification.

/** What a command is good for as evidence. */
export type CheckKind = 'test' | 'build' | 'types' | 'lint' | 'format' | 'run' | 'http' | 'ship';

/**
 * Why the exit code of a command is not the check's own, or why it checked nothing. `overtaken`: the line went on to
 * something that may change files; that is a flaw only where code did change.
 */
export type FlawCode = 'not-a-check' | 'masked' | 'background' | 'dry-run' | 'shadowed' | 'overtaken';

export interface Flaw {
  readonly code: FlawCode;
  /** The words that make it so: `|| true`. */
  readonly detail: string;
}

/** One check within a command line. A line with `&&` may hold several. */
export interface Check {
  readonly kind: CheckKind;
  /** `npm test`, `go test`, `tsc`, `curl`, `git push` … */
  readonly runner: string;
  /** The simple command that is the check, redacted, at most 256 characters. */
  readonly command: string;
  /** What it was narrowed to by path, relative to the workspace; none: all there is in its directory. */
  readonly targets: readonly string[];
  /** What it was narrowed to by name (`-k`, `-t`, `-run`); with `!` before it, what it left out. */
  readonly selectors: readonly string[];
  /** Where it ran, relative to the workspace: '' is its root; null where that is not known or outside. */
  readonly directory: string | null;
  readonly flaw: Flaw | null;
  /** Of an HTTP request: what was asked, and the status it got where the output tells it. */
  readonly url: string | null;
  readonly status: number | null;
  /**
   * What the runner's own summary says, where the exit code did not come through: it is not known, a program that shows
   * output took its place, or another command of the line may have failed (`unclear` where nothing tells which). Left out
   * where the exit code is enough, or nothing is known.
   */
  readonly summary?: 'passed' | 'failed' | 'unclear';
}

/** Something that a call tried to get at. */
export interface AttemptFact {
  readonly capability: 'fetch' | 'read' | 'search' | 'run';
  /** The tool, or the program in a command: `WebFetch`, `curl`, `Read`, `grep`. */
  readonly way: string;
  readonly target: string;
  readonly ok: boolean;
  /** Of a fetch: the HTTP status, where the tool told it. */
  readonly status: number | null;
}

/** Is the exit code the check's own? What the line did after it does not take it away. */
export function isOwn({ flaw }: Pick<Check, 'flaw'>): boolean {
  return flaw === null || flaw.code === 'overtaken';
}

export interface TargetFields {
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  readonly backtick_tokens: readonly string[];
  readonly command_hints: readonly string[];
  /** For readers only: nothing binds to them. */
  readonly keywords: readonly string[];
}

/** A way up: what must have been tried before "I can't" is believed. */
export interface LadderHop {
  readonly capability: 'fetch' | 'read' | 'search' | 'run';
  /** The URL, path or command that the prompt names. */
  readonly target: string;
}

/** What a prompt asks for, as far as it can be read from it. Empty for a vague one. */
export interface Contract {
  /** `fix`, `add`, `change`, `remove`, `test`, `document`, `ship`, `investigate` or `other`. */
  readonly intent: string;
  readonly fields: TargetFields;
  readonly ladder: readonly LadderHop[];
  /** Ids of validators that would settle it, best first. */
  readonly expected: readonly string[];
  readonly responseMode: 'free' | 'foil_final';
  /** The prompt asks that tests be skipped, removed or loosened, so that doing so weakens nothing. */
  readonly allowsWeakening: boolean;
  /** Which tests may be skipped or removed, where it says which. It is the prompt's own words: no entry has it. */
  readonly mayLeaveOut?: readonly string[];
  /** It says that tests stay as they are. No entry has it. */
  readonly keepsTests?: true;
  /** It asks that a type checker or a linter be less strict. */
  readonly allowsLoosening?: true;
}

export type ClaimType = 'done' | 'changed' | 'tested' | 'checked' | 'shipped' | 'blocked' | 'delegation';

export interface Claim {
  readonly type: ClaimType;
  /** The claiming words as they stand in the message. */
  readonly quote: string;
  /** What of: `build`, `types`, `lint`, `format`, `push`, `commit`, `publish`, `deploy` … where it says so. */
  readonly about: string | null;
  /** It says so of everything there is: "the full suite passes". */
  readonly whole: boolean;
  /** How many tests it says have passed; null where it names no number. Left out where nobody looked for one. */
  readonly count?: number | null;
}

/** How far evidence can be believed, the least first: a hook said so; the wire saw the same; we ran it ourselves. */
export const GRADES = ['reported', 'corroborated', 're-executed'] as const;
export type Grade = (typeof GRADES)[number];

/** Of several, the least: what rests on all of them is no better. Of none, that of somebody's word. */
export function leastGrade(grades: readonly Grade[]): Grade {
  return GRADES.find((grade) => grades.includes(grade)) ?? 'reported';
}

export type ClaimStatus =
  | 'backed'
  | 'excused'
  | 'unbacked'
  | 'stale'
  | 'failed'
  | 'weakened'
  | 'narrow'
  | 'trick'
  | 'not-tried';

export type GateVerdict = 'silent' | 'pass' | 'warn' | 'block' | 'unproven' | 'ungated';
