// What a prompt asks for, by verbs of every day and by what it reports as wrong.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readContract } from '../../src/rules/index.ts';

const contract = (prompt: string) => readContract(prompt, DEFAULT_POLICY);

describe('B2a what a prompt asks for', () => {
  it.each([
    ['Encrypt the session cookie in src/sum.js', 'change'],
    ['Harden the login', 'change'],
    ['Normalise the paths', 'change'],
    ['Please wrap the call in a retry', 'change'],
    ['Import the CSV into the database', 'operate'],
    ['Restart the service', 'operate'],
    ['Rebase the branch onto main', 'operate'],
    ['Install lodash and fix the crash', 'fix'],
    ['src/sum.js is wrong', 'fix'],
    ['There is a bug in src/sum.js, it subtracts.', 'fix'],
    ['The login doesn’t work.', 'fix'],
    ['The add button is broken.', 'fix'],
    ['Add button is broken', 'fix'],
    ['The import button is broken', 'fix'],
    ['Update script doesn’t work', 'fix'],
    ['Add a test, the parser is broken', 'add'],
    ['Add a button. The old one is broken.', 'add'],
    ['Is src/sum.js wrong?', 'investigate'],
    ['Explain why the login is broken.', 'investigate'],
    ['The cache is warm.', 'other'],
    ['Open src/cart.js and fix `total`', 'fix'],
    ['Open https://example.org/a, then fix `foo()`', 'fix'],
    ['Open index.html in the browser', 'investigate'],
    ['Open the settings dialog when the user presses F1', 'change'],
    ['Push the branch and open a PR against main', 'ship'],
    ['Open a draft pull request', 'ship'],
    ['Open two issues: one for the cache, one for the docs', 'ship'],
    ["Open the pull request's diff and summarise it", 'investigate'],
    ['Open issues should be sorted by date', 'investigate'],
    ['Check out the branch feature/login', 'operate'],
    ['Check out src/cart.js and tell me why it leaks', 'investigate'],
    ['The error is "cannot find module foo" - fix it', 'fix'],
    ['git status', 'operate'],
    ['then git push', 'ship'],
    ['git push fails with a 403', 'other'],
  ])('%s: %s', (prompt, intent) => {
    expect(contract(prompt).intent).toBe(intent);
  });

  it.each([
    ['Overhaul the session handling', 'change'],
    ['Redo cart', 'change'],
    ['Regenerate types', 'change'],
    ['Vacuum caches', 'change'],
    ['please hoist session handling', 'change'],
    ['could u pls tidy up cart', 'change'],
    ['Now take out the dead code', 'change'],
    ['I want you to untangle this', 'change'],
    ['The loop is slow, please parallelize it', 'change'],
    ['The cookie is plain and I hate it, encrypt the thing', 'change'],
    ['re-run the tests', 'test'],
    ['typecheck src', 'test'],
    ['spin up the server', 'operate'],
    ['Examine the log', 'investigate'],
    ['Take a look at the log', 'investigate'],
    ['help me understand this', 'investigate'],
    ['<task>Implement X</task>', 'add'],
  ])('by its form %s: %s', (prompt, intent) => {
    expect(contract(prompt).intent).toBe(intent);
  });

  it.each([
    'Thanks for the help',
    'Nice work!',
    'Looks good to me',
    'Glad it works',
    'Login is slow',
    'Bug in the parser',
    'Everything the user types',
    'Great, that works',
    'that was quick',
    'Do not purge the cache',
    "Don't untangle this",
    'Mach das bitte neu',
  ])('no order: %s', (prompt) => {
    expect(contract(prompt).intent).toBe('other');
  });

  it.each([
    ['fix(src/sum.js): the empty list', ['src/sum.js']],
    ['refactor(src/a.ts,src/b.ts)!: one parser', ['src/a.ts', 'src/b.ts']],
    ['feat(api): routes', []],
  ])('%s names %s', (prompt, paths) => {
    expect(contract(prompt).fields.paths).toEqual(paths);
  });

  it('takes the name of a test for no verb', () => {
    expect(contract('Skip the cache tests for now').allowsWeakening).toBe(true);
    expect(contract('Skip the import tests for now').allowsWeakening).toBe(true);
  });
});
