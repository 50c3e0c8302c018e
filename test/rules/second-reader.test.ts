// The second reader: what it was learned from, what becomes of a claim that only one of the two sees, and that hostile
// text costs no more than its length.
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../scripts/train-claims.mjs';
import { findByRules, findClaims } from '../../src/rules/claims/find-claims.ts';
import { piecesOf } from '../../src/rules/claims/pieces.ts';
import { readSaid } from '../../src/rules/claims/said.ts';
import { readAgain } from '../../src/rules/claims/second-reader.ts';
import { LEARNED_FROM } from '../../src/rules/claims/weights.ts';

const odds = (text: string, type: 'done' | 'tested' | 'changed') =>
  readAgain(readSaid(text).said)[0]?.[0]?.odds.get(type) ?? Number.NaN;

describe('B3a the second reader', () => {
  it('was learned from the messages that are in the corpus now, as they are seen now', async () => {
    expect(LEARNED_FROM).toBe(await digestOf());
  });

  it('tells claims from what is none', () => {
    expect(odds('All 42 tests pass.', 'tested')).toBeGreaterThan(0);
    expect(odds('Fixed the crash in the parser.', 'done')).toBeGreaterThan(0);
    expect(odds('The cache is keyed by the path of the file.', 'done')).toBeLessThan(-2);
    expect(odds('Next, I would add a retry.', 'changed')).toBeLessThan(-2);
  });

  it('reads a sentence in the pieces that could each claim something', () => {
    const pieces = (text: string) =>
      piecesOf(readSaid(text).said).map(({ tokens }) => tokens.map((token) => token.text).join(' '));
    expect(pieces('Renamed the driver, updated its callers, and everything compiles.')).toEqual([
      'renamed the driver',
      ', updated its callers',
      ', and everything compiles',
    ]);
    expect(pieces('Fixed the parser, the lexer and the printer.')).toEqual([
      'fixed the parser , the lexer and the printer',
    ]);
    expect(pieces('it is, '.repeat(50))).toHaveLength(16);
  });

  it.each([
    ['changed checked shipped', 'Bumped `serde`, built it without warnings, and opened PR #418.'],
    ['done tested shipped', 'Implemented the token bucket; 12 tests pass; committed on `limiter`.'],
    [
      'changed done',
      'Wrapped the two writes in a transaction, so a failure no longer leaves an orphan behind.',
    ],
    ['done changed', 'The parser no longer panics: I replaced the unguarded close.'],
  ])('hears each clause out: %s', (types, text) => {
    expect(
      findClaims(text)
        .claims.map(({ type }) => type)
        .join(' '),
    ).toBe(types);
  });

  it('hears from who discloses that the work has stopped, and nothing else', () => {
    const stopped = "I'm unable to open external URLs from here, so I can't see the build output.";
    expect(findByRules(stopped).disclosures).toHaveLength(1);
    expect(findByRules(stopped).claims).toEqual([]);
    expect(findClaims(stopped).claims).toMatchObject([{ type: 'blocked', unsure: true }]);
    expect(findClaims('Not verified: the fixed parser on Windows.').claims).toEqual([]);
  });

  it('keeps what both see in a message that reports no other work', () => {
    const text =
      'Error messages before: `Error: undefined`. The reason is that `axios` keeps the message elsewhere. The toast now shows the text of the server, with a generic one as fallback.';
    expect(findByRules(text).claims).toEqual([]);
    expect(findClaims(text).claims).toMatchObject([{ type: 'done', unsure: true }]);
  });

  it('puts nothing into a claim that the rules saw', () => {
    const text = 'The unit tests pass, I updated the docs, and the 120 e2e tests passed yesterday on CI.';
    const sure = findClaims(text).claims.filter(({ unsure }) => !unsure);
    expect(sure.filter(({ type }) => type === 'tested').map(({ quote }) => quote)).toEqual([
      'The unit tests pass',
    ]);
    const shipped =
      'I committed it, lint is clean, tests pass, and I have not deployed it or pushed it anywhere.';
    for (const { type, quote, unsure } of findClaims(shipped).claims)
      if (type === 'shipped' && !unsure) expect(quote).toBe('I committed it');
  });

  it('holds nobody to an explanation', () => {
    const text =
      'Here is how a release works. The workflow runs on main. The tag is pushed. Then npm gets the package. After that the site is deployed.';
    expect(findClaims(text).claims.filter(({ unsure }) => !unsure)).toEqual([]);
  });

  it('quotes a clause without what joins it', () => {
    const { claims } = findClaims('All 73 BATS tests pass, and shfmt leaves nothing to reformat.');
    expect(claims.map(({ type, quote }) => [type, quote])).toEqual([
      ['tested', 'All 73 BATS tests pass'],
      ['checked', 'shfmt leaves nothing to reformat'],
    ]);
  });

  it('gives the same odds every time', () => {
    const text = 'Moved the parser to `src/parse.ts`. All tests pass, lint is clean.';
    expect(readAgain(readSaid(text).said)).toEqual(readAgain(readSaid(text).said));
  });

  it('makes sure what both see, and only that', () => {
    const both = 'Fixed the crash. All 42 tests pass.';
    expect(findClaims(both).claims.map(({ type, unsure }) => [type, unsure])).toEqual([
      ['done', false],
      ['tested', false],
    ]);
    const missed = 'A worker that loses its lease hands its job back.';
    expect(findByRules(missed).claims).toEqual([]);
    for (const claim of findClaims(missed).claims) expect(claim.unsure).toBe(true);
  });

  it.each([
    ['a question', 'Are all 42 tests passing now?'],
    ['an open box', '- [ ] All 42 tests pass'],
    ['a cross', '❌ All 42 tests pass'],
    ['code', '`all tests pass`'],
    ['a quote', '> All 42 tests pass.'],
    ['a plan', '## Next steps\n\n- Fixed width columns'],
    ['a disclosure', 'I have not run the tests.'],
  ])('sees nothing in %s', (_, text) => {
    expect(findClaims(text).claims).toEqual([]);
  });

  it('leaves a phrase of the policy to the policy', () => {
    const add = [{ type: 'done' as const, phrase: 'on the trains' }];
    expect(findClaims('The change is on the trains.', { phrases: { add, remove: [] } }).claims).toMatchObject(
      [{ type: 'done', unsure: false }],
    );
    const remove = ['fixed'];
    expect(findClaims('Fixed the crash.', { phrases: { add: [], remove } }).claims).toEqual([]);
  });

  it('reads any text', () => {
    for (const text of ['', '\0', '`', '# ', '|'.repeat(5000), 'a'.repeat(100_000), 'done, '.repeat(20_000)])
      expect(() => findClaims(text)).not.toThrow();
  });
});
