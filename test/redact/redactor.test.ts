// Redaction of data: by names, deep, without touching what it was given, counted.
import { describe, expect, it } from 'vitest';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';

const redactor = makeRedactor();
const ghp = `ghp_${'x'.repeat(36)}`;

/** The keys of the baseline list. */
const BASELINE =
  'token apiKey password secret authorization cookie session jwt Bearer api_key api_secret refresh_token private_key access_token id_token client_secret signing_key webhook_secret passphrase'.split(
    ' ',
  );

describe('names of members', () => {
  it.each(BASELINE)('K3 the baseline key %s hides any string and any number', (key) => {
    for (const name of [key, key.toUpperCase(), key.toLowerCase()]) {
      const { [name]: text } = redactor.value({ [name]: 'plain' }) as Record<string, unknown>;
      const { [name]: number } = redactor.value({ [name]: 12345 }) as Record<string, unknown>;
      expect(text).toMatch(/^\[REDACTED:[a-z]+\]$/);
      expect(number).toMatch(/^\[REDACTED:[a-z]+\]$/);
    }
  });

  it.each([
    'clientSecret',
    'my-secret',
    'SECRET_SAUCE',
    'github_token',
    'authToken',
    'x-api-key',
    'APIKey',
    'encryptionKey',
    'userPassword',
    'DB_PASSWORD',
    'password_confirmation',
    'pgpassword',
    'proxyAuthorization',
    'credentials',
    'aws_credentials',
    'awsSecretAccessKey',
    'smtp_pass',
    'passwd',
    'oldPassword',
    'sessionToken',
    'set-cookie',
    'password1',
    'config.password',
    'password_hash',
    '_authToken',
  ])('K3 the baseline patterns, by words: %s hides a string', (name) => {
    expect(redactor.value({ [name]: 'plain' })).not.toEqual({ [name]: 'plain' });
  });

  it.each([
    'author',
    'authors',
    'keyboard',
    'monkey',
    'max_tokens',
    'tokenizer',
    'token_count',
    'primaryKey',
    'public_key',
    'key',
    'keys',
    'passenger',
    'secretary',
    'session_id',
    'access_key_id',
    'tokenType',
    'password_policy',
    'KeyboardEvent',
    'nextPageToken',
    'authenticated',
    'authority',
    'pass_rate',
    'hasPassword',
    'token.ts',
    'pwd',
    'auth',
  ])('K3 %s does not', (name) => {
    const value = { [name]: 'plain words' };
    expect(redactor.value(value)).toBe(value);
  });

  it('a name that only might mean a secret hides a value that looks random', () => {
    const random = 'x8Kq2'.concat('Zr7Lm', '4Wp9TbV1nC');
    for (const name of ['key', 'auth', 'primaryKey', 'tokens', 'nextPageToken'])
      expect(redactor.value({ [name]: random }), name).not.toEqual({ [name]: random });
    expect(redactor.value({ public_key: random })).toEqual({ public_key: random });
  });

  it('numbers under other names, booleans, null and empty strings survive', () => {
    const value = { db_password: 5, password: true, token: null, secret: '', apiKey: false, max_tokens: 1 };
    expect(redactor.value(value)).toBe(value);
  });

  it('hides all strings under a sensitive name, however deep', () => {
    expect(redactor.value({ credentials: { user: 'me', list: ['a', { b: 'c' }], n: 1, ok: true } })).toEqual({
      credentials: {
        user: '[REDACTED:credential]',
        list: ['[REDACTED:credential]', { b: '[REDACTED:credential]' }],
        n: 1,
        ok: true,
      },
    });
  });

  it('keeps references: they say which secret was used, not what it is', () => {
    const value = {
      password: '$DB_PASSWORD',
      token: `\${TOKEN}`,
      api_key: '<your key>',
      secret: '[REDACTED:secret]',
    };
    expect(redactor.value(value)).toBe(value);
  });

  it('reads lists of names and values, and arguments that were split', () => {
    expect(
      redactor.value([
        { name: 'DB_PASSWORD', value: 'x' },
        { key: 'color', value: 'red' },
      ]),
    ).toEqual([
      { name: 'DB_PASSWORD', value: '[REDACTED:password]' },
      { key: 'color', value: 'red' },
    ]);
    expect(redactor.value(['mysql', '--password', 'x', '--token', '--verbose', 'y'])).toEqual([
      'mysql',
      '--password',
      '[REDACTED:password]',
      '--token',
      '--verbose',
      'y',
    ]);
  });

  it('redacts a name that is itself a secret, and keeps two of them apart', () => {
    const other = `ghp_${'y'.repeat(36)}`;
    const value = { [ghp]: 1, [other]: 2, '[REDACTED:github-token]': 3 };
    const once = redactor.value(value);
    expect(once).toEqual({
      '[REDACTED:github-token]#2': 1,
      '[REDACTED:github-token]#3': 2,
      '[REDACTED:github-token]': 3,
    });
    expect(redactor.value(once)).toBe(once);
  });
});

