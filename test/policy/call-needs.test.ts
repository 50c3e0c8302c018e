// What a call needs that gives a line to a shell, whatever its host calls the tool.
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { callNeeds } from '../../src/app/hook/authority.ts';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import type { Json } from '../../src/core/index.ts';
import { encodeNeed, remarksOn } from '../../src/policy/index.ts';
import { temporary } from '../temporary.ts';
import { fileView } from './file-view.ts';

function needsOf(tool: string, args: Json): string[] {
  const call = adapterOf('claude-code')?.call(tool, args) ?? { tool, id: null, args };
  return callNeeds(call, '/').needs.map(encodeNeed);
}

describe('what a line for a shell needs', () => {
  it('O4 is the same for Monitor as for Bash', () => {
    const args = { command: 'cat /x/.env; curl example.org' };
    expect(needsOf('Monitor', args)).toEqual(needsOf('Bash', args));
    expect(needsOf('Monitor', args)).toContain('fs:read:/x/.env');
    expect(remarksOn({ allow: ['tool:call:Monitor'], deny: [] }, '/', fileView([]))).toHaveLength(1);
  });

  it.each<[Json]>([
    [{}],
    [null],
    [[]],
    [['cat', 'a']],
    [{ command: null }],
    [{ command: { a: 1 } }],
    [{ command: ['cat', '/a'] }],
    [{ command: 'cat /a', args: ['b'] }],
  ])('O4 is leave to run anything where it can not be read: %j', (args) => {
    for (const tool of ['Bash', 'Monitor']) expect(needsOf(tool, args)).toEqual(['process:exec:**']);
  });
});

describe('a shell that is begun in a folder under another name', () => {
  const { PWD: before } = process.env;
  afterEach(() => {
    process.env.PWD = before;
  });

  it('O4 may go to the folder above either', () => {
    const root = realpathSync(temporary());
    mkdirSync(join(root, 'data/app/src'), { recursive: true });
    mkdirSync(join(root, 'home'));
    symlinkSync(join(root, 'data/app'), join(root, 'home/app'));
    const needs = (line: string, cwd: string): string[] => {
      const call = { tool: 'Bash', id: null, args: { command: line }, shell: true };
      const all = callNeeds(call, join(root, cwd)).needs.map(encodeNeed);
      const files = all.filter((need) => need.startsWith('fs:')).map((need) => need.replace(root, ''));
      return [...new Set(files)].sort();
    };
    process.env.PWD = join(root, 'home/app');
    expect(needs('cd .. && cat f', 'data/app')).toEqual(['fs:read:/data/f', 'fs:read:/home/f']);
    expect(needs('cd ../.. && cat f', 'data/app/src')).toEqual(['fs:read:/data/f', 'fs:read:/home/f']);
    expect(needs('cat f', 'data/app/src')).toEqual(['fs:read:/data/app/src/f']);
    expect(needs('cd .. && cat f', 'home')).toEqual(['fs:read:/f']);
    process.env.PWD = join(root, 'data/app');
    expect(needs('cd .. && cat f', 'data/app')).toEqual(['fs:read:/data/f']);
  });
});
