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
  changeOperator,
  isBeforeEnrolment,
  type KnownOperators,
  POLICY_STATE,
  type PolicyOptions,
  parsePolicyNote,
  policyStanding,
  readOperatorTrail,
  recordFirstPolicy as recordFirst,
  type Store,
} from '../../src/ledger/index.ts';
import { DEFAULT_POLICY, encodeClaimPolicy } from '../../src/policy/index.ts';
import { expectIntact, newFileLedger, reopen } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { temporary } from '../temporary.ts';

const ONE = { blocks: 1 };
const TWO = { blocks: 2 };
const THREE = { blocks: 3 };
const operator = makeSigner('operator', new Uint8Array(32).fill(7));
const stranger = makeSigner('operator', new Uint8Array(32).fill(8));

/** This user's trust.yaml names the operator, and nobody else. */
const knows: KnownOperators = async () => [operator];
const standing = async (store: Store, known = knows) => policyStanding(await readOperatorTrail(store), known);
const inForce = async (store: Store, known = knows) => (await standing(store, known)).inForce?.claimPolicy;
const recordFirstPolicy = (options: PolicyOptions, policy: object) =>
  recordFirst(options, { ...policy }, knows);

describe('the first policy', () => {
  it('B7b is recorded once, by whoever comes first, and everybody gets the same', async () => {
    const directory = temporary();
    const { store } = await newFileLedger(directory);
    const others = [0, 1, 2].map(() => reopen(directory).store);
    const all = await Promise.all(
      [store, ...others].map((each, i) => recordFirstPolicy({ store: each }, i % 2 === 0 ? ONE : TWO)),
    );
    expect(new Set(all.map((each) => each?.policyHash)).size).toBe(1);
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
      expect(await recordFirstPolicy({ store: reopen(directory).store }, TWO)).toMatchObject({ ...first });
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
    expect((await standing(store)).inForce).toMatchObject({ seq, policyHash: policyHashOf(TWO) });
    expect((await recordFirstPolicy({ store }, ONE))?.seq).toBe(seq);
  });

  it('B7c, B7d: counts for nothing where nobody accepted it, or its hash is not its own', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    const first = await recordFirstPolicy({ store }, ONE);
    const bare = { claimPolicy: TWO, policyHash: policyHashOf(TWO), accepted: null };
    for (const record of [bare, { ...bare, policyHash: 'ab'.repeat(32) }])
      await ledger.append({ kind: 'policy', payload: encodePolicyRecord(record), source: 'test' });
    expect((await standing(store)).inForce).toMatchObject({ ...first });
  });

  it('B7c, B7d: the newest that is signed is in force; an older one, or one whose signature is of another place, is not', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    await recordFirstPolicy({ store }, ONE);
    expect(await inForce(store)).toEqual(ONE);
    const { accepted } = await acceptPolicy({ store }, TWO, operator);
    expect(await inForce(store)).toEqual(TWO);
    for (const signed of [accepted, null]) {
      const payload = encodePolicyRecord({
        claimPolicy: THREE,
        policyHash: policyHashOf(THREE),
        accepted: signed,
      });
      await ledger.append({ kind: 'policy', payload, source: 'test' });
      expect(await inForce(store)).toEqual(TWO);
    }
  });

  it('B7d: counts for nothing if the user does not know who signed it, and the one before stays', async () => {
    const { store } = await newFileLedger(temporary());
    await recordFirstPolicy({ store }, ONE);
    await acceptPolicy({ store }, TWO, stranger);
    expect(await inForce(store)).toEqual(ONE);
    await acceptPolicy({ store }, TWO, operator);
    const { seq } = await acceptPolicy({ store }, THREE, stranger);
    const { inForce: counted, unknown } = await standing(store);
    expect([counted?.claimPolicy, unknown.map((policy) => policy.seq)]).toEqual([TWO, [seq]]);
    // Without operators of one's own nobody is known, not even by an enrolment.
    await changeOperator({ store }, 'enrol', encodeVerifierKey(stranger), stranger);
    await acceptPolicy({ store }, THREE, stranger);
    expect(await inForce(store, async () => [])).toEqual(ONE);
    expect(await inForce(store)).toEqual(TWO);
  });

  it('B7d: counts if its signer was enrolled by then, and not if he was revoked by then', async () => {
    const { store } = await newFileLedger(temporary());
    const vkey = encodeVerifierKey(stranger);
    await recordFirstPolicy({ store }, ONE);
    const early = await acceptPolicy({ store }, THREE, stranger);
    await changeOperator({ store }, 'enrol', vkey, operator);
    expect(await inForce(store)).toEqual(ONE);
    const isEarly = async (seq: number) => isBeforeEnrolment(await readOperatorTrail(store), seq, vkey);
    expect(await isEarly(early.seq)).toBe(true);
    const { seq } = await acceptPolicy({ store }, TWO, stranger);
    expect(await isEarly(seq)).toBe(false);
    await changeOperator({ store }, 'revoke', vkey, operator);
    expect(await inForce(store)).toEqual(TWO);
    await acceptPolicy({ store }, THREE, stranger);
    expect(await inForce(store)).toEqual(TWO);
  });

  it('B7d: a ledger that has only policies of somebody unknown gets the default, whatever the file says', async () => {
    const { store } = await newFileLedger(temporary());
    await acceptPolicy({ store }, THREE, stranger);
    const first = await recordFirstPolicy({ store }, TWO);
    expect(first?.claimPolicy).toEqual(encodeClaimPolicy(DEFAULT_POLICY));
    expect(await inForce(store)).toEqual(first?.claimPolicy);
  });

  it('B7c: is read on from where it was read before, and anew in another ledger', async () => {
    const { store, ledger } = await newFileLedger(temporary());
    await recordFirstPolicy({ store }, ONE);
    const before = await readOperatorTrail(store);
    await ledger.append({ kind: 'note', payload: {}, source: 'test' });
    await acceptPolicy({ store }, TWO, operator);
    const reads: number[] = [];
    const seen = {
      head: () => store.head(),
      read: (from: number, to: number) => {
        reads.push(from);
        return store.read(from, to);
      },
    };
    const now = await readOperatorTrail(seen, before);
    expect(reads.at(-1)).toBe(before.seq + 1);
    expect((await policyStanding(now, knows)).inForce?.claimPolicy).toEqual(TWO);
    const other = await newFileLedger(temporary());
    expect((await readOperatorTrail(other.store, now)).entries).toEqual([]);
  });

  it('B7c: a note of no entry is none', () => {
    const record = { claimPolicy: ONE, policyHash: policyHashOf(ONE), accepted: null };
    const noteOf = (seq: number) =>
      new TextEncoder().encode(JSON.stringify({ seq, payload: encodePolicyRecord(record) }));
    expect([0, -1, 1].map((seq) => parsePolicyNote(noteOf(seq))?.seq)).toEqual([undefined, undefined, 1]);
  });
});
