// Secrets in forms that a reader sees through and a search for words does not: in colour, encoded once more, cut in
// pieces, split into arguments, beside their name instead of behind it.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';
import { base64, pem, random } from '../corpus/redact/pieces.ts';

const redactor = makeRedactor();
const weak = 'hun'.concat('ter', '42x');

describe('a private key', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { privateKey: ed } = generateKeyPairSync('ed25519');
  const keys = {
    pkcs8: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pkcs1: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    sec1: ec.export({ type: 'sec1', format: 'pem' }).toString(),
    ec: ec.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ed: ed.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };

  describe.each(Object.entries(keys))('%s', (_, key) => {
    const lines = key.trim().split('\n');
    const body = lines.slice(1, -1);
    const isGone = (text: string) => {
      const redacted = redactor.text(text);
      return body.every((line) => line.length < 16 || !redacted.includes(line));
    };

    it('K3 without its first line is gone', () => {
      expect(isGone(`$ tail -n +2 key.pem\n${lines.slice(1).join('\n')}\n$`)).toBe(true);
      expect(isGone(JSON.stringify({ out: lines.slice(1).join('\n') }))).toBe(true);
      expect(isGone(JSON.stringify(JSON.stringify({ out: lines.slice(1).join('\r\n') })))).toBe(true);
    });

    it('K3 without its last line is gone', () => {
      expect(isGone(`${lines.slice(0, -1).join('\n')}\n$ `)).toBe(true);
    });

    it('K3 without either, as lines of base64 alone, is gone', () => {
      expect(isGone(`${body.join('\n')}\n`)).toBe(true);
      expect(isGone(JSON.stringify({ key: body.join('\n') }))).toBe(true);
      expect(isGone(`x = "${body.join('')}"`)).toBe(true);
    });

    it('K3 in base64 once more is gone', () => {
      const encoded = base64(key);
      expect(redactor.text(`client-key-data: ${encoded}\n`)).not.toContain(encoded.slice(40, 120));
      expect(redactor.text(`tls.key: ${encoded}\n`)).not.toContain(encoded.slice(40, 120));
    });

    it('K3 as a JSON web key loses its private members and keeps the public ones', () => {
      const source = _.startsWith('pkcs') ? privateKey : _ === 'ed' ? ed : ec;
      const jwk = source.export({ format: 'jwk' }) as Record<string, string>;
      const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((name) => jwk[name] ?? []);
      const publics = ['n', 'x'].flatMap((name) => jwk[name] ?? []).filter((value) => value.length < 64);
      const sorted = Object.fromEntries(Object.entries(jwk).sort());
      for (const text of [
        JSON.stringify(jwk),
        JSON.stringify(sorted, null, 2),
        JSON.stringify(JSON.stringify({ keys: [jwk] })),
        JSON.stringify(redactor.value({ keys: [sorted] })),
      ]) {
        const redacted = redactor.text(text);
        for (const secret of secrets) expect(redacted).not.toContain(secret);
        for (const known of publics) expect(redacted).toContain(known);
      }
    });
  });

  it('of a symmetric JSON web key is gone', () => {
    const jwk = { kty: 'oct', k: randomBytes(16).toString('base64url'), alg: 'HS256' };
    expect(redactor.text(JSON.stringify(jwk))).not.toContain(jwk.k);
    expect(redactor.value(jwk)).toEqual({ ...jwk, k: '[REDACTED:private-key]' });
  });

  it('K3 is not what certificates and public keys are', () => {
    const certificate = pem('CERTIFICATE', 900).split('\n');
    for (const text of [
      certificate.slice(1).join('\n'),
      certificate.slice(1, -1).join('\n'),
      privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().split('\n')[0] ?? '',
      JSON.stringify({ kty: 'EC', crv: 'P-256', x: random(43), y: random(43) }),
      JSON.stringify({ d: 'M12 2C6.48 2 2 6.48', p: 'x', q: random(20) }),
    ])
      expect(redactor.text(text)).toBe(text);
  });
});

