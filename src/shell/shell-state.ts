// What is known at a point of a command line, on every path that leads there: which checks must have exited 0. A path
// that can't be taken is null, and joining with it changes nothing; so `npm test || exit 1` goes on only where it
// passed, while `npm test || true` goes on knowing nothing.

import type { Function as FunctionNode } from 'unbash';

/** Checks by bit; at most 31 are followed. */
export type Bits = number;
export const MAX_FOLLOWED = 31;
export const ALL: Bits = -1;

export interface Variable {
  /** What is known if its value is 0. */
  readonly zero: Bits;
  /** Its value where the line itself says it. */
  readonly text: string | null;
  /** It can only be a number; any other text may be an expression that assigns. */
  readonly isNumber?: boolean;
}

/** A function of the line, with the text that it stands in. */
export interface Defined {
  readonly node: FunctionNode;
  readonly source: string;
}

export interface State {
  readonly known: Bits;
  /** What is known if `$?` is 0 here, and if it is not. */
  readonly last: { readonly zero: Bits; readonly fail: Bits };
  /** The same for the parts of the last pipeline, for PIPESTATUS; and for the last background command. */
  readonly pipe: readonly Bits[];
  readonly job: Bits;
  readonly variables: ReadonlyMap<string, Variable>;
  /** Null: there may be such a function or not, or another one. */
  readonly functions: ReadonlyMap<string, Defined | null>;
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
    functions: new Map(),
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
    functions: joinFunctions(a.functions, b.functions),
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
    const isNumber = isNumeric(left) && isNumeric(right);
    both.set(name, { zero, text: left.text === right.text ? left.text : null, isNumber });
  }
  return both;
}

function joinFunctions(a: State['functions'], b: State['functions']): State['functions'] {
  if (a === b) return a;
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map(
    [...names].map((name) => [name, a.get(name) === b.get(name) ? (a.get(name) ?? null) : null]),
  );
}

const MAX_VARIABLES = 64;
export const MAX_GIVEN = 256;

export function assign(state: State, name: string, value: Variable): State {
  if (state.variables.size >= MAX_VARIABLES && !state.variables.has(name)) return state;
  return { ...state, variables: new Map(state.variables).set(name, value) };
}

const isNumeric = ({ text, isNumber }: Variable): boolean => isNumber === true || /^\d+$/.test(text ?? '');

/**
 * Something may have written to variables here: none of them tells any more how a check ended, and those that the words
 * name have no known value. Null: any of them.
 */
export function forget(state: State, words: string | null): State {
  if (state.variables.size === 0) return state;
  const named = words === null || /[$`]/.test(words) ? null : new Set(words.match(/\w+/g));
  const variables = new Map<string, Variable>();
  for (const [name, old] of state.variables) {
    const isLost = named?.has(name) ?? true;
    const isSame = old.zero === 0 && (!isLost || (old.text === null && old.isNumber !== true));
    variables.set(name, isSame ? old : { zero: 0, text: isLost ? null : old.text });
  }
  return { ...state, variables };
}

/** These variables, and no others, are written to. */
export function without(state: State, names: readonly string[]): State {
  const variables = new Map(state.variables);
  for (const name of names) if (variables.has(name)) variables.set(name, { zero: 0, text: null });
  return { ...state, variables };
}

/** An expression is worked out. It may assign, and so may what stands in the variables that it names. */
export function calculated(state: State, expression: string): State {
  const text = expression.replace(/\$\(date \+%s(?:%N)?\)|\$\?/g, '0');
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  const isPlain =
    !/(?<![=!<>])=(?!=)|\+\+|--|[`[@]|\$(?![A-Za-z_{])/.test(text) &&
    names.every((name) => isNumeric(state.variables.get(name) ?? { zero: 0, text: '0' }));
  return isPlain ? state : forget(state, text);
}

/** Before a loop: what its own text writes may have been written by an earlier round, and `$?` is of that. */
export function entering(state: State, text: string): State {
  const round = { ...state, last: { zero: 0, fail: 0 }, pipe: [], job: 0 };
  if (state.variables.size === 0) return round;
  const written = text.length > LONGEST_LOOP ? null : new Set(text.match(/(?<![$\w{])\w+/g));
  const variables = [...state.variables].map(([name, old]): [string, Variable] => [
    name,
    written?.has(name) === false ? old : { zero: 0, text: null },
  ]);
  return { ...round, variables: new Map(variables) };
}

/** Loops can stand in each other, and each is looked through. */
const LONGEST_LOOP = 4096;

/** Has something been written that the state before did not foresee? */
export function differs(before: State, after: State | null): boolean {
  if (after === null) return false;
  if (before.errexit !== after.errexit || before.pipefail !== after.pipefail) return true;
  for (const [name, old] of before.variables) {
    const now = after.variables.get(name);
    if (now === undefined || (old.zero & ~now.zero) !== 0 || (old.text !== null && old.text !== now.text))
      return true;
  }
  return [...before.functions].some(([name, old]) => old !== after.functions.get(name));
}

const MAX_FUNCTIONS = 128;

/** Null where there are too many. */
export function define(state: State, name: string, defined: Defined | null): State | null {
  if (state.functions.size >= MAX_FUNCTIONS) return null;
  return { ...state, functions: new Map(state.functions).set(name, defined) };
}

/** The same to both ways out. */
export function eachEnd({ zero, fail }: Result, make: (end: State) => State): Result {
  return { zero: zero && make(zero), fail: fail && make(fail) };
}

/** Nobody knows how it ends. */
export const either = (state: State): Result => settle({ zero: state, fail: state });

/** `$?` after the two ways out of a command. */
export function settle({ zero, fail }: Result, pipe?: readonly Bits[]): Result {
  return {
    zero: zero && { ...zero, last: { zero: zero.known, fail: ALL }, pipe: pipe ?? [zero.known] },
    fail: fail && { ...fail, last: { zero: ALL, fail: fail.known }, pipe: pipe ?? [ALL] },
  };
}
