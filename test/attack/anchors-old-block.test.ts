// A stamp that ends in a block of Bitcoin's first years. Such a header takes seconds to make today, and a height is what
// somebody says it is: whoever rewrote a ledger would have it anchored long before it was written.
import { describe, expect, it } from 'vitest';
import { sha256 } from '#platform';
import { MAINNET, parseHex, REGTEST } from '../../src/core/index.ts';
import { encodeStampHeaders } from '../../src/format/index.ts';
import { verifyStamp } from '../../src/verify/index.ts';
import { makeProof, rootOf, SessionMaker, testBlock } from '../verify/make-sessions.ts';

/** A chain whose blocks are as easy as the first ones were, and whose ledgers are younger than block 1,000. */
const CHAIN = { ...REGTEST, ledgersSince: 1000 };

function stamped(height: number): Parameters<typeof verifyStamp>[0] {
  const made = new SessionMaker();
  const id = made.start();
  made.turns(id, 1).end(id);
  made.seal();
  const checkpoint = made.checkpoint();
  const digest = sha256(checkpoint);
  const { header } = testBlock(height, 1_231_500_000, rootOf(digest));
  const headers = encodeStampHeaders([{ height, header: parseHex(header) }]);
  return { checkpoint, proof: makeProof(digest, { height }), headers, chain: CHAIN };
}

describe('a stamp in an old block', () => {
  it('X2 proves nothing: no ledger is older than the first of them', () => {
    const verdict = verifyStamp(stamped(999));
    expect(verdict).toMatchObject({ status: 'unknown', code: 'NO_HEADER' });
    expect(verdict.refused).toEqual([{ height: 999, reason: 'TOO_OLD' }]);
    expect(verdict.block).toBeUndefined();
    expect(verifyStamp(stamped(1000))).toMatchObject({ status: 'pass', block: { height: 1000 } });
  });

  it('on the main chain that is a block of 2025, whose work nobody does at home', () => {
    const since = MAINNET.checkpoints.find(({ height }) => height === MAINNET.ledgersSince);
    expect(since?.time).toBeGreaterThan(Date.UTC(2025, 0, 1) / 1000);
  });
});
