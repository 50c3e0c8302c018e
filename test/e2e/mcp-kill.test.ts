import { describe, expect, it } from 'vitest';
import { killAt } from './mcp-kill.ts';

describe('foil mcp wrap, killed', () => {
  it('K8a, K8b, K9: at a moment of each kind, leaves no tool run and no answer given that is not on record', async () => {
    expect(await killAt(1)).toBeGreaterThanOrEqual(16);
  }, 120_000);
});
