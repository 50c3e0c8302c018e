// Two versions of a configuration, compared by their facts: what is left out now, let through, or looked at no longer.
// Also a file that takes the place of another: of several that may say it only the first is read.
import { alternatives, checkersOf, type OneOf } from '../../ecosystems/index.ts';
import type { Weakening } from '../evidence.ts';
import { MOST_FACTS, NO_STEP, nameOf, PIPELINE } from './checker-facts.ts';
import type { Fact } from './command-facts.ts';
import { IS_COMMAND, narrowed } from './narrowed-places.ts';

export interface ConfigProfile {
  readonly kind: 'config';
  readonly facts: readonly { readonly words: string; readonly value: number }[];
}

/** In a configuration that is new, only what names tests that are left out counts: the rest is how projects begin. */
const NAMES_TESTS =
  /\btest_\w|_test\b|[.-](?:test|spec)\b|Tests?\.|Spec\.|--deselect|^deselect \S+ only |runs nothing|script-shell|node-options/;
/** Which tests there are, as a project may well say from its beginning. */
const BEGINS_SO = /^deselect (?:pom\.xml|\.rspec) only /;
/** Another file is loaded than the one that is named: no project begins so. */
export const STANDS_IN = 'stands in';
/** As a hook has it, which no project has from its beginning. */
export const BY_HOOK = ' by a hook';
/** It says what it changes of one beside it, and is not how a project begins. */
const EXTENDS_BESIDE = /^is types:extends \.\/[^/]+$/;

const SORTS = [undefined, 'types', 'lint'] as const;

export function compareConfig(
  path: string,
  was: ConfigProfile | null,
  facts: ReadonlyMap<string, Fact>,
): Weakening[] {
  return SORTS.flatMap((of) => {
    const isOf = (words: string): boolean => /^\w+ (types|lint):/.exec(words)?.[1] === of;
    const now = new Map([...facts].filter(([words]) => isOf(words)));
    const old = was?.facts.filter(({ words }) => isOf(words)) ?? null;
    return compareSort(path, old, now).map((found) => (of === undefined ? found : { ...found, of }));
  });
}

function compareSort(
  path: string,
  was: ConfigProfile['facts'] | null,
  facts: ReadonlyMap<string, Fact>,
): Weakening[] {
  const old = new Map(was?.map(({ words, value }) => [words, value]));
  const isNew = was === null && ![...facts.keys()].some((words) => EXTENDS_BESIDE.test(words));
  const deselected: string[] = [];
  const loosened: string[] = [];
  for (const { kind, words, line, value } of facts.values()) {
    if (kind === 'threshold' && (old.get(words) ?? value) > value) loosened.push(line);
    if (old.has(words) || !(kind === 'deselect' || kind === 'loosen')) continue;
    // A command that was not there before leaves out nothing that ran before.
    const [, member = ''] = words.split(' ');
    const isCommand = IS_COMMAND.test(member) || words.endsWith(' runs nothing');
    if (isCommand && !old.has(`runs ${member}`)) continue;
    if (member.startsWith(PIPELINE) && !old.has(`threshold ${member}`)) continue;
    // What was a part is another part now: which one is larger, nobody knows.
    const part = `deselect ${member} only `;
    if (words.startsWith(part) && [...old.keys()].some((each) => each.startsWith(part))) continue;
    // A hook that takes tests away, or says how they ended, is how no project begins.
    const isHook =
      words.endsWith(` ${STANDS_IN}`) ||
      (/(?:^|\/)conftest\.py$/.test(path) &&
        (kind === 'loosen' || /\bitems\b/.test(words) || words.endsWith(BY_HOOK)));
    const isLoose = kind === 'loosen' && words.endsWith(' off') && isVariant(path);
    if (
      isNew &&
      !isHook &&
      !isLoose &&
      !(kind === 'deselect' && NAMES_TESTS.test(words) && !BEGINS_SO.test(words))
    )
      continue;
    // What a new one beside another leaves out, the other may well look at.
    if (was === null && !isNew && kind === 'deselect') continue;
    (kind === 'deselect' ? deselected : loosened).push(line);
  }
  loosened.push(...lost(old, facts));
  deselected.push(...narrowed(was?.map(({ words }) => words) ?? null, facts));
  const found: Weakening[] = [];
  if (deselected.length > 0) found.push({ path, what: 'deselected', lines: [...new Set(deselected)] });
  if (loosened.length > 0) found.push({ path, what: 'loosened', lines: [...new Set(loosened)] });
  return found;
}

