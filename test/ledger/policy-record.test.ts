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
});
