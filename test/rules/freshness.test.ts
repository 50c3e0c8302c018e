// Freshness where a fingerprint is missing: what was not looked at is not known to be the same.
import { describe, expect, it } from 'vitest';
import { editsSince } from '../../src/rules/freshness.ts';
import type { Evidence, Run } from '../../src/rules/index.ts';

const run = (tree: string | null): Run => ({
  seq: 5,
  checks: [],
  exit: { code: 0, origin: 'host' } as Run['exit'],
  outcome: 'ok',
  tests: null,
  treeBefore: null,
  tree,
  genuine: true,
});
const evidence = (tree: string | null, more: Partial<Evidence> = {}): Evidence => ({
  runs: [],
  changes: [],
  attempts: [],
  weakened: [],
  tree,
  editedSince: new Map(),
  background: [],
  ...more,
});

describe('B6 a run is fresh', () => {
  it('where both fingerprints are there and the same', () => {
    expect(editsSince(run('a'), evidence('a'))).toBeNull();
    expect(editsSince(run('a'), evidence('b'))).toEqual([]);
  });

  it('not where one of the two could not be taken', () => {
    expect(editsSince(run('a'), evidence(null))).toEqual([]);
    expect(editsSince(run(null), evidence('a'))).toEqual([]);
  });

  it('by the changes on record alone where there never was one, but not where there was', () => {
    expect(editsSince(run(null), evidence(null))).toBeNull();
    expect(editsSince(run(null), evidence(null, { unseen: true }))).toEqual([]);
  });
});