function isVariant(path: string): boolean {
  const name = nameOf(path);
  return checkersOf(name).some(({ variant }) => variant?.test(name) === true);
}

/** What it says no longer. Where it is said elsewhere now, or not all was read, nobody knows. */
function lost(old: ReadonlyMap<string, number>, facts: ReadonlyMap<string, Fact>): string[] {
  const isElsewhere = [...facts].some(([words, { kind }]) => kind === 'is' && !old.has(words));
  if (old.size >= MOST_FACTS || facts.size >= MOST_FACTS || isElsewhere) return [];
  const isReplaced = testsOf(facts.values()).some((words) => !old.has(words));
  return [...old].flatMap(([words, value]) => {
    if (facts.has(words)) return [];
    const name = words.slice(words.indexOf(' ') + 1);
    const shown = name.replace(/^(?:types|lint):/, '').replace(/ its tests$/, '');
    if (name.startsWith(PIPELINE))
      return value > 0 && !isReplaced ? [NO_STEP + name.slice(PIPELINE.length).replaceAll('-', ' ')] : [];
    if (words.startsWith('threshold ') && value > 0)
      return [`${shown.replace(/(?<=\/.*)\.\w+$/, '')} is gone`]; // of a file, all its numbers as one
    return words.startsWith('runs ') && !facts.has(`loosen ${name} runs nothing`)
      ? [`${shown} no longer runs what it ran`]
      : [];
  });
}

/** Of the steps of a pipeline, those that run tests whose failure counts. */
export function testsOf(facts: Iterable<ConfigProfile['facts'][number]>): string[] {
  return [...facts].flatMap(({ words, value }) =>
    words.startsWith(`threshold ${PIPELINE}`) && value > 0 ? [words] : [],
  );
}

/** That a file is one of those, and has what is read of it. */
export function placeFacts(path: string, source: string): Fact[] {
  const name = nameOf(path);
  const own = alternatives().filter(({ files }) => files.includes(name));
  const headers = own.length === 0 ? [] : source.split('\n').filter((line) => /^\[/.test(line));
  return own
    .filter(
      ({ files, named, section }) =>
        files.indexOf(name) < named ||
        headers.some((line) => section.test(line.replace(/^\[+ ?|\].*$/g, ''))),
    )
    .map(({ files }) => ({ kind: 'is', words: `is one of ${files[0]}`, line: '', value: 0 }));
}

export interface ConfigPair {
  readonly path: string;
  readonly was: ConfigProfile | null;
  readonly is: ReadonlyMap<string, Fact> | null;
}

/** Where another file is read than before: what that file says, against what was read until then. */
export function takenOver(pairs: readonly ConfigPair[]): Weakening[] {
  const folders = new Set(pairs.map(({ path }) => path.slice(0, -nameOf(path).length)));
  return alternatives().flatMap((one) =>
    [...folders].flatMap((folder) => {
      const key = `is one of ${one.files[0]}`;
      const ranked = one.files.flatMap((name) => pairs.find(({ path }) => path === folder + name) ?? []);
      const before = ranked.find(({ was }) => was?.facts.some(({ words }) => words === key));
      const now = ranked.find(({ is }) => is?.has(key));
      if (before?.was == null || now?.is == null || before === now) return [];
      const old = before.was.facts.flatMap(({ words, value }) =>
        inSection(one, before.path, words).map((each) => ({ words: each, value })),
      );
      const facts = [...now.is.values()].flatMap((fact) =>
        inSection(one, now.path, fact.words).map((words) => [words, { ...fact, words }] as const),
      );
      return compareConfig(now.path, { kind: 'config', facts: old }, new Map(facts));
    }),
  );
}

/** A fact's words without the section, which has another name in each file; none of what another section says. */
function inSection({ files, named, section }: OneOf, path: string, words: string): string[] {
  const [, kind = '', where = ''] = /^(\w+ (?:(?:types|lint):)?)(.*)$/.exec(words) ?? [];
  if (kind === 'is ') return [];
  if (section.test(where)) return [`${kind}${where.replace(section, '').replace(/^\./, '')}`];
  return files.indexOf(nameOf(path)) < named ? [words] : [];
}

/** Files beside one that may be read in its place, or it in theirs. */
export function besides(path: string): string[] {
  const folder = path.slice(0, -nameOf(path).length);
  return alternatives()
    .filter(({ files }) => files.includes(nameOf(path)))
    .flatMap(({ files }) => files.map((name) => folder + name))
    .filter((each) => each !== path);
}
