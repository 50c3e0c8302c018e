// A small attester's work for tests of the server: it signs an envelope over the hash of what it was given, with the
// attester's own key. What the artifacts say decides what happens, so that a test needs no way in.
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { canonicalize, dsseMessage, encodeDsse } from '../../src/core/index.ts';
import { type Attest, AttestError } from '../../src/harness/index.ts';
import { type AttesterIdentity, encodeSubmission } from '../../src/service/index.ts';

const TYPE = 'application/vnd.counterfoil.test+json';

/** `began` counts how often work began in this process. */
export function standIn({ signer }: AttesterIdentity, began: () => number): Attest {
  return async ({ pack, bundle, artifacts }, signal, others) => {
    const number = began();
    const wish = utf8Decode(artifacts);
    if (wish.startsWith('refuse'))
      throw Object.assign(new Error('These are other artifacts.'), { code: 'OTHER_ARTIFACTS' });
    if (wish.startsWith('no sandbox'))
      throw Object.assign(new Error('There is none.'), { code: 'NO_SANDBOX' });
    if (wish.startsWith('fail'))
      throw Object.assign(new Error('a secret path'), { code: 'EIO', errno: -5, syscall: 'read' });
    if (wish.startsWith('hang'))
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('told to end'))),
      );
    if (wish.startsWith('deaf')) await new Promise(() => undefined);
    // Different each time, as a real attestation is: two answers to one job would show.
    const payload = utf8Encode(
      canonicalize({
        of: [pack, bundle, artifacts].map(sha256Hex),
        process: process.pid,
        number,
        at: Date.now(),
      }),
    );
    if (wish.startsWith('none for others'))
      others?.take(new AttestError('NOT_FOR_OTHERS', 'There is no file to speak of.'));
    else if (!wish.startsWith('of old'))
      others?.take({ inToto: utf8Encode(`{"in-toto":${number}}`), vsa: utf8Encode(`{"vsa":${number}}`) });
    return encodeDsse({
      payloadType: TYPE,
      payload,
      signatures: [{ keyid: '', sig: signer.sign(dsseMessage(TYPE, payload)) }],
    });
  };
}

/** `wish` says what comes of it; a number makes it another submission. */
export function submission(wish: string, size = 0): Uint8Array {
  return encodeSubmission({
    pack: utf8Encode(`pack of ${wish}`),
    bundle: new Uint8Array(size),
    artifacts: utf8Encode(wish),
  });
}
