// At moments of each kind, four times over.
import { describe, expect, it } from 'vitest';
import { killAt } from './mcp-kill.ts';

describe('foil mcp wrap, killed', () => {
  it('K8a, K8b, K9: at random moments of a hundred calls, leaves no tool run and no answer given that is not on record', async () => {
    expect(await killAt(4)).toBeGreaterThanOrEqual(100);
  });
});
