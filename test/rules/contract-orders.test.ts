// Everyday prompts: orders that begin with a word that may be a noun, files beside other text, commands that are named in passing.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { readContract } from '../../src/rules/index.ts';

const read = (prompt: string) => readContract(prompt, DEFAULT_POLICY);

describe('B2a an order without an article', () => {
  it.each([
    'Return 400 for empty names',
    'Return 404 if the order is missing',
    'Trim blanks before comparing',
    'Allow dots in user names',
    'Please accept JSON as well',
    'Treat missing dates as today',
    'Ignore accents when searching',
    'Reject uploads that are too large',
    'Throw when the key is unknown',
    'Load settings from disk',
    'Default timeout to 30 s',
    'Show a warning before it is deleted',
    'Show the total next to the title',
    'Print sums at the bottom',
    'Display dates in local time',
    'I want the list grouped by month',
    'Do the same for invoices',
    'Go ahead with the second plan',
  ])('%s asks for a change', (prompt) => {
    expect(read(prompt).intent).toBe('change');
  });

  it.each([
    ['Get rid of the old parser', 'remove'],
    ['The build is red, take care of it', 'fix'],
    ['Could you have a stab at the flaky test', 'fix'],
    ['can we have a search box?', 'change'],
  ])('%s asks for %s', (prompt, intent) => {
    expect(read(prompt).intent).toBe(intent);
  });

  it.each([
    ['Show me the failing tests', 'investigate'],
    ['Show the tests that fail when run alone', 'investigate'],
    ['Print the log', 'investigate'],
    ['Display the contents of a.txt', 'investigate'],
    ['I want a list of the routes', 'investigate'],
    ['What should it return?', 'investigate'],
    ['Can I have a look at the log?', 'other'],
    ['Can I get an explanation of the cache?', 'investigate'],
    ['Log in as a guest', 'other'],
    ['Log shows two warnings', 'other'],
    ['Ignore my last message', 'other'],
    ['Ignore that', 'other'],
    ['Expand on the second point', 'other'],
    ['Default is fine', 'other'],
    ['Load times are high', 'other'],
    ['Hash collisions are rare', 'other'],
    ['Log files grow quickly', 'other'],
  ])('%s does not: %s', (prompt, intent) => {
    expect(read(prompt).intent).toBe(intent);
  });
});

describe('B2a files beside other text', () => {
  it.each<[string, string[]]>([
    ['Fix __main__.py and _mixins.scss', ['__main__.py', '_mixins.scss']],
    ['_src/a.ts_, _lib/b.ts_.', ['src/a.ts', 'lib/b.ts']],
    ['Shrink Dockerfile.prod and Makefile.local', ['Dockerfile.prod', 'Makefile.local']],
    ['Fix [the reader](src/reader.ts).', ['src/reader.ts']],
    ['See docs/setup.md#linux', ['docs/setup.md']],
    ['<job>Fix src/cart.tsx</job>', ['src/cart.tsx']],
    ['src/a.ts;src/b.ts, c.ts→d.ts, e.ts->f.ts', ['src/a.ts', 'src/b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts']],
    ['In src/a.ts:rename it', ['src/a.ts']],
    ['Audit Vault.sol, plot.R and AppDelegate.m by 5 p.m.', ['Vault.sol', 'plot.R', 'AppDelegate.m']],
    ['Read file:///srv/data/a.json', ['/srv/data/a.json']],
    ['Apply\n--- a/src/x.ts\n+++ b/src/x.ts', ['src/x.ts']],
    ['```diff\ndiff --git a/src/x.ts b/src/x.ts\n```', ['src/x.ts']],
    ['src/main.goを直して', ['src/main.go']],
    ['请修改src/main.go里的错误', ['src/main.go']],
    ['Fix List<string> and std::vector<int>', []],
  ])('%j', (prompt, paths) => {
    expect(read(prompt).fields.paths).toEqual(paths);
  });
});

describe('B2a commands', () => {
  it.each<[string, string[]]>([
    ['Fix it; `cd web && npm test` must pass', ['cd web && npm test']],
    ['Run `shipit status --all`', ['shipit status --all']],
    ['Run this:\n```\ncd api\nnpm test\n```', ['npm test']],
    ['Run `the tests`', []],
    ['Use `type A = string | null`', []],
    ['This was printed:\n```\nnpm test\n```', []],
  ])('%j', (prompt, commands) => {
    expect(read(prompt).fields.command_hints).toEqual(commands);
  });
});
