import { describe, expect, it } from 'vitest';
import { Grants, parseGrants } from '../../src/policy/authority/grants.ts';
import { type ToolUse, toolNeeds } from '../../src/policy/authority/tool-needs.ts';
import { fileView } from './file-view.ts';

const ROOT = '/work/app';
const view = fileView(['/work/app/', '/work/app/src/', '/work/app/src/a'], { '/work/app/src/away': '/etc' });

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
    for (const path of ['', '~/a', ' src/a', 'src/a '])
      expect(allows(['fs:read:**'], { tool: 'Read', files: [{ path, op: 'read' }] })).toBe(false);
  });

  it('O4 follows from the folder that it looks through', () => {
    expect(allows(['fs:read:src/**'], { tool: 'Grep', args: { pattern: 'x', path: 'src' } })).toBe(true);
    expect(allows(['fs:read:src/**'], { tool: 'Grep', args: { pattern: 'x' } })).toBe(false);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: 'src/**/*.ts' } })).toBe(true);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: '/etc/*' } })).toBe(false);
    expect(allows(['fs:read:**'], { tool: 'Glob', args: { pattern: '../*' } })).toBe(false);
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
    expect(allows(['network:get:**'], { tool: 'WebFetch', url: 'file:///etc/shadow' })).toBe(false);
    expect(allows(['network:get:**'], { tool: 'WebSearch', url: 'example.org' })).toBe(false);
  });

  it('O4 is the tool itself where nothing else is known', () => {
    expect(allows(['mcp:call:github/get_*'], { tool: 'mcp__github__get_issue' })).toBe(true);
    expect(allows(['mcp:call:github/get_*'], { tool: 'mcp__github__delete_repo' })).toBe(false);
    expect(allows(['mcp:call:github/*'], { tool: 'mcp__gitlab__get_issue' })).toBe(false);
    expect(allows(['tool:call:TodoWrite'], { tool: 'TodoWrite' })).toBe(true);
    expect(allows(['fs:*:/**', 'process:exec:**'], { tool: 'Task' })).toBe(false);
  });
});
