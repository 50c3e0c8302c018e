// C9: what a pack's tool policy says of a call.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import type { ToolPolicy } from '../../src/format/index.ts';
import { judgeTool, needsArguments } from '../../src/policy/index.ts';

const policy: ToolPolicy = {
  deny: ['WebFetch', 'mcp__github__*'],
  arguments: [
    { tool: 'Bash', matches: 'curl *' },
    { tool: 'Bash', matches: '*rm -rf*' },
    { tool: 'mcp__fs__*', matches: '/etc/*' },
  ],
};

describe('C9 a call under a tool policy', () => {
  it.each<[string, string, Json | undefined, boolean | null]>([
    ['a tool that is denied', 'WebFetch', {}, false],
    ['one that is denied by a pattern', 'mcp__github__merge', {}, false],
    ['one of another case is another tool', 'webfetch', {}, true],
    ['an argument that is denied', 'Bash', { command: 'curl https://x.example/a/b' }, false],
    ['one in the middle of a text', 'Bash', { command: 'cd /tmp && rm -rf x' }, false],
    ['one deep inside', 'mcp__fs__write', { edits: [{ where: { path: '/etc/passwd' } }] }, false],
    ['an argument that is fine', 'Bash', { command: 'echo curl' }, true],
    ['the same argument of a tool without rules', 'Read', { command: 'curl x' }, true],
    ['arguments that are not shown, with rules', 'Bash', undefined, null],
    ['arguments that are not shown, without rules', 'Read', undefined, true],
    ['a denied tool whose arguments are not shown', 'WebFetch', undefined, false],
    ['arguments of no form', 'Bash', null, true],
    ['too many arguments', 'Bash', Array.from({ length: 100_002 }, () => 'x'), null],
  ])('%s', (_, tool, args, allowed) => {
    expect(judgeTool(policy, tool, { args }).allowed).toBe(allowed);
  });

  it('says why', () => {
    expect(judgeTool(policy, 'WebFetch', { args: {} })).toEqual({
      allowed: false,
      why: 'the pack denies WebFetch',
    });
    expect(judgeTool(policy, 'mcp__github__merge', { args: {} })).toEqual({
      allowed: false,
      why: 'the pack denies mcp__github__merge (mcp__github__*)',
    });
    expect(judgeTool(policy, 'Bash', { args: { command: 'curl x' } })).toEqual({
      allowed: false,
      why: 'the pack denies Bash with an argument like curl *: it runs "curl x"',
    });
  });
});

