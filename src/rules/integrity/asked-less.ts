// A test that asks less than it did: assertions or cases that are gone, or that only ask whether something is there.
import type { Marks } from './test-marks.ts';
import { MOST, short, type TestProfile } from './test-profile.ts';

/** The items of `list` beyond those of `other`, each as often as it is there more. */
export function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of other) counts.set(item, (counts.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = counts.get(item) ?? 0;
    counts.set(item, count - 1);
    return count <= 0;
  });
}

/** The same tables hold fewer cases that run, and no test took their place. Undefined where none are missing. */
export function lostCases(was: TestProfile, is: TestProfile, marks: Marks): readonly string[] | undefined {
  const { cases = 0 } = was;
  if (is.tables !== was.tables || marks.cases === 0 || marks.cases >= cases || is.tests > was.tests)
    return undefined;
  return [`${cases - marks.cases} of ${cases} cases of its tables are gone or skipped`];
}

/** One that compares a whole at once may stand for several. */
const WHOLE = /Equal|Match|Snapshot|deep|\beach\b|\ball\b|==\s*[[{(]|_eq!|parametrize/i;

/** Undefined where none are missing. */
export function lostAssertions(
  was: TestProfile,
  is: TestProfile,
  old: Marks | undefined,
  marks: Marks,
): readonly string[] | undefined {
  if (is.assertions >= was.assertions || is.tables > was.tables) return undefined;
  if (was.asserts.length >= MOST || is.asserts.length >= MOST) return undefined;
  const added = new Set(without(is.asserts, was.asserts));
  const isMerged = marks.asserts.some(
    (line, at) => added.has(short(line)) && WHOLE.test(`${marks.around[at]} ${line}`),
  );
  if (isMerged && is.assertions > 0) return undefined;
  if (isRewritten(was, old, marks)) return undefined;
  const removed = new Set(without(was.asserts, is.asserts));
  const gone = (old?.asserts ?? []).filter((line) => removed.has(short(line)));
  return [...marks.vain, ...marks.trivial, ...gone];
}

/** `if err != nil {`: a step of the test must work; with the step it goes. */
const GUARD = /\berr\w*\s*!=\s*nil\b/;
/** They hold for nearly everything. */
const WEAK = /not None|Not(?:Nil|Null|None)\b|NoError|toBe(?:Defined|Truthy)|not\.toThrow|!= ?n(?:il|ull)\b/;

/** As many assertions that were nowhere before took the place of those that are nowhere now. */
function isRewritten(was: TestProfile, old: Marks | undefined, marks: Marks): boolean {
  const [before, now] = [new Set(was.asserts), new Set(marks.asserts.map(short))];
  const guards = new Set(
    (old?.asserts ?? []).filter((_, at) => GUARD.test(old?.around[at] ?? '')).map(short),
  );
  const gone = [...before].filter((line) => !now.has(line) && !guards.has(line));
  const added = marks.asserts.filter(
    (line, at) => !before.has(short(line)) && !WEAK.test(line) && !GUARD.test(marks.around[at] ?? ''),
  );
  return added.length > 0 && new Set(added).size >= gone.length;
}

/** That something is there, and nothing of what it is, or that it is itself, or that it ends: the thing. */
const IS_THERE =
  /^(?:assert(?:\.ok)?|ok|self\.assert(?:True|IsNotNone)|assert_(?:true|not_nil)|assert\.(?:NotNil|NotEmpty|exists|isOk|isDefined))(?:\(| )(?:t, )?(.+?)(?: is not None| !==? (?:null|undefined))?\)?;?$|^expect\((.+)\)(?:\.(?:toBe(?:Truthy|Defined)|not\.toBe(?:Null|Undefined|Falsy))\(\);?|\.to\w+\(expect\.anything\(\)\);?)$|^assert\.\w*[eE]qual\w*\((.+), ?\3\);?$|^expect\((.+)\)\.to\w+\(\4\);?$|^assert\.doesNotThrow\(\(\) => (?:\{ )?(.+?)(?:;? \})?\);?$|^expect\(\(\) => (?:\{ )?(.+?)(?:;? \})?\)\.not\.toThrow\(\);?$/;
/** It was asked whether it is, or is not, something of two. */
const YES_OR_NO = /\b(?:true|True|false|False|null|None|nil|undefined)\b/;

/** `assert a == b` compares as much as another. */
function onlyThere(line: string): string | undefined {
  const asked = IS_THERE.exec(line)
    ?.slice(1)
    .find((thing) => thing !== undefined);
  return asked === undefined || /[=<>]|\b(?:in|is)\b/.test(asked) ? undefined : asked;
}

/** What is called first. */
const CALL = /[A-Za-z_$][\w$.]*\(/;

/** `assert.equal(sum(2), 4)` that became `assert.ok(sum(2))`. Undefined where there is none. */
export function lessAsked(old: Marks | undefined, marks: Marks): readonly string[] | undefined {
  const before = old?.asserts ?? [];
  const asks = (line: string): boolean => onlyThere(line) === undefined && !YES_OR_NO.test(line);
  const gone = without(before, marks.asserts).filter(asks);
  const added = without(marks.asserts, before);
  const found = added.filter((line) => {
    const thing = onlyThere(line);
    if (thing === undefined) return false;
    const call = CALL.exec(thing)?.[0];
    const isCalled = (other: string): boolean => call !== undefined && other.includes(call);
    return gone.some((was) => was.includes(thing) || (isCalled(was) && !added.filter(asks).some(isCalled)));
  });
  return found.length === 0 ? undefined : found;
}
