// What the facet patches says of ledgers that are made entry by entry.
import { describe, expect, it } from 'vitest';
import { makeSigner, type VerifierKey } from '../../src/core/index.ts';
import { codesOf, verify } from './expect.ts';
import type { LedgerMaker } from './make-ledger.ts';
import { AGENT, keyOf, OPERATOR, Patched, RUN } from './make-patches.ts';

async function facet(ledger: LedgerMaker, operators = [OPERATOR as VerifierKey]) {
  const report = await verify(ledger.seal().files, { operators });
  const { status, message } = report.facets.patches;
  return {
    status,
    message,
    codes: codesOf(report, ['patches']).map((code) => code.replace(/@\d+$/, '')),
    verdict: report.verdict,
  };
}

describe('patches', () => {
  it('passes where nothing was patched', async () => {
    expect(await facet(new Patched())).toMatchObject({
      status: 'pass',
      message: 'No patch was proposed here.',
    });
  });

  it('passes a patch that took every step, and one that was taken back', async () => {
    const ledger = new Patched().toApproval().approved().applied().approved({ kind: 'patch.reverted' });
    ledger.created(1).by('patch.rejected', { id: `${RUN}:1`, reason: 'not needed any more' });
    expect(await facet(ledger)).toMatchObject({
      status: 'pass',
      codes: [],
      message: '2 patches proposed, 1 applied, each in the order and under the signatures that it needs.',
    });
  });

  it('is unknown where nobody says who the operators are', async () => {
    const ledger = new Patched().toApproval().approved().applied();
    expect(await facet(ledger, [])).toMatchObject({
      status: 'unknown',
      codes: ['PATCH_SIGNER_UNKNOWN'],
    });
  });

  it('is unknown where a stranger approved', async () => {
    const stranger = makeSigner('x', new Uint8Array(32).fill(3));
    const ledger = new Patched().toApproval().approved({ signer: stranger }).applied();
    expect(await facet(ledger)).toMatchObject({ status: 'unknown', codes: ['PATCH_SIGNER_UNKNOWN'] });
  });

  const other = 'c'.repeat(64);
  it.each<[string, string, (ledger: Patched) => Patched]>([
    ['PATCH_INVALID', 'a step that nobody knows', (l) => l.by('patch.blessed', { id: `${RUN}:0` })],
    [
      'PATCH_INVALID',
      'a patch of no run',
      (l) => l.by('patch.rejected', { id: `${RUN}:0`, reason: 'x' }, null),
    ],
    ['PATCH_INVALID', 'an id of another form', (l) => l.created(0, { id: '1:0' })],
    ['PATCH_INVALID', 'a member more', (l) => l.created(0, { urgent: true })],
    [
      'PATCH_INVALID',
      'operations that are none',
      (l) => l.created(0, { change: { target: 'state', operations: [{ op: 'merge' }], inverse: [] } }),
    ],
    ['PATCH_SIGNATURE', 'a proposal that was changed', (l) => l.created(0, {}, { reason: 'another' })],
    [
      'PATCH_SIGNATURE',
      'an approval of another place',
      (l) => l.toApproval().approved({ place: { seq: 2 } }),
    ],
    [
      'PATCH_SIGNATURE',
      'an approval shown as a reversal',
      (l) =>
        l
          .toApproval()
          .approved()
          .applied()
          .approved({ kind: 'patch.reverted', place: { kind: 'patch.approved' } }),
    ],
    [
      'PATCH_SIGNATURE',
      'an approval in another name',
      (l) =>
        l.toApproval().approved({ later: { by: keyOf(makeSigner('operator', new Uint8Array(32).fill(8))) } }),
    ],
    ['PATCH_MISPLACED', 'a number that is not the next', (l) => l.created(1)],
    ['PATCH_MISPLACED', 'a patch of another run', (l) => l.created(0, { id: `${other}:0` })],
    ['PATCH_MISPLACED', 'a step of a patch that nobody proposed', (l) => l.tested()],
    ['PATCH_ORDER', 'an audit before the tests', (l) => l.created().audited()],
    ['PATCH_ORDER', 'an approval before the audit', (l) => l.created().tested().approved()],
    ['PATCH_ORDER', 'applied before it was approved', (l) => l.toApproval().applied()],
    ['PATCH_ORDER', 'applied twice', (l) => l.toApproval().approved().applied().applied()],
    [
      'PATCH_ORDER',
      'reverted before it was applied',
      (l) => l.toApproval().approved().approved({ kind: 'patch.reverted' }),
    ],
    [
      'PATCH_ORDER',
      'reverted twice',
      (l) =>
        l
          .toApproval()
          .approved()
          .applied()
          .approved({ kind: 'patch.reverted' })
          .approved({ kind: 'patch.reverted' }),
    ],
    ['PATCH_ORDER', 'a step after its tests failed', (l) => l.created().tested({ result: 'fail' }).audited()],
    [
      'PATCH_ORDER',
      'a step after its audit failed',
      (l) =>
        l
          .created()
          .tested()
          .audited({ result: 'fail', violations: ['it grants more'] })
          .approved(),
    ],
    [
      'PATCH_ORDER',
      'a step after it was rejected',
      (l) =>
        l
          .created()
          .by('patch.rejected', { id: `${RUN}:0`, reason: 'no' })
          .tested(),
    ],
    ['PATCH_UNTESTED', 'no tests', (l) => l.created(0, { tests: [] }).tested({ tests: [] })],
    [
      'PATCH_UNTESTED',
      'other tests than it names',
      (l) => l.created().tested({ tests: [{ name: 'another', result: 'pass' }] }),
    ],
    [
      'PATCH_UNTESTED',
      'a test that failed',
      (l) => l.created().tested({ tests: [{ name: 'keeps its total', result: 'fail' }] }),
    ],
    [
      'PATCH_UNAUDITED',
      'an audit that found something',
      (l) =>
        l
          .created()
          .tested()
          .audited({ violations: ['it grants more'] }),
    ],
    ['PATCH_SELF_APPROVED', 'approved by who proposed it', (l) => l.toApproval().approved({ signer: AGENT })],
    [
      'PATCH_ALTERED',
      'an approval of another hash',
      (l) => l.toApproval().approved({ more: { patch_hash: other } }),
    ],
    ['PATCH_ALTERED', 'applied as another', (l) => l.toApproval().approved().applied({ patch_hash: other })],
    [
      'PATCH_ALTERED',
      'applied to another state',
      (l) => l.toApproval().approved().applied({ state_hash_before: other }),
    ],
    [
      'PATCH_INVALID',
      'a module that is no plain content',
      (l) => l.created(0, { change: { target: 'module', path: 'a.mjs', from: other, to: other } }),
    ],
    ['PATCH_SIGNER', 'approved by an operator who was revoked', (l) => l.toApproval().revoked().approved()],
  ])('%s: %s', async (code, _, make) => {
    const { status, codes, verdict } = await facet(make(new Patched()));
    expect({ status, code: codes[0], verdict }).toEqual({ status: 'fail', code, verdict: 'VIOLATION' });
  });

  it('does not take the step of an operator who was revoked: what builds on it fails as well', async () => {
    const ledger = new Patched().toApproval().revoked().approved().applied();
    expect((await facet(ledger)).codes).toEqual(['PATCH_ORDER', 'PATCH_SIGNER']);
  });
});
