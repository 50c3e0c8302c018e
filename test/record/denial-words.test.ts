import { expect, it } from 'vitest';
import { denialOf } from '../../src/record/authority.ts';

it('O3 a denial can be written down whatever the name of the tool', () => {
  const reason = denialOf({ missing: ['mcp:call:srv/get_\ud800'], unread: null });
  expect(reason).toContain('mcp:call:srv/get_\ufffd');
  expect(reason.isWellFormed()).toBe(true);
});
