// Results of a test run that are listed, or told in the runner's own count, are claimed; a list of something else is not.
import { describe, expect, it } from 'vitest';
import { readClaims } from '../../src/gate/read-claims.ts';

/** What the message surely says of tests. */
const tested = (message: string): string[] =>
  readClaims(message).claims.flatMap(({ type, unsure, quote }) =>
    type === 'tested' && !unsure ? [quote] : [],
  );

describe('B3a results without a sentence', () => {
  it.each([
    ['ticks', 'Test results:\n\n- ✅ internal/api\n- ✅ internal/store', ['internal/api', 'internal/store']],
    ['words', '`go test ./...`\n- api ok\n- store ok', ['api ok', 'store ok']],
    ['a count', '* pytest: `7 passed`, nothing broken', ['pytest: `7 passed`, nothing broken']],
    [
      'no other check among them',
      'Test results:\n- `npm test` passed\n- `cargo fmt --check` passed',
      ['`npm test` passed'],
    ],
    ['a count alone', 'pytest: `12/12 tests passed`', ['pytest: `12/12 tests passed`']],
  ])('%s', (_, message, quotes) => {
    expect(tested(message)).toEqual(quotes);
  });

  it.each([
    ['cases that were written', 'Two new tests:\n- ✅ empty input\n- ✅ negative numbers'],
    ['ticks of another thing', 'The API has these endpoints:\n- ✅ GET /a\n- ✅ POST /b'],
    ['what is supported', 'Supported packages:\n- api ok\n- store ok'],
    ['what would be seen', 'You should see `7 passed`.'],
    ['what failed as well', 'pytest: `7 passed, 1 failed`'],
  ])('not %s', (_, message) => {
    expect(tested(message)).toEqual([]);
  });
});
