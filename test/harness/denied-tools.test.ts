// C9: what agents' settings deny, as rules that match what is recorded of a call.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { encodeToolPolicy, parseToolPolicy } from '../../src/format/index.ts';
import { deniedBy } from '../../src/harness/denied-tools.ts';
import { judgeTool } from '../../src/policy/index.ts';
import { expectValid } from '../schemas.ts';

const root = '/home/ann/work';
const claude = (rule: Json) => deniedBy({ permissions: { deny: [rule] } });

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

it('C9 what Gemini excludes is denied', () => {
  const policy = deniedBy({ tools: { exclude: ['web_fetch', 'ShellTool(rm -rf)'] }, excludeTools: ['glob'] });
  expect(policy).toEqual({
    deny: ['web_fetch', 'glob'],
    arguments: [{ tool: 'run_shell_command', matches: 'rm -rf*' }],
  });
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
