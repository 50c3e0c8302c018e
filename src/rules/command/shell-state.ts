// What is known at a point of a command line, on every path that leads there: which checks must have exited 0. A path
// that can't be taken is null, and joining with it changes nothing; so `pytest || exit 1` goes on only where pytest
// passed, while `pytest || true` goes on knowing nothing.

/** Checks by bit; at most 31 are followed. */
export type Bits = number;
export const MAX_FOLLOWED = 31;
export const ALL: Bits = -1;

export interface Variable {
  /** What is known if its value is 0. */
  readonly zero: Bits;
  /** Its value where the line itself says it. */
  readonly text: string | null;
}

export interface State {
  readonly known: Bits;
  /** What is known if `$?` is 0 here, and if it is not. */
  readonly last: { readonly zero: Bits; readonly fail: Bits };
  /** The same for the parts of the last pipeline, for PIPESTATUS; and for the last background command. */
  readonly pipe: readonly Bits[];
  readonly job: Bits;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly cwd: string | null;
  /** The words of `$@` as `set --` gave them; null where it gave none. */
  readonly given: readonly string[] | null;
  readonly errexit: boolean;
  readonly pipefail: boolean;
}

/** Where a command leads to if it exits 0, and if it does not; null: it can't. */
export interface Result {
  readonly zero: State | null;
  readonly fail: State | null;
}

export const bitsOf = (state: State | null): Bits => (state === null ? ALL : state.known);

export function startState(cwd: string | null): State {
  const last = { zero: 0, fail: 0 };
  return {
    known: 0,
    last,
    pipe: [],
    job: 0,
    variables: new Map(),
    cwd,
    given: null,
    errexit: false,
    pipefail: false,
  };
}

/** Two paths come together: what both know. */
export function join(a: State | null, b: State | null): State | null {
  if (a === null) return b;
  if (b === null || a === b) return a;
  return {
    known: a.known & b.known,
    last: { zero: a.last.zero & b.last.zero, fail: a.last.fail & b.last.fail },
    pipe: a.pipe.length === b.pipe.length ? a.pipe.map((bits, at) => bits & (b.pipe[at] ?? 0)) : [],
    job: a.job & b.job,
    variables: joinVariables(a, b),
    cwd: a.cwd === b.cwd ? a.cwd : null,
    given: a.given === b.given ? a.given : [...(a.given ?? []), ...(b.given ?? [])].slice(0, MAX_GIVEN),
    errexit: a.errexit && b.errexit,
    pipefail: a.pipefail && b.pipefail,
  };
}

/** If the variable is 0 after the paths joined, it was so on one of them, and that path's knowledge holds. */
function joinVariables(a: State, b: State): ReadonlyMap<string, Variable> {
  if (a.variables === b.variables && a.known === b.known) return a.variables;
  const both = new Map<string, Variable>();
  for (const [name, left] of a.variables) {
    const right = b.variables.get(name);
    if (right === undefined) continue;
    const zero = (left.zero | a.known) & (right.zero | b.known);
    both.set(name, { zero, text: left.text === right.text ? left.text : null });
  }
  return both;
}

const MAX_VARIABLES = 64;
export const MAX_GIVEN = 256;

export function assign(state: State, name: string, value: Variable): State {
  if (state.variables.size >= MAX_VARIABLES && !state.variables.has(name)) return state;
  return { ...state, variables: new Map(state.variables).set(name, value) };
}

/** `$?` after the two ways out of a command. */
export function settle({ zero, fail }: Result, pipe?: readonly Bits[]): Result {
  return {
    zero: zero && { ...zero, last: { zero: zero.known, fail: ALL }, pipe: pipe ?? [zero.known] },
    fail: fail && { ...fail, last: { zero: ALL, fail: fail.known }, pipe: pipe ?? [ALL] },
  };
}
