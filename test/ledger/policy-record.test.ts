// The policy on record: the first as the project has it, one even where many record it at once, then only by an
// operator's signature over the very place. The note beside the ledger is derived, and may be lost or wrong.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ed25519Verify } from '#platform';
import {
  encodeVerifierKey,
  makeSigner,
  parseBase64,
  policyHashOf,
  policyMessage,
} from '../../src/core/index.ts';
import { encodePolicyRecord } from '../../src/format/index.ts';
import {
  acceptPolicy,
  inForce,
  isInForce,
  POLICY_STATE,
  parsePolicyNote,
  readPolicies,
  recordFirstPolicy,
} from '../../src/ledger/index.ts';
import { expectIntact, newFileLedger, reopen } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { temporary } from '../temporary.ts';

const ONE = { blocks: 1 };
const TWO = { blocks: 2 };
const THREE = { blocks: 3 };
const operator = makeSigner('operator', new Uint8Array(32).fill(7));

describe('the first policy', () => {
  it('B7b is recorded once, by whoever comes first, and everybody gets the same', async () => {
    const directory = temporary();
    const { store } = await newFileLedger(directory);
    const others = [0, 1, 2].map(() => reopen(directory).store);
    const all = await Promise.all(
      [store, ...others].map((each, i) => recordFirstPolicy({ store: each }, i % 2 === 0 ? ONE : TWO)),
    );
    expect(new Set(all.map(({ policyHash }) => policyHash)).size).toBe(1);
    expect((await readEntries(store)).filter(({ kind }) => kind === 'policy')).toHaveLength(1);
    expect(parsePolicyNote(await store.readState(POLICY_STATE))).toEqual(all[0]);
  });

  it('B7b comes back from the entries when its note is lost, and the note with it', async () => {
    const directory = temporary();
    const { store, ledger } = await newFileLedger(directory);
    const first = await recordFirstPolicy({ store }, ONE);
    for (let i = 0; i < 20; i++) await ledger.append({ kind: 'note', payload: { i }, source: 'test' });
    const note = join(directory, 'sessions', POLICY_STATE);
    // Notes are there when the section is left: whoever enters it next finds them.
    const settled = () => reopen(directory).store.append(() => undefined);
    await settled();
    for (const lose of [() => rmSync(note), () => writeFileSync(note, '{"seq":1,"payload":{}}')]) {
      lose();
      const before = (await store.head()).seq;
      expect(await recordFirstPolicy({ store: reopen(directory).store }, TWO)).toMatchObject(first);
      await settled();
      expect((await store.head()).seq).toBe(before);
      expect(parsePolicyNote(await store.readState(POLICY_STATE))).toEqual(first);
    }
    await ledger.seal();
    await expectIntact(directory);
  });
});

describe('another policy', () => {
  it('B7d is signed for its own place, and in force from there', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    await recordFirstPolicy({ store }, ONE);
    const { seq, accepted } = await acceptPolicy({ store }, TWO, operator);
    const entry = (await readEntries(store)).find((each) => each.seq === seq);
    const { origin } = await ledger.identity();
    const message = policyMessage({
      origin,
      seq,
      prevHash: entry?.prev_hash ?? '',
      policyHash: policyHashOf(TWO),
    });
    expect(accepted?.by).toBe(encodeVerifierKey(operator));
    expect(ed25519Verify(operator.publicKey, message, parseBase64(accepted?.signature ?? ''))).toBe(true);
    expect(inForce(await readPolicies(store))).toMatchObject({ seq, policyHash: policyHashOf(TWO) });
    expect((await recordFirstPolicy({ store }, ONE)).seq).toBe(seq);
  });

  it('B7c, B7d: counts for nothing where nobody accepted it, or its hash is not its own', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const first = await recordFirstPolicy({ store }, ONE);
    const bare = { claimPolicy: TWO, policyHash: policyHashOf(TWO), accepted: null };
    for (const record of [bare, { ...bare, policyHash: 'ab'.repeat(32) }])
      await ledger.append({ kind: 'policy', payload: encodePolicyRecord(record), source: 'test' });
    expect(inForce(await readPolicies(store))).toMatchObject(first);
  });

  it('B7c, B7d: the newest that is signed is in force; an older one, or one whose signature is of another place, is not', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const of = (policy: object) => isInForce(store, policyHashOf({ ...policy }));
    await recordFirstPolicy({ store }, ONE);
    expect([await of(ONE), await of(TWO)]).toEqual([true, false]);
    const { accepted } = await acceptPolicy({ store }, TWO, operator);
    expect([await of(ONE), await of(TWO)]).toEqual([false, true]);
    for (const signed of [accepted, null]) {
      const payload = encodePolicyRecord({
        claimPolicy: THREE,
        policyHash: policyHashOf(THREE),
        accepted: signed,
      });
      await ledger.append({ kind: 'policy', payload, source: 'test' });
      expect([await of(THREE), await of(TWO)]).toEqual([false, true]);
    }
    expect(inForce(await readPolicies(store))).toMatchObject({ claimPolicy: TWO });
  });

  it('B7c is found from the end: a gate that judged claims by it was let judge by it', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const gate = (policy: object, claims: { claim: number }[]) =>
      ledger.append({
        kind: 'gate',
        payload: { claims, policy_hash: policyHashOf({ ...policy }) },
        source: 'test',
      });
    await recordFirstPolicy({ store }, ONE);
    await gate(ONE, [{ claim: 2 }]);
    await acceptPolicy({ store }, TWO, operator);
    // Silent turns and crashes are not held against the record.
    await gate(ONE, []);
    await ledger.append(() =>
      Array.from({ length: 1100 }, (_, i) => ({ kind: 'note', payload: { i }, source: 'test' })),
    );
    const reads: number[] = [];
    const seen = {
      head: () => store.head(),
      read: (from: number, to: number) => {
        reads.push(to - from);
        return store.read(from, to);
      },
    };
    expect(await isInForce(seen, policyHashOf(ONE))).toBe(false);
    const all = reads.length;
    await gate(TWO, [{ claim: 2 }]);
    expect(await isInForce(seen, policyHashOf(TWO))).toBe(true);
    expect(reads.length - all).toBeLessThan(all);
  });
});