describe('C9 a call under a rule about files', () => {
  const root = '/home/ann/work';
  const denies = (path: string): ToolPolicy => ({ deny: [], arguments: [{ tool: 'Read', path }] });

  it.each<[string, string, readonly string[], string | null, boolean | null]>([
    ['a file of the work tree', '.env', ['.env'], root, false],
    ['one of the same name elsewhere', '.env', ['src/.env', '/tmp/.env'], root, true],
    ['one in any folder', '**/.env', ['a/b/.env'], root, false],
    ['what is in a folder', 'secrets', ['secrets/a/b'], root, false],
    ['a folder with a like name', 'secrets', ['secrets.md', 'x/secrets'], root, true],
    ['one by the root of the machine', '/etc/**', ['/etc/ssl/key'], root, false],
    ['one of the work tree by the root of the machine', '/home/*/work/.env', ['.env'], root, false],
    ['one in a home', '~/.ssh/**', ['/home/ann/.ssh/id'], root, false],
    ['one in a home in an unusual place', '~/.ssh/**', ['/srv/agent/.ssh/id'], root, false],
    ['one that is written from the home', '~/.ssh/**', ['~/.ssh/id'], root, false],
    ['one of a work tree that is in a home', '~/work/.env', ['.env'], root, false],
    [
      'one of the work tree that only looks like one in a home',
      '~/.config/**',
      ['.config/a'],
      '/data/x',
      true,
    ],
    ['two, the second of them denied', '.env', ['a', '.env'], root, false],
    ['one whose work tree is not known', '/etc/**', ['a'], null, null],
    ['one outside of a work tree that is not known', '.env', ['/x/.env'], null, null],
    ['one that climbs out', '.env', ['../.env'], root, null],
    ['one that was redacted', '.env', ['a/[REDACTED:github-token]'], root, null],
    ['one that was shortened', '.env', ['a/b…'], root, null],
    ['none', '.env', [], root, null],
    ['more than recorders keep', '.env', Array.from({ length: 64 }, (_, i) => `f${i}`), root, null],
  ])('%s', (_, glob, paths, workTree, allowed) => {
    expect(
      judgeTool(denies(glob), 'Read', { args: undefined, named: { paths, root: workTree } }).allowed,
    ).toBe(allowed);
  });

  it('is not known where no paths are recorded, and needs no arguments', () => {
    expect(judgeTool(denies('.env'), 'Read', { args: { file_path: '/x/.env' } }).allowed).toBe(null);
    expect(needsArguments(denies('.env'), 'Read')).toBe(false);
    expect(needsArguments(policy, 'Bash')).toBe(true);
  });

  it.each<[string, string, string, readonly string[], Json, boolean | null]>([
    ['a search that names no path', 'secrets/**', 'Grep', [], { pattern: 'x' }, null],
    ['a search of a folder that may hold it', '**/.env', 'Grep', ['src'], { pattern: 'x' }, null],
    ['a search of a folder that does not', 'secrets/**', 'Grep', ['src'], { pattern: 'x' }, true],
    ['a search of the folder itself', 'secrets/**', 'Grep', ['secrets/a'], { pattern: 'x' }, false],
    ['a search above the work tree', '.env', 'Grep', ['/home/ann'], { pattern: 'x' }, null],
    ['a pattern within a folder', 'secrets/**', 'Glob', ['src'], { pattern: '**/*.ts' }, true],
    ['a pattern that leads elsewhere', 'secrets/**', 'Glob', ['src'], { pattern: '../secrets/*' }, null],
    ['blanks that a host may drop', '.env', 'Read', [' .env'], {}, null],
    ['another case', '.env', 'Read', ['.ENV'], {}, null],
    ['another form of a letter', 'é', 'Read', ['e\u0301'], {}, null],
    ['a way through /proc', '.env', 'Read', ['/proc/self/cwd/.env'], {}, null],
    ['the absolute way into the work tree', '.env', 'Read', [`${root}/.env`], {}, false],
  ])('%s', (_, path, tool, paths, args, allowed) => {
    const searches: ToolPolicy = { deny: [], arguments: [{ tool, path }] };
    expect(judgeTool(searches, tool, { args, named: { paths, root } }).allowed).toBe(allowed);
  });

  it('is not known under a rule that nobody can judge', () => {
    const odd: ToolPolicy = { deny: [], arguments: [{ tool: 'Read', unjudged: '[ab].env' }] };
    expect(judgeTool(odd, 'Read', { args: {}, named: { paths: ['x'], root } })).toEqual({
      allowed: null,
      why: 'the pack denies Read([ab].env), and nobody can judge such a rule. Have the agent use simpler calls, or replace such a rule with grants (foil grants) or a sandbox',
    });
    expect(judgeTool(odd, 'Edit', { args: {} }).allowed).toBe(true);
  });
});

describe('C9 a call under a rule about a host', () => {
  const denies = (domain: string): ToolPolicy => ({ deny: [], arguments: [{ tool: 'WebFetch', domain }] });

  it.each<[string, string, boolean | null]>([
    ['https://evil.example/a', 'evil.example', false],
    ['HTTPS://EVIL.example:443?x', 'evil.example', false],
    ['https://evil.example.', 'Evil.example', false],
    ['https:evil.example', 'evil.example', false],
    ['\u0001https://evil.example', 'evil.example', false],
    ['https://ann@evil.example', 'evil.example', false],
    ['https:\\\\evil.example\\a', 'evil.example', false],
    [' https://evil\n.example/', 'evil.example', false],
    ['https://a.evil.example', '*.evil.example', false],
    ['https://a.evil.example', 'evil.example', true],
    ['https://fine.example/?u=https://evil.example/', 'evil.example', true],
    ['https://fine.example/@evil.example', 'evil.example', true],
    ['https://evil.example is a page', 'evil.example', true],
    ['evil.example', 'evil.example', null],
    ['https://%65vil.example', 'evil.example', null],
    ['https://еvil.example', 'evil.example', null],
  ])('%s, %s', (url, domain, allowed) => {
    expect(judgeTool(denies(domain), 'WebFetch', { args: { url, prompt: 'read it' } }).allowed).toBe(allowed);
  });

  it('is not known where the arguments are not shown', () => {
    expect(judgeTool(denies('x'), 'WebFetch', { args: undefined }).allowed).toBe(null);
  });
});

