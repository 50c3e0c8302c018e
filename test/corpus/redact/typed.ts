// The lines of typed-secrets.txt with secrets in the place of their marks, made at run time, and harmless-lines.txt.
import { readFileSync } from 'node:fs';
import { BASE64, base64, HEX, join, pem, random, restart, uuid } from './pieces.ts';
import { jwt } from './tokens.ts';

export interface Typed {
  readonly text: string;
  readonly secrets: readonly string[];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

const MAKE: Readonly<Record<string, () => string>> = {
  w: () => join('hun', 'ter', random(3, '123456789'), 'x'),
  d: () => join('sword', 'fish', random(4, 'abcdefghijk')),
  s: () => join('p@', 'ss!', random(4, '123456789'), '#w', random(2, 'abcdefghijk')),
  m: () => random(16, LETTERS),
  r: () => random(32),
  R: () => random(40, BASE64).replaceAll('/', 'e'),
  x: () => random(32, HEX),
  X: () => random(40, HEX),
  Y: () => random(64, HEX),
  u: uuid,
  b: () => base64(join('me', ':', 'hun', 'ter', random(4, '123456789'))),
  j: jwt,
  k: () => base64(pem(join('PRIVATE', ' KEY'), 120)),
};

const SIGNS: Readonly<Record<string, string>> = { '⏎': '\n', '␛': '\u001b' };

function linesOf(name: string): string[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ') && !line.startsWith('## '))
    .map((line) => line.replace(/[⏎␛]/g, (sign) => SIGNS[sign] ?? sign));
}

export function typedSecrets(name = 'typed-secrets.txt'): Typed[] {
  restart();
  return linesOf(name).map((line) => {
    const secrets: string[] = [];
    const text = line.replace(/«([a-zA-Z])»/g, (_, kind: string) => {
      const secret = MAKE[kind]?.() ?? '';
      secrets.push(secret);
      return secret;
    });
    return { text, secrets };
  });
}

export function harmlessLines(name = 'harmless-lines.txt'): string[] {
  return linesOf(name);
}
