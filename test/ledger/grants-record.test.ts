// Which grants are in force, in a real ledger: anybody who can write there can make a key and sign.
import { describe, expect, it } from 'vitest';
import { encodeVerifierKey, makeSigner, type Signer, type VerifierKey } from '../../src/core/index.ts';
import type { GrantTexts } from '../../src/format/index.ts';
import {
  acceptGrants,
  changeOperator,
  grantsStanding,
  readOperatorTrail,
  type Store,
} from '../../src/ledger/index.ts';
import { newFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

const operator = makeSigner('operator', new Uint8Array(32).fill(7));
const stranger = makeSigner('operator', new Uint8Array(32).fill(8));
const NARROW: GrantTexts = { allow: ['fs:read:src/**'], deny: [] };
const WIDE: GrantTexts = { allow: ['fs:*:/**', 'process:exec:**'], deny: [] };

async function newLedger(known: readonly Signer[] = [operator]) {
  const { store } = await newFileLedger(temporary());
  return {
    store,
    accept: (grants: GrantTexts, by: Signer) => acceptGrants({ store }, grants, by),
    standing: () => standing(store, known),
  };
}

async function standing(store: Store, known: readonly Signer[]) {
  const asked = async () => known as readonly VerifierKey[];
  const { inForce, unknown } = await grantsStanding(await readOperatorTrail(store), asked);
  return { inForce: inForce?.grants ?? null, unknown: unknown.map(({ grants }) => grants) };
}

describe('grants in force', () => {
  it('O2 are not those of a key that nobody enrolled: the ones before stay', async () => {
    const ledger = await newLedger();
    await ledger.accept(NARROW, operator);
    await ledger.accept(WIDE, stranger);
    expect(await ledger.standing()).toEqual({ inForce: NARROW, unknown: [WIDE] });
    await ledger.accept({ ...NARROW, deny: ['fs:*:**/.env'] }, operator);
    expect(await ledger.standing()).toMatchObject({ inForce: { deny: ['fs:*:**/.env'] }, unknown: [] });
  });

  it('O2 are none where the ledger has only those of unknown keys, or the user knows no operator', async () => {
    const ledger = await newLedger();
    await ledger.accept(WIDE, stranger);
    expect(await ledger.standing()).toEqual({ inForce: null, unknown: [WIDE] });
    const other = await newLedger([]);
    await other.accept(NARROW, operator);
    expect(await other.standing()).toEqual({ inForce: null, unknown: [NARROW] });
  });

  it('O2 are those of an enrolled operator, also after that operator was revoked', async () => {
    const { store, accept, standing } = await newLedger();
    const vkey = encodeVerifierKey(stranger as VerifierKey);
    await changeOperator({ store }, 'enrol', vkey, operator);
    await accept(NARROW, stranger);
    await changeOperator({ store }, 'revoke', vkey, operator);
    await accept(WIDE, stranger);
    expect(await standing()).toEqual({ inForce: NARROW, unknown: [WIDE] });
    // A key that enrols itself is no operator's for that.
    await changeOperator({ store }, 'enrol', vkey, stranger);
    await accept(WIDE, stranger);
    expect((await standing()).inForce).toEqual(NARROW);
  });
});
