// Who signed the bundle, and its checkpoint.
import { utf8Encode } from '#platform';
import {
  canonicalize,
  dsseMessage,
  encodeBase64,
  encodeVerifierKey,
  makeSigner,
} from '../../../src/core/index.ts';
import { type Runs, signedBundle, withEnvelope } from '../bundle-maker.ts';
import { type BundleCase, failing, made, setMember, told, trusting, unknown } from '../make-bundles.ts';
import { stranger } from './edits.ts';

/** Who signed. */
export function signatures(): BundleCase[] {
  const rotated = (runs: Runs): void => void runs.rotateKey(9);
  const first = told();
  return [
    made(
      'another-key',
      'Another key signed the bundle.',
      failing('BUNDLE_UNSIGNED'),
      {},
      {
        change: (loose) => {
          loose.signers = [stranger];
        },
      },
    ),
    made(
      'date-changed',
      'created was changed behind the signature.',
      failing('BUNDLE_UNSIGNED'),
      {},
      {
        file: (loose, runs) => {
          signedBundle(loose);
          const before = utf8Encode(canonicalize(loose.payload));
          setMember(loose, 'created', '2026-11-16T09:00:01.000Z');
          const sig = encodeBase64(runs.signer.sign(dsseMessage(loose.type, before)));
          return withEnvelope(loose.parts, {
            payload: encodeBase64(utf8Encode(canonicalize(loose.payload))),
            payloadType: loose.type,
            signatures: [{ keyid: runs.origin, sig }],
          });
        },
      },
    ),
    made(
      'replaced-key',
      'The key that was replaced signed the bundle.',
      failing('BUNDLE_UNSIGNED'),
      { after: rotated },
      {
        change: (loose) => {
          loose.signers = [first.signer];
        },
      },
    ),
    made(
      'nobody-trusted',
      'No key is trusted.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => trusting(runs, { keys: [] }),
      },
    ),
    made(
      'another-ledger-trusted',
      'The key of another ledger is trusted.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => trusting(runs, { keys: [told({ seed: 5 }).vkey] }),
      },
    ),
    made(
      'trusted-under-another-name',
      'The key is trusted for a ledger of another name.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => {
          const key = makeSigner('counterfoil/other', new Uint8Array(32).fill(1));
          return trusting(runs, { keys: [encodeVerifierKey(key)] });
        },
      },
    ),
    made(
      'checkpoint-by-another-key',
      'Another key signed the checkpoint.',
      failing('CHECKPOINT_UNSIGNED'),
      {},
      {
        change: ({ parts }, runs) => {
          const signer = makeSigner(runs.origin, new Uint8Array(32).fill(77));
          parts.set('checkpoint', runs.checkpoint(runs.size, signer));
        },
      },
    ),
    made(
      'checkpoint-by-the-replaced-key',
      'The key that was replaced signed the checkpoint.',
      failing('CHECKPOINT_UNSIGNED'),
      { after: rotated },
      {
        change: ({ parts }, runs) => void parts.set('checkpoint', runs.checkpoint(runs.size, first.signer)),
      },
    ),
    made(
      'rotation-by-a-stranger',
      'The old key did not sign the new one.',
      failing('ROTATION_INVALID'),
      { after: rotated },
      {
        rewrite: (runs) => {
          const seq = runs.entries().find(({ entry }) => entry.kind === 'key.rotate')?.entry.seq ?? 0;
          const signature = encodeBase64(stranger.sign(new Uint8Array(32)));
          runs.change(seq, ({ payload }) => ({ payload: { ...payload, signature } }));
        },
        trust: (runs) => trusting(runs, { keys: [first.vkey] }),
      },
    ),
  ];
}
