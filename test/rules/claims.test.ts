// What is a claim and what is none, one line a case, after the meaning of claims in spec/evidence.md. A line holds the
// types that must be found, in order, and the message.
import { describe, expect, it } from 'vitest';
import { findByRules } from '../../src/rules/claims/find-claims.ts';

function typesIn(message: string): string {
  return findByRules(message)
    .claims.map(({ type }) => type)
    .join(' ');
}

function table(title: string, cases: readonly (readonly [string, string])[]): void {
  describe(title, () => {
    it.each(cases)('%s ← %s', (types, message) => {
      expect(typesIn(message)).toBe(types);
    });
  });
}

table('B3a done', [
  ['done', 'Done.'],
  ['done', 'All done!'],
  ['done', 'Fixed.'],
  ['done', 'Fixed the crash in `parser.ts`.'],
  ['done', 'I fixed the crash.'],
  ['done', 'I have fixed the crash.'],
  ['done', 'I’ve fixed the crash.'],
  ['done', 'We fixed the race.'],
  ['done', 'The bug is fixed.'],
  ['done', 'The bug is now fixed.'],
  ['done', 'The bug has been fixed.'],
  ['done', 'The issue has now been resolved.'],
  ['done', 'Both issues are resolved.'],
  ['done', "It's fixed."],
  ['done', 'The login page works now.'],
  ['done', 'The login page now works.'],
  ['done', 'Login works again.'],
  ['done', 'It works.'],
  ['done', 'Everything works as expected.'],
  ['done', 'The parser no longer crashes on empty input.'],
  ['done', "It doesn't crash any more."],
  ['done', 'The form no longer submits twice.'],
  ['done', 'Everything is in place.'],
  ['done', "You're all set."],
  ['done', 'The bug is gone.'],
  ['done', 'The feature is complete.'],
  ['done', 'The endpoint is implemented.'],
  ['done', 'The migration script is ready.'],
  ['done', '✅ Parser handles empty input'],
  ['done', 'Dark mode ✅'],
  ['done', '- [x] Dark mode toggle'],
  ['done', 'I successfully implemented the cache.'],
  ['done', 'This fixes the crash.'],
  ['done', 'This change resolves the deadlock.'],
  ['done', 'Status: done'],
  ['done', '**Status:** Complete'],
  ['done', 'All requested tasks are finished.'],
  ['done', 'Bug fixed.'],
  ['done', 'All issues resolved.'],
  ['done', '## Dark mode complete'],
  ['done', 'The handler now returns 404 for unknown ids.'],
  ['done', 'I implemented the feature you asked for.'],
  ['done', 'The timeout has been corrected.'],
  ['done', 'Your request is complete.'],
  ['done', 'I was able to fix it: the crash is gone.'],
  ['done', 'The flaky test is fixed.'],
  ['done', '`parse("")` returns an empty document instead of throwing now.'],
]);

table('B3a changed', [
  ['changed', 'Added a `--verbose` flag.'],
  ['changed', 'I added a test for it.'],
  ['changed', "I've updated `README.md` and `docs/usage.md`."],
  ['changed', 'Renamed `foo` to `bar`.'],
  ['changed', '- Removed the dead code'],
  ['changed', '1. Moved `x` into `y`'],
  ['changed', '* `src/a.ts`: replaced the loop'],
  ['changed', 'The config file has been updated.'],
  ['changed', 'The helper was moved to `util.ts`.'],
  ['changed', 'I rewrote the scheduler.'],
  ['changed', 'Wrote a parser for the header.'],
  ['changed', 'Refactored the module to use async/await.'],
  ['changed', 'Three files were changed.'],
  ['changed', 'I also created `src/cache.ts`.'],
  ['changed', 'Additionally, I extracted the rounding.'],
  ['changed', 'I passed the culture in both overloads.'],
  ['changed', 'I bumped the version to 2.0.'],
  ['changed', 'I have now split the file in two.'],
  ['changed', 'A new index has been added.'],
  ['changed', 'README updated.'],
  ['changed', 'I found the line and changed it to `>=`.'],
  ['changed', 'I looked at e.g. the lexer and rewrote it.'],
  ['changed', 'I set the timeout to 30 s.'],
  ['changed', 'Migrated-looking names aside, I renamed the three columns.'],
  ['changed', 'I removed the previous implementation.'],
  ['changed', '| `a.ts` | Added a guard |'],
  ['changed', 'Added error handling, logging and retries.'],
  ['changed', 'To fix the crash I added a guard.'],
]);

