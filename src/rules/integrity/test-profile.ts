// What is read of a version of a file that bears on tests, and what is kept of it: its text may be gone when it is compared.
import { sha256Hex } from '#platform';
import { type Json, ParseError } from '../../core/index.ts';
import { isPipeline, isTestConfig, isTestFile } from '../../ecosystems/index.ts';
import { isCheckerConfig, MOST_FACTS, takesItselfOut } from './checker-facts.ts';
import type { Fact } from './command-facts.ts';
import type { ConfigProfile } from './config-changes.ts';
import { mayDefeat } from './may-defeat.ts';
import { readConfig } from './test-config.ts';
import { type Marks, noMarks, readMarks } from './test-marks.ts';

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

/** Of names and of lines. */
export const MOST = 1000;
/** Of what is skipped: all of it. */
export const FILE = 'file';

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

export interface Version {
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

export function short(text: string): string {
  return sha256Hex(text.trim().toWellFormed()).slice(0, 12);
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
