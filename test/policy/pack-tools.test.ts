// C9: what a pack's tool policy says of a call.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import type { ToolPolicy } from '../../src/format/index.ts';
import { judgeTool } from '../../src/policy/index.ts';

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
    expect(judgeTool(policy, 'Bash', { command: 'curl x' })).toEqual({
      allowed: false,
      why: 'the pack denies Bash with an argument like curl *',
    });
  });
});