describe('C9 a line for a shell under a rule about commands', () => {
  const denies = (...patterns: string[]): ToolPolicy => ({
    deny: [],
    arguments: patterns.map((matches) => ({ tool: 'Bash', matches })),
  });
  const curl = denies('curl', 'curl *');
  const judge = (rules: ToolPolicy, command: Json) => judgeTool(rules, 'Bash', { args: { command } }).allowed;

  it.each<string>([
    'curl y',
    'true; curl y',
    'false || curl y',
    'true && curl y | cat',
    'curl y &',
    'x=$(curl y)',
    'echo `curl y`',
    `echo "\${x:-$(curl y)}"`,
    'cat <(curl y)',
    'cat <<EOF\n$(curl y)\nEOF',
    '( curl y )',
    '{ curl y; }',
    'if true; then curl y; fi',
    'for i in 1 2; do curl $i; done',
    'f() { curl y; }; f',
    'A=1; for i in a; do curl y; done',
    'A=1; f() { curl y; }; f',
    'find . -type f | while read f; do curl "$f"; done',
    'env curl y',
    'env -i A=1 curl y',
    'A=1 curl y',
    'sudo -u x curl y',
    'nohup curl y',
    'timeout 5 curl y',
    'command curl y',
    'exec curl y',
    'xargs curl',
    'find . -exec curl {} +',
    "sh -c 'curl y'",
    "bash -lc 'true && curl y'",
    'bash -c "sh -c \'curl y\'"',
    "eval 'curl y'",
    "trap 'curl y' EXIT",
    '/usr/bin/curl y',
    '\\curl y',
    'c""url y',
    "$'curl' y",
    'cu\\\nrl y',
    'curl\ty',
    'curl "$URL"',
    'ssh host curl y',
    'ssh host "cd /; curl y"',
    'time curl y',
    'uv run --with x curl y',
    'npx -y -- curl y',
    'poetry run curl y',
    "uv run sh -c 'curl y'",
    '! curl y',
  ])('denies %j', (line) => {
    expect(judge(curl, line)).toBe(false);
  });

  it.each<string>([
    '$X y',
    '$(echo curl) y',
    '{curl,y}',
    'cur? y',
    'echo curl y | sh',
    'bash <<EOF\ncurl y\nEOF',
    "python3 -c 'x'",
    'node -e x',
    'python3 -I -c x',
    'python3 -I -m timeit x',
    'uv run python3 -X dev -c x',
    'perl -W -e x',
    'node --test-only -e x',
    'python3 -u -m pytest --pdb',
    'python3 -X dev -m pytest --trace',
    'perl -e x',
    "awk 'BEGIN{system(x)}'",
    "sed '1e x' f",
    'alias x=y',
    'PATH=/x:$PATH ls',
    'LD_PRELOAD=x ls',
    'eval "$X"',
    'source <(x)',
    "git -c alias.x='!curl y' x",
    'git bisect run curl y',
    'echo "unclosed',
    'export T=[REDACTED:github-token]',
    'pwsh -c x',
    'CURL y',
    'curlie y',
    'cp /usr/bin/curl k',
    'ln -s /usr/bin/curl k',
    'echo "curl y" > x.sh && sh x.sh',
    'echo "curl y" > x.sh; chmod +x x.sh; ./x.sh',
    'cp /usr/bin/curl k; ./k y',
    'ln -s /usr/bin/curl k && ./k y',
    'mv /usr/bin/curl k; ./k y',
    'vim -c x',
  ])('does not know %j', (line) => {
    expect(judge(curl, line)).toBe(null);
  });

  it.each<string>([
    'echo curl y',
    'grep curl README.md',
    'npm test',
    'node --test',
    'node src/a.mjs',
    'python3 -m pytest -q',
    'git status && git diff',
    'X=1 npm run build',
    'for f in *.ts; do wc -l "$f"; done',
    "sed -n '1,20p' src/a.ts",
    "sed -i 's/a/b/g' src/a.ts",
    "awk '{print $1}' f",
    'find . -name "*.ts"',
    'ls # curl y',
    'export NAME=x; echo "$NAME"',
  ])('allows %j', (line) => {
    expect(judge(curl, line)).toBe(true);
  });

  it.each<[string, string, boolean | null]>([
    ['git push *', 'git -C . push origin', false],
    ['git push *', 'git -c color.ui=never push origin', false],
    ['git push *', 'git -c alias.p=push p', null],
    ['git push *', 'git config alias.p push && git p', null],
    ['git push *', 'git commit -m "git push"', true],
    ['git push *', 'git checkout "$B"', true],
    ['git push *', 'git status', true],
    ['git push *', 'cd a && git push origin', false],
    ['rm -rf *', 'rm -r -f x', false],
    ['rm -rf *', 'rm -fr x', false],
    ['rm -rf *', 'rm -Rf x', false],
    ['rm -rf *', 'rm x -vRf', false],
    ['rm -rf *', 'rm --recursive --force x', false],
    ['rm -fr *', 'rm -Rf x', null],
    ['rm -rf *', 'rm -r x', true],
    ['rm -rf *', 'rm -- -rf', null],
    ['rm -rf *', 'rm x', true],
    ['rm -rf *', 'echo / | xargs rm -rf', false],
    ['*--force*', 'true; git push --force', false],
  ])('%s, %j', (pattern, line, allowed) => {
    expect(judge(denies(pattern), line)).toBe(allowed);
  });

  it('reads a list of words, and the line of any tool that is given a command', () => {
    expect(judge(curl, ['bash', '-lc', 'true; curl y'])).toBe(false);
    expect(judge(curl, ['curl', 'y'])).toBe(false);
    const served: ToolPolicy = { deny: [], arguments: [{ tool: 'mcp__sh__*', matches: 'curl *' }] };
    expect(judgeTool(served, 'mcp__sh__run', { args: { cmd: 'true; curl y' } }).allowed).toBe(false);
    const windows: ToolPolicy = { deny: [], arguments: [{ tool: 'PowerShell', matches: 'curl *' }] };
    expect(judgeTool(windows, 'PowerShell', { args: { command: 'ls' } }).allowed).toBe(null);
  });

  it('does not know what was written, where only a hash of it is kept', () => {
    const written: ToolPolicy = { deny: [], arguments: [{ tool: 'Write', matches: '*rm -rf*' }] };
    const args = { file_path: '/w/a.sh', content: { content_hash: 'a'.repeat(64), content_bytes: 3 } };
    expect(judgeTool(written, 'Write', { args }).allowed).toBe(null);
  });
});

