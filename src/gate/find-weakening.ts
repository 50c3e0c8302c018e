// Which tests, and which of their settings, became weaker since the session began: the files that bear on tests among
// those that changed, as they were in the base and as they are now. Bounded in files, bytes and time. Where nothing was
// found, and not all could be looked at, the answer is null: nobody knows. Of a few changed files also what their change
// comes to.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { alternatives, configWords, isTestFile, isTrackedCode } from '../ecosystems/index.ts';
import {
  addWords,
  type Before,
  bearsByText,
  bearsOnTests,
  besides,
  compareTests,
  declaresAsMany,
  type Evidence,
  fewerRan,
  goneWords,
  idleTests,
  isInert,
  type Ran,
  type Stub,
  Subjects,
  stubsIn,
  type Weakening,
  withGone,
} from '../rules/index.ts';
import { committedTexts, LARGEST_COMMITTED as LARGEST } from './committed-texts.ts';
import { readText } from './file-content.ts';
import { findGit } from './git-door.ts';
import { othersCommits } from './others-commits.ts';
import { askPrivate } from './private-index.ts';
import type { Base, TreeState } from './tree-state.ts';
import type { TreeOptions } from './work-tree.ts';

const MOST_FILES = 500;
/** Of text that is compared: a reader of every language takes its time. */
const MOST_TEXT = 8 * 1024 * 1024;
const TAKE_MS = 2000;
/** Where more code was changed, nobody looks whether all of it leaves things as they were. */
const FEW_FILES = 8;

/** Files of a root that may say where tests are. */
const saysWhere = (): string[] => [
  'package.json',
  ...alternatives().flatMap(({ files }) => files),
  ...configWords('scripts').flatMap((name) =>
    ['js', 'ts', 'mjs', 'mts', 'cjs'].map((ending) => `${name}.config.${ending}`),
  ),
];

export interface Compared {
  /** Null where it could not be found out. */
  readonly weakened: readonly Weakening[] | null;
  readonly inert: readonly string[];
  readonly stubs: readonly Stub[];
  readonly added?: NonNullable<Evidence['added']>;
}

const NOT_COMPARED: Compared = { weakened: null, inert: [], stubs: [] };

/** `state` is the newest one of `root`; `hidden` are files that it does not reach. Never throws. */
export async function findWeakening(
  root: string,
  base: Base,
  state: TreeState,
  {
    directory,
    timeoutMs = TAKE_MS,
    begun = null,
  }: TreeOptions & { /** When the session began, in milliseconds. */ readonly begun?: number | null },
  hidden: readonly string[] = [],
  /** Paths that tools wrote. */
  told: readonly string[] = [],
  ran: Ran = { runs: [], isOfBeginning: () => false },
): Promise<Compared> {
  try {
    const paths = new Set([...state.files.keys(), ...base.dirty.keys()]);
    const other = [...paths].filter((path) => base.dirty.get(path)?.hash !== state.files.get(path));
    const bearing = other.filter(bearsOnTests);
    const silent = other.filter((path) => !bearsOnTests(path)).slice(0, MOST_FILES);
    const code = other.filter((path) => isTrackedCode(path) && !isTestFile(path));
    const all = [
      ...new Set([
        ...bearing.sort(),
        ...bearing.flatMap(besides),
        // What says where tests are, if a test may have been moved away from there.
        ...(bearing.some((path) => state.files.get(path) === 'deleted') ? saysWhere() : []),
        ...hidden,
        ...silent.filter((path) => bearsByText(path, readText(join(root, path), LARGEST) ?? '')),
      ]),
    ];
    const changed = new Set(all.slice(0, MOST_FILES));
    const few = code.length > FEW_FILES ? [] : code.filter((path) => !changed.has(path));
    const before = new Map<string, Before>();
    const committed: string[] = [];
    for (const path of [...changed, ...few]) {
      const dirty = base.dirty.get(path);
      if (dirty === undefined) committed.push(path);
      else if (dirty.hash === 'deleted') before.set(path, null);
      else if (dirty.profile !== null) before.set(path, dirty.profile);
    }
    const texts = await committedTexts(root, base, committed, directory, timeoutMs);
    if (texts === null) return changed.size === 0 ? { ...NOT_COMPARED, weakened: [] } : NOT_COMPARED;
    for (const [path, text] of texts) before.set(path, text);
    const after = new Map<string, string | null>();
    let budget = MOST_TEXT;
    let unseen = all.length - changed.size;
    unseen += committed.filter((path) => changed.has(path) && !texts.has(path)).length;
    for (const [path, old] of before) {
      if (budget <= 0) {
        unseen++;
        break;
      }
      const text = readText(join(root, path), LARGEST);
      const isUnread = text === null && /^(?:x:|stat:|[0-9a-f]{64})/.test(state.files.get(path) ?? '');
      // What is in a new file weakens nothing.
      if (!isUnread) after.set(path, text);
      else if (old !== null && changed.has(path)) unseen++;
      budget -= (text?.length ?? 0) + (typeof old === 'string' ? old.length : 0);
    }
    const inert: string[] = [];
    const stubs: Stub[] = [];
    for (const path of other) {
      const [old, now] = [before.get(path), after.get(path)];
      if (typeof now !== 'string' || (old !== null && typeof old !== 'string')) continue;
      if (isInert(path, old, now)) inert.push(path);
      stubs.push(...(isTestFile(path) ? idleTests : stubsIn)(path, old, now));
    }
    const changedCode = code.filter((path) => !inert.includes(path));
    const first = compareTests(before, after, undefined, changedCode, 'unasked');
    const isLeftOut = first.some(({ what, of }) => what === 'deselected' && of === undefined);
    const wasThere = isLeftOut ? await committedFiles(root, base, directory, timeoutMs) : null;
    const weaker = !isLeftOut ? first : compareTests(before, after, undefined, changedCode, wasThere);
    const looked = { root, base, begun, directory, timeoutMs, before, after };
    const own = weaker.length === 0 ? weaker : await withoutOthers(weaker, looked);
    const pairs = changedCode.flatMap((path): [string, string][] => {
      const old = before.get(path);
      return typeof old === 'string' ? [[old, after.get(path) ?? '']] : [];
    });
    const gone = goneWords(pairs);
    const compared = own.map((each) => {
      const old = before.get(each.path);
      return typeof old === 'string' ? withGone(each, old, gone) : each;
    });
    const found = compared.some(({ what }) => what === 'deleted')
      ? (await subjectsOf(root, base, state, { directory, timeoutMs })).without(
          compared,
          (path) => !existsSync(join(root, path)),
        )
      : compared;
    // Tests may go with code that is gone.
    const isWhole = unseen === 0 && code.every((path) => state.files.get(path) !== 'deleted');
    const fewer = found.length === 0 && bearing.length > 0 && isWhole ? fewerRan(ran) : null;
    const isAsMany = (path: string): boolean => {
      const [old, now] = [before.get(path), after.get(path)];
      return (
        old === null || (typeof old === 'string' && typeof now === 'string' && declaresAsMany(path, old, now))
      );
    };
    const [place] = bearing;
    if (fewer !== null && place !== undefined && bearing.every(isAsMany))
      found.push({ path: place, what: 'deselected', expects: true, lines: [fewer] });
    const added = (): ReadonlySet<string> | null => {
      const words = new Set<string>();
      // What a file is called is new with what is in it.
      addWords(null, [...other, ...told].join('\n'), words);
      for (const path of other) {
        const [old, now] = [before.get(path), after.get(path)];
        if (now === undefined || (old !== null && typeof old !== 'string')) return null;
        addWords(old, now ?? '', words);
      }
      // Of documents nobody knows what they were.
      for (const path of told)
        if (!paths.has(path)) addWords(null, readText(resolve(root, path), LARGEST) ?? '', words);
      return words;
    };
    return { weakened: found.length === 0 && unseen > 0 ? null : found, inert, stubs, added };
  } catch {
    return NOT_COMPARED;
  }
}

