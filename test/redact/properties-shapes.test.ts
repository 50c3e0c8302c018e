// What holds for every text, for the rules about commands, blocks, keys, lists and views: as properties.test.ts has it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';
import { harmlessLines, typedSecrets } from '../corpus/redact/typed.ts';

const redactor = makeRedactor();
const RUNS = 3000;

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '\u001b[31m',
      '\u001b[0m',
      '\\u001b[1m',
      '%3D',
      '%26',
      '%22',
      '%3A',
      '&quot;',
      '\\u0022',
      '\\\n',
      '%5',
      '\\u00',
    ],
    ...[
      ' ',
      '\n',
      '\\n',
      '  ',
      '=',
      ':',
      '"',
      "'",
      '|',
      '>',
      '>-',
      ',',
      '[',
      ']',
      '{',
      '}',
      '(',
      '-',
      '--',
      '<<<',
      '@',
    ],
    ...['password', 'tokens', 'auth', 'secret_key', 'TOKEN', '"kty"', '"d"', 'default', 'value', 'name'],
    ...[
      'curl ',
      ' -u ',
      ' -p',
      ' -b ',
      '--user=',
      'set ',
      'config ',
      'ENV ',
      'echo ',
      'docker login ',
      'aws configure ',
    ],
    ...["PASSWORD '", 'IDENTIFIED BY ', 'variable "a_password" {', '://', 'pass:', '--set ', 'vault login '],
    ...['-----END ', 'PRIVATE KEY-----', 'MIIEvQIBADAN', 'phx_', 're_', '$2b$12$', 'live_', '1000.'],
    ...[
      'hunter2',
      'aB3dE5gH7jK9',
      'me:hunter2',
      '0123456789abcdef0123456789abcdef',
      'swordfish',
      '[REDACTED:x]',
    ],
    'aB3dE5gH7jK9'.repeat(6),
  ),
  fc.constantFrom(...typedSecrets().map(({ text }) => text)),
  fc.constantFrom(...harmlessLines()),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

it('redaction is idempotent on every text', () => {
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

it('redaction leaves what it does not take as it is', () => {
  fc.assert(
    fc.property(
      text.filter((value) => !value.includes('REDACTED')),
      (value) => {
        let from = 0;
        for (const kept of redactor.text(value).split(/\\{0,8}["']?\[REDACTED:[a-z0-9-]+\]\\{0,8}["']?/)) {
          const at = value.indexOf(kept, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + kept.length;
        }
      },
    ),
    { numRuns: RUNS },
  );
});

it('redaction of a list of arguments is idempotent', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (list) => {
      const once = redactor.value(list);
      expect(redactor.value(once)).toEqual(once);
    }),
    { numRuns: 1000 },
  );
});
