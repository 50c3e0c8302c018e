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
    expect(judgeTool(policy, tool, args).allowed).toBe(allowed);
  });

  it('says why', () => {
    expect(judgeTool(policy, 'WebFetch', {})).toEqual({ allowed: false, why: 'the pack denies WebFetch' });
    expect(judgeTool(policy, 'mcp__github__merge', {})).toEqual({
      allowed: false,
      why: 'the pack denies mcp__github__merge (mcp__github__*)',
    });
    expect(judgeTool(policy, 'Bash', { command: 'curl x' })).toEqual({
      allowed: false,
      why: 'the pack denies Bash with an argument like curl *',
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
    expect(judgeTool(denies(glob), 'Read', undefined, { paths, root: workTree }).allowed).toBe(allowed);
  });

  it('is not known where no paths are recorded, and needs no arguments', () => {
    expect(judgeTool(denies('.env'), 'Read', { file_path: '/x/.env' }).allowed).toBe(null);
    expect(needsArguments(denies('.env'), 'Read')).toBe(false);
    expect(needsArguments(policy, 'Bash')).toBe(true);
  });

  it('looks through the work tree where a search names no path', () => {
    const searches: ToolPolicy = { deny: [], arguments: [{ tool: 'Grep', path: 'secrets/**' }] };
    expect(judgeTool(searches, 'Grep', undefined, { paths: [], root }).allowed).toBe(true);
  });

  it('is not known under a rule that nobody can judge', () => {
    const odd: ToolPolicy = { deny: [], arguments: [{ tool: 'Read', unjudged: '[ab].env' }] };
    expect(judgeTool(odd, 'Read', {}, { paths: ['x'], root })).toEqual({
      allowed: null,
      why: "the pack has a rule that can't be judged: Read([ab].env)",
    });
    expect(judgeTool(odd, 'Edit', {}).allowed).toBe(true);
  });
});

describe('C9 a call under a rule about a host', () => {
  const denies = (domain: string): ToolPolicy => ({ deny: [], arguments: [{ tool: 'WebFetch', domain }] });

  it.each<[string, string, boolean | null]>([
    ['https://evil.example/a', 'evil.example', false],
    ['HTTPS://EVIL.example:443?x', 'evil.example', false],
    ['https://evil.example.', 'Evil.example', false],
    ['https://ann@evil.example', 'evil.example', false],
    ['https:\\\\evil.example\\a', 'evil.example', false],
    [' https://evil\n.example/', 'evil.example', false],
    ['https://a.evil.example', '*.evil.example', false],
    ['https://a.evil.example', 'evil.example', true],
    ['https://fine.example/?u=https://evil.example/', 'evil.example', true],
    ['https://fine.example/@evil.example', 'evil.example', true],
    ['https://evil.example is a page', 'evil.example', true],
    ['evil.example', 'evil.example', true],
    ['https://%65vil.example', 'evil.example', null],
    ['https://еvil.example', 'evil.example', null],
  ])('%s, %s', (url, domain, allowed) => {
    expect(judgeTool(denies(domain), 'WebFetch', { url, prompt: 'read it' }).allowed).toBe(allowed);
  });

  it('is not known where the arguments are not shown', () => {
    expect(judgeTool(denies('x'), 'WebFetch', undefined).allowed).toBe(null);
  });
});
