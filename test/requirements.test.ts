// Ties the promises of spec/requirements.json to the tests that keep them. A promise marked kept needs a test whose
// title cites it, and one for each of its clauses; a title may cite only what exists.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedIds, readTitles } from './titles.ts';

type Promised = { id: string; title: string; text: string; clauses?: Record<string, string>; kept: boolean };
type Citation = { id: string; file: string; runs: boolean };

const root = join(import.meta.dirname, '..');
const COUNTS = { G: 15, C: 18, K: 13, B: 15, O: 12, X: 15 };

const promises = JSON.parse(readFileSync(join(root, 'spec/requirements.json'), 'utf8')) as Promised[];
const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
  .map((name): [string, string] => [`test/${name}`, readFileSync(join(root, 'test', name), 'utf8')]);

/** A promise without clauses is cited by its id, one with clauses by each of them. */
function citable(promise: Promised): string[] {
  const letters = Object.keys(promise.clauses ?? {});
  return letters.length === 0 ? [promise.id] : letters.map((letter) => promise.id + letter);
}

function citationsIn(files: readonly (readonly [string, string])[]): Citation[] {
  return files.flatMap(([file, source]) =>
    readTitles(source).flatMap(({ text, runs }) => citedIds(text).map((id) => ({ id, file, runs }))),
  );
}

function unknownCitations(list: readonly Promised[], citations: readonly Citation[]): string[] {
  const known = new Set(list.flatMap((promise) => [promise.id, ...citable(promise)]));
  return citations
    .filter(({ id }) => !known.has(id))
    .map(({ id, file }) => `${file} cites ${id}, which is no promise`);
}

function unkept(list: readonly Promised[], citations: readonly Citation[]): string[] {
  const cited = new Set(citations.filter(({ runs }) => runs).map(({ id }) => id));
  return list
    .filter((promise) => promise.kept)
    .flatMap((promise) => citable(promise).map((id) => ({ id, promise })))
    .filter(({ id }) => !cited.has(id))
    .map(({ id, promise }) => {
      const text = promise.clauses?.[id.slice(promise.id.length)] ?? promise.text;
      return `${id} is marked kept but no test title cites it: ${text}`;
    });
}

describe('spec/requirements.json', () => {
  it('has every id once, in order', () => {
    const expected = Object.entries(COUNTS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    expect(promises.map((promise) => promise.id)).toEqual(expected);
  });

  it('is well formed', () => {
    for (const { id, title, text, clauses, kept, ...rest } of promises) {
      expect(title.length, `${id}: title`).toBeGreaterThan(3);
      expect(title.length, `${id}: title`).toBeLessThan(45);
      expect(text, `${id}: text`).toMatch(/^\S.{20,}[.]$/s);
      expect(typeof kept, `${id}: kept`).toBe('boolean');
      expect(rest, `${id}: other members`).toEqual({});
      const letters = Object.keys(clauses ?? { a: '', b: '' });
      expect(letters.length, `${id}: one clause is none`).toBeGreaterThan(1);
      expect(letters.join(''), `${id}: clauses`).toBe('abcdefghijklmnopqrstuvwxyz'.slice(0, letters.length));
      for (const clause of Object.values(clauses ?? {})) expect(clause, id).toMatch(/^\S.{10,}[.]$/s);
    }
  });

  it('has every id that a test title cites', () => {
    expect(unknownCitations(promises, citationsIn(sources))).toEqual([]);
  });

  it('marks as kept only what tests cite, clause by clause', () => {
    expect(unkept(promises, citationsIn(sources))).toEqual([]);
  });

  it('is what docs/requirements.md was generated from', () => {
    execFileSync(process.execPath, [join(root, 'scripts/requirements.mjs'), '--check'], { stdio: 'pipe' });
  });
});

describe('the reader of titles', () => {
  const ids = (source: string) =>
    citationsIn([['a.test.ts', source]]).map(({ id, runs }) => (runs ? id : `(${id})`));

  it.each([
    [`it('K6a reports all failures', () => {})`, ['K6a']],
    [`test("K5a, K5b: many writers", f)`, ['K5a', 'K5b']],
    [`describe(\`G14 genesis of \${store.name()}\`, () => { it('starts (K1c)', f); });`, ['G14', 'K1c']],
    [`it.each([['a', 1], ['b', (2)]])('K12b %s', f)`, ['K12b']],
    [`it.each<[string]>([['K6b']])('K6c %s', f)`, ['K6c']],
    [`it.each\`a | b\n \${1} | \${'x'}\`('K1a $a', f)`, ['K1a']],
    [`describe.skipIf(noGo)('K6d with Go', f); it.concurrent.for([1])('K1b', f)`, ['K6d', 'K1b']],
    [`it.skip('K6a', f); it.todo('K6b'); describe.skip('K6c', f)`, ['(K6a)', '(K6b)', '(K6c)']],
    [`// it('K6a', f)\nconst text = "it('K6b')"; /* it('K6c') */ re.test('K6d'); suite.it('K1a');`, []],
    [`it('C2SP vectors, U+1F4A9, X25519, 0xC0, RFC-B1, K6ab, K0', f)`, []],
  ])('reads %s', (source, expected) => {
    expect(ids(source)).toEqual(expected);
  });

  it('lets no kept promise go uncited, and no citation go unknown', () => {
    const list: Promised[] = [
      { id: 'K1', title: 'one', text: 'whole', kept: true },
      { id: 'K2', title: 'two', text: 'parts', clauses: { a: 'first', b: 'second' }, kept: true },
      { id: 'K3', title: 'three', text: 'later', kept: false },
    ];
    const found = citationsIn([
      ['a.ts', `it('K2a', f); it('K2 as a whole', f); it.skip('K1', f); it('K1b K9', f)`],
    ]);
    expect(unkept(list, found).map((line) => line.split(' ')[0])).toEqual(['K1', 'K2b']);
    expect(unknownCitations(list, found).map((line) => line.split(' ')[2])).toEqual(['K1b,', 'K9,']);
  });
});