describe('a redactor', () => {
  it('K3 never changes the value it was given, and returns that very value where there is nothing to take', () => {
    const freeze = (value: unknown): unknown => {
      if (typeof value === 'object' && value !== null)
        for (const inner of Object.values(Object.freeze(value))) freeze(inner);
      return value;
    };
    const value = { a: [{ password: 'x', list: [ghp] }], b: { c: 'plain' } };
    const copy = structuredClone(value);
    freeze(value);
    const redacted = redactor.value(value) as typeof value;
    expect(value).toEqual(copy);
    expect(redacted).toEqual({
      a: [{ password: '[REDACTED:password]', list: ['[REDACTED:github-token]'] }],
      b: { c: 'plain' },
    });
    expect(redacted.b).toBe(value.b);
  });

  it('K3 counts what it took, by rule, into the object it is given', () => {
    const counts: RedactionCounts = { jwt: 1 };
    redactor.value({ password: 'x', note: `${ghp} and ${ghp}`, [ghp]: 12 }, counts);
    redactor.text('DB_PASSWORD=hunter2', counts);
    expect(counts).toEqual({ jwt: 1, password: 2, 'github-token': 3 });
    const none: RedactionCounts = {};
    redactor.value({ a: 1, b: ['plain'] }, none);
    expect(none).toEqual({});
  });

  it('keeps `__proto__` and its like as members of their own', () => {
    const value = JSON.parse(`{"__proto__":{"password":"x"},"constructor":"y","a":"${ghp}"}`);
    const redacted = redactor.value(value) as object;
    expect(JSON.stringify(redacted)).toBe(
      '{"__proto__":{"password":"[REDACTED:password]"},"constructor":"y","a":"[REDACTED:github-token]"}',
    );
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  it('is not thrown by depth', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}"${ghp}"${']'.repeat(20_000)}`);
    const counts: RedactionCounts = {};
    expect(JSON.stringify(redactor.value(deep, counts))).toContain('[REDACTED:too-deep]');
    expect(counts).toEqual({ 'too-deep': 1 });
  });

  it('keeps JSON text readable as JSON', () => {
    const text = JSON.stringify({
      password: 'x"y',
      token: 'a\\b',
      secret: 12,
      list: [{ apiKey: 'z' }],
      n: 5,
    });
    for (const [input, read] of [
      [text, JSON.parse],
      [JSON.stringify(text), (s: string) => JSON.parse(JSON.parse(s))],
    ] as const)
      expect(read(redactor.text(input))).toEqual({
        password: '[REDACTED:password]',
        token: '[REDACTED:token]',
        secret: '[REDACTED:secret]',
        list: [{ apiKey: '[REDACTED:key]' }],
        n: 5,
      });
  });
});
