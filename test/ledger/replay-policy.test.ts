// Who may have sessions kept for a replay: what an operator signed for its place in the ledger, the newest of it, and nobody else.
import { describe, expect, it } from 'vitest';
import { encodeVerifierKey, makeSigner, type VerifierKey } from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import { encodeReplayPolicy } from '../../src/format/index.ts';
import { acceptReplayPolicy, isReplayKept, readReplayPolicy } from '../../src/ledger/index.ts';
import { temporary } from '../temporary.ts';

const operator = makeSigner('operator', new Uint8Array(32).fill(1));
const by = encodeVerifierKey(operator as VerifierKey);

describe('replay: keep', () => {
  it('K3 holds where the project and an operator want it, and no longer than both do', async () => {
    const ledger = await createLedger({ directory: temporary(), keyDirectory: temporary() });
    const { store } = ledger;
    expect(await isReplayKept(store, 'keep')).toBe(false);
    const kept = await acceptReplayPolicy(ledger, 'keep', operator);
    expect(await readReplayPolicy(store)).toEqual(kept);
    expect([await isReplayKept(store, 'keep'), await isReplayKept(store, 'none')]).toEqual([true, false]);
    await acceptReplayPolicy(ledger, 'none', operator);
    expect(await isReplayKept(store, 'keep')).toBe(false);
    await ledger.close();
  });

  it('K3 is not switched on by an acceptance that was made for another place, or by nobody', async () => {
    const ledger = await createLedger({ directory: temporary(), keyDirectory: temporary() });
    const { accepted } = await acceptReplayPolicy(ledger, 'keep', operator);
    await acceptReplayPolicy(ledger, 'none', operator);
    const again = encodeReplayPolicy({ replay: 'keep', accepted });
    const signature = Buffer.alloc(64).toString('base64');
    const forged = encodeReplayPolicy({ replay: 'keep', accepted: { by, signature } });
    for (const payload of [again, forged, { replay: 'keep' }])
      await ledger.append({ kind: 'replay.policy', source: 'ledger', payload });
    expect(await isReplayKept(ledger.store, 'keep')).toBe(false);
    await ledger.close();
  });
});
