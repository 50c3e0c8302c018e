// Plans on record: an approval holds in its own place, of its own plan, under its own key, and nowhere else.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeVerifierKey,
  makeSigner,
  planMessage,
  type VerifierKey,
} from '../../src/core/index.ts';
import { encodePlanApproval, parsePlanApproval, parsePlanProposal } from '../../src/format/index.ts';
import { approvePlan, encodeBlock, proposePlan, readPlans } from '../../src/ledger/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';

const ABOUT = {
  title: 't',
  role: 'planner',
  foundation: false,
  signature: null,
  session: null,
  source: 'test',
};

describe('plans', () => {
  it('K11 are known by their hash, and approved by an operator’s signature', async () => {
    const { store, ledger } = await newFileLedger(join(temporary(fastDirectory), 'l'));
    const operator = makeSigner('operator', new Uint8Array(32).fill(1));
    const { planHash } = await proposePlan({ store }, 'the plan', ABOUT);
    const other = await proposePlan({ store }, 'another plan', ABOUT);
    expect((await readPlans(store)).map(({ approvals }) => approvals.length)).toEqual([0, 0]);
    const { seq, by } = await approvePlan({ store }, planHash, operator);
    expect(await readPlans(store)).toMatchObject([
      { planHash, approvals: [{ by, seq }] },
      { planHash: other.planHash, approvals: [] },
    ]);
    // The very same words in another place, or for another plan, approve nothing.
    const [entry] = (await readEntries(store, seq, seq)).map(({ payload }) => parsePlanApproval(payload));
    if (entry === undefined) throw new Error('no entry');
    for (const approval of [entry, { ...entry, planHash: other.planHash }])
      await store.append((head) =>
        encodeBlock(
          [{ kind: 'plan.approve', payload: encodePlanApproval(approval), source: 'cli' }],
          head,
          0,
        ),
      );
    // Nor does one that another key signed.
    const { origin } = await ledger.identity();
    await store.append((head) => {
      const message = planMessage({
        origin,
        seq: head.seq + 1,
        prevHash: head.hash,
        planHash: other.planHash,
      });
      const stranger = makeSigner('operator', new Uint8Array(32).fill(2));
      const signature = encodeBase64(stranger.sign(message));
      const payload = encodePlanApproval({ planHash: other.planHash, by, signature });
      return encodeBlock([{ kind: 'plan.approve', payload, source: 'cli' }], head, 0);
    });
    expect((await readPlans(store)).map(({ approvals }) => approvals.length)).toEqual([1, 0]);
    expect(by).toBe(encodeVerifierKey(operator as VerifierKey));
    await expect(approvePlan({ store }, '0'.repeat(64), operator)).rejects.toThrow(/there is no plan/);
  });

  it('are read strictly', () => {
    expect(() => parsePlanProposal({})).toThrow(/missing/);
    expect(() => parsePlanApproval({ plan_hash: 'x', approved_by: '', signature: '' })).toThrow(/plan_hash/);
    expect(() => planMessage({ origin: 'o', seq: 0, prevHash: '', planHash: '' })).toThrow(RangeError);
  });
});
