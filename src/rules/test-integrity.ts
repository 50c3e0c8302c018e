// Whether tests, or what says which of them run, became weaker: deleted, skipped, their assertions taken out, left out
// by configuration. Two versions are compared by what they declare. False alarms cost more than subtle cases, so a
// test that moved, was renamed or merged into a table is none, nor is anything in a file that is new. A changed
// expected value can't be told from a correction: it is looked for only where no code was changed.

import { sha256Hex } from '#platform';
import { type Json, ParseError } from '../core/index.ts';
import type { Weakening } from './evidence.ts';
import { isPipeline, isTestConfig, isTestFile } from './file-kinds.ts';
import { changedExpectations } from './integrity/changed-expectations.ts';
import { isCheckerConfig, takenOut, takesItselfOut } from './integrity/checker-facts.ts';
import type { Fact } from './integrity/command-facts.ts';
import {
  besides,
  type ConfigProfile,
  compareConfig,
  MOST_FACTS,
  takenOver,
} from './integrity/config-changes.ts';
import { defeated } from './integrity/defeated-tests.ts';
import { mayDefeat } from './integrity/may-defeat.ts';
import { readConfig } from './integrity/test-config.ts';
import { type Marks, noMarks, readMarks } from './integrity/test-marks.ts';
import { turnedAway } from './integrity/turned-away.ts';

/** What is kept of a version of a file: enough to compare it, and nothing of its text but settings. */
export type Profile = TestProfile | ConfigProfile;

export interface TestProfile {
  readonly kind: 'test';
  readonly tests: number;
  readonly only: number;
  readonly tables: number;
  readonly assertions: number;
  /** How many cases the tables hold; earlier versions did not count them. */
  readonly cases?: number;
  /** Short hashes: of names of tests, of suites, of what is skipped (`file`: all of it), of lines that assert. */
  readonly names: readonly string[];
  readonly suites: readonly string[];
  readonly skipped: readonly string[];
  readonly asserts: readonly string[];
}

const MOST = 1000;
const MOST_LINES = 5;
const LONGEST_LINE = 160;
const FILE = 'file';

export { besides, type ConfigProfile };

/** Whether a file of that name may hold tests, or say what is tested or checked. Rust has its tests in the code itself. */
export function bearsOnTests(path: string): boolean {
  return isTestFile(path) || isConfig(path) || path.endsWith('.rs');
}

/** Whether a text of any file does: it takes itself out of a check, or tests pass by it. */
export function bearsByText(path: string, text: string): boolean {
  return takesItselfOut(path, text) || mayDefeat(path, text);
}

function isConfig(path: string): boolean {
  return isTestConfig(path) || isPipeline(path) || isCheckerConfig(path);
}

/** Null where the path bears on no tests, or its language is not known. */
export function profileOf(path: string, text: string): Profile | null {
  const read = readVersion(path, text);
  return read === undefined ? null : read.profile;
}

interface Version {
  readonly profile: Profile;
  readonly marks?: Marks;
  readonly facts?: ReadonlyMap<string, Fact>;
}

/** What was read of files as they were, and as they are: for who compares them again while few of them change. */
export class Readings {
  readonly #was = new Map<string, readonly [text: string, version: Version | undefined]>();
  readonly #is = new Map<string, readonly [text: string, version: Version | undefined]>();

  read(side: 'was' | 'is', path: string, text: string): Version | undefined {
    const known = side === 'was' ? this.#was : this.#is;
    const before = known.get(path);
    if (before?.[0] === text) return before[1];
    const version = readVersion(path, text);
    known.set(path, [text, version]);
    return version;
  }
}

function readVersion(path: string, text: string): Version | undefined {
  if (isConfig(path)) {
    const facts = readConfig(path, text);
    const kept = [...facts.values()].map(({ words, value }) => ({ words, value }));
    return { profile: { kind: 'config', facts: kept }, facts };
  }
  if (!bearsOnTests(path)) return undefined;
  const marks = readMarks(path, text) ?? wholeFile(path);
  if (marks === undefined) return undefined;
  const profile: TestProfile = {
    kind: 'test',
    tests: marks.tests.length,
    only: marks.only.length,
    tables: marks.tables,
    assertions: marks.asserts.length,
    cases: marks.cases,
    names: marks.tests.slice(0, MOST).map(({ name }) => short(name ?? '')),
    suites: marks.suites.slice(0, MOST).map(short),
    skipped: marks.skips.slice(0, MOST).map(({ name }) => (name === null ? FILE : short(name))),
    asserts: marks.asserts.slice(0, MOST).map(short),
  };
  return { profile, marks };
}

