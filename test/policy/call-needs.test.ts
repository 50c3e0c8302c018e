// What a call needs that gives a line to a shell, whatever its host calls the tool.
import { describe, expect, it } from 'vitest';
import { callNeeds } from '../../src/app/hook/authority.ts';
import { adapterOf } from '../../src/capture/hooks/index.ts';
import type { Json } from '../../src/core/index.ts';
import { encodeNeed, remarksOn } from '../../src/policy/index.ts';
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
