// Whether tests, or what says which of them run, became weaker: deleted, skipped, their assertions taken out, left out
// by configuration. Two versions are compared by what they declare. False alarms cost more than subtle cases, so a
// test that moved, was renamed or merged into a table is none, nor is anything in a file that is new. A changed
// expected value can't be told from a correction: it is looked for only where no code was changed, and one that asks less
// exactly is for the message to tell of.

import { checkersOf } from '../ecosystems/index.ts';
import { MOST_WEAKENED_LINES, type Weakening } from './evidence.ts';
import { lessAsked, lostAssertions, lostCases, without } from './integrity/asked-less.ts';
import { isMovedToHelper } from './integrity/assertion-helpers.ts';
import { changedExpectations } from './integrity/changed-expectations.ts';
import { NO_STEP, nameOf, takenOut } from './integrity/checker-facts.ts';
import {
  type ConfigPair,
  type ConfigProfile,
  compareConfig,
  takenOver,
  testsOf,
} from './integrity/config-changes.ts';
import { defeated } from './integrity/defeated-tests.ts';
import { leftBehind } from './integrity/left-places.ts';
import { mayDefeat } from './integrity/may-defeat.ts';
import { withoutNewFolders } from './integrity/new-folders.ts';
import { overlooked } from './integrity/overlooked-places.ts';
import type { Marks } from './integrity/test-marks.ts';
import {
  FILE,
  type Profile,
  Readings,
  short,
  type TestProfile,
  type Version,
} from './integrity/test-profile.ts';
import { turnedAway } from './integrity/turned-away.ts';
import { widerErrors } from './integrity/wider-errors.ts';

const LONGEST_LINE = 160;

/** A file as it was: its text, what was kept of it, or null where it was not there. */
export type Before = string | Profile | null;

