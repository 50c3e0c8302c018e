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
    'Retry on 503',
    'Target node 22',
    'Proxy /api to :3000',
    'Polyfill fetch',
    'Ban console.log',
    'Keep going',
    'Carry on',
    'Set the limit to 30',
    'Merge a.js and b.js',
    'Merge `a.js` and `b.js`',
    'Merge the two helpers into one',
    'Go ahead with the second plan',
    'Call user.name in the template instead of user.id',
    'Is it possible to have the tests run in parallel? Do that please.',
    "Don't forget the semicolons",
    'Would you mind removing the unused imports?',
  ])('%s asks for a change', (prompt) => {
    expect(read(prompt).intent).toBe('change');
  });

  it.each([
    ['Get rid of the old parser', 'remove'],
    ['Prune dead code', 'remove'],
    ['Kill the N+1 query', 'remove'],
    ['Kill the dev server', 'operate'],
    ['Set up CI', 'add'],
    ['Merge the PR', 'ship'],
    ['Merge release/1.2 into main', 'ship'],
    ['Rebuild and redeploy', 'operate'],
    ['Cherry-pick abc1234 onto release/1.2', 'operate'],
    ['Promote staging to prod', 'operate'],
    ['Dig into the log', 'investigate'],
    ['git pull and rebuild', 'operate'],
    ['Helm upgrade the chart', 'operate'],
    ['go mod tidy', 'operate'],
    ['kubectl rollout restart deploy/api', 'operate'],
    ['please make test', 'operate'],
    ['make build and test faster', 'change'],
    ['npm install left-pad and use it', 'change'],
    ['The build is red, take care of it', 'fix'],
    ['Could you have a stab at the flaky test', 'fix'],
    ['can we have a search box?', 'change'],
    ['Get `cargo test` and `cargo clippy -- -D warnings` green', 'fix'],
    ['Get the build to compile again', 'fix'],
    ['Get a list of the passing tests', 'investigate'],
    ['Would you mind explaining the cache?', 'other'],
    ["Don't forget to run the tests", 'test'],
    [`${'10:00 INFO request ok\n'.repeat(4000)}\nfix the 500s in src/items.py`, 'fix'],
    [`fix the 500s in src/items.py\n${'10:00 INFO request ok\n'.repeat(4000)}`, 'fix'],
    [`\`\`\`\n${'10:00 INFO request ok\n'.repeat(4000)}\`\`\`\nfix the 500s`, 'fix'],
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
    ['npm install hangs on CI', 'other'],
    ['git history is long', 'other'],
    ['Target audience is not known', 'other'],
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
    ['Fix 日本/テスト.ts', ['日本/テスト.ts']],
    ['Sort Views/Home/Index.cshtml and data/in.parquet', ['Views/Home/Index.cshtml', 'data/in.parquet']],
    ['Fix {src,test}/cart.js and `lib/{a,b}.py`', ['src/cart.js', 'test/cart.js', 'lib/a.py', 'lib/b.py']],
    ['Add `back\\slash` and `App\\Models`', []],
    ['Try `curl -s localhost:3000/health | jq -r .ok`', []],
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

it.each<[string, string[]]>([
  ['See HTTPS://EXAMPLE.COM/Path?x=[1]&y={2}#z!', ['HTTPS://EXAMPLE.COM/Path?x=[1]&y={2}#z']],
  ['Call https://a.test/{id}, not {"url": https://b.test/x}', ['https://a.test/{id}', 'https://b.test/x']],
])('B2a URLs with brackets: %s', (prompt, urls) => {
  expect(read(prompt).fields.urls).toEqual(urls);
});
