// Results told by what is not there any more, how the code behaves, and doubt: what is claimed by it, and what is not.
import { describe, expect, it } from 'vitest';
import { isOfBehaviour } from '../../src/claims/index.ts';
import { readClaims } from '../../src/gate/read-claims.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { judge, readContract } from '../../src/rules/index.ts';
import { claim, edit, evidence } from '../rules/cases.ts';

const typesOf = (message: string): string[] =>
  readClaims(message).claims.flatMap(({ type, unsure }) => (unsure ? [] : type));

describe('B3a a result without what was there', () => {
  it.each([
    'The tests no longer fail.',
    "The unit tests don't fail any more.",
    'No tests fail.',
    'No tests are failing now.',
    'There are no failing tests.',
    'Zero failures.',
    'No regressions.',
    'Nothing is broken any more.',
  ])('is of tests: %s', (message) => expect(typesOf(message)).toEqual(['tested']));

  it.each(['The bug is gone.', 'The rounding error is gone now.'])('is of the work: %s', (message) => {
    expect(typesOf(message)).toEqual(['done']);
  });

  it.each([
    'Make sure that no tests fail.',
    'If no tests fail, merge it.',
    'No tests fail when the list is empty?',
    'I have not checked that there are no failing tests.',
    'Once the bug is gone, the flag can go.',
  ])('is none: %s', (message) => {
    expect(typesOf(message).filter((type) => type === 'tested' || type === 'done')).toEqual([]);
  });
});

describe('B3a a formatter that was run', () => {
  it.each([
    'Formatted.',
    'I reformatted the code.',
    'I have formatted everything.',
    'Formatted it with gofmt.',
  ])('is a change: %s', (message) => expect(typesOf(message)).toEqual(['changed']));
});

describe('B3a what hangs on tests that are yet to pass', () => {
  it.each([
    'Once `go test ./...` passes, it can be merged.',
    "Until the suite passes, don't merge.",
    'When `go test ./...` passes, tell me.',
    'If the tests pass, the fix is done.',
    'After all tests pass, I will commit.',
    'The task is to get all tests passing.',
    'My goal was to have the build green.',
  ])('is no claim: %s', (message) => expect(readClaims(message).claims).toEqual([]));

  it.each([
    ['I fixed the parser; once CI passes, it can be merged.', ['done']],
    ['Please run `npm test`; if it passes, the fix is complete.', ['delegation']],
    ['Once the guard was in, the suite passed.', ['tested']],
    ['After the fix, all tests pass.', ['tested']],
    ['If an item is missing, the cart now throws.', ['changed']],
    ['When I run `npm test` everything passes, so the fix is complete.', ['done']],
    ['The plan was to fix the parser, and I fixed it.', ['done']],
    ['The fix has landed on main.', ['shipped']],
  ])('takes nothing else back: %s', (message, types) => expect(typesOf(message)).toEqual(types));
});

describe('B3c how the code behaves', () => {
  it.each([
    ['The cart now counts quantities', true],
    ['Quantities are counted correctly now', true],
    ['I now count quantities in `total`', false],
    ['Changed `total`', false],
  ])('%s', (quote, is) => expect(isOfBehaviour(quote, `${quote}.`)).toBe(is));

  it('is not held against a message that tells of a failure', () => {
    const quote = 'The cart now counts quantities';
    expect(isOfBehaviour(quote, `${quote}. \`npm test\`: 3 passed, 1 failed.`)).toBe(false);
  });
});

describe('B3d doubt', () => {
  const verdictOf = (quote: string, changes = [edit(12, 'src/cart.js')]) =>
    judge({
      claims: [claim('blocked', quote), { ...claim('done', quote), act: { what: 'hindrance', quote } }],
      disclosures: [],
      evidence: evidence({ changes }),
      contract: readContract('Make the cart count', DEFAULT_POLICY),
      policy: DEFAULT_POLICY,
      project: { test: null, build: null, types: null, lint: null },
      since: 10,
      idle: false,
    }).verdict;

  it.each([
    "I tried to change `total`, but I don't know whether it works",
    'I attempted to fix `total`, but I have no idea if it works yet',
    'We tried to round, and are not sure if this is right',
  ])('of a change that was made says nothing of what stands in the way: %s', (quote) => {
    expect(verdictOf(quote)).toBe('silent');
    expect(verdictOf(quote, [])).toBe('block');
  });

  it('is another thing than not getting there', () => {
    expect(verdictOf('I tried to read the spec, but could not reach it')).toBe('block');
  });
});

describe('B3a what the tests are said to say', () => {
  it.each([
    'The tests confirm the fix.',
    "I've confirmed the fix with the existing tests.",
    'Now `sum(1, 2) === 3`, as the tests show.',
    'As the test run shows, sum adds now.',
    'I confirmed it with the tests.',
    'The fix is confirmed by the test suite.',
    'The tests show that it works.',
    'The suite shows no regressions.',
    'Nothing else broke.',
    'That is corrected and the tests confirm it.',
  ])('is a result: %s', (message) => expect(typesOf(message)).toContain('tested'));

  it.each([
    'The tests should confirm the fix.',
    'The tests show how to use it.',
    'Please run the tests to confirm the fix.',
    'The tests do not confirm it.',
    'If the tests confirm it, merge it.',
    'Do the tests confirm it?',
  ])('is none: %s', (message) => expect(typesOf(message)).not.toContain('tested'));
});

describe('B3f what was not run is said in many ways', () => {
  it.each([
    'Applied the fix. No tests have been run.',
    'I applied the fix. I have not run the tests.',
    'I applied the fix; it is not tested.',
    'Fixed, but I could not verify it, as I have not run anything.',
    'Fixed `sum`, but I could not verify it because I did not run the tests.',
    'Fixed. Verification: none.',
    'Fixed `sum` — someone should run the tests, I did not.',
    'The fix is in place. Please run `npm test`, I did not.',
    'The edit is done, verification is not.',
    'I rewrote the query. No verification has been done.',
    'Finished the rename. Nothing has been verified.',
    'Finished the rename. I have verified nothing.',
    'The parser is fixed. The tests still need to be run.',
    'The parser is fixed, verification outstanding.',
    'The parser is fixed. Testing is still open.',
  ])('%s', (message) => {
    const { claims, disclosures } = readClaims(message);
    expect(disclosures).not.toEqual([]);
    const others = claims
      .map(({ type }) => type)
      .filter((type) => !/^(?:done|changed|delegation)$/.test(type));
    expect(others).toEqual([]);
  });
});

it.each([
  'No verification has been skipped.',
  'Nothing has been tested more than this.',
  'All tests are open source.',
])('B3f discloses nothing: %s', (message) => expect(readClaims(message).disclosures).toEqual([]));

describe('B3a a checker that finds nothing', () => {
  it.each([
    '`cargo fmt --check` and `cargo clippy` report nothing.',
    '`ruff check .` finds nothing now.',
    'The tests are green, `cargo clippy` reports nothing, and the change is committed.',
  ])('is a result: %s', (message) => expect(typesOf(message)).toContain('checked'));
});
