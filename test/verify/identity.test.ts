// Who signed: epochs, rotations, pins, and every way to pretend.
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { encodeBase64, makeSigner, makeVerifierKey, signNote } from '../../src/core/index.ts';
import { parseEntry, parseKeyRotate } from '../../src/format/index.ts';
import { codesOf, filesNamed, statusesOf, verify } from './expect.ts';
import { LedgerMaker } from './make-ledger.ts';

const signerOf = (made: LedgerMaker, seed: number) => makeSigner(made.origin, new Uint8Array(32).fill(seed));

/** Two epochs: key 1 over 1–5, the hand-over is entry 6, key 7 over 1–9. */
function rotated(): LedgerMaker {
  return new LedgerMaker().notes(2).seal().notes(2).rotateKey(7).notes(3).seal();
}

describe('a ledger rewritten with a fresh key', () => {
  const original = new LedgerMaker(1).notes(5).seal();
  const rewritten = new LedgerMaker(2).notes(5).seal();

  it('is caught by the pinned key', async () => {
    const report = await verify(rewritten.files, { keys: [original.signer] });
    expect(report.verdict).toBe('BROKEN');
    expect(codesOf(report)).toContain('KEY_NOT_TRUSTED');
    expect(statusesOf(report)).toBe('pass pass fail');
    expect(report.facets.identity.findings[0]?.message).toContain('rewritten with a new key?');
  });

  it('is not caught without a pin, and the report says that it could not be', async () => {
    const report = await verify(rewritten.files);
    expect(report.verdict).toBe('INTACT');
    expect(report.facets.identity.status).toBe('unknown');
    expect(codesOf(report)).toEqual(['NO_PINNED_KEY']);
    expect(report.sentence).toContain('could have rewritten everything');
  });

  it('a trust file with keys of other ledgers pins nothing here', async () => {
    const report = await verify(rewritten.files, { trusted: [original.signer] });
    expect(codesOf(report)).toEqual(['NO_PINNED_KEY']);
    const own = await verify(rewritten.files, { trusted: [original.signer, rewritten.signer] });
    expect(codesOf(own)).toEqual([]);
    expect(own.marks.signed).toEqual({ from: 1, to: 6 });
  });

  it('keeping the first entry: the key in it did not sign', async () => {
    const made = new LedgerMaker(1).notes(5);
    made.signer = signerOf(made, 2);
    const report = await verify(made.seal().files, { keys: [original.signer] });
    expect(codesOf(report)).toContain('UNSIGNED@6');
    expect(report.facets.identity.status).toBe('fail');
    expect(codesOf(await verify(made.files))).toContain('UNSIGNED@6');
  });
});

