// Globs as spec/pack.md defines them, against a plain recursive matcher and with patterns that are made to take long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globMatcher, matchesGlob, matchesText, mayMatchText } from '../../src/core/index.ts';

const TABLE: readonly [pattern: string, path: string, matches: boolean][] = [
  ['AGENTS.md', 'AGENTS.md', true],
  ['AGENTS.md', 'agents.md', false],
  ['AGENTS.md', 'docs/AGENTS.md', false],
  ['AGENTS.md', 'AGENTS.md/', false],
  ['*', 'a', true],
  ['*', '', true],
  ['*', 'a/b', false],
  ['*.md', '.md', true],
  ['*.md', 'a.md.txt', false],
  ['*.md', '.hidden.md', true],
  ['src/*', 'src/a', true],
  ['src/*', 'src', false],
  ['src/*', 'src/a/b', false],
  ['src/*/b', 'src/a/b', true],
  ['?', 'a', true],
  ['?', '', false],
  ['?', '/', false],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['a?c', 'ac', false],
  ['?', '🧾', true],
  ['??', '🧾', false],
  ['**', 'a', true],
  ['**', 'a/b/c', true],
  ['src/**', 'src/a', true],
  ['src/**', 'src/a/b', true],
  ['src/**', 'src', true],
  ['src/**', 'srcs/a', false],
  ['**/a', 'a', true],
  ['**/a', 'b/c/a', true],
  ['**/a', 'b/ca', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a/**/b', 'a/x/b/c', false],
  ['a/**/b/**/c', 'a/b/b/c', true],
  ['a/**/**/c', 'a/c', true],
  ['a**', 'abc', true],
  ['a**', 'a/b', false],
  ['a**b', 'axyb', true],
  // Everything else stands for itself.
  ['[ab]', 'a', false],
  ['[ab]', '[ab]', true],
  ['{a,b}', 'a', false],
  ['{a,b}', '{a,b}', true],
  ['!a', 'b', false],
  ['!a', '!a', true],
  ['a.c', 'abc', false],
  ['a+', 'aa', false],
  ['\\*', '\\anything', true],
  ['\\*', '*', false],
  ['(a|b)$', 'a', false],
  ['curl *', 'curl -O x', true],
  ['curl *', 'curl', false],
  ['mcp__github__*', 'mcp__github__push', true],
  ['mcp__github__*', 'mcp__gitlab__push', false],
  ['a\n*', 'a\nb', true],
];

/** As one would define it, however long it takes. */
function matchesPlainly(pattern: readonly string[], path: readonly string[]): boolean {
  const [glob, ...others] = pattern;
  if (glob === undefined) return path.length === 0;
  if (glob === '**')
    return matchesPlainly(others, path) || (path.length > 0 && matchesPlainly(pattern, path.slice(1)));
  const [segment, ...below] = path;
  return segment !== undefined && matchesName([...glob], [...segment]) && matchesPlainly(others, below);
}

function matchesName(glob: readonly string[], name: readonly string[]): boolean {
  const [sign, ...others] = glob;
  if (sign === undefined) return name.length === 0;
  if (sign === '*') return matchesName(others, name) || (name.length > 0 && matchesName(glob, name.slice(1)));
  const [character, ...behind] = name;
  return character !== undefined && (sign === '?' || sign === character) && matchesName(others, behind);
}

describe('globs', () => {
  it.each(TABLE)('%j and %j: %j', (pattern, path, expected) => {
    expect(matchesGlob(pattern, path)).toBe(expected);
    expect(globMatcher(['no such path', pattern])(path)).toBe(expected);
    expect(matchesPlainly(pattern.split('/'), path.split('/'))).toBe(expected);
  });

  it('match as a plain recursive matcher does', () => {
    const of = (...signs: string[]) =>
      fc.array(fc.constantFrom(...signs), { maxLength: 10 }).map((all) => all.join(''));
    let matched = 0;
    fc.assert(
      fc.property(of('a', 'b', '*', '?', '**', '/', '/**/'), of('a', 'b', '/', 'ab'), (pattern, path) => {
        const expected = matchesPlainly(pattern.split('/'), path.split('/'));
        matched += expected ? 1 : 0;
        expect(matchesGlob(pattern, path)).toBe(expected);
      }),
      { numRuns: 5000 },
    );
    // Else both could say no to everything.
    expect(matched).toBeGreaterThan(50);
  });

  it('of no patterns match nothing', () => {
    expect(globMatcher([])('a')).toBe(false);
    expect(globMatcher([])('')).toBe(false);
  });

  // A regular expression, or a plain recursion, would not end before the test does.
  it.each([
    ['stars in a name', `${'*a'.repeat(200)}b`, 'a'.repeat(1000)],
    ['stars beside each other', `${'*'.repeat(500)}b`, 'a'.repeat(1000)],
    ['folders', `${'**/a/'.repeat(100)}b`, 'a/'.repeat(500)],
    ['folders beside each other', `${'**/'.repeat(170)}b`, 'a/'.repeat(500)],
    ['folders with stars in their names', `${'**/*a*a*a*/'.repeat(40)}b`, 'aaaaaaa/'.repeat(120)],
  ])('with hostile %s come to an end', (_, pattern, path) => {
    expect(matchesGlob(pattern, path)).toBe(false);
  });
});

describe('a text of which a part is hidden', () => {
  it.each([
    ['rm -rf *', ['', null, ''], true],
    ['*rm -rf*', ['sudo ', null, ' /'], true],
    ['curl *', ['echo ', null], false],
    ['curl *', ['cu', null, 'x'], true],
    ['?', [null, 'ab'], false],
    ['a?c', ['a', null, 'c'], true],
    ['', [null], true],
  ] as const)('%j, %j: %s', (pattern, pieces, expected) => {
    expect(mayMatchText(pattern, pieces)).toBe(expected);
  });

  it('may match if it does with some text in that place, and matches as it is if nothing is hidden', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(glob, word, word, word, (pattern, before, hidden, after) => {
        expect(mayMatchText(pattern, [before])).toBe(matchesText(pattern, before));
        if (matchesText(pattern, `${before}${hidden}${after}`))
          expect(mayMatchText(pattern, [before, null, after])).toBe(true);
      }),
    );
  });

  it('of any length is judged', () => {
    expect(mayMatchText('*a'.repeat(200_000), ['b', null, 'b'])).toBe(false);
  });
});