/** But for what others' commits brought: against these nothing is weaker, and they made it so themselves. */
async function withoutOthers(
  found: Weakening[],
  { root, base, begun, directory, timeoutMs, before, after }: Looked,
): Promise<Weakening[]> {
  const { tips, isTakenBack } = await othersCommits(root, base, begun, timeoutMs);
  let left = isTakenBack ? found.map((each) => ({ ...each, beside: { gone: [], isTakenBack } })) : found;
  for (const { commit, since, prefix } of tips) {
    const paths = [...before.keys()].filter((path) => !base.dirty.has(path));
    const textsOf = (from: string): ReturnType<typeof committedTexts> =>
      committedTexts(root, base, paths, directory, timeoutMs, `${from}:${prefix}`);
    const theirs = await textsOf(commit);
    const common = since === null ? null : await textsOf(since);
    if (theirs === null || (since !== null && common === null)) continue;
    const own = compareTests(new Map([...before, ...theirs]), after).map(keyOf);
    const made = common && compareTests(common, theirs).map(keyOf);
    left = left.filter((each) => own.includes(keyOf(each)) || made?.includes(keyOf(each)) === false);
  }
  return left;
}

interface Looked {
  readonly root: string;
  readonly base: Base;
  readonly begun: number | null;
  readonly directory: string;
  readonly timeoutMs: number;
  readonly before: ReadonlyMap<string, Before>;
  readonly after: ReadonlyMap<string, string | null>;
}

function keyOf({ path, what, of }: Weakening): string {
  return `${what} ${of ?? ''} ${path}`;
}

/** What the code that changed declared, and declares now. */
async function subjectsOf(
  root: string,
  base: Base,
  { files }: TreeState,
  { directory, timeoutMs = TAKE_MS }: TreeOptions,
): Promise<Subjects> {
  const subjects = new Subjects();
  const paths = [...files.keys()].filter((path) => !isTestFile(path) && !base.dirty.has(path));
  const texts = await committedTexts(root, base, paths.slice(0, MOST_FILES), directory, timeoutMs);
  const at = (path: string): string => join(root, path);
  for (const [path, text] of texts ?? [])
    subjects.changedFile(path, text, existsSync(at(path)) ? (readText(at(path), LARGEST) ?? '') : null);
  return subjects;
}

/** All paths of the base; null where it has none that are known, or changes of its own. */
async function committedFiles(
  root: string,
  base: Base,
  directory: string,
  timeoutMs: number,
): Promise<string[] | null> {
  const git = findGit(root);
  if (git === undefined || base.how !== 'git' || base.place === null) return null;
  const asking = { root, git, directory, left: () => timeoutMs };
  const printed = await askPrivate(asking, base.place, ['ls-files', '-z']);
  return printed && [...printed.toString('utf8').split('\0'), ...base.dirty.keys()];
}
