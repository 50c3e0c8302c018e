// Which policy the gate judges by, with a real ledger: the note is anybody's to write, and so are entries of a key that
// nobody enrolled. Neither may make the gate go by something that no operator of this user accepted.
import { describe, expect, it } from 'vitest';
import { encodeVerifierKey, makeSigner, type VerifierKey } from '../../src/core/index.ts';
import { encodePolicyRecord } from '../../src/format/index.ts';
import { settledPolicy } from '../../src/gate/index.ts';
import {
  acceptPolicy,
  changeOperator,
  policyStanding,
  readOperatorTrail,
  recordFirstPolicy,
} from '../../src/ledger/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, encodeClaimPolicy, policyHash } from '../../src/policy/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

const operator = makeSigner('operator', new Uint8Array(32).fill(7));
const stranger = makeSigner('operator', new Uint8Array(32).fill(8));
const asking = (runs: number): ClaimPolicy => ({ ...DEFAULT_POLICY, leastArgs: { test_pass: { runs } } });
const [FIRST, STRICT] = [asking(2), asking(3)];

async function newLedger(known: readonly VerifierKey[] = [operator]) {
  const { store } = await newFileLedger(temporary());
  const knows = async () => known;
  const records = {
    standing: async () => policyStanding(await readOperatorTrail(store), knows),
    recordFirst: (policy: Parameters<typeof recordFirstPolicy>[1]) =>
      recordFirstPolicy({ store }, policy, knows),
  };
  return {
    store,
    accept: (policy: ClaimPolicy, by = operator) => acceptPolicy({ store }, encodeClaimPolicy(policy), by),
    /** With a note that somebody wrote, where one is given; else with the one that is there, or without. */
    async judgesBy(note?: { seq: number; policy: ClaimPolicy } | null, file: ClaimPolicy | null = FIRST) {
      const record = (policy: ClaimPolicy) => ({
        claimPolicy: encodeClaimPolicy(policy),
        policyHash: policyHash(policy),
        accepted: null,
      });
      const bytes =
        note &&
        new TextEncoder().encode(
          JSON.stringify({ seq: note.seq, payload: encodePolicyRecord(record(note.policy)) }),
        );
      const readState = async (name: string) =>
        note === undefined ? store.readState(name) : (bytes ?? undefined);
      return (await settledPolicy({ store: { readState }, file, records })).policy;
    },
  };
}

describe('the policy that the gate judges by', () => {
  it('B7d is not one that a key signed which nobody enrolled, with the note or without', async () => {
    const { accept, judgesBy } = await newLedger();
    expect(await judgesBy()).toEqual(FIRST);
    await accept(STRICT);
    expect(await judgesBy(null)).toEqual(STRICT);
    const { seq } = await accept(DEFAULT_POLICY, stranger);
    for (const note of [null, { seq, policy: DEFAULT_POLICY }]) expect(await judgesBy(note)).toEqual(STRICT);
  });

  it('B7d is the first one where the user knows no operator, and the default if there is no first', async () => {
    const { accept, judgesBy } = await newLedger([]);
    await judgesBy();
    await accept(DEFAULT_POLICY, stranger);
    expect(await judgesBy()).toEqual(FIRST);
    const other = await newLedger([]);
    await other.accept(STRICT, stranger);
    expect(await other.judgesBy(undefined, { ...DEFAULT_POLICY, blocks: 1 })).toEqual(DEFAULT_POLICY);
  });

  it('B7d is one that an enrolled operator accepted, also after that operator was revoked', async () => {
    const { store, accept, judgesBy } = await newLedger();
    await judgesBy();
    await changeOperator({ store }, 'enrol', encodeVerifierKey(stranger), operator);
    await accept(STRICT, stranger);
    await changeOperator({ store }, 'revoke', encodeVerifierKey(stranger), operator);
    await accept(DEFAULT_POLICY, stranger);
    expect(await judgesBy(null)).toEqual(STRICT);
  });

  it('B7c is none by a note of an older policy, or of one that is on no record', async () => {
    const { accept, judgesBy } = await newLedger();
    await judgesBy();
    await accept(STRICT);
    for (const note of [
      { seq: 2, policy: FIRST },
      { seq: 3, policy: DEFAULT_POLICY },
    ])
      await expect(judgesBy(note)).rejects.toThrow('is not the one on record');
    // A note of no entry is none, and the project's file need not be there.
    for (const note of [{ seq: 0, policy: DEFAULT_POLICY }, null])
      expect(await judgesBy(note, null)).toEqual(STRICT);
  });
});
