// The chain of interactions while a session is open: appends that overlap, appends that fail, and several writers.
import { describe, expect, it } from 'vitest';
import { chainHashOf } from '../../src/core/index.ts';
import { encodeShared, newChain, ownChain, parseShared, sharedChain } from '../../src/session/index.ts';

const SESSION = 'a1'.repeat(32);
const [P, R] = ['b2'.repeat(32), 'c3'.repeat(32)];

describe('a chain of one process', () => {
  it('G4 goes on from what was built before it, durable or not', () => {
    const chain = ownChain(SESSION);
    const [first, second] = [chain.next(undefined, P, R), chain.next(undefined, null, R)];
    expect(first?.interaction).toEqual({ sequence: 1, promptHash: P, chainHash: chainHashOf(SESSION, P, R) });
    expect(second?.interaction).toEqual({
      sequence: 2,
      promptHash: null,
      chainHash: chainHashOf(first?.chain.hash ?? '', null, R),
    });
  });

  it('is put back where an append failed', () => {
    const chain = ownChain(SESSION);
    const first = chain.next(undefined, P, R);
    if (first !== null) chain.settle(first, true);
    const [second, third] = [chain.next(undefined, P, R), chain.next(undefined, P, R)];
    for (const step of [second, third]) if (step !== null) chain.settle(step, false);
    expect(chain.current(undefined)).toEqual(first?.chain);
    expect(chain.next(undefined, P, R)?.interaction).toEqual(second?.interaction);
  });

  it('counts once what is built again because what it was built on was not written', () => {
    const chain = ownChain(SESSION);
    const lost = chain.next(undefined, P, R, 10);
    const [early, late] = [chain.next(undefined, null, R, 11), chain.next(undefined, P, null, 12)];
    expect([early, late].map((step) => step?.interaction.sequence)).toEqual([2, 3]);
    const [again, last] = [chain.next(undefined, null, R, 10), chain.next(undefined, P, null, 11)];
    if (lost !== null) chain.settle(lost, false);
    expect([again, last].map((step) => step?.interaction.sequence)).toEqual([1, 2]);
    expect(again?.interaction.chainHash).toBe(chainHashOf(SESSION, null, R));
    for (const step of [again, last]) if (step !== null) chain.settle(step, true);
    expect(chain.current(undefined)).toEqual(last?.chain);
  });

  it('answers that come in another order than they were built leave it at the last', () => {
    const chain = ownChain(SESSION);
    const [first, second] = [chain.next(undefined, P, R), chain.next(undefined, P, R)];
    for (const step of [second, first]) if (step !== null) chain.settle(step, true);
    const third = chain.next(undefined, P, R);
    if (third !== null) chain.settle(third, false);
    expect(chain.current(undefined)).toEqual(second?.chain);
  });

  it('is not counted where the source is not the one', () => {
    const chain = ownChain(SESSION, false);
    expect(chain.next(undefined, P, R)).toBeNull();
    expect(chain.upcoming(undefined)).toBeNull();
  });
});

describe('a chain that several write to', () => {
  const begun = encodeShared({ ...newChain(SESSION), source: 'hook:claude-code', authKey: null });

  it('goes on from what the store hands in, for the source that it names alone', () => {
    const [one, other] = [sharedChain(SESSION, 'hook:claude-code'), sharedChain(SESSION, 'hook:claude-code')];
    const first = one.next(begun, P, R);
    const second = other.next(first?.state, P, R);
    expect(second?.interaction.sequence).toBe(2);
    expect(second?.interaction.chainHash).toBe(chainHashOf(first?.chain.hash ?? '', P, R));
    expect(sharedChain(SESSION, 'gateway').next(begun, P, R)).toBeNull();
    expect(sharedChain(SESSION, 'run').current(second?.state)).toMatchObject({ sequence: 2 });
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', new TextEncoder().encode('{')],
    [
      'another session',
      encodeShared({ ...newChain('ee'.repeat(32)), source: 'hook:claude-code', authKey: null }),
    ],
    [
      'no hash',
      new TextEncoder().encode(JSON.stringify({ session: SESSION, sequence: 1, hash: 'x', source: 'y' })),
    ],
  ])('%s is nobody’s to go on with', (_, bytes) => {
    expect(parseShared(bytes, SESSION)).toEqual({ ...newChain(SESSION), source: null, authKey: null });
    expect(sharedChain(SESSION, 'hook:claude-code').next(bytes, P, R)).toBeNull();
  });
});
