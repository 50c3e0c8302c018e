// What people write of their own secrets: a short token in a sentence, and a password in French.
import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';

const redactor = makeRedactor();

describe('K3 loses the secret', () => {
  it.each([
    ['my token is ', `k7Qz${'9x4'}`],
    ['Try again: my token is ', `abc${'123'}`],
    ['our key is ', `zr81${'qq7'}`],
    ['Mot de passe: ', `azerty${'99'}`],
    ['le mot de passe : ', `Chat${'vert42'}`],
    ['Mot de passe\u00a0: ', `Chat${'vert42'}`],
    ['son mot de passe est ', `Chat${'vert42'}`],
    ['Passwort: ', `Katze${'blau42'}`],
  ])('in: %s…', (before, secret) => {
    expect(redactor.text(`${before}${secret}`)).not.toContain(secret);
  });
});

it.each([
  'my token is expired',
  'my token is invalid, and our key is missing',
  'my token is JWT',
  'my token is 12 characters long',
  'the token is abc123',
  'the key is sha256',
  'mot de passe : oublié',
  'mot de passe oublié ? Cliquez ici',
  'votre mot de passe est obligatoire',
  'not de passe',
])('K3 leaves alone: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});
