// What is given out, and certificates: one form each, and nothing but ParseError for anything else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { canonicalize, type Json, type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  type Custody,
  encodeCertificate,
  encodeCustody,
  parseCertificate,
  parseCustody,
  type RunCertificate,
} from '../../src/format/index.ts';

const HASH = 'c'.repeat(64);
const custody: Custody = {
  ...{ run: HASH, form: 'run_export.v1', file: 'run.json', sha256: HASH, bytes: 12, by: 'ada' },
  recipient: null,
};
const certificate: RunCertificate = {
  ...{
    runId: HASH,
    agent: 'counter',
    events: 3,
    finalStateHash: HASH,
    hashes: 'keyed-blake3',
    hashKey: HASH,
  },
  capabilities: { hash: HASH, granted: ['tool:call:*'], root: '/work', calls: 1, denials: 0 },
  patches: [{ id: `${HASH}:0`, patchHash: HASH, status: 'applied', proposedBy: 'a', approvedBy: 'b' }],
  determinism: {
    ...{ result: 'matches', replayId: HASH, code: HASH, node: 'v20.19.0', sandbox: 'bubblewrap', from: null },
    ...{ events: 3, finalStateHash: HASH, reason: null },
  },
};
const bytesOf = (value: Json): Uint8Array => utf8Encode(canonicalize(value));

function refused(parse: () => unknown): void {
  expect(parse).toThrow(ParseError);
}

describe('custody', () => {
  it('O12 has one form', () => {
    expect(parseCustody(encodeCustody(custody))).toEqual(custody);
    const payload = encodeCustody(custody);
    for (const name of Object.keys(payload)) {
      const { [name]: _, ...others } = payload;
      refused(() => parseCustody(others));
      refused(() => parseCustody({ ...payload, [name]: { x: 1 } }));
    }
    refused(() => parseCustody({ ...payload, more: 1 }));
    refused(() => parseCustody({ ...payload, form: 'zip' }));
  });
});

describe('a certificate', () => {
  it('O11b has one form', () => {
    const value = encodeCertificate(certificate);
    expect(parseCertificate(bytesOf(value))).toEqual(certificate);
    for (const name of Object.keys(value)) {
      const { [name]: _, ...others } = value;
      refused(() => parseCertificate(bytesOf(others)));
      refused(() => parseCertificate(bytesOf({ ...value, [name]: true })));
    }
    refused(() => parseCertificate(bytesOf({ ...value, more: 1 })));
    refused(() => parseCertificate(utf8Encode(` ${canonicalize(value)}`)));
  });

  it('lets nothing but ParseError out', () => {
    const value = encodeCertificate(certificate);
    const members = fc.dictionary(fc.constantFrom(...Object.keys(value)), fc.jsonValue());
    fc.assert(
      fc.property(members, (changed) => {
        try {
          parseCertificate(bytesOf({ ...value, ...(changed as JsonObject) }));
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});