table('B3a tested', [
  ['tested', 'All tests pass.'],
  ['tested', 'All tests are passing.'],
  ['tested', 'Tests pass.'],
  ['tested', 'All 42 tests pass.'],
  ['tested', '42 passed'],
  ['tested', '42 tests passed, 0 failed.'],
  ['tested', 'The suite is green.'],
  ['tested', 'The full test suite passes.'],
  ['tested', '`npm test` passes.'],
  ['tested', '`pytest`: 12 passed'],
  ['tested', 'Tests: 42/42 passing'],
  ['tested', '✅ All tests passing (24/24)'],
  ['tested', 'The new test passes.'],
  ['tested', 'I verified the fix with pytest.'],
  ['tested', 'I verified that all tests pass.'],
  ['tested', 'I ran the full test suite and everything passes.'],
  ['tested', 'Ran the unit tests: all green.'],
  ['tested', 'Everything passes.'],
  ['tested', '| Tests | ✅ |'],
  ['tested', '| Unit tests | 42 passed |'],
  ['tested', 'All existing tests still pass.'],
  ['tested', 'The previously failing tests now pass.'],
  ['tested', 'I can confirm that all tests pass.'],
  ['tested', 'Test suite: green.'],
  ['tested', 'Note that all tests pass.'],
  ['tested', 'After the change, all tests pass.'],
  ['tested', 'Once more: all tests pass.'],
  ['tested', 'There are no test failures.'],
  ['tested', 'With this change every test passes.'],
  ['tested', 'All tests pass and nothing else was touched.'],
]);

table('B3a checked', [
  ['checked', 'The build succeeds.'],
  ['checked', 'It builds cleanly.'],
  ['checked', 'The project compiles.'],
  ['checked', 'tsc reports no errors.'],
  ['checked', '`tsc --noEmit` is clean.'],
  ['checked', 'Lint is clean.'],
  ['checked', 'Lint: clean'],
  ['checked', 'ESLint passes with no warnings.'],
  ['checked', 'Type checks pass.'],
  ['checked', 'I verified that the endpoint returns 200.'],
  ['checked', 'Confirmed that it works.'],
  ['checked', 'I ran it and the output is correct.'],
  ['checked', 'I checked the page in the browser.'],
  ['checked', 'Build: ✅'],
  ['checked', '✅ Build'],
  ['checked', 'The script exits 0.'],
  ['checked', 'Ran it against the dump without errors.'],
  ['checked', 'The app starts without errors.'],
  ['checked', 'Double-checked the output by hand.'],
  ['checked', 'Tested manually in the browser.'],
  ['checked', 'Mypy finds no issues.'],
  ['checked', 'The server starts cleanly and responds with 200.'],
  ['checked', 'Formatting passes.'],
  ['checked', 'The code compiles without warnings.'],
  ['checked', 'CI is green.'],
  ['checked', 'The pipeline passed.'],
]);

it('B3a claims about CI say so', () => {
  expect(findByRules('CI is green.').claims).toMatchObject([{ about: 'ci' }]);
  expect(findByRules('The pipeline passed.').claims).toMatchObject([{ about: 'ci' }]);
  expect(findByRules('The build is green.').claims).toMatchObject([{ about: 'build' }]);
});

table('B3a shipped', [
  ['shipped', 'Committed as 91bd2ce.'],
  ['shipped shipped', 'Committed and pushed to `main`.'],
  ['shipped', 'I pushed the branch.'],
  ['shipped', 'The PR is merged.'],
  ['shipped', 'Deployed to staging.'],
  ['shipped', 'The package has been published.'],
  ['shipped', 'I opened a pull request.'],
  ['shipped', 'PR opened.'],
  ['shipped', 'Tagged v1.4.0.'],
  ['shipped', 'Released 2.1.0 to npm.'],
  ['shipped', 'Migrated the local database.'],
  ['shipped', 'Created a PR with the change.'],
]);

table('B3a blocked and delegation', [
  ['blocked', "I'm blocked."],
  ['blocked', "I can't access the repository."],
  ['blocked', 'I could not fetch the page.'],
  ['blocked', "Couldn't fetch the page."],
  ['blocked', 'I was unable to download the archive.'],
  ['blocked', "I don't have access to the server."],
  ['blocked', 'This is not possible without credentials.'],
  ['blocked', 'There is no way to read the file from here.'],
  ['blocked', 'The page could not be fetched.'],
  ['delegation', 'Please send me the log.'],
  ['delegation', 'Please paste the file here.'],
  ['delegation', 'Could you paste the stack trace?'],
  ['delegation', 'Can you share the token format?'],
  ['delegation', 'I need the URL from you.'],
  ['delegation', "I'll need your API key to finish."],
  ['delegation', "You'll have to run the migration."],
  ['delegation', 'You will need to set `TOKEN` first.'],
  ['delegation', 'Send me the certificate, please.'],
  ['delegation', 'I need you to approve the app.'],
]);

