import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hostTable } from './hosts/table.ts';

it('docs/agents.md says of each agent what the host tests show, and nothing else', () => {
  const page = readFileSync(new URL('../docs/agents.md', import.meta.url), 'utf8');
  expect(page).toContain(hostTable());
});