/** Files that are missing in one of the maps are not compared. `code`: what was changed that is no test; null: not known. */
export function compareTests(
  before: ReadonlyMap<string, Before>,
  after: ReadonlyMap<string, string | null>,
  readings = new Readings(),
  code: readonly string[] | null = null,
  /** All files of the session's beginning; null where they are not known. */
  wasThere: readonly string[] | null | 'unasked' = null,
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
  const removed = pairs.filter(({ was, now }) => was?.profile.kind === 'test' && now === null);
  const isOverlooked = overlooked(
    configs,
    removed.map(({ path }) => path),
    code ?? [],
  );
  const gained: Gains = {
    names: gains(pairs, isOverlooked, ({ names }) => names),
    asserts: gains(pairs, isOverlooked, ({ asserts }) => asserts),
  };
  const found = pairs.flatMap(({ path, was, is, old, now }): Weakening[] => {
    if (instead.some((each) => each.path === path)) return [];
    if (was?.profile.kind === 'test' && is?.profile.kind !== 'config')
      return compareFile(
        path,
        was.profile,
        was.marks,
        is,
        gained,
        withoutOwnTests(path, old, now, code),
      ).filter(
        ({ what, expects }) =>
          what !== 'loosened' ||
          expects === true ||
          typeof old !== 'string' ||
          was.marks === undefined ||
          is?.marks === undefined ||
          !isMovedToHelper(old, now ?? '', was.marks, is.marks),
      );
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
    if (is?.profile.kind === 'config') {
      const profile = was?.profile.kind === 'config' ? was.profile : null;
      const facts = withoutNewFolders(is.facts ?? new Map(), wasThere === 'unasked' ? null : wasThere);
      const isBegun = was === undefined && configs.some((each) => isBesideNew(path, each));
      const weaker = compareConfig(path, profile, facts).filter(({ of }) => of === undefined || !isBegun);
      const words = profile?.facts.map((fact) => fact.words) ?? [];
      const gone = removed.map((each) => each.path);
      return weaker.length > 0 ? weaker : leftBehind(path, words, facts, gone, wasThere);
    }
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
  // What a pipeline ran, another one may run now.
  const isMoved = configs.some(
    ({ was, is }) => testsOf(is?.values() ?? []).length > testsOf(was?.facts ?? []).length,
  );
  const kept = found.filter(({ lines }) => !isMoved || !lines.every((line) => line.startsWith(NO_STEP)));
  return [...kept, ...instead, ...silenced, ...pairs.flatMap(bornSkipped)]
    .map((each): Weakening => (before.get(each.path) === null ? { ...cut(each), isNew: true } : cut(each)))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** A checker's other configuration, as new as this one: nothing was checked before the two of them. */
function isBesideNew(path: string, { path: other, was, is }: ConfigPair): boolean {
  const folder = (each: string): string => each.slice(0, each.lastIndexOf('/') + 1);
  const sorts = checkersOf(nameOf(path));
  return (
    other !== path &&
    folder(other) === folder(path) &&
    was === null &&
    is !== null &&
    checkersOf(nameOf(other)).some((each) => sorts.includes(each))
  );
}

/** Rust has tests in the code: where nothing but those was changed, the file is no code that was. */
function withoutOwnTests(
  path: string,
  old: Before,
  now: string | null,
  code: readonly string[] | null,
): readonly string[] | null {
  if (code === null || typeof old !== 'string' || now === null || !path.endsWith('.rs')) return code;
  const [was, is] = [old, now].map((text) => text.split(/^[ \t]*#\[cfg\(test\)\]/m, 2));
  if (was?.length !== 2 || is?.length !== 2) return code;
  const [before, after] = [was, is].map(([text = '']) =>
    text
      .replace(/^\s*\/\/.*$/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return before === after ? code.filter((each) => each !== path) : code;
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
  isOverlooked: (path: string) => boolean,
  listOf: (profile: TestProfile) => readonly string[],
): Map<string, number> {
  const gained = new Map<string, number>();
  for (const { path, was, is } of pairs) {
    if (is?.profile.kind !== 'test' || isOverlooked(path)) continue;
    const old = was?.profile.kind === 'test' ? listOf(was.profile) : [];
    for (const item of without(listOf(is.profile), old)) gained.set(item, (gained.get(item) ?? 0) + 1);
  }
  return gained;
}

function weakening(path: string, what: Weakening['what'], lines: readonly string[]): Weakening {
  return { path, what, lines };
}

function cut(found: Weakening): Weakening {
  const lines = [...new Set(found.lines)]
    .slice(0, MOST_WEAKENED_LINES)
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
  const isDeleted = lost.length > renamed && !isTable && !isMoved && !isMerged(was, old, is, version?.marks);
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
    const lines =
      lostAssertions(was, is, old, marks) ??
      lostCases(was, is, marks) ??
      lessAsked(old, marks) ??
      widerErrors(old, marks);
    if (lines !== undefined) found.push(weakening(path, 'loosened', lines));
  }
  const away = found.length === 0 && old !== undefined ? turnedAway(path, old, marks, code ?? []) : [];
  if (away.length > 0) found.push({ ...weakening(path, 'loosened', away), expects: true });
  if (found.length === 0 && code !== null) {
    const isCodeChanged = code.length > 0;
    const made = [...marks.origins].filter(([name, { own }]) => own > (old?.origins.get(name)?.own ?? own));
    const lines = [
      ...changedExpectations(old?.asked.flat() ?? [], marks.asked.flat(), isCodeChanged),
      ...(isCodeChanged ? [] : made.map(([, { line }]) => line)),
    ];
    if (lines.length > 0) found.push({ ...weakening(path, 'loosened', lines), expects: true });
  }
  return found;
}

/** Fewer tests, and all that they asserted is asserted still, in a test. */
function isMerged(
  was: TestProfile,
  old: Marks | undefined,
  is: TestProfile | undefined,
  marks: Marks | undefined,
): boolean {
  if (is === undefined || old === undefined || marks === undefined) return false;
  return (
    was.assertions >= was.tests &&
    is.tests > 0 &&
    without(was.asserts, is.asserts).length === 0 &&
    marks.outside <= old.outside
  );
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
