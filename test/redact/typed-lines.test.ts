// What developers type, print and paste, with a secret in it and without. The first must lose the secret, the second
// must not lose a character.
import { describe, expect, it } from 'vitest';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';
import { harmlessLines, typedSecrets } from '../corpus/redact/typed.ts';

const redactor = makeRedactor();

describe('lines with a secret', () => {
  const lines = typedSecrets();

  it('are many', () => {
    expect(lines.length).toBeGreaterThanOrEqual(400);
    for (const { text, secrets } of lines) {
      expect(secrets.length, text).toBeGreaterThan(0);
      for (const secret of secrets) expect(text).toContain(secret);
    }
  });

  it('K3 lose it, whatever command, header, statement or setting it stands in', () => {
    const leaks = lines.filter(({ text, secrets }) => {
      const redacted = redactor.text(text);
      return secrets.some((secret) => redacted.includes(secret));
    });
    expect(leaks.map(({ text }) => text)).toEqual([]);
  });

  it('K3 lose it within the JSON of a tool call too', () => {
    const leaks = lines.filter(({ text, secrets }) => {
      const redacted = JSON.stringify(redactor.value({ tool: 'Bash', input: { command: text } }));
      return secrets.some((secret) => redacted.includes(JSON.stringify(secret).slice(1, -1)));
    });
    expect(leaks.map(({ text }) => text)).toEqual([]);
  });

  it('are left alone when they are redacted again', () => {
    for (const { text } of lines) {
      const once = redactor.text(text);
      const counts: RedactionCounts = {};
      expect(redactor.text(once, counts)).toBe(once);
      expect(counts).toEqual({});
    }
  });
});

describe('lines without one', () => {
  const lines = harmlessLines();

  it('are many', () => {
    expect(lines.length).toBeGreaterThanOrEqual(280);
  });

  it('K3 stay as they are to the byte', () => {
    expect(lines.filter((text) => redactor.text(text) !== text)).toEqual([]);
  });

  it('K3 stay as they are within the JSON of a tool call', () => {
    for (const text of lines) {
      const value = { tool: 'Bash', input: { command: text }, list: [text] };
      expect(redactor.value(value)).toBe(value);
    }
  });
});
