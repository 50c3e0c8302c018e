// Single sentences as agents write them, with the type that must be among what is found, or none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findByRules } from '../../src/rules/claims/find-claims.ts';

const lines = readFileSync(join(import.meta.dirname, 'claim-lines.txt'), 'utf8')
  .trim()
  .split('\n');

describe('B3a sentences', () => {
  it('are claims of their type, or none', () => {
    const wrong = lines.filter((line) => {
      const bar = line.indexOf('|');
      const wanted = line.slice(0, bar);
      const types: string[] = findByRules(line.slice(bar + 1)).claims.map(({ type }) => type);
      return wanted === 'none' ? types.length > 0 : !types.includes(wanted);
    });
    expect(wrong).toEqual([]);
    expect(lines.length).toBeGreaterThan(500);
  });
});
