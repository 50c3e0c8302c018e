// C9: what agents' settings deny, as rules that match what is recorded of a call.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { encodeToolPolicy, parseToolPolicy } from '../../src/format/index.ts';
import { deniedByCodexRules } from '../../src/harness/codex-rules.ts';
import { deniedBy } from '../../src/harness/denied-tools.ts';
import { judgeTool } from '../../src/policy/index.ts';
import { expectValid } from '../schemas.ts';

const root = '/home/ann/work';
const claude = (rule: Json) => deniedBy('.claude/settings.json', { permissions: { deny: [rule] } });

describe('C9 the rules of Claude Code', () => {
  it.each<[string, string, string, boolean]>([
    ['Read(./.env)', 'Read', '.env', false],
    ['Read(./.env)', 'Read', 'a/.env', true],
    ['Read(.env)', 'Read', 'a/.env', false],
    ['Read(./secrets)', 'Grep', 'secrets/a', false],
    ['Read(secrets/)', 'Read', 'a/secrets/b', false],
    ['Read(/config/*.key)', 'Read', 'config/a.key', false],
    ['Read(~/.ssh/**)', 'Read', '/home/ann/.ssh/id', false],
    ['Read(~)', 'Read', '/home/ann/notes', false],
    ['Read(//etc/**)', 'Read', '/etc/passwd', false],
    ['Read(//etc/**)', 'Read', 'etc/passwd', true],
    ['Edit(src/**)', 'Edit', 'src/a/b.ts', false],
    ['Edit(src/**)', 'Write', 'src/a.ts', false],
    ['Edit(src/**)', 'Write', 'test/a.ts', true],
    ['Edit(src/**)', 'Read', 'src/a.ts', true],
    ['Read(/)', 'Read', 'anything', false],
  ])('%s for %s of %s', (rule, tool, path, allowed) => {
    expect(judgeTool(claude(rule), tool, { args: {}, named: { paths: [path], root } }).allowed).toBe(allowed);
  });

  it.each<[string, string, Json, boolean]>([
    ['WebFetch(domain:evil.example)', 'WebFetch', { url: 'https://evil.example/x' }, false],
    ['WebFetch(domain:evil.example)', 'WebFetch', { url: 'https://fine.example/x' }, true],
    ['Bash(curl:*)', 'Bash', { command: 'curl x' }, false],
    ['mcp__github', 'mcp__github__merge', {}, false],
  ])('%s for %s', (rule, tool, args, allowed) => {
    expect(judgeTool(claude(rule), tool, { args }).allowed).toBe(allowed);
  });

  it.each<[Json, string]>([
    ['Read([ab].env)', 'Read'],
    ['Read(../x)', 'Read'],
    ['Edit(!a)', 'Write'],
    ['WebFetch(http://a)', 'WebFetch'],
    ['a rule of tomorrow', 'Bash'],
    [{ tool: 'Bash' }, 'Bash'],
  ])('%j is not known', (rule, tool) => {
    expect(judgeTool(claude(rule), tool, { args: {}, named: { paths: ['a'], root } }).allowed).toBe(null);
  });
});

it('C9 what Claude Code denies to read or edit is denied to lines for the shell, too', () => {
  const line = (rule: string, command: string) =>
    judgeTool(claude(rule), 'Bash', { args: { command }, named: { paths: [], root }, cwd: root }).allowed;
  expect(line('Read(./.env)', 'cat .env')).toBe(false);
  expect(line('Read(.env)', 'cat a/.env')).toBe(false);
  expect(line('Read(~/.ssh/**)', 'cat ~/.ssh/id')).toBe(false);
  expect(line('Read(./.env)', 'echo > .env')).toBe(true);
  expect(line('Edit(src/**)', 'echo > src/a')).toBe(false);
  expect(line('Edit(src/**)', 'cat src/a')).toBe(true);
  expect(line('Read([ab].env)', 'ls')).toBe(null);
  expect(line('Bash(npm run test:*)', 'true && npm run test')).toBe(false);
  expect(line('Bash(npm run test:*)', 'npm run test-all')).toBe(true);
  expect(claude('Bash(*)').deny).toEqual(['Bash']);
});

it('C9 what Gemini excludes is denied', () => {
  const policy = deniedBy('.gemini/settings.json', {
    tools: { exclude: ['web_fetch', 'ShellTool(rm -rf)'] },
    excludeTools: ['glob'],
    mcp: { excluded: ['far'] },
    mcpServers: { near: { excludeTools: ['drop'] }, few: { includeTools: ['get'] } },
    permissions: { deny: ['not of Gemini'] },
  });
  expect(policy.arguments[0]).toEqual({ tool: 'run_shell_command', matches: 'rm -rf*' });
  const of = (tool: string, args: Json = {}) => judgeTool(policy, tool, { args }).allowed;
  for (const tool of ['web_fetch', 'glob', 'mcp_far_x', 'far__x', 'mcp__far__x', 'mcp_near_drop'])
    expect(of(tool), tool).toBe(false);
  expect(of('mcp_near_get')).toBe(true);
  expect(of('mcp_few_other')).toBe(null);
  expect(of('run_shell_command', { command: 'true; rm -rf x' })).toBe(false);
});

