// Texts made to be slow. No time is asserted: each is a quarter of a million characters, and what is quadratic would run
// into the test's limit. bench/redact.mjs measures the ratio.
import { expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';

const redactor = makeRedactor({ add: [{ id: 'acme-key', pattern: 'acm[a-z]{2}-[a-z0-9]{4,500}' }] });
const SIZE = 250_000;

it.each([
  'a',
  '=',
  ':',
  '"',
  '\\',
  '\\"',
  '-',
  '.',
  'x.',
  '://',
  '://a:b@',
  'ghp_',
  '-ghp_',
  'sk-',
  '-sk-',
  '-A3-',
  'eyJ',
  '.eyJ',
  'eyJhbGciOiJub25lIn0.',
  'acm',
  'acmab-',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----',
  'password=',
  'password="',
  'password=\\"',
  "key='",
  'key=',
  'token=(',
  '"password":',
  'Authorization: ',
  'Authorization: Bearer ',
  'cookie: a=',
  'Bearer ',
  ' -u a:',
  'mysql -p',
  'login a password ',
  '*:*:',
  ':5432:',
  'value:',
  'name: key value: ',
  '<password>',
  '[REDACTED:',
  'Ab1+',
  '--password ',
  'MTIzNDU2Nzg5MDEyMzQ1Njc4.',
])('a quarter of a megabyte of %j is redacted', (piece) => {
  const text = piece.repeat(Math.ceil(SIZE / piece.length));
  const redacted = redactor.text(text);
  expect(redacted.length).toBeGreaterThan(0);
});

it('twenty megabytes of words that could be tokens are redacted', () => {
  // A search that goes on to the end of the text, once for each word, passes unnoticed with one.
  const piece = 'MTIzNDU2Nzg5MDEyMzQ1Njc4.';
  expect(redactor.text(piece.repeat(800_000)).length).toBeGreaterThan(0);
});
