// The page for people who do not code has to explain every word the verifier may answer with.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/check-a-log.md'), 'utf8');
const requirements = JSON.parse(readFileSync(join(root, 'spec/requirements.json'), 'utf8')) as {
  id: string;
  clauses?: Record<string, string>;
}[];

const FACETS = [
  'integrity',
  'truncation',
  'identity',
  'time',
  'sessions',
  'evidence',
  'receipts',
  'completeness',
  'authority',
  'replay',
  'patches',
];

describe('K6d docs/check-a-log.md', () => {
  it('K6d explains each verdict and each facet in a row of its own', () => {
    for (const word of ['INTACT', 'BROKEN', 'VIOLATION', ...FACETS]) {
      expect(page).toMatch(new RegExp(`^\\| ${word} +\\| .{20,}\\|$`, 'm'));
    }
  });

  it('K6d explains each code and status that K6 names', () => {
    const { a = '', b = '' } = requirements.find(({ id }) => id === 'K6')?.clauses ?? {};
    const codes = a.match(/\b[A-Z]+_[A-Z]+\b/g) ?? [];
    const statuses = b.match(/\b[A-Z_]{5,}\b/g) ?? [];
    expect([codes.length, statuses.length]).toEqual([6, 3]);
    for (const code of codes) expect(page).toMatch(new RegExp(`^\\| ${code} +\\| .{20,}\\|$`, 'm'));
    for (const status of statuses) expect(page).toContain(status);
  });

  it('K6d gives the command, and asks for no more than Node and the package', () => {
    expect(page).toMatch(/^foil verify \S+ --key ".+"$/m);
    expect(page).toContain('npm install --global ./counterfoil-0.1.0.tgz');
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    expect(page).toContain(`version ${engines.node.replace('>=', '')} or newer`);
  });

  it('K6d leads only to pages that exist', () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] as string);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) expect(() => readFileSync(join(root, 'docs', link)), link).not.toThrow();
  });
});