/** A file of tests that can't be read is one test: it can only go away. */
function wholeFile(path: string): Marks | undefined {
  if (!/\.(?:bats|feature|robot|t)$/.test(path)) return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { ...noMarks(), tests: [{ name, line: name }], isEmpty: false };
}

function short(text: string): string {
  return sha256Hex(text.trim().toWellFormed()).slice(0, 12);
}

/** A file as it was: its text, what was kept of it, or null where it was not there. */
export type Before = string | Profile | null;

/** Files that are missing in one of the maps are not compared. `code`: what was changed that is no test; null: not known. */
export function compareTests(
  before: ReadonlyMap<string, Before>,
  after: ReadonlyMap<string, string | null>,
  readings = new Readings(),
  code: readonly string[] | null = null,
): Weakening[] {
  const pairs = [...before].flatMap(([path, old]) => {
    const now = after.get(path);
    if (now === undefined) return [];
    const was: Version | undefined =
      typeof old === 'string' ? readings.read('was', path, old) : old === null ? undefined : { profile: old };
    return [{ path, old, now, was, is: now === null ? undefined : readings.read('is', path, now) }];
  });
  const configs = pairs.map(({ path, was, is }) => ({
    path,
    was: was?.profile.kind === 'config' ? was.profile : null,
    is: is?.facts ?? null,
  }));
  const instead = takenOver(configs);
  const gained: Gains = {
    names: gains(pairs, ({ names }) => names),
    asserts: gains(pairs, ({ asserts }) => asserts),
  };
  const found = pairs.flatMap(({ path, was, is }): Weakening[] => {
    if (instead.some((each) => each.path === path)) return [];
    if (was?.profile.kind === 'test' && is?.profile.kind !== 'config')
      return compareFile(path, was.profile, was.marks, is, gained, code);
    if (was === undefined && is?.marks !== undefined && isVain(path, is.marks))
      return [
        weakening(path, 'loosened', [
          ...is.marks.vain,
          ...(is.marks.asserts.length > 0 ? [] : is.marks.tests.map(({ line }) => line)),
          ...is.marks.hollow,
        ]),
      ];
    if (was?.profile.kind === 'config' && is === undefined)
      return isMovedFrom(path, pairs) ? [] : deletedConfig(path, was.profile);
    if (is?.profile.kind === 'config')
      return compareConfig(path, was?.profile.kind === 'config' ? was.profile : null, is.facts ?? new Map());
    return [];
  });
  const silenced = pairs.flatMap(({ path, old, now, is }) =>
    now !== null && (old === null || typeof old === 'string')
      ? [
          ...takenOut(path, old, now),
          ...(mayDefeat(path, now) ? defeated(path, old, now, is?.marks, code) : []),
        ]
      : [],
  );
  return [...found, ...instead, ...silenced, ...pairs.flatMap(bornSkipped)]
    .map((each): Weakening => (before.get(each.path) === null ? { ...cut(each), isNew: true } : cut(each)))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** A file of this name is a test that passes, for Node, even if there is nothing in it. */
const TEST_BY_NAME = /[._-](?:test|spec)\.[cm]?[jt]s$/;

/** A new test that does nothing passes whatever the code does; one that says that it is skipped does not pass. */
function isVain(path: string, { isEmpty, skips, tests, hollow, asserts, vain }: Marks): boolean {
  if (vain.length > 0 && (asserts.length === 0 || asserts.length < tests.length)) return true;
  return isEmpty && skips.length === 0 && (tests.length + hollow.length > 0 || TEST_BY_NAME.test(path));
}

/** Skipped always, and without a word why. */
const BARE_SKIP =
  /^@(?:[\w.]+\.skip|Disabled|Ignore)(?:\(\))?$|^(?:(?:it|test|describe)\.skip|x(?:it|test|describe))\(|\bt\.Skip(?:Now)?\(\)|^#\[ignore\]$/;

/** A new file all of whose tests are skipped so takes nothing from other tests, and backs nothing that is said of its own. */
function bornSkipped({ path, was, is }: Pair): Weakening[] {
  const { tests = [], skips = [] } = (was === undefined && is?.marks) || {};
  const bare = skips.filter(({ line }) => BARE_SKIP.test(line.trim()));
  const isSkipped = tests.every(({ name }) => bare.some((skip) => skip.name === null || skip.name === name));
  if (tests.length === 0 || !isSkipped) return [];
  const lines = bare.map(({ name, line }) =>
    name === null || line.includes(name) ? line : `${line} (${name})`,
  );
  return [weakening(path, 'skipped', lines)];
}

/** Another configuration of the folder changed as well: what went may stand there. */
function isMovedFrom(path: string, pairs: readonly (Pair & { now: string | null; old: Before })[]): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return pairs.some(
    (other) =>
      other.path !== path &&
      other.path.startsWith(folder) &&
      other.is?.profile.kind === 'config' &&
      other.now !== other.old,
  );
}

/** How strict it was is gone with it; what its commands ran may be run by others. */
function deletedConfig(path: string, { facts }: ConfigProfile): Weakening[] {
  const held = facts.filter(({ words }) => words.startsWith('threshold '));
  return compareConfig(path, { kind: 'config', facts: held }, new Map());
}

interface Pair {
  readonly path: string;
  readonly was: Version | undefined;
  readonly is: Version | undefined;
}

/** What is there now, in whatever file, and was not: what moved has come from somewhere. */
interface Gains {
  readonly names: Map<string, number>;
  readonly asserts: ReadonlyMap<string, number>;
}

function gains(
  pairs: readonly Pair[],
  listOf: (profile: TestProfile) => readonly string[],
): Map<string, number> {
  const gained = new Map<string, number>();
  for (const { was, is } of pairs) {
    if (is?.profile.kind !== 'test') continue;
    const old = was?.profile.kind === 'test' ? listOf(was.profile) : [];
    for (const item of without(listOf(is.profile), old)) gained.set(item, (gained.get(item) ?? 0) + 1);
  }
  return gained;
}

/** The items of `list` beyond those of `other`, each as often as it is there more. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of other) counts.set(item, (counts.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = counts.get(item) ?? 0;
    counts.set(item, count - 1);
    return count <= 0;
  });
}

function weakening(path: string, what: Weakening['what'], lines: readonly string[]): Weakening {
  return { path, what, lines };
}

function cut(found: Weakening): Weakening {
  const lines = [...new Set(found.lines)]
    .slice(0, MOST_LINES)
    .map((line) => line.trim().slice(0, LONGEST_LINE).toWellFormed());
  return { ...found, lines };
}

function compareFile(
  path: string,
  was: TestProfile,
  old: Marks | undefined,
  version: Version | undefined,
  gained: Gains,
  code: readonly string[] | null,
): Weakening[] {
  const is = version?.profile as TestProfile | undefined;
  const found: Weakening[] = [];
  const lost = without(was.names, is?.names ?? []).filter((name) => {
    const elsewhere = gained.names.get(name) ?? 0;
    if (elsewhere > 0) gained.names.set(name, elsewhere - 1);
    return elsewhere <= 0;
  });
  // What is new in the same file may be the same test by another name; a table may stand for several.
  const renamed = is === undefined ? 0 : without(is.names, was.names).length;
  const isTable = (is?.tables ?? 0) > was.tables;
  // Moved and renamed at once: what they assert is elsewhere now.
  const gone = without(was.asserts, is?.asserts ?? []);
  const isMoved =
    gone.length > 0 && 2 * gone.filter((line) => gained.asserts.has(line)).length >= gone.length;
  const isDeleted = lost.length > renamed && !isTable && !isMoved;
  if (isDeleted) {
    const gone = new Set(lost);
    const lines = (old?.tests ?? [])
      .filter(({ name }) => gone.has(short(name ?? '')))
      .map(({ line }) => line);
    found.push(weakening(path, 'deleted', lines));
  }
  if (is === undefined || version?.marks === undefined) return found;
  const { marks } = version;
  const skips = newlySkipped(was, marks);
  if (skips.length > 0) found.push(weakening(path, 'skipped', skips));
  const vain = is.tests > was.tests ? without(marks.vain, old?.vain ?? marks.vain) : [];
  if (vain.length > 0 && is.assertions - was.assertions < is.tests - was.tests)
    found.push(weakening(path, 'loosened', vain));
  if (is.only > was.only && was.tests > 0) found.push(weakening(path, 'deselected', marks.only));
  if (!isDeleted && !isMoved && is.tests >= was.tests) {
    const lines = lostAssertions(was, is, old, marks) ?? lostCases(was, is, marks) ?? lessAsked(old, marks);
    if (lines !== undefined) found.push(weakening(path, 'loosened', lines));
  }
  const away = found.length === 0 && old !== undefined ? turnedAway(path, old, marks, code ?? []) : [];
  if (away.length > 0) found.push({ ...weakening(path, 'loosened', away), expects: true });
  if (found.length === 0 && code?.length === 0) {
    const [before, now] = [old?.asserts ?? [], marks.asserts];
    const made = [...marks.origins].filter(([name, { own }]) => own > (old?.origins.get(name)?.own ?? own));
    const added = without(now, before);
    const lines = [
      ...(added.length > 0 ? changedExpectations(without(before, now), added) : []),
      ...made.map(([, { line }]) => line),
    ];
    if (lines.length > 0) found.push({ ...weakening(path, 'loosened', lines), expects: true });
  }
  return found;
}

/** The same tables hold fewer cases, and no test took their place. Undefined where none are missing. */
function lostCases(was: TestProfile, is: TestProfile, marks: Marks): readonly string[] | undefined {
  const { cases = 0 } = was;
  if (is.tables !== was.tables || marks.cases === 0 || marks.cases >= cases || is.tests > was.tests)
    return undefined;
  return [`${cases - marks.cases} of ${cases} cases of its tables are gone`];
}

/** Lines that skip a test or suite that was there and was not skipped, or the whole file. */
function newlySkipped(was: TestProfile, marks: Marks): string[] {
  if (was.tests === 0) return [];
  const known = new Set([...was.names, ...was.suites]);
  const before = new Set(was.skipped);
  const lines = marks.skips
    .filter(({ name }) => {
      if (name === null) return !before.has(FILE);
      const key = short(name);
      return known.has(key) && !before.has(key);
    })
    .map(({ name, line }) => (name === null || line.includes(name) ? line : `${line} (${name})`));
  return [...new Set(lines)];
}

/** One that compares a whole at once may stand for several. */
const WHOLE = /Equal|Match|Snapshot|deep|\beach\b|\ball\b|==\s*[[{(]|_eq!|parametrize/i;

/** Undefined where none are missing. */
function lostAssertions(
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

/** `assert.equal(sum(2), 4)` that became `assert.ok(sum(2))`. Undefined where there is none. */
function lessAsked(old: Marks | undefined, marks: Marks): readonly string[] | undefined {
  const before = old?.asserts ?? [];
  const gone = without(before, marks.asserts).filter(
    (line) => onlyThere(line) === undefined && !YES_OR_NO.test(line),
  );
  const found = without(marks.asserts, before).filter((line) => {
    const thing = onlyThere(line);
    return thing !== undefined && gone.some((was) => was.includes(thing));
  });
  return found.length === 0 ? undefined : found;
}

const LISTS = ['names', 'suites', 'skipped', 'asserts'] as const;
const COUNTS = ['tests', 'only', 'tables', 'assertions'] as const;

/** As it was written by `JSON.stringify`. */
export function parseProfile(value: Json): Profile {
  const bad = (path: string): never => {
    throw new ParseError('BAD_MEMBER', 'not a profile of tests', path);
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad('');
  const members = value as Readonly<Record<string, Json>>;
  const keys = Object.keys(members).sort().join();
  if (members.kind === 'config') {
    const { facts } = members;
    if (keys !== 'facts,kind' || !Array.isArray(facts) || facts.length > MOST_FACTS) return bad('facts');
    for (const fact of facts as readonly Json[]) {
      const { words, value: number, ...rest } = (fact ?? {}) as Readonly<Record<string, Json>>;
      const isFact = typeof words === 'string' && words.length <= 200 && Number.isFinite(number);
      if (!isFact || Object.keys(rest).length > 0) bad('facts');
    }
    return value as unknown as ConfigProfile;
  }
  const counts = 'cases' in members ? [...COUNTS, 'cases'] : COUNTS;
  if (members.kind !== 'test' || keys !== [...LISTS, ...counts, 'kind'].sort().join()) return bad('kind');
  for (const name of counts) if (!Number.isSafeInteger(members[name]) || Number(members[name]) < 0) bad(name);
  for (const name of LISTS) {
    const list = members[name];
    const isList = Array.isArray(list) && list.length <= MOST;
    if (!isList || !list.every((item) => typeof item === 'string' && /^(?:file|[0-9a-f]{12})$/.test(item)))
      bad(name);
  }
  return value as unknown as TestProfile;
}