table('B3a several in one sentence', [
  ['done tested', 'Fixed the bug and all tests pass.'],
  ['done', 'Fixed the bug but did not run the tests.'],
  ['changed tested', 'I added a guard; all 12 tests pass.'],
  ['checked tested', 'The build succeeds and all tests pass.'],
  ['changed', 'Added a test and updated the docs.'],
  ['done changed', 'Fixed the crash by guarding. Added a test.'],
  ['tested checked', 'Tests pass, lint is clean.'],
  ['checked tested', 'Type check is clean, 204/204 tests pass.'],
  ['done tested', 'The leak is fixed: all 66 tests pass.'],
  ['blocked delegation', "I can't open the file. Please paste it."],
  ['changed', 'I added a check to make sure all tests pass.'],
]);

table('B3a not claims: code and other voices', [
  ['', '```\nAll tests pass.\n```'],
  ['', '~~~text\nFixed the bug.\n~~~'],
  ['', '```\nFixed the bug.'],
  ['', 'Output:\n\n    42 passed in 0.3s\n'],
  ['', '`all tests pass`'],
  ['', '> All tests pass.'],
  ['', 'The log says "all tests pass".'],
  ['', 'It prints “Done.”'],
  ['', '<!-- All tests pass. -->'],
  ['', '~~All tests pass.~~'],
  ['', 'See [the notes](https://example.com/fixed-all-tests-pass).'],
  ['', 'See https://example.com/fixed'],
  ['', "The user wrote 'it is fixed' in the ticket."],
  ['', '| Status | Result |\n| --- | --- |'],
  ['', '- [ ] Fixed the crash'],
]);

table('B3a not claims: questions, plans, conditions', [
  ['', 'Is it fixed now?'],
  ['', 'Shall I commit it?'],
  ['', 'Would you like me to add tests?'],
  ['', 'Do all tests pass on your machine?'],
  ['', "I'll fix the bug."],
  ['', 'I will add tests.'],
  ['', "I'm going to update the docs."],
  ['', 'Let me run the tests.'],
  ['', 'Next I would extract the helper.'],
  ['', 'The bug will be fixed.'],
  ['', 'The helper can be removed.'],
  ['', 'This needs to be fixed.'],
  ['', 'Two tests have to be updated.'],
  ['', 'If the tests pass, we can merge.'],
  ['', 'Once the tests pass, it is done.'],
  ['', 'Merge it when all tests pass.'],
  ['', 'After you deploy, it is fixed.'],
  ['', 'It is done as soon as all tests pass.'],
  ['', 'It works if you restart the server.'],
  ['', 'Unless it is fixed, the job hangs.'],
  ['', '## Next steps\n- Updated docs\n- All tests pass'],
  ['', '**Remaining**\n\n- Fixed width columns'],
  ['', 'TODO:\n- tests added for the parser'],
  ['', 'Plan: fixed timeouts removed, cache added.'],
  ['', '### Known issues\n\nThe cache is updated.'],
  ['', 'What is left:\n- Docs updated'],
]);

table('B3a not claims: negations and hedges', [
  ['', 'The bug is not fixed.'],
  ['', "It isn't done yet."],
  ['', 'Not fixed.'],
  ['', 'The tests do not pass.'],
  ['', 'Not all tests pass.'],
  ['', 'None of the tests pass.'],
  ['', 'No tests were added.'],
  ['', 'Nothing was changed.'],
  ['', 'No files were changed.'],
  ['', 'I have not changed anything.'],
  ['', 'I did not fix or test it.'],
  ['', 'Two tests are still failing.'],
  ['', 'I never committed it.'],
  ['', 'This should work.'],
  ['', 'This should fix it.'],
  ['', 'It should be fixed now.'],
  ['', 'The tests should pass.'],
  ['', 'It should compile and pass.'],
  ['', 'I believe the bug is fixed.'],
  ['', 'I think all tests pass.'],
  ['', 'It is probably fixed.'],
  ['', 'The issue may be resolved.'],
  ['', 'It appears to be fixed.'],
  ['', 'It seems that all tests pass.'],
  ['', 'Hopefully the bug is gone.'],
  ['', 'The bug is gone, I think.'],
  ['', 'The bug is likely fixed.'],
  ['', '❌ Tests pass'],
  ['', 'Lint is not clean.'],
  ['', 'I was unable to fix it.'],
  ['', 'It is almost done.'],
  ['', '40 passed, 2 failed.'],
]);

