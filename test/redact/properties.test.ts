// What holds for every text and every value. Texts are put together from pieces that rules look for, so that rules
// meet, touch and overlap in ways nobody thought of.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';
import { plantedSecrets } from '../corpus/redact/index.ts';

const redactor = makeRedactor({ add: [{ id: 'acme-key', pattern: 'acme_[a-z]{4}-[0-9]{2,6}' }] });
const RUNS = 3000;

const secrets = plantedSecrets()
  .map(({ text }) => text)
  .filter((text) => text.length < 400);
const piece = fc.oneof(
  fc.constantFrom(
    ...'= : " \' ` \\ \\" \\\\" \n \\n , ; & ? @ / // :// . - -- _ < > [ ] { } ( ) $ % %3D \u001b[31m # |'.split(
      ' ',
    ),
    ...[
      ' ',
      '  ',
      '\t',
      '\r\n',
      '',
      '\ud800',
      '\udc00',
      '\u00e9',
      '[REDACTED:',
      '[REDACTED:x]',
      '[REDACTED:jwt]#2',
      ']',
    ],
    ...'password token key secret api_key cookie session auth Authorization Bearer Basic Set-Cookie value name'.split(
      ' ',
    ),
    ...[
      'Authorization: Bearer ',
      'Cookie: a=',
      '--password ',
      '-u ',
      'curl ',
      'login a password ',
      ':5432:',
      'a:b:c',
    ],
    ...[
      'ghp_',
      'glpat-',
      'sk-',
      'AKIA',
      'A3-',
      'SK',
      'key-',
      'eyJ',
      'SG.',
      'Q~',
      '-----BEGIN ',
      'PRIVATE KEY-----',
      '-----END ',
    ],
    ...[
      'hunter2',
      'abcdefgh',
      'ABCDEFGHIJKLMNOP',
      '0123456789abcdef',
      'aB3dE5gH7jK9',
      'true',
      'null',
      '12345',
      'https',
      'acme_abcd-12',
    ],
  ),
  fc.constantFrom(...secrets),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
const json = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(text, fc.constantFrom('__proto__', 'password', 'value', 'name', 'key')),
          tie('json'),
        ),
        { maxLength: 4 },
      )
      .map((members) => Object.fromEntries(members)),
  ),
})).json;

describe('redaction', () => {
  it('is idempotent on every text', () => {
    fc.assert(
      fc.property(text, (value) => {
        const once = redactor.text(value);
        const counts: RedactionCounts = {};
        expect(redactor.text(once, counts)).toBe(once);
        expect(counts).toEqual({});
      }),
      { numRuns: RUNS },
    );
  });

  it('counts as many as it marks', () => {
    const marks = (value: string) => value.match(/\[REDACTED:[a-z][a-z0-9-]{0,63}\]/g)?.length ?? 0;
    fc.assert(
      fc.property(
        text.filter((value) => !value.includes('REDACTED')),
        (value) => {
          const counts: RedactionCounts = {};
          const redacted = redactor.text(value, counts);
          expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(marks(redacted));
          expect(redacted === value).toBe(marks(redacted) === 0);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('leaves what it does not take as it is, lone surrogates too', () => {
    fc.assert(
      fc.property(
        text.filter((value) => !value.includes('REDACTED')),
        (value) => {
          const kept = redactor.text(value).split(/"?\[REDACTED:[a-z0-9-]+\]"?/);
          let from = 0;
          for (const piece of kept) {
            const at = value.indexOf(piece, from);
            expect(at).toBeGreaterThanOrEqual(from);
            from = at + piece.length;
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('of data is idempotent, keeps its shape and never changes its input', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        const once = redactor.value(value);
        expect(JSON.stringify(value)).toBe(before);
        expect(JSON.stringify(redactor.value(once))).toBe(JSON.stringify(once));
        expectSameShape(value, once);
      }),
      { numRuns: 1000 },
    );
  });
});

function expectSameShape(before: Json, after: Json): void {
  if (Array.isArray(before)) {
    expect(Array.isArray(after) && after.length).toBe(before.length);
    for (const [i, item] of before.entries()) expectSameShape(item, (after as Json[])[i] ?? null);
  } else if (typeof before === 'object' && before !== null) {
    const [own, other] = [Object.entries(before), Object.entries(after as object)];
    expect(other.length).toBe(own.length);
    const isPlain = own.every(([name], i) => name === other[i]?.[0]);
    if (isPlain) for (const [i, [, item]] of own.entries()) expectSameShape(item, other[i]?.[1]);
  } else if (typeof before === 'string') expect(typeof after).toBe('string');
  else if (typeof before === 'number') expect(after === before || typeof after === 'string').toBe(true);
  else expect(after).toBe(before);
}