describe('K3 a value', () => {
  it.each([
    ['in colour', `password: \u001b[32m${weak}\u001b[0m`],
    ['with a coloured name', `\u001b[1mDB_PASSWORD\u001b[0m=${weak}`],
    ['of which a search coloured the name', `pass\u001b[01;31m\u001b[Kword\u001b[m\u001b[K=${weak}`],
    ['with colour within', `DB_PASSWORD=${weak.slice(0, 4)}\u001b[31m${weak.slice(4)}\u001b[0m`],
    ['in colour, as JSON writes it', `{"out":"password: \\u001b[33m${weak}\\u001b[39m"}`],
    ['in a query within a query', `/login?next=https%3A%2F%2Fx%2F%3Fpassword%3D${weak}%26a%3D1`],
    ['in JSON within a query', `/x?q=%7B%22password%22%3A%22${weak}%22%7D`],
    ['in an address within a query', `/x?db=postgres%3A%2F%2Fme%3A${weak}%40db%2Fapp`],
    ['in HTML', `<pre>{&quot;password&quot;:&quot;${weak}&quot;}</pre>`],
    ['in JSON that escapes its quotes by number', `{\\u0022password\\u0022:\\u0022${weak}\\u0022}`],
    ['on a command’s next line', `curl https://x \\\n  --user \\\n  me:${weak} -o y`],
    ['in a block', `db:\n  password: |\n    ${weak}\n  port: 1\n`],
    ['in a block of a list', `- password: >-\n    ${weak}\n- b: 1\n`],
    ['in a block with a comment', `password: |2- # set by hand\n  ${weak}\n`],
  ])('%s is gone', (_, text) => {
    const redacted = redactor.text(text);
    expect(redacted.replaceAll('\u001b[31m', '')).not.toContain(weak);
    expect(redacted).toMatch(/\[REDACTED:/);
    expect(redactor.text(redacted)).toBe(redacted);
  });

  it('keeps what is around it: colours, the next line, the next parameter', () => {
    expect(redactor.text(`password: \u001b[32m${weak}\u001b[0m ok`)).toBe(
      'password: \u001b[32m[REDACTED:password]\u001b[0m ok',
    );
    expect(redactor.text(`password: |\n  ${weak}\n  more1\nport: 1\n`)).toBe(
      'password: |\n  [REDACTED:password]\nport: 1\n',
    );
    expect(redactor.text(`?next=%3Fpassword%3D${weak}%26a%3D1`)).toBe(
      '?next=%3Fpassword%3D[REDACTED:password]%26a%3D1',
    );
  });
});

describe('K3 data', () => {
  it.each([
    ['arguments that were split', ['curl', '-u', `me:${weak}`, 'https://x']],
    ['arguments with a joined flag', ['mysql', '-uroot', `-p${weak}`]],
    ['arguments beside their command', { command: 'sshpass', args: ['-p', weak, 'ssh', 'h'] }],
    ['arguments of a shell', ['bash', '-c', `psql -c "ALTER USER a PASSWORD '${weak}'"`]],
    ['variables as strings', { Env: ['PATH=/bin', `API_TOKEN=${weak}`] }],
    ['variables by name and value', { env: [{ name: 'X_TOKEN', value: weak }] }],
    ['headers by key and value', [{ key: 'X-Api-Key', value: weak }]],
    ['headers as pairs', [['X-Api-Key', weak]]],
    ['headers with several values', { headers: { 'X-Api-Key': [weak] } }],
    ['raw headers', ['Host', 'x', 'X-Api-Key', weak]],
    ['a secret of Kubernetes', { kind: 'Secret', data: { 'app.conf': weak } }],
    ['a list under a name', { accessTokens: [weak] }],
    ['a nested list', { list: [[{ sshkey: weak }]] }],
    ['Docker’s settings', { auths: { 'r.example.com': { auth: base64(`me:${weak}`) } } }],
  ])('%s loses its secret', (_, value) => {
    const redacted = redactor.value(value);
    expect(JSON.stringify(redacted)).not.toContain(weak);
    expect(JSON.stringify(redacted)).not.toContain(base64(`me:${weak}`));
    expect(redactor.value(redacted)).toBe(redacted);
  });

  it.each([
    ['arguments', ['docker', 'run', '--user', '1000:1000', '-p', '8080:80', 'mongo']],
    ['arguments with a variable', ['curl', '-u', '$USER:$PASS', 'https://x']],
    ['a list of names', { fields: ['password', 'token', 'author'] }],
    ['names and values', [{ name: 'COLOR', value: 'red' }]],
    ['a configuration of Kubernetes', { kind: 'ConfigMap', data: { 'app.conf': 'x=1' } }],
    ['numbers', { tokens: 512, max_tokens: 4096, auth: true }],
    ['mechanisms', { auth: 'oauth2', auths: ['basic', 'scram-sha-256'] }],
    ['words', { tokens: ['the', 'quick', 'brown', 'fox'] }],
  ])('%s stays', (_, value) => {
    expect(redactor.value(value)).toBe(value);
  });
});
