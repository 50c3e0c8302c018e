// The chain of interactions while a session is open: appends that overlap, appends that fail, and several writers.
import { describe, expect, it } from 'vitest';
import { chainHashOf } from '../../src/core/index.ts';
import { encodeShared, newChain, ownChain, parseShared, sharedChain } from '../../src/session/index.ts';

const SESSION = 'a1'.repeat(32);
const [P, R] = ['b2'.repeat(32), 'c3'.repeat(32)];

describe('a chain of one process', () => {
  it('G4 goes on from what is durable, however often an append is built', () => {
    const chain = ownChain(SESSION);
    const first = chain.next(undefined, P, R);
    expect(first?.interaction).toEqual({ sequence: 1, promptHash: P, chainHash: chainHashOf(SESSION, P, R) });
    expect(chain.next(undefined, P, R)).toEqual(first);
    if (first !== null) chain.settle(first);
    expect(chain.next(undefined, null, R)?.interaction).toEqual({
      sequence: 2,
      promptHash: null,
      chainHash: chainHashOf(first?.chain.hash ?? '', null, R),
    });
  });

  it('has one append at a time, and one that fails is in nobody’s way', async () => {
    const chain = ownChain(SESSION);
    const seen: (number | undefined)[] = [];
    const one = (fails: boolean) => async (): Promise<void> => {
      const step = chain.next(undefined, P, R);
      await Promise.resolve();
      if (fails) throw new Error('disk full');
      seen.push(step?.interaction.sequence);
      if (step !== null) chain.settle(step);
    };
    const ends = await Promise.allSettled([false, true, false].map((fails) => chain.exclusive(one(fails))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual([1, 2]);
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
