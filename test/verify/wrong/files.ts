// The file and its envelope.
import { utf8Encode } from '#platform';
import { canonicalize, dsseMessage, encodeBase64, type Json } from '../../../src/core/index.ts';
import { encodeTar } from '../../../src/format/index.ts';
import { fileOf, type Loose, looseBundle, signedBundle, withEnvelope } from '../bundle-maker.ts';
import { type BundleCase, made, setMember, told, trusting } from '../make-bundles.ts';
import { DEEP, edit, MALFORMED } from './edits.ts';

/** The file as it is, and the payload by itself. */
export function files(): BundleCase[] {
  const honest = (): Loose => looseBundle(told());
  const trust = trusting(told());
  const file = (name: string, done: string, bytes: Uint8Array): BundleCase => ({
    name,
    done,
    bytes,
    trust,
    expect: MALFORMED,
  });
  const good = signedBundle(honest());
  const payloadText = (): string => {
    const loose = honest();
    signedBundle(loose);
    return canonicalize(loose.payload);
  };
  const partsAnd = (path: string, bytes: Uint8Array): Uint8Array => {
    const loose = honest();
    signedBundle(loose);
    loose.parts.set(path, bytes);
    return signedBundle(loose, { hashes: false });
  };
  const member = (name: string, done: string, path: string, value: Json): BundleCase =>
    made(name, done, MALFORMED, {}, { change: (loose) => setMember(loose, path, value) });
  const envelope = (change: (envelope: Record<string, Json>) => void): Uint8Array => {
    const loose = honest();
    signedBundle(loose);
    const payload = utf8Encode(canonicalize(loose.payload));
    const [signer] = loose.signers;
    const sig = encodeBase64(signer?.sign(dsseMessage(loose.type, payload)) ?? new Uint8Array(64));
    const value: Record<string, Json> = {
      payload: encodeBase64(payload),
      payloadType: loose.type,
      signatures: [{ keyid: signer?.name ?? '', sig }],
    };
    change(value);
    return withEnvelope(loose.parts, value);
  };
  return [
    file('empty', 'An empty file.', new Uint8Array(0)),
    file('no-archive', 'A text.', utf8Encode('This is no bundle.\n'.repeat(60))),
    file('cut-short', 'The last kilobyte is missing.', good.subarray(0, -1024)),
    file(
      'something-behind-it',
      'A block follows behind the archive.',
      new Uint8Array([...good, ...new Uint8Array(512)]),
    ),
    file(
      'no-envelope',
      'bundle.json is missing.',
      encodeTar([...honest().parts].map(([path, bytes]) => ({ path, bytes }))),
    ),
    file(
      'part-outside-the-envelope',
      'A commit lies in the archive that the envelope does not name.',
      partsAnd('commits/aa', utf8Encode('x')),
    ),
    file(
      'part-changed',
      'The proof is not the one that the envelope names.',
      partsAnd('proof.json', utf8Encode('{"hashes":[],"size":1}')),
    ),
    made(
      'part-missing',
      'The envelope names a part that is not there.',
      MALFORMED,
      {},
      {
        file: (loose) => {
          signedBundle(loose);
          loose.parts.delete('proof.json');
          return signedBundle(loose, { hashes: false });
        },
      },
    ),
    made(
      'part-of-no-kind',
      'The envelope names a part that no bundle has.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('notes.txt', utf8Encode('Trust me.')),
      },
    ),
    made(
      'no-entries',
      'entries.jsonl is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('entries.jsonl'),
      },
    ),
    made(
      'no-proof',
      'proof.json is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('proof.json'),
      },
    ),
    made(
      'no-checkpoint',
      'The checkpoint is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('checkpoint'),
      },
    ),
    made(
      'checkpoint-malformed',
      'The checkpoint is a text.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('checkpoint', utf8Encode('fine\n')),
      },
    ),
    made(
      'proof-nested',
      'proof.json is nested a thousand deep.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('proof.json', utf8Encode(DEEP)),
      },
    ),
    made(
      'proof-with-more',
      'proof.json has one member more.',
      MALFORMED,
      {},
      {
        change: edit('proof.json', (old) => old.replace('{', '{"a":1,')),
      },
    ),
    made(
      'payload-nested',
      'The payload is nested a thousand deep.',
      MALFORMED,
      {},
      {
        file: (loose) => fileOf(loose, utf8Encode(DEEP)),
      },
    ),
    made(
      'payload-not-canonical',
      'The payload has a space in it.',
      MALFORMED,
      {},
      {
        file: (loose) => fileOf(loose, utf8Encode(payloadText().replace(',', ', '))),
      },
    ),
    made(
      'member-twice',
      'The payload says run_id twice.',
      MALFORMED,
      {},
      {
        file: (loose) =>
          fileOf(loose, utf8Encode(payloadText().replace('{', `{"run_id":"${'0'.repeat(64)}",`))),
      },
    ),
    member('member-added', 'The payload has one member more.', 'verified_by', 'me'),
    member('inner-member-added', 'metadata.harness has one member more.', 'metadata.harness.author', 'me'),
    made(
      'member-missing',
      'The payload has no receipts_root.',
      MALFORMED,
      {},
      {
        change: ({ payload }) => void delete payload.receipts_root,
      },
    ),
    member('another-schema', 'The payload is of proof_bundle.v2.', 'schema', 'proof_bundle.v2'),
    member('date-of-no-form', 'created has no milliseconds.', 'created', '2026-11-16T09:00:00Z'),
    member('count-below-zero', 'entries is −1.', 'entries', -1),
    member('hash-in-capitals', 'event_chain_root is in capitals.', 'event_chain_root', 'A'.repeat(64)),
    member('id-too-long', 'The harness has an id of 129 characters.', 'metadata.harness.id', 'x'.repeat(129)),
    made(
      'another-type',
      'The envelope is of another payload type.',
      MALFORMED,
      {},
      {
        change: (loose) => {
          loose.type = 'application/vnd.in-toto+json';
        },
      },
    ),
    file(
      'unsigned',
      'The envelope has no signature.',
      envelope((value) => {
        value.signatures = [];
      }),
    ),
    file(
      'envelope-member-added',
      'The envelope has one member more.',
      envelope((value) => {
        value.verified = true;
      }),
    ),
    file(
      'envelope-nested',
      'The envelope is nested a thousand deep.',
      encodeTar([
        ...[...honest().parts].map(([path, bytes]) => ({ path, bytes })),
        { path: 'bundle.json', bytes: utf8Encode(DEEP) },
      ]),
    ),
  ];
}
