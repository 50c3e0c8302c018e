// trust.yaml: strict, because a pin that is silently ignored is worse than none.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { pin } from '../../src/app/keys/trust.ts';
import { keysAt, parseTrust, readTrust } from '../../src/config/index.ts';
import {
  encodeDidKey,
  encodeVerifierKey,
  makeSigner,
  ParseError,
  parseVerifierKey,
} from '../../src/core/index.ts';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());
const vkey = encodeVerifierKey(makeSigner('counterfoil/0123456789abcdef', new Uint8Array(32).fill(1)));
const other = encodeVerifierKey(makeSigner('counterfoil/fedcba9876543210', new Uint8Array(32).fill(2)));

describe('parseTrust', () => {
  it('accepts ledgers with a key, and a path where there is one', () => {
    const { ledgers } = parseTrust({ ledgers: [{ vkey }, { vkey: other, path: '/data/ledger' }] });
    expect(ledgers.map(({ key, path }) => [key.name, path])).toEqual([
      ['counterfoil/0123456789abcdef', undefined],
      ['counterfoil/fedcba9876543210', '/data/ledger'],
    ]);
  });

  it.each([null, undefined, {}, { ledgers: null }, { ledgers: [] }])('has nothing in %j', (value) => {
    expect(parseTrust(value).ledgers).toEqual([]);
  });

  it.each([
    [[], 'not a mapping'],
    ['text', 'not a mapping'],
    [{ ledger: [] }, 'unknown member "ledger"'],
    [{ ledgers: {} }, 'ledgers: not a list'],
    [{ ledgers: [{}] }, 'ledgers[0].vkey'],
    [{ ledgers: [{ vkey: 'nonsense' }] }, 'ledgers[0].vkey'],
    [{ ledgers: [{ vkey, paht: '/x' }] }, 'ledgers[0]: unknown member "paht"'],
    [{ ledgers: [{ vkey, path: 'relative' }] }, 'ledgers[0].path: not an absolute path'],
    [{ packs: ['ab'] }, "packs[0]: not a pack's root"],
    [{ gateways: [{ vkey }] }, 'gateways[0].upstreams: name at least one'],
    [
      { gateways: [{ vkey, upstreams: ['https://a.example/v1'] }] },
      'gateways[0].upstreams[0]: not an origin',
    ],
    [{ gateways: [{ upstreams: ['https://a.example'] }] }, 'gateways[0].vkey'],
    [{ attesters: [{ vkey, did: 'web:a' }] }, 'attesters[0].did: not a did:key or did:web'],
    [{ attesters: [{ vkey, until: 'soon' }] }, 'attesters[0].until: not a date'],
  ])('refuses %j', (value, message) => {
    expect(() => parseTrust(value)).toThrow(ParseError);
    expect(() => parseTrust(value)).toThrow(message);
  });

  it('accepts packs, gateways and attesters', () => {
    const root = 'ab'.repeat(32);
    const { packs, gateways, attesters } = parseTrust({
      packs: [root],
      gateways: [{ vkey, upstreams: ['https://api.example.com/'] }],
      attesters: [{ vkey: other, did: 'did:web:attester.example', from: '2026-01-31' }],
    });
    expect(packs).toEqual([root]);
    expect(gateways.map(({ key, upstreams }) => [encodeVerifierKey(key), upstreams])).toEqual([
      [vkey, ['https://api.example.com']],
    ]);
    expect(attesters.map(({ key, ...rest }) => [encodeVerifierKey(key), rest])).toEqual([
      [other, { did: 'did:web:attester.example', from: '2026-01-31T00:00:00.000Z' }],
    ]);
  });

  it('C13 accepts an attester by its did:key alone, which is the key', () => {
    const did = encodeDidKey(parseVerifierKey(other).publicKey);
    const attesters = (value: object): unknown =>
      parseTrust({ attesters: [value] }).attesters.map(({ key, did: name }) => [
        encodeDidKey(key.publicKey),
        name,
      ]);
    expect(attesters({ did })).toEqual([[did, did]]);
    expect(attesters({ did, vkey: other })).toEqual([[did, did]]);
    expect(() => attesters({ did, vkey })).toThrow('attesters[0].did: not the key of vkey');
    expect(() => attesters({ did: `${did}x` })).toThrow(
      'attesters[0].did: not the did:key of an Ed25519 key',
    );
    expect(() => attesters({ did: 'did:web:attester.example' })).toThrow('attesters[0].vkey');
  });

  it('throws nothing but ParseError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ ledgers: fc.anything() })), (value) => {
        try {
          parseTrust(value);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});

describe('the file', () => {
  const file = join(sandbox.root, 'trust.yaml');

  it('is made on the first pin and keeps what people wrote in it', async () => {
    await pin(file, vkey, '/a');
    writeFileSync(file, `# mine\n${readFileSync(file, 'utf8')}`);
    await pin(file, other, sandbox.work);
    expect(readFileSync(file, 'utf8')).toContain('# mine\n');
    const trust = await readTrust(file);
    expect(trust?.ledgers.map(({ path }) => path)).toEqual(['/a', sandbox.work]);
    expect(keysAt(trust ?? parseTrust(null), `${sandbox.work}/../work`).map(encodeVerifierKey)).toEqual([
      other,
    ]);
  });

  it('loses no pin when several are made at once', async () => {
    const busy = join(sandbox.root, 'busy.yaml');
    await Promise.all(Array.from({ length: 8 }, (_, i) => pin(busy, vkey, `/ledger/${i}`)));
    expect((await readTrust(busy))?.ledgers.length).toBe(8);
  });

  it.each([
    ['duplicate keys', `ledgers: []\nledgers: []\n`],
    ['not YAML', 'ledgers: [\n'],
    ['an alias bomb', 'a: &a [x]\nledgers: [*a, *a]\n'],
    ['two documents', 'ledgers: []\n---\nledgers: []\n'],
    ['a custom tag', 'ledgers: !foo []\n'],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['more than a megabyte', `# ${'x'.repeat(1 << 20)}\n`],
  ])('with %s is refused', async (_, text) => {
    const bad = join(sandbox.root, 'bad.yaml');
    writeFileSync(bad, text);
    await expect(readTrust(bad)).rejects.toThrow(ParseError);
  });

  it('that is not there is no trust', async () => {
    expect(await readTrust(join(sandbox.root, 'none.yaml'))).toBeUndefined();
  });
});
