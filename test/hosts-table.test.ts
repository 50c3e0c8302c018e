import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hostTable } from './hosts/table.ts';

it('the README says of each agent what the host tests show, and nothing else', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(hostTable());
});
