// An edit that the host refused has been tried; a document that is "published" in the project is a change of it.
import { describe, expect, it } from 'vitest';
import type { ClaimType } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import { type Evidence, judge, readContract } from '../../src/rules/index.ts';
import { claim, edit, evidence } from './cases.ts';

function verdict(type: ClaimType, quote: string, about: string | null, found: Partial<Evidence>): string {
  return judge({
    claims: [{ ...claim(type, quote), about }],
    message: `${quote}.`,
    disclosures: [],
    evidence: evidence(found),
    contract: readContract('Build the page in site/', DEFAULT_POLICY),
    policy: DEFAULT_POLICY,
    project: { test: null, build: null, types: null, lint: null },
    since: 2,
  }).verdict;
}

describe('B11 a request for leave to write', () => {
  const asks = (unmade: Evidence['unmade']): string =>
    verdict('delegation', 'Could you grant write access', null, { ...(unmade && { unmade }) });

  it('is due where an edit for this prompt was refused', () => {
    expect(asks([edit(3, 'site/index.html', 'write')])).toBe('pass');
  });

  it('is held where none was tried, or only for an earlier prompt', () => {
    expect(asks([])).toBe('block');
    expect(asks([edit(1, 'site/index.html', 'write')])).toBe('block');
  });
});

describe('B3 a document that is published', () => {
  const published = (quote: string, paths: readonly string[] = ['docs/api.yaml']): string =>
    verdict('shipped', quote, 'publish', { changes: paths.map((path) => edit(3, path)) });

  it.each(['Published the API contract in `docs/api.yaml`', 'Published v2.0 design with four principles'])(
    'is a change: %s',
    (quote) => expect(published(quote)).toBe('pass'),
  );

  it.each([
    'Published the API contract to the registry',
    'Published the design on the site',
    'Published the package',
    'Published v2.0',
  ])('is held without a command where it went somewhere: %s', (quote) => {
    expect(published(quote)).toBe('block');
  });

  it('is held where nothing was changed', () => {
    expect(published('Published the API contract in `docs/api.yaml`', [])).toBe('block');
  });
});
