// The receipts facet on whole ledgers: the pinned vectors, one for each way in which a receipt can be of something else.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBase64, type Json, type JsonObject } from '../../src/core/index.ts';
import * as verifier from '../../src/entry/verify.ts';
import { type Entry, parseEntry, parseReceipt } from '../../src/format/index.ts';
import type { Code } from '../../src/verify/index.ts';
import { Receipts, receiptLedgers } from './make-receipts.ts';
import { type ReceiptVector, runReceipts } from './run-receipts.ts';

const root = join(import.meta.dirname, '../../spec/vectors/receipt');
const ledgers = receiptLedgers();

function filesOf(made: Receipts | undefined): Record<string, string> {
  made?.seal();
  return Object.fromEntries([...(made?.files ?? [])].map(([path, bytes]) => [path, encodeBase64(bytes)]));
}

if (process.env.UPDATE_VECTORS === '1') {
  mkdirSync(root, { recursive: true });
  for (const [name, made] of Object.entries(ledgers)) {
    const vector = { name, files: filesOf(made), keys: [made.vkey] };
    const text = JSON.stringify({ ...vector, expect: await runReceipts(verifier, vector) }, null, 1);
    writeFileSync(join(root, `${name}.json`), `${text}\n`);
  }
}

const vectors = readdirSync(root).map(
  (name) => JSON.parse(readFileSync(join(root, name), 'utf8')) as ReceiptVector,
);

describe('spec/vectors/receipt', () => {
  it('is made as the maker makes it', () => {
    expect(vectors.map(({ name }) => name).sort()).toEqual(Object.keys(ledgers).sort());
    for (const { name, files } of vectors) expect(files, name).toEqual(filesOf(ledgers[name]));
  });

  for (const vector of vectors) {
    it(`${vector.expect.receipts}: ${vector.name}`, async () => {
      expect(await runReceipts(verifier, vector)).toEqual(vector.expect);
    });
  }

  it('C6a each lie is found for what it is', () => {
    const expected: readonly (readonly [Code, readonly string[]])[] = [
      [
        'RECEIPT_FORGED',
        [
          'forged-signature',
          'changed-after-signing',
          'signed-for-another-ledger',
          'unknown-key-version',
          'replaced-key-version',
        ],
      ],
      ['GATEWAY_KEY_INVALID', ['certificate-by-another-key']],
      [
        'RECEIPT_MISBOUND',
        [
          'for-another-run',
          'in-another-session',
          'for-another-event',
          'for-another-call',
          'for-an-entry-of-another-kind',
          'for-another-pack',
          'without-the-pack-of-its-run',
          'another-receipt-than-announced',
          'another-nonce-than-the-call',
          'issued-twice',
        ],
      ],
      ['RECEIPT_NONCE_REUSED', ['nonce-used-twice']],
      [
        'RECEIPT_MISMATCH',
        ['other-tokens-than-the-entries', 'another-model-than-the-entries', 'fewer-bytes-than-the-entries'],
      ],
      ['RECEIPT_MALFORMED', ['malformed-receipt']],
      ['RECEIPT_MISSING', ['call-without-a-result', 'result-without-a-receipt']],
    ];
    for (const [code, names] of expected)
      for (const name of names) {
        const found = vectors.find((vector) => vector.name === name)?.expect;
        expect(
          found?.codes.map((each) => each.split(' ')[0]),
          name,
        ).toContain(code);
        expect(found?.verdict, name).toBe(code === 'RECEIPT_MISSING' ? 'INTACT' : 'VIOLATION');
      }
    const fine = vectors.filter(({ expect: { receipts } }) => receipts === 'pass').map(({ name }) => name);
    expect(fine.length).toBe(8);
  });
});

/** Every way to change one value within a payload, by path. */
function* changes(
  value: Json,
  path: readonly string[] = [],
): Generator<[string, (payload: JsonObject) => JsonObject]> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value as JsonObject)) yield* changes(member, [...path, name]);
    return;
  }
  const other = (): Json => {
    if (typeof value === 'number') return value + 1;
    if (typeof value === 'boolean') return !value;
    if (typeof value === 'string')
      return /^[0-9a-f]{64}$/.test(value) ? value.replace(/^./, (c) => (c === '0' ? '1' : '0')) : `${value}x`;
    return 'x';
  };
  const set = (of: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject => ({
    ...of,
    [name]: rest.length === 0 ? other() : set(of[name] as JsonObject, rest),
  });
  yield [path.join('.'), (payload) => set(payload, path)];
}

it('past a bound, nonces are not compared, and that is said', async () => {
  const { ReceiptCheck } = await import('../../src/verify/receipt-check.ts');
  const { Findings } = await import('../../src/verify/findings.ts');
  const findings = new Findings();
  const made = new Receipts().begin();
  const identity = { origin: made.origin, current: made.signer };
  const check = new ReceiptCheck(findings, identity, { nonces: 1, calls: 2 });
  for (const nonce of ['client-nonce-1', 'client-nonce-2', 'client-nonce-2'])
    made.receipt(made.exchange({ nonce }), { change: { nonce } });
  for (let i = 0; i < 3; i++) made.call();
  for (const line of made.lines) check.entry(parseEntry(new TextEncoder().encode(line)) as Entry);
  check.finish();
  const codes = findings.of('receipts').map(({ code }) => code);
  expect(codes).toContain('RECEIPT_TOO_MANY');
  expect(codes).not.toContain('RECEIPT_NONCE_REUSED');
  expect(findings.of('receipts').find(({ code }) => code === 'RECEIPT_MISSING')?.message).toContain(
    '3 model calls',
  );
});

describe('a receipt', () => {
  const honest = new Receipts().begin();
  honest.receipt(honest.exchange());
  const payload = (JSON.parse(honest.lines.at(-1) ?? '') as { payload: JsonObject }).payload;

  it.each([...changes(payload)])('C6b with another %s is refused', async (_, change) => {
    const made = new Receipts().begin();
    made.receipt(made.exchange(), { forge: change });
    const { verdict, codes } = await runReceipts(verifier, { files: filesOf(made), keys: [made.vkey] });
    expect(verdict).toBe('VIOLATION');
    expect(codes.join()).toMatch(/RECEIPT_(FORGED|MALFORMED)/);
  });

  it('is read by its exact members alone', () => {
    expect(parseReceipt(payload)).toMatchObject({ provider: 'anthropic', keyVersion: 1 });
    for (const name of Object.keys(payload)) {
      const { [name]: _, ...without } = payload;
      expect(() => parseReceipt(without), name).toThrow('missing');
    }
    expect(() => parseReceipt({ ...payload, more: 1 })).toThrow('unknown member');
  });
});
