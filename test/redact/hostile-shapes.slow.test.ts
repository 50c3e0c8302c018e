// More texts made to be slow, for the rules that look at commands, blocks, keys, lists and views. As in
// hostile.test.ts no time is asserted: each is long enough that what is worse than linear would run into the test's
// limit, and no longer.
import { expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';

const redactor = makeRedactor();
const SIZE = 250_000;

it.each([
  'phx_',
  'phx_a1B',
  're_',
  'live_',
  '_secret_',
  'a_secret_',
  'sk_test_',
  'pat.',
  'dt0c01.',
  'AAAA',
  'EAA',
  '$1$',
  '$2b$12$',
  'JQQJ99',
  'password: |\n ',
  'password: |\n  a\n',
  'password: |\\n  a',
  'password: >-',
  '-----END ',
  '-----END PRIVATE KEY-----',
  'aaaaaaaaaaaaaaaaaaaa\n-----END PRIVATE KEY-----',
  `${'Ab1/'.repeat(16)}\n`,
  'MIIEvQIBADAN',
  'b3BlbnNzaC1rZXktdjE',
  'LS0tLS1CRUdJTi',
  '"kty"',
  '{"kty":',
  '"kty":"RSA","d":"',
  '\\"kty\\":',
  'password="[',
  'tokens=["a",',
  '"tokens":["',
  '"tokens":["aB3dE5gH7jK9",',
  "auth=('",
  '"password","',
  '"password", "a1',
  "'password','",
  ' -p ',
  'docker login -p ',
  'curl -u',
  'curl -sSu a:b ',
  '--user=a:b ',
  'aws configure set ',
  'config set a_token ',
  'set --a ',
  'ENV TOKEN ',
  'app/db_password ',
  'echo a | ',
  'echo a',
  "echo 'a' | docker login ",
  '<<<',
  'login <<< ',
  'htpasswd -b a ',
  'vault login ',
  'mysqladmin ',
  'smbclient -U ',
  'secret set --body ',
  '--from-literal=a=',
  'WITH PASSWORD ',
  "PASSWORD '",
  'IDENTIFIED BY ',
  "PASSWORD('",
  'variable "a_password" {',
  'default = ',
  '%3D',
  'password%3D',
  '%25',
  '\u001b[31m',
  'pass\u001b[31mword=',
  '\u001b[',
  '\\u001b[31m',
  '\\u0022',
  '&quot;',
  '\\\n',
  'curl \\\n -u a:b ',
  'https://a1b2c3d4e5f6a7b8c9d0@',
  'Authorization: a1b2c3d4 ',
])('a quarter of a megabyte of %j is redacted', (piece) => {
  const text = piece.repeat(Math.ceil(SIZE / piece.length));
  expect(redactor.text(text).length).toBeGreaterThan(0);
});

it('long lists of arguments, deep and wide, are redacted', () => {
  const wide = Array.from({ length: 20_000 }, () => ['curl', '-u', 'me:x']);
  expect(redactor.value(wide)).not.toBe(wide);
  const long = Array.from({ length: 100_000 }, (_, i) => `-p${i}`);
  expect(redactor.value({ command: 'mysql', args: long })).toBeDefined();
});
