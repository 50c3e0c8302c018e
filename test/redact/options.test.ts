// What counterfoil.yaml may say under `redact`, and what it can't: slow patterns, unknown rules, other shapes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParseError } from '../../src/core/index.ts';
import { makeRedactor, parseRedactOptions } from '../../src/redact/index.ts';

function failure(input: unknown): string {
  try {
    parseRedactOptions(input);
  } catch (error) {
    if (error instanceof ParseError) return error.path;
    throw error;
  }
  return 'none';
}

const add = (pattern: unknown, id: unknown = 'acme-key') => ({ add: [{ id, pattern }] });

describe('K3 rules can be added and removed', () => {
  it('by pattern', () => {
    const redactor = makeRedactor(parseRedactOptions(add('acme_[a-z0-9]{8}-[A-Z0-9]{4,12}')));
    expect(redactor.text('use acme_abcd1234-XYZ98 now')).toBe('use [REDACTED:acme-key] now');
    for (const near of [
      'acme_abcd123-XYZ98',
      'acme_abcd1234-XYZ',
      'acme_abcd1234-ABCDEFGHIJKLM',
      'xacme_abcd1234-XYZ98',
    ])
      expect(redactor.text(near)).toBe(near);
  });

  it.each([
    ['ACME-\\d{6}', 'ACME-123456'],
    ['corp-key-[\\w-]{5,}', 'corp-key-abc_d-efghij'],
    ['a\\.b\\.[a-f0-9]{4}', 'a.b.00ff'],
    ['tok=[A-Z]{3}x', 'tok=ABCx'],
    ['id:[0-9]', 'id:7'],
  ])('%s takes %s', (pattern, text) => {
    const redactor = makeRedactor(parseRedactOptions(add(pattern)));
    expect(redactor.text(text)).toBe('[REDACTED:acme-key]');
    expect(redactor.text(`(${text})`)).toBe('([REDACTED:acme-key])');
  });

  it('by id', () => {
    const token = `ghp_${'x'.repeat(36)}`;
    const redactor = makeRedactor(
      parseRedactOptions({ remove: ['github-token', 'password', 'base64', 'jwt'] }),
    );
    const value = { note: token, password: 'x', text: 'DB_PASSWORD=hunter2' };
    expect(redactor.value(value)).toBe(value);
    expect(redactor.value({ secret: 'x' })).toEqual({ secret: '[REDACTED:secret]' });
  });

  it('by name of the member', () => {
    const redactor = makeRedactor(
      parseRedactOptions({ keys: { add: ['patientName', 'ssn'], remove: ['session', 'foo_token'] } }),
    );
    expect(
      redactor.value({ PATIENT_NAME: 'x', ssn: 12, my_ssn: 'y', session: 'work', fooToken: 'z', token: 't' }),
    ).toEqual({
      PATIENT_NAME: '[REDACTED:named]',
      ssn: '[REDACTED:named]',
      my_ssn: '[REDACTED:named]',
      session: 'work',
      fooToken: 'z',
      token: '[REDACTED:token]',
    });
    expect(redactor.text('{"ssn":"123-45-6789"}')).toBe('{"ssn":"[REDACTED:named]"}');
  });

  it('and the redactor says so', () => {
    const ids = [{}, { remove: ['jwt'] }, { keys: { add: ['ssn'] } }, add('acme_[a-z]{4}')].map(
      (input) => makeRedactor(parseRedactOptions(input)).id,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(makeRedactor({ remove: ['jwt', 'token'] }).id).toBe(makeRedactor({ remove: ['token', 'jwt'] }).id);
    expect(makeRedactor(parseRedactOptions(undefined)).id).toBe(makeRedactor().id);
  });
});

describe('parseRedactOptions', () => {
  it.each([
    [[], 'redact'],
    ['x', 'redact'],
    [{ other: 1 }, 'redact.other'],
    [{ add: {} }, 'redact.add'],
    [{ add: Array.from({ length: 101 }, () => ({ id: 'ab', pattern: 'abc[a]' })) }, 'redact.add'],
    [{ add: [1] }, 'redact.add[0]'],
    [{ add: [{ id: 'ok-id', pattern: 'abc[a]', flags: 'i' }] }, 'redact.add[0].flags'],
    [add('abc[a]', 'Bad Id'), 'redact.add[0].id'],
    [add('abc[a]', 'jwt'), 'redact.add[0].id'],
    [add('abc[a]', 'named'), 'redact.add[0].id'],
    [add(7), 'redact.add[0].pattern'],
    [add(''), 'redact.add[0].pattern'],
    [add('ab[a-z]{4}'), 'redact.add[0].pattern'],
    [add('[a-z]{4}abc'), 'redact.add[0].pattern'],
    [add('abcdef'), 'redact.add[0].pattern'],
    [add('abc(a+)+$'), 'redact.add[0].pattern'],
    [add('abc.*'), 'redact.add[0].pattern'],
    [add('abc[a-z]+'), 'redact.add[0].pattern'],
    [add('abc[^a]{4}'), 'redact.add[0].pattern'],
    [add('abc[a-z]{2,4}x'), 'redact.add[0].pattern'],
    [add('abc[a-z]{4,2}'), 'redact.add[0].pattern'],
    [add('abc[a-z]{0}'), 'redact.add[0].pattern'],
    [add('abc[a-z]{600}'), 'redact.add[0].pattern'],
    [add(`abc${'[a]'.repeat(100)}`), 'redact.add[0].pattern'],
    [{ remove: ['no-such-rule'] }, 'redact.remove[0]'],
    [{ remove: [1] }, 'redact.remove[0]'],
    [{ keys: { add: ['42'] } }, 'redact.keys.add[0]'],
    [{ keys: { drop: [] } }, 'redact.keys.drop'],
    [{ keys: [] }, 'redact.keys'],
  ])('refuses %j at %s', (input, path) => {
    expect(failure(input)).toBe(path);
  });

  it('throws nothing but ParseError', () => {
    fc.assert(fc.property(fc.anything(), (input) => void failure(input)));
    fc.assert(fc.property(fc.string(), (pattern) => void failure(add(`abc${pattern}`))));
  });
});