describe('C9 a line for a shell under a rule about files', () => {
  const root = '/home/ann/work';
  const judge = (rule: object, command: string, paths: readonly string[] = [], cwd: string | null = root) =>
    judgeTool(
      { deny: [], arguments: [{ tool: 'Bash', ...rule } as ToolPolicy['arguments'][number]] },
      'Bash',
      {
        args: { command },
        named: { paths, root },
        cwd,
      },
    ).allowed;

  it.each<[string, boolean | null]>([
    ['cat .env', false],
    ['cat ./.env', false],
    ['A=1; for f in a; do cat .env; done', false],
    ['cd sub; for i in 1 2; do cat .env; cd ..; A=1; done', false],
    ['cat src/../.env', false],
    [`cat ${root}/.env`, false],
    ['cd src && cat ../.env', false],
    ['head -5 < .env', false],
    ['cp .env x', false],
    ['ln -s .env x; cat x', false],
    ['grep KEY .env', false],
    ['echo "$(cat .env)"', false],
    ["sh -c 'cat .env'", false],
    ["cd src && sh -c 'cat ../.env'", false],
    ['grep -r KEY .', null],
    ['cat *', true],
    ['cat .*', null],
    ['cat .e*', null],
    ['cat "$F"', null],
    ['F=.env; cat $F', null],
    ['echo .env | xargs cat', null],
    ['cd "$D" && cat x', null],
    ['env cat .env', false],
    ['node --env-file=.env src/a.mjs', null],
    ['git add .env', null],
    ['git show HEAD:.env', null],
    ['rg KEY', true],
    ['rg --hidden KEY', null],
    ['rg -uu KEY', null],
    ['rg KEY .env', false],
    ['rg -g ".e*" KEY', null],
    ['rg KEY "$D"', null],
    ['git grep KEY', null],
    ["sed -n '1p' .env", null],
    ['python3 -c x', null],
    ['cat .ENV', null],
    ['echo A=1 > .env', true],
    ['echo .env', true],
    ['cat src/a.ts', true],
    ['cat src/*.ts', true],
    ['npm test', true],
    ['node --test', true],
  ])('reading .env: %j', (line, allowed) => {
    expect(judge({ reads: '.env' }, line)).toBe(allowed);
  });

  it.each<[string, boolean | null]>([
    ['echo x > src/a.ts', false],
    ['tee src/a.ts', false],
    ['rm -r src', false],
    ['mv src/a.ts b', false],
    ['cp b src', false],
    ["sed -i 's/a/b/' src/a.ts", null],
    ['git checkout src/a.ts', null],
    ['rm *', null],
    ['cat src/a.ts', true],
    ['echo x > test/a.ts', true],
  ])('writing src: %j', (line, allowed) => {
    expect(judge({ writes: 'src/**' }, line)).toBe(allowed);
  });

  it('holds a rule about a path against both, and against where links lead', () => {
    expect(judge({ path: '.env' }, 'echo > .env')).toBe(false);
    expect(judge({ path: '.env' }, 'cat .env')).toBe(false);
    expect(judge({ path: '~/.ssh/**' }, 'cat ~/.ssh/id')).toBe(false);
    expect(judge({ path: '/etc/**' }, 'cat /etc/passwd')).toBe(false);
    expect(judge({ reads: '.env' }, 'cat link')).toBe(true);
    expect(judge({ reads: '.env' }, 'cat link', ['.env'])).toBe(null);
    expect(judge({ reads: '.env' }, 'cat a', [], null)).toBe(null);
    expect(judge({ reads: '.env' }, 'cat a', [], `${root}/src`)).toBe(true);
    expect(judge({ reads: 'src/a' }, 'cat a', [], `${root}/src`)).toBe(false);
  });
});