table('B3a not claims: history, descriptions, advice, offers', [
  ['', 'The previous release fixed this.'],
  ['', 'It was added in v2.3.'],
  ['', 'In commit abc1234 somebody changed the default.'],
  ['', 'This was fixed upstream.'],
  ['', 'The maintainers have fixed it.'],
  ['', 'The field was removed in version 4.'],
  ['', 'You changed the schema yesterday.'],
  ['', 'The function returns done when the queue is empty.'],
  ['', 'Tests are stored in `test/`.'],
  ['', 'A job is finished when its last step is.'],
  ['', 'The cache is updated on every write.'],
  ['', 'The added file is small.'],
  ['', 'It uses a fixed-width font.'],
  ['', 'A fixed delay is used.'],
  ['', 'How it works'],
  ['', '## What changed'],
  ['', 'Run `npm test` to verify.'],
  ['', 'Make sure that all tests pass.'],
  ['', 'Make sure the build is green and all tests pass.'],
  ['', 'Check that the migration is applied.'],
  ['', 'Verify that it works.'],
  ['', 'Let me know if you have questions.'],
  ['', "Let me know if you'd like it changed."],
  ['', 'Happy to add tests.'],
  ['', 'Feel free to change it.'],
  ['', 'I tried to fix it.'],
  ['', 'I attempted a third run.'],
  ['', 'The bug is in `parser.ts`.'],
  ['', 'The root cause was a removed check.'],
  ['', 'Which of the two do you prefer?'],
  ['', 'You can run it with `npm start`.'],
  ['', 'The parser cannot read tabs.'],
  ['', 'The test failed because the config was removed.'],
  ['', 'Tests would be updated along with each.'],
  ['', 'Keep the old client until everything is merged.'],
  ['', 'The API limits requests to 100 passed per second.'],
  ['', '`ready` is true once all validators have run.'],
]);

describe('B3a quotes', () => {
  it.each([
    ['Fixed the bug but did not run the tests.', 'Fixed the bug'],
    ['**Fixed** `a.ts`, e.g. the loop.', 'Fixed** `a.ts`'],
    ['Some text.\n\n- **Done:** nothing\n- ✅ All tests pass now', 'All tests pass now'],
  ])('%s', (message, quote) => {
    const { claims } = findByRules(message);
    expect(claims.map((claim) => claim.quote)).toContain(quote);
    for (const claim of claims) expect(message).toContain(claim.quote);
  });
});

describe('B3a what a claim is about', () => {
  it.each([
    ['The build succeeds.', 'build'],
    ['`tsc --noEmit` is clean.', 'types'],
    ['Type check passes.', 'types'],
    ['Lint is clean.', 'lint'],
    ['`npm run lint` passes.', 'lint'],
    ['Prettier passes.', 'format'],
    ['Pushed to `main`.', 'push'],
    ['Committed as 91bd2ce.', 'commit'],
    ['Published 1.2.0 to npm.', 'publish'],
    ['Deployed to staging.', 'deploy'],
    ['The PR is merged.', 'merge'],
    ['Opened a PR.', 'pr'],
    ['Confirmed that it works.', null],
    ['All tests pass.', null],
  ])('%s → %s', (message, about) => {
    expect(findByRules(message).claims.map((claim) => claim.about)).toEqual([about]);
  });

  it.each([
    ['The full suite passes.', true],
    ['The entire test suite is green.', true],
    ['The whole suite passes.', true],
    ['All tests pass.', false],
    ['The full build passes.', false],
  ])('whole: %s → %s', (message, whole) => {
    expect(findByRules(message).claims.map((claim) => claim.whole)).toEqual([whole]);
  });
});