describe('after a rotation', () => {
  it('both epochs verify, whichever key is pinned', async () => {
    const made = rotated();
    for (const seed of [1, 7]) {
      const report = await verify(made.files, { keys: [signerOf(made, seed)] });
      expect(codesOf(report)).toEqual([]);
      expect(report.marks.signed).toEqual({ from: 1, to: 9 });
    }
    const both = await verify(made.files, { keys: [signerOf(made, 1), signerOf(made, 7)] });
    expect(statusesOf(both)).toBe('pass pass pass');
  });

  it('an old epoch re-signed with the new key fails', async () => {
    const made = rotated();
    made.files.set('checkpoints/0000000000000003', made.checkpoint(3));
    const report = await verify(made.files, { keys: [signerOf(made, 1)] });
    expect(codesOf(report)).toEqual(['WRONG_EPOCH@3']);
    expect(filesNamed(report, 'WRONG_EPOCH')).toEqual(['checkpoints/0000000000000003']);
    expect(report.verdict).toBe('BROKEN');
  });

  it('the old key can not sign for the new epoch', async () => {
    const made = rotated();
    made.files.set('checkpoint', made.checkpoint(9, signerOf(made, 1)));
    expect(codesOf(await verify(made.files, { keys: [signerOf(made, 1)] }))).toEqual(['WRONG_EPOCH@9']);
  });

  it('at the very entry of the rotation the new key signs', async () => {
    const made = new LedgerMaker().notes(3).rotateKey(7).seal();
    expect(codesOf(await verify(made.files, { keys: [signerOf(made, 1)] }))).toEqual([]);
    made.files.set('checkpoint', made.checkpoint(5, signerOf(made, 1)));
    expect(codesOf(await verify(made.files, { keys: [signerOf(made, 1)] }))).toEqual(['WRONG_EPOCH@5']);
  });

  it('a pin on a third key fails, and a chain of rotations is followed', async () => {
    const made = rotated().rotateKey(8).notes(1).seal();
    expect((await verify(made.files, { keys: [signerOf(made, 1)] })).marks.signed).toEqual({
      from: 1,
      to: 11,
    });
    expect(codesOf(await verify(made.files, { keys: [signerOf(made, 9)] }))).toContain('KEY_NOT_TRUSTED');
    expect(codesOf(await verify(made.files, { keys: [signerOf(made, 1), signerOf(made, 9)] }))).toEqual([
      'KEY_NOT_TRUSTED',
    ]);
  });

  it('a hand-over that the old key did not make fails', async () => {
    const real = parseEntry(utf8Encode(rotated().lines[5] as string));
    const { checkpoint, publicKey, signature } = parseKeyRotate(real.payload);
    const elsewhere = new LedgerMaker(3).notes(4);
    const forgeries: Record<string, object> = {
      'signed by somebody else': {
        checkpoint,
        public_key: publicKey,
        signature: encodeBase64(signature.with(5, 1)),
      },
      'to another key': {
        checkpoint,
        public_key: 'aa'.repeat(31).concat('01'),
        signature: encodeBase64(signature),
      },
      'with a checkpoint of another size': {
        checkpoint: text(new LedgerMaker().notes(3).checkpoint()),
        public_key: publicKey,
        signature: encodeBase64(signature),
      },
      'with a checkpoint of another ledger': {
        checkpoint: text(elsewhere.checkpoint()),
        public_key: publicKey,
        signature: encodeBase64(signature),
      },
      'with an unsigned checkpoint': {
        checkpoint: text(new LedgerMaker().notes(4).checkpoint(5, signerOf(rotated(), 9))),
        public_key: publicKey,
        signature: encodeBase64(signature),
      },
      'with no checkpoint': { checkpoint: 'x', public_key: publicKey, signature: encodeBase64(signature) },
      'of another form': { public_key: publicKey },
    };
    for (const [what, payload] of Object.entries(forgeries)) {
      const made = new LedgerMaker().notes(2).seal().notes(2).seal();
      made.append('key.rotate', payload as never);
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report), what).toContain('ROTATION_INVALID@6');
      expect(report.facets.identity.status).toBe('fail');
    }
  });

  it('a hand-over copied to another place fails', async () => {
    const payload = parseEntry(utf8Encode(rotated().lines[5] as string)).payload;
    const made = new LedgerMaker().notes(2).seal().notes(3);
    made.append('key.rotate', payload);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toContain('ROTATION_INVALID@7');
  });
});

describe('signatures', () => {
  it('a wrong one by the right key, and one by nobody known', async () => {
    const made = new LedgerMaker().notes(3).seal();
    const note = text(made.checkpoint());
    const body = note.slice(0, note.indexOf('\n\n') + 1);
    const wrong = signNote(body, [{ ...made.signer, sign: () => new Uint8Array(64).fill(3) }]);
    made.files.set('checkpoint', wrong);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['SIGNATURE_INVALID@4']);
    made.files.set('checkpoint', signNote(body, [makeSigner('somebody', new Uint8Array(32))]));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['UNSIGNED@4']);
  });

  it('more signatures by others, as witnesses add them, do no harm', async () => {
    const made = new LedgerMaker().notes(3).seal();
    const note = text(made.checkpoint());
    const body = note.slice(0, note.indexOf('\n\n') + 1);
    made.files.set('checkpoint', signNote(body, [makeSigner('witness', new Uint8Array(32)), made.signer]));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
  });

  it('a pin under the name of another ledger is no pin', async () => {
    const made = new LedgerMaker().notes(3).seal();
    const misnamed = makeVerifierKey('counterfoil/0000000000000000', made.signer.publicKey);
    expect(codesOf(await verify(made.files, { keys: [misnamed] }))).toContain('KEY_NOT_TRUSTED');
  });

  it('nothing signed by the pinned key: fail, for the checkpoints were taken away', async () => {
    const made = new LedgerMaker().notes(3);
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['NOT_SIGNED', 'UNSEALED@1']);
    expect(statusesOf(report)).toBe('pass unknown fail');
    expect(report.verdict).toBe('BROKEN');
    expect(codesOf(await verify(made.files))).toEqual(['NO_PINNED_KEY', 'UNSEALED@1']);
  });
});

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