it('C9 what Codex turns off or forbids is denied', () => {
  const servers = { a: { disabled_tools: ['drop'] }, b: { enabled: false }, c: { enabled_tools: ['get'] } };
  const policy = deniedBy('.codex/config.toml', { mcp_servers: servers });
  const of = (tool: string) => judgeTool(policy, tool, { args: {} }).allowed;
  expect(['mcp__a__drop', 'mcp__a__get', 'mcp__b__x', 'mcp__c__x'].map(of)).toEqual([
    false,
    true,
    false,
    null,
  ]);

  const rules = deniedByCodexRules(`
    prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "forbidden") # not "that"
    prefix_rule(pattern = ["ls"], decision = "allow")
    prefix_rule(
      pattern = ["rm", "-rf"],
      decision = "forbidden",
      match = [["rm", "-rf", "/"]],
    )`);
  const line = (command: string) => judgeTool(rules, 'Bash', { args: { command } }).allowed;
  expect(['true; git push x', 'git fetch', 'ls', 'rm -rf x'].map(line)).toEqual([false, false, true, false]);
  const odd = deniedByCodexRules('prefix_rule(pattern = WORDS, decision = "forbidden")');
  expect(judgeTool(odd, 'Bash', { args: { command: 'ls' } }).allowed).toBe(null);
});

it('C9 what Cursor denies is read in its own words', () => {
  const deny = [
    'Shell(rm)',
    'Shell(git:push)',
    'Read(.env)',
    'Write(src/**)',
    'Mcp(near:drop)',
    'WebFetch(evil.example)',
  ];
  const policy = deniedBy('.cursor/cli.json', { permissions: { deny } });
  const line = (command: string) =>
    judgeTool(policy, 'Shell', { args: { command }, named: { paths: [], root }, cwd: root }).allowed;
  expect(['true; rm x', 'git push x', 'cat a/.env', 'echo > src/a', 'ls test'].map(line)).toEqual([
    ...[false, false, false, false, true],
  ]);
  const file = (tool: string, path: string) =>
    judgeTool(policy, tool, { args: {}, named: { paths: [path], root } }).allowed;
  expect([file('Read', 'a/.env'), file('Write', 'src/a'), file('Write', 'b')]).toEqual([false, false, true]);
  expect(judgeTool(policy, 'mcp__near__drop', { args: {} }).allowed).toBe(false);
  // Hooks of Cursor do not say which server it is.
  const far = deniedBy('.cursor/cli.json', { permissions: { deny: ['Mcp(far:*)'] } });
  const tool = (name: string) => judgeTool(name === 'MCP:x' ? far : policy, name, { args: {} }).allowed;
  expect(['MCP:drop', 'drop', 'MCP:x', 'MCP:keep'].map(tool)).toEqual([null, null, null, true]);
  const odd = deniedBy('.cursor/cli.json', { permissions: { deny: ['Odd(x)'] } });
  expect(judgeTool(odd, 'Read', { args: {} }).allowed).toBe(null);
});

it('C9 what OpenCode denies is denied, unless a later pattern may lift it', () => {
  const policy = deniedBy('opencode.json', {
    permission: {
      webfetch: 'deny',
      bash: { '*': 'allow', 'rm *': 'deny' },
      edit: { 'src/*': 'deny' },
      grep: { '*': 'deny', 'x*': 'allow' },
    },
    tools: { task: false },
  });
  const of = (tool: string, args: Json = {}, paths: readonly string[] = []) =>
    judgeTool(policy, tool, { args, named: { paths, root }, cwd: root }).allowed;
  expect([of('webfetch'), of('task'), of('grep'), of('todoread')]).toEqual([false, false, null, true]);
  expect([of('bash', { command: 'ls; rm x' }), of('bash', { command: 'rm' })]).toEqual([false, false]);
  expect([of('bash', { command: 'echo > src/a/b' }), of('bash', { command: 'ls' })]).toEqual([false, true]);
  expect([of('edit', {}, ['src/a/b']), of('write', {}, ['test/a']), of('patch')]).toEqual([
    false,
    true,
    null,
  ]);
});

it('C9 rules of every kind are read as they were written', () => {
  const policy = claude('Read(./.env)');
  const all = [policy, claude('WebFetch(domain:a.b)'), claude('Read([a])'), claude('Bash(x)')];
  const encoded = encodeToolPolicy(all);
  expect(encodeToolPolicy([parseToolPolicy(encoded, 'policy')])).toEqual(encoded);
  expectValid('tool_policy.v1', encoded);
  for (const rule of [{ tool: 'a' }, { tool: 'a', path: 'b', matches: 'c' }, { tool: 'a', pathh: 'b' }])
    expect(() => parseToolPolicy({ deny: [], arguments: [rule] }, 'policy')).toThrow();
});