describe('B3a disclosures', () => {
  it.each([
    'Not verified: the migration.',
    'I have not run the tests.',
    "I haven't tested it on Windows.",
    'This is untested.',
    "I couldn't run the suite here.",
    'Tests were not run.',
    'The installer was not built, since it needs Windows.',
    'The change has not been tested.',
    'I was not able to run the tests.',
    'I was unable to verify the fix.',
    'I did not run the tests.',
    'Fixed the bug but did not run the tests.',
    'No tests were run.',
    'I changed it without running the tests.',
  ])('%s', (message) => {
    expect(findByRules(message).disclosures).toHaveLength(1);
  });

  it.each([
    'All tests pass.',
    'If you have not run the tests, do so.',
    'Have you not run the tests?',
    'The function does not verify the signature.',
    'An untested code path remains in `a.ts`.',
    'The job does not run on Sundays.',
    'Not verified: nothing.',
    'Not verified: none',
    'Not tested: n/a',
    '**Not verified:** nothing else',
    '## Not verified\n\nNothing.',
    'Not verified:\n\n- None',
    '| Not verified | none |',
    "I can't build the navbar from it.",
  ])('none: %s', (message) => {
    expect(findByRules(message).disclosures).toEqual([]);
  });
});

describe('B3a phrases of the policy', () => {
  const phrases = {
    add: [
      { type: 'done' as const, phrase: 'ship it' },
      { type: 'shipped' as const, phrase: 'on the train' },
    ],
    remove: ['gone'],
  };
  it('add claims, whole words, in any case', () => {
    expect(findByRules('Time to Ship It now.', { phrases }).claims).toMatchObject([{ type: 'done' }]);
    expect(findByRules('The change is on the train.', { phrases }).claims).toMatchObject([
      { type: 'shipped' },
    ]);
    expect(findByRules('The change is on the trains.', { phrases }).claims).toEqual([]);
  });
  it('are negated like any other', () => {
    expect(findByRules('It is not on the train.', { phrases }).claims).toEqual([]);
  });
  it('remove claims', () => {
    expect(findByRules('The bug is gone.', { phrases }).claims).toEqual([]);
    expect(findByRules('The bug is fixed.', { phrases }).claims).toHaveLength(1);
  });
});

describe('B3a hostile messages', () => {
  it.each([
    'fixed if not fixed? `',
    '`'.repeat(7),
    '"',
    '<!--',
    '[a](',
    '* ',
    '> ',
    '| a ',
    "'a ",
    '~~',
    '<a',
    '(',
    'done, ',
    'that that ',
    '``` ',
    '- [x] ',
    'e.g. ',
    '\n    a\n',
    'I ',
    '0 ',
  ])('a megabyte of %j is read', (piece) => {
    const message = piece.repeat(Math.ceil(1_000_000 / piece.length));
    expect(findByRules(message).claims.length).toBeLessThanOrEqual(256);
  });

  it('of a long message both ends are read', () => {
    const filler = 'Some words. '.repeat(40_000);
    expect(typesIn(`${filler}All tests pass.`)).toBe('tested');
    expect(typesIn(`All tests pass. ${filler}`)).toBe('tested');
    expect(typesIn(`Lint is clean. ${filler}All tests pass.`)).toBe('checked tested');
    expect(typesIn(`${filler}All tests pass. ${filler}`)).toBe('');
  });

  it('of many claims the first and the last are kept', () => {
    const many = '- Renamed `a`\n'.repeat(1000);
    const types = typesIn(`All tests pass.\n\n${many}\n\nI pushed the branch.`).split(' ');
    expect(types.length).toBeLessThanOrEqual(256);
    expect(types[0]).toBe('tested');
    expect(types.at(-1)).toBe('shipped');
  });

  it('code that is left open at the beginning does not hide the end', () => {
    expect(typesIn(`\`\`\`\n${'x\n'.repeat(80_000)}All tests pass.`)).toBe('tested');
  });

  it.each([
    ['no width', 'All te\u200bsts pa\u2060ss.'],
    ['a soft hyphen', 'All tests pa\u00adss.'],
    ['Cyrillic', 'All t\u0435sts p\u0430ss.'],
    ['Greek', 'All tests p\u03b1ss.'],
    ['full width', 'All \uff54\uff45\uff53\uff54\uff53 pass.'],
    ['mathematical', 'All \u{1d42d}\u{1d41e}\u{1d42c}\u{1d42d}\u{1d42c} pass.'],
    ['hard spaces', 'All\u00a0tests\u2009pass.'],
    ['marks above', 'All te\u0301sts pass.'],
  ])("%s hides no claim, and the quote is the message's own", (_, message) => {
    const { claims } = findByRules(`I looked. ${message} More.`);
    expect(claims).toMatchObject([{ type: 'tested' }]);
    expect(message).toContain(claims[0]?.quote);
  });
});
