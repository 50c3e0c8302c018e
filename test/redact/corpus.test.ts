// The corpus: what must go is gone, what must stay is untouched to the byte, and a second pass changes nothing.
import { describe, expect, it } from 'vitest';
import { makeRedactor, type RedactionCounts, ruleIds } from '../../src/redact/index.ts';
import { nearMisses, nearMissesInPlace, plantedSecrets, tokens } from '../corpus/redact/index.ts';

const redactor = makeRedactor();

describe('the corpus of secrets', () => {
  const planted = plantedSecrets();

  it('is large enough to mean something', () => {
    expect(planted.length).toBeGreaterThan(120);
    expect(new Set(planted.map(({ id }) => id)).size).toBeGreaterThan(120);
    expect(nearMisses().length).toBeGreaterThan(120);
    expect(nearMissesInPlace().length).toBeGreaterThan(planted.length);
    for (const { secret, text } of planted)
      expect(text.includes(secret) || JSON.stringify(text).includes(secret)).toBe(true);
  });

  it('K3 leaves no provider token, private key, web token or connection password in any text', () => {
    const leaks = planted.filter(({ secret, text }) => redactor.text(text).includes(secret));
    expect(leaks.map(({ id }) => id)).toEqual([]);
  });

  it('K3 leaves none in data either: as a member, in a list, as a name', () => {
    for (const { id, secret, text } of planted) {
      const value = { note: text, list: [1, [text]], [text]: true };
      expect(JSON.stringify(redactor.value(value)).includes(JSON.stringify(secret).slice(1, -1)), id).toBe(
        false,
      );
    }
  });

  it('changes nothing when it is redacted again', () => {
    for (const { id, text } of planted) {
      const once = redactor.text(text);
      const counts: RedactionCounts = {};
      expect(redactor.text(once, counts), id).toBe(once);
      expect(counts, id).toEqual({});
    }
  });

  it('names the rule that speaks for a token', () => {
    for (const { rule, secret } of tokens()) {
      const counts: RedactionCounts = {};
      expect(redactor.text(secret, counts)).toBe(`[REDACTED:${rule}]`);
      expect(counts).toEqual({ [rule]: 1 });
    }
  });

  it('has a token for every rule that has a prefix', () => {
    const covered = new Set(
      planted.flatMap(({ text }) => redactor.text(text).match(/(?<=\[REDACTED:)[a-z0-9-]+/g) ?? []),
    );
    const missing = ruleIds().filter(
      (id) => !covered.has(id) && !['session', 'credential', 'teams-webhook'].includes(id),
    );
    expect(missing).toEqual([]);
  });

  it('cut short, is still taken', () => {
    for (const [prefix, length] of [
      ['ghp_', 24],
      ['sk-ant-api03-', 30],
      ['xoxb-', 20],
      ['npm_', 24],
      ['hf_', 22],
    ] as const) {
      const secret = `${prefix}${'aB3dE5'.repeat(9).slice(0, length)}`;
      expect(redactor.text(`… ${secret}`)).not.toContain(secret);
    }
  });

  it('keeps what is no secret: user, host, scheme, name of the cookie', () => {
    const password = 'hun'.concat('ter2');
    expect(redactor.text(`postgres://app:${password}@db.example.com/x`)).toBe(
      'postgres://app:[REDACTED:url-password]@db.example.com/x',
    );
    expect(redactor.text(`curl -u me:${password} https://x`)).toBe(
      'curl -u me:[REDACTED:command-password] https://x',
    );
    expect(redactor.text(`-H "Authorization: Bearer ${password}"`)).toBe(
      '-H "Authorization: Bearer [REDACTED:auth]"',
    );
    expect(redactor.text(`Set-Cookie: sid=${password}; Path=/`)).toBe(
      'Set-Cookie: sid=[REDACTED:cookie]; Path=/',
    );
    expect(redactor.text(`{"password": 12345}`)).toBe('{"password": "[REDACTED:password]"}');
  });
});

describe('the corpus of near misses', () => {
  it('K3 survives to the byte: author, keyboard, max_tokens, 1.2.3, www.example.com, digests, UUIDs', () => {
    const eaten = nearMisses().filter((text) => redactor.text(text) !== text);
    expect(eaten).toEqual([]);
  });

  it('survives wherever it stands', () => {
    expect(nearMissesInPlace().filter((text) => redactor.text(text) !== text)).toEqual([]);
  });

  it('survives as data', () => {
    for (const text of nearMisses()) {
      const value = {
        note: text,
        author: text,
        keyboard: [text],
        max_tokens: 4096,
        tokenizer: text,
        count: null,
      };
      expect(redactor.value(value)).toBe(value);
    }
  });
});
