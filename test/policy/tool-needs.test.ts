import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { Grants, parseGrants } from '../../src/policy/authority/match-grants.ts';
import { startsOf } from '../../src/policy/authority/shell-start.ts';
import { type ToolUse, toolNeeds } from '../../src/policy/authority/tool-needs.ts';
import { fileView } from './file-view.ts';

const ROOT = '/work/app';
const view = fileView(['/work/app/', '/work/app/src/', '/work/app/src/a'], { '/work/app/src/away': '/etc' });

/** Whose these are. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  codex: ['list_dir', 'grep_files'],
  copilot: ['rg'],
  cursor: ['Glob'],
  opencode: ['grep', 'list'],
};

function allows(grants: readonly string[], use: Partial<ToolUse> & Pick<ToolUse, 'tool'>): boolean {
  const { needs } = toolNeeds(
    { args: {}, line: null, files: [], url: null, ...use },
    { cwd: ROOT, home: '/home/me', view },
  );
  const { allow } = parseGrants({ allow: grants, deny: [] });
  const decide = new Grants(allow, [], ROOT);
  return needs.length > 0 && needs.every((need) => decide.decide(need).allowed);
}

describe('what a call of a tool needs', () => {
  it('O4 follows from the files that it touches, behind their links', () => {
    const read = (path: string) => ({ tool: 'Read', files: [{ path, op: 'read' as const }] });
    expect(allows(['fs:read:src/**'], read('src/a'))).toBe(true);
    expect(allows(['fs:read:src/**'], read('/work/app/src/a'))).toBe(true);
    expect(allows(['fs:read:src/**'], read('../b'))).toBe(false);
    expect(allows(['fs:read:src/**'], read('src/away/shadow'))).toBe(false);
    expect(allows(['fs:read:src/**'], { tool: 'Write', files: [{ path: 'src/a', op: 'write' }] })).toBe(
      false,
    );
    expect(allows(['fs:write:src/**'], { tool: 'Edit', files: [{ path: 'src/a', op: 'edit' }] })).toBe(false);
    expect(allows(['fs:*:src/**'], { tool: 'Edit', files: [{ path: 'src/a', op: 'edit' }] })).toBe(true);
    for (const path of ['', '~/a', ' src/a', 'src/a ', 'src/%2e%2e/a', 'file:///work/app/src/a', '@\\src/a'])
      expect(allows(['fs:read:**'], { tool: 'Read', files: [{ path, op: 'read' }] })).toBe(false);
  });

  it('O4 takes `..` behind a link by the text and by the link: hosts do either', () => {
    const linked = fileView(['/work/app/', '/work/app/deep/', '/work/app/deep/er/', '/work/app/deep/er/f/'], {
      '/work/app/src/l': '/work/app/deep/er/f',
    });
    const isDenied = (use: Partial<ToolUse> & Pick<ToolUse, 'tool'>): boolean => {
      const { needs } = toolNeeds(
        { args: {}, line: null, files: [], url: null, ...use },
        { cwd: ROOT, home: null, view: linked },
      );
      const { allow, deny } = parseGrants({ allow: ['fs:*:**'], deny: ['fs:*:secret/**'] });
      return needs.some((need) => !new Grants(allow, deny, ROOT).decide(need).allowed);
    };
    for (const op of ['read', 'write', 'edit', 'delete'] as const) {
      expect(isDenied({ tool: 'Edit', files: [{ path: 'src/l/../../secret/s', op }] })).toBe(true);
      expect(isDenied({ tool: 'Edit', files: [{ path: 'src/l/../../../secret/s', op }] })).toBe(true);
      expect(isDenied({ tool: 'Edit', files: [{ path: 'src/l/../a', op }] })).toBe(false);
    }
    expect(isDenied({ tool: 'read_file', files: [{ path: '@secret/s', op: 'read' }] })).toBe(true);
    expect(isDenied({ tool: 'read_file', files: [{ path: '@/secret/s', op: 'read' }] })).toBe(true);
    expect(isDenied({ tool: 'read_file', files: [{ path: '@types/a', op: 'read' }] })).toBe(false);
    expect(isDenied({ tool: 'replace', files: [{ path: 'not/there', op: 'edit' }] })).toBe(true);
    expect(isDenied({ tool: 'replace', files: [{ path: 'deep/er', op: 'edit' }] })).toBe(false);
    expect(isDenied({ tool: 'view_image', args: { path: 'src/l/../../secret/s' } })).toBe(true);
    expect(isDenied({ tool: 'Grep', args: { path: 'src/l/../../secret' } })).toBe(true);
    expect(isDenied({ tool: 'Glob', args: { path: 'src/l', pattern: '../../secret/*' } })).toBe(true);
    const place = { agent: 'opencode', view: linked };
    expect(startsOf({ workdir: 'src/l/..' }, ROOT, place)).toEqual(['/work/app/src', '/work/app/deep/er']);
    expect(startsOf({ workdir: 'deep/..' }, ROOT, place)).toEqual(['/work/app']);
  });

  it("O4 counts the host's own folder, unless the member that this host knows names another one", () => {
    const own = { gemini: 'dir_path', opencode: 'workdir', cursor: 'working_directory' };
    for (const member of ['dir_path', 'directory', 'workdir', 'cwd', 'working_directory'])
      for (const agent of ['claude-code', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', undefined])
        expect(startsOf({ [member]: 'src' }, ROOT, { agent }), `${agent} ${member}`).toEqual(
          agent !== undefined && Object.entries(own).some(([a, m]) => a === agent && m === member)
            ? ['/work/app/src']
            : ['/work/app', '/work/app/src'],
        );
    expect(startsOf({ workdir: '' }, ROOT, { agent: 'opencode' })).toEqual(['/work/app']);
  });

  it('O4 is all of the work tree where a search names its folder by the member of another host', () => {
    const search = (agent: string, tool: string, args: Json) =>
      allows(['fs:read:src/**'], { agent, tool, args });
    expect(search('gemini', 'grep_search', { pattern: 'x', dir_path: 'src' })).toBe(true);
    expect(search('gemini', 'grep_search', { pattern: 'x', path: 'src' })).toBe(false);
    expect(search('opencode', 'grep', { pattern: 'x', path: 'src' })).toBe(true);
    for (const member of ['dir_path', 'directory', 'paths', 'target_directory'])
      expect(search('opencode', 'grep', { pattern: 'x', [member]: 'src' }), member).toBe(false);
    expect(search('copilot', 'Grep', { pattern: 'x', paths: 'src' })).toBe(true);
    expect(search('copilot', 'grep', { pattern: 'x', target_directory: 'src' })).toBe(false);
    expect(search('copilot', 'grep', { pattern: 'x', path: '' })).toBe(false);
    expect(search('cursor', 'Grep', { pattern: 'x', target_directory: 'src' })).toBe(false);
    expect(search('', 'grep', { pattern: 'x', path: 'src' })).toBe(false);
  });

  it('O4 is every file where Copilot may take one folder for several', () => {
    const search = (path: string) =>
      allows(['fs:read:**'], { agent: 'copilot', tool: 'grep', args: { path } });
    expect(search('src secret')).toBe(false);
    expect(search('src,secret')).toBe(false);
    expect(search('src')).toBe(true);
  });

  it("O4 knows that Gemini's patterns ignore case, and take [.] for a dot", () => {
    const files = fileView(['/work/app/', '/work/app/src/', '/work/app/src/a', '/work/app/secret/']);
    const decide = (tool: string, args: Json): boolean => {
      const { needs } = toolNeeds(
        { tool, args, line: null, files: [], url: null },
        { cwd: ROOT, home: null, view: files },
      );
      const { allow, deny } = parseGrants({ allow: ['fs:*:**'], deny: ['fs:*:secret/**'] });
      return needs.every((need) => new Grants(allow, deny, ROOT).decide(need).allowed);
    };
    for (const pattern of ['SECRET/key', 'Secret/*', 'src/[.][.]/secret/key', 'secret/*']) {
      expect(decide('read_many_files', { include: [pattern] }), pattern).toBe(false);
      expect(decide('glob', { pattern }), pattern).toBe(false);
    }
    expect(decide('read_many_files', { include: ['src/*.ts'] })).toBe(true);
    expect(decide('glob', { pattern: 'src/[id]/*' })).toBe(true);
  });

  it('O4 follows from the folder that it looks through', () => {
    const inSource = { agent: 'claude-code', tool: 'Grep', args: { pattern: 'x', path: 'src' } };
    expect(allows(['fs:read:src/**'], inSource)).toBe(true);
    expect(allows(['fs:read:src/**'], { tool: 'Grep', args: { pattern: 'x' } })).toBe(false);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: 'src/**/*.ts' } })).toBe(true);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: '/etc/*' } })).toBe(false);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: '../*' } })).toBe(false);
  });

  it.each([
    { pattern: '~/*' },
    { pattern: 'src/*/../../../*' },
    { pattern: 'src/**/..' },
    { pattern: 'src/{a,../../..}/*' },
    { pattern: 'src/{.,a}./{.,a}./*' },
    { pattern: 'src/@(..)/*' },
    { pattern: '{/etc,src}/*' },
    { pattern: '*/../../../*', path: 'src' },
    { pattern: '{/etc,x}/*', path: 'src' },
    { pattern: '*', path: '~/.ssh' },
    { pattern: '*', path: ' /etc' },
    { pattern: '*', path: ['/etc'] },
    { pattern: '*', path: 'src', dir_path: '/etc' },
  ])('O4 reaches outside by the words of a search: %j', (args) => {
    for (const tool of ['Glob', 'glob'])
      if (tool === 'glob' || !('dir_path' in args))
        expect(allows(['fs:read:**'], { tool, args })).toBe(false);
  });

  it('O4 stays where it is by the words of everyday searches', () => {
    for (const pattern of ['src/*', 'src/**/*.{ts,tsx}', 'src/[ab].ts', 'src/**/a?.ts'])
      expect(allows(['fs:read:src/**'], { tool: 'Glob', args: { pattern } })).toBe(true);
    // Claude Code's tool knows no such member, and looks through its own folder.
    expect(allows(['fs:read:src/**'], { tool: 'Grep', args: { pattern: 'x', dir_path: 'src' } })).toBe(false);
  });

  it('O4 is every server and tool that the name of an MCP tool may stand for', () => {
    const use = { tool: 'mcp__a__b__c' };
    expect(allows(['mcp:call:a/b__c'], use)).toBe(false);
    expect(allows(['mcp:call:a__b/c'], use)).toBe(false);
    expect(allows(['mcp:call:a/b__c', 'mcp:call:a__b/c'], use)).toBe(true);
    expect(allows(['tool:call:**'], { tool: `mcp__a__${'b'.repeat(300)}` })).toBe(false);
  });

  it.each(['mcp____x', 'mcp__x', 'mcp__x__', 'mcp__'])(
    'O4 is every MCP tool if the name has no server or no tool in it: %s',
    (tool) => {
      expect(allows(['tool:call:**'], { tool })).toBe(false);
      expect(allows(['mcp:call:**'], { tool })).toBe(false);
      expect(allows(['tool:call:**', 'mcp:call:*/*'], { tool })).toBe(false);
      expect(allows(['tool:call:**', 'mcp:call:**'], { tool })).toBe(true);
    },
  );

  it('O4 says why no grant can name a tool', () => {
    const place = { cwd: ROOT, home: null, view };
    const why = (tool: string) =>
      toolNeeds({ tool, args: {}, line: null, files: [], url: null }, place).unread;
    expect(why('p\u0430ypal')).toBe('its name has a character that looks like another one');
    expect(why('paypal\ufe0f')).toBe('its name has a character that can not be seen');
    expect(why('a/../b')).toBe('its name has . or .. as a part');
    expect(why('paypal')).toBeNull();
  });

  it('O4 follows from the host that it asks', () => {
    expect(allows(['network:get:example.org'], { tool: 'WebFetch', url: 'https://example.org/x' })).toBe(
      true,
    );
    expect(allows(['network:get:example.org'], { tool: 'WebFetch', url: 'https://example.org:8443/x' })).toBe(
      false,
    );
    expect(
      allows(['network:get:example.org'], { tool: 'WebFetch', url: 'https://example.org@evil.test/' }),
    ).toBe(false);
    expect(allows(['network:get:example.org'], { tool: 'WebFetch', url: 'https://EXAMPLE.ORG./' })).toBe(
      true,
    );
    const page = { tool: 'web_fetch', url: 'https://github.com/o/r/blob/main/a.md' };
    expect(allows(['network:get:github.com', 'tool:call:web_fetch'], page)).toBe(false);
    expect(allows(['network:get:github.com', 'network:get:raw.githubusercontent.com'], page)).toBe(true);
    const mapped = { tool: 'WebFetch', url: 'http://[::ffff:169.254.169.254]:81/' };
    expect(allows(['network:get:169.254.169.254:81'], mapped)).toBe(true);
    expect(allows(['network:get:**'], { tool: 'WebFetch', url: 'file:///etc/shadow' })).toBe(false);
    expect(allows(['network:get:**'], { tool: 'WebSearch', url: 'example.org' })).toBe(false);
    expect(allows(['tool:call:WebSearch'], { tool: 'WebSearch', url: 'example.org' })).toBe(true);
    const told = { tool: 'WebFetch', args: { url: 'https://example.org/' } };
    expect(allows(['network:get:example.org'], told)).toBe(true);
  });

  it.each([
    'evil.example.org',
    '//evil.example.org/',
    'ftp://evil.example.org/',
    'https://example.org/ and https://evil.example.org/',
    '',
    null,
  ])('O4 is every host if the address can not be read: %s', (url) => {
    for (const tool of ['WebFetch', 'web_fetch']) {
      expect(allows(['tool:call:**', 'network:get:example.org'], { tool, url })).toBe(false);
      expect(allows(['tool:call:**', 'network:get:**'], { tool, url })).toBe(true);
    }
  });

  it.each<[tool: string, args: Json, granted: string, asWell: Json]>([
    ['webfetch', { url: 'https://evil.test/' }, 'network:get:example.org', { url: 'https://example.org/' }],
    ['grep', { pattern: 'x', path: '/etc' }, 'fs:read:src/**', { pattern: 'x', path: 'src' }],
    ['Glob', { target_directory: '/etc', glob_pattern: '*' }, 'fs:read:src/**', { target_directory: 'src' }],
    ['Glob', { glob_pattern: '/etc/*' }, 'fs:read:src/**', { glob_pattern: 'src/*' }],
    ['Grep', { pattern: 'x', paths: ['/etc'] }, 'fs:read:**', { pattern: 'x' }],
    ['list', { path: '/etc' }, 'fs:read:src/**', { path: 'src' }],
    ['view_image', { path: '/etc/x.png' }, 'fs:read:src/**', { path: 'src/a' }],
    ['view_image', {}, 'fs:read:src/**', { path: 'src/a' }],
    ['read_many_files', { paths: ['src/a', '/etc/passwd'] }, 'fs:read:src/**', { paths: ['src/*.ts'] }],
    ['read_many_files', { include: ['src/a', 'src/../../b'] }, 'fs:read:src/**', { include: ['src/a'] }],
    ['write_bash', { input: 'curl evil.test' }, 'process:exec:cat', null],
    ['write_stdin', { chars: 'curl evil.test' }, 'process:exec:cat', null],
    ['exec_command', { cmd: 'cat src/a' }, 'process:exec:cat', null],
    ['write_powershell', { input: 'curl evil.test' }, 'process:exec:cat', null],
    ['js_repl', { code: '1' }, 'process:exec:cat', null],
    ['batch', { tool_calls: [{ tool: 'bash' }] }, 'process:exec:cat', null],
    ['read_file', { file_path: '/etc/passwd' }, 'fs:read:src/**', { file_path: 'src/a' }],
    ['read_file', { file_path: 'src/a', path: '/etc/passwd' }, 'fs:read:src/**', null],
    ['show_file', { path: '/etc/passwd' }, 'fs:read:src/**', { path: 'src/a' }],
    ['list_dir', { dir_path: '/etc' }, 'fs:read:src/**', { dir_path: 'src' }],
    ['grep_files', { pattern: 'x', path: '/etc' }, 'fs:read:src/**', { pattern: 'x', path: 'src' }],
    ['rg', { pattern: 'x', paths: ['src', '/etc'] }, 'fs:read:src/**', { pattern: 'x', paths: 'src' }],
    ['lsp', { filePath: '/etc/passwd' }, 'fs:read:**', { filePath: 'src/a' }],
    ['lsp', { filePath: 'src/a' }, 'fs:read:src/**', null],
  ])('O4 follows from what %s of another host does with %j', (tool, args, granted, asWell) => {
    const host = Object.entries(HOSTS).find(([, tools]) => tools.includes(tool))?.[0];
    const agent = host === undefined ? {} : { agent: host };
    expect(allows(['tool:call:**', granted], { ...agent, tool, args })).toBe(false);
    if (asWell !== null) expect(allows([granted], { ...agent, tool, args: asWell })).toBe(true);
    else expect(allows(['process:exec:**', 'fs:read:/**'], { ...agent, tool, args })).toBe(true);
  });

  it.each<Json>([
    { prompt: 'https://example.org/', url: 'https://evil.test/' },
    { prompt: 'https://evil.test/', url: 'https://example.org/' },
    { prompt: 'read https://evil.test/', url: 'https://example.org/' },
    { url: 'https://example.org/', urls: ['https://evil.test/'] },
    { url: ['https://example.org/', 'https://evil.test/'] },
  ])('O4 is every host that a tool which fetches may ask: %j', (args) => {
    const use = { tool: 'web_fetch', args, url: 'https://example.org/' };
    expect(allows(['tool:call:**', 'network:get:example.org'], use)).toBe(false);
    expect(allows(['tool:call:**', 'network:get:**'], use)).toBe(true);
  });

  it('O4 is its name, too, of a tool that is not known to fetch what it is told', () => {
    const use = { tool: 'WebSearch', args: { query: 'https://example.org/' }, url: 'https://example.org/' };
    expect(allows(['network:get:example.org'], use)).toBe(false);
    expect(allows(['network:get:example.org', 'tool:call:WebSearch'], use)).toBe(true);
  });

  it.each([
    { agent: 'cursor', tool: 'MCP:Shell' },
    { agent: 'gemini', tool: 'run_shell_command', server: { server_name: 'evil', tool_name: 'x' } },
    { agent: 'gemini', tool: 'Task1', server: {} },
    { agent: 'gemini', tool: 'Task1', server: 'too large for the entry' },
  ])('O4 is the tool of a server also where it is called like a shell: %j', (use) => {
    const line = use.tool === 'Task1' ? null : 'cat src/a';
    const granted = ['process:exec:cat', 'fs:read:**', 'tool:call:**'];
    expect(allows(granted, { ...use, line })).toBe(false);
    expect(allows([...granted, 'mcp:call:**'], { ...use, line })).toBe(true);
  });

  it("O4 leaves Claude Code's own words about a page alone", () => {
    const args = { url: 'https://example.org/', prompt: 'Does it name https://evil.test/?' };
    expect(allows(['network:get:example.org'], { tool: 'WebFetch', args })).toBe(true);
  });

  it.each<[agent: string, tool: string, readings: readonly string[], server?: Json]>([
    ['gemini', 'mcp_srv_put', ['mcp:call:srv/put']],
    ['gemini', 'mcp_a_b_put', ['mcp:call:a/b_put', 'mcp:call:a_b/put']],
    ['gemini', 'mcp_a_b_put', ['mcp:call:a_b/put'], { server_name: 'a_b', tool_name: 'put' }],
    ['gemini', 'put', ['mcp:call:srv/put'], { server_name: 'srv', tool_name: 'put' }],
    ['gemini', 'put', ['mcp:call:**'], { server_name: 'srv' }],
    ['gemini', 'srv__put', ['mcp:call:srv/put']],
    ['gemini', 'mcp_put', ['mcp:call:**']],
    ['opencode', 'srv_put', ['mcp:call:srv/put']],
    ['opencode', 'srv_put_x', ['mcp:call:srv*/*']],
    ['copilot', 'srv-put', ['mcp:call:srv/put']],
    ['cursor', 'MCP:put', ['mcp:call:**']],
    ['cursor', 'CallMcpTool', ['mcp:call:**']],
    ['gemini', 'mcp__a__put', ['mcp:call:_a_/put'], { server_name: '_a_', tool_name: 'put' }],
    ['gemini', 'mcp__a__put', ['mcp:call:_a/_put', 'mcp:call:_a_/put']],
  ])('O4 is the tool of a server as %s calls it, and its name: %s %j', (agent, tool, readings, server) => {
    const use = { agent, tool, ...(server === undefined ? {} : { server }) };
    expect(allows(['tool:call:**', ...readings], use)).toBe(true);
    expect(allows(['tool:call:**'], use)).toBe(false);
    expect(allows(['tool:call:**', ...readings.slice(1)], use)).toBe(false);
    expect(allows(readings, use)).toBe(false);
  });

  it.each([
    ['web_fetch', { url: 'https://example.org/' }, 'network:get:example.org', 'mcp:call:web/fetch'],
    ['read_file', { path: 'src/a' }, 'fs:read:src/a', 'mcp:call:read/file'],
    ['list_dir', { path: 'src' }, 'fs:read:src/**', 'mcp:call:list/dir'],
  ])(
    "O4 is both where OpenCode calls the tool of a server like another host's own: %s",
    (tool, args, does, is) => {
      const use = { agent: 'opencode', tool, args };
      expect(allows([does, `tool:call:${tool}`, is], use)).toBe(true);
      for (const missing of [does, `tool:call:${tool}`, is])
        expect(
          allows(
            [does, `tool:call:${tool}`, is].filter((grant) => grant !== missing),
            use,
          ),
          missing,
        ).toBe(false);
    },
  );

  it.each([
    ['gemini', 'save_memory'],
    ['opencode', 'todowrite'],
    ['opencode', 'plan_exit'],
    ['copilot', 'report_intent'],
    ['codex', 'update_plan'],
    ['cursor', 'update_todos'],
  ])("O4 is the name alone of a host's own tool: %s %s", (agent, tool) => {
    expect(allows([`tool:call:${tool}`], { agent, tool })).toBe(true);
  });

  it('O4 is every tool if a server has a slash in its name, which reads like a tool of another', () => {
    expect(allows(['mcp:call:ok/**'], { tool: 'mcp__ok__x/y' })).toBe(true);
    for (const tool of ['mcp__ok/x__y', 'mcp__ok__x/y__z', 'mcp__ok/x__y__z']) {
      expect(allows(['mcp:call:ok/**', 'mcp:call:*/**', 'tool:call:**'], { tool }), tool).toBe(false);
      expect(allows(['mcp:call:**'], { tool }), tool).toBe(true);
    }
    expect(allows(['mcp:call:**'], { tool: 'mcp__ok/x\u200b__y' })).toBe(false);
  });

  it.each(['exec', 'shell_command', 'run_in_terminal', 'PowerShell', 'local_shell', 'Shell'])(
    'O4 is every program if nobody can say what %s gives to a shell',
    (tool) => {
      expect(allows(['tool:call:**'], { tool })).toBe(false);
      expect(allows(['process:exec:**'], { tool })).toBe(true);
    },
  );

  it('O4 is the tool itself where nothing else is known', () => {
    expect(allows(['mcp:call:github/get_*'], { tool: 'mcp__github__get_issue' })).toBe(true);
    expect(allows(['mcp:call:github/get_*'], { tool: 'mcp__github__delete_repo' })).toBe(false);
    expect(allows(['mcp:call:github/*'], { tool: 'mcp__gitlab__get_issue' })).toBe(false);
    expect(allows(['tool:call:TodoWrite'], { tool: 'TodoWrite' })).toBe(true);
    expect(allows(['fs:*:/**', 'process:exec:**'], { tool: 'Task' })).toBe(false);
  });
});
