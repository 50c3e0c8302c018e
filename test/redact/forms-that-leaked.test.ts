// What got past the rules when they were tried from outside: SQL with its many quotes, tables, YAML and XML, defaults in
// code, sentences, commands that take a secret as a word or on their input, names. Beside it what looks like that and is
// harmless.
import { describe, expect, it } from 'vitest';
import { makeRedactor, type RedactionCounts } from '../../src/redact/index.ts';
import { senseOfName } from '../../src/redact/key-names.ts';
import { mayPromise } from '../../src/redact/name-letters.ts';
import { random } from '../corpus/redact/pieces.ts';
import { harmlessLines, typedSecrets } from '../corpus/redact/typed.ts';

const redactor = makeRedactor();
const weak = 'hun'.concat('ter', '42x');
const word = 'sword'.concat('fish', 'abc');

describe('forms that leaked', () => {
  const lines = typedSecrets('leaked-forms.txt');
  const leaks = (redact: (text: string) => string, shown: (secret: string) => string = (secret) => secret) =>
    lines
      .filter(({ text, secrets }) => {
        const redacted = redact(text);
        return secrets.some((secret) => redacted.includes(shown(secret)));
      })
      .map(({ text }) => text);

  it('are many', () => {
    expect(lines.length).toBeGreaterThan(530);
    for (const { text, secrets } of lines) expect(secrets.length, text).toBeGreaterThan(0);
  });

  it('K3 lose their secret', () => {
    expect(leaks((text) => redactor.text(text))).toEqual([]);
  });

  it('K3 lose it as the string of a tool call', () => {
    expect(
      leaks(
        (text) => JSON.stringify(redactor.value({ tool: 'Bash', input: { command: text } })),
        (secret) => JSON.stringify(secret).slice(1, -1),
      ),
    ).toEqual([]);
  });

  it('are left alone when they are redacted again', () => {
    for (const { text } of lines) {
      const once = redactor.text(text);
      const counts: RedactionCounts = {};
      expect(redactor.text(once, counts)).toBe(once);
      expect(counts).toEqual({});
    }
  });

  it.each([
    'mnemonic: abandon ability able about above absent absorb abstract absurd abuse access accident',
    'MNEMONIC="legal winner thank year wave sausage worth useful legal winner thank yellow"',
    'my mnemonic is legal winner thank year wave sausage worth useful legal winner thank yellow',
    'recovery phrase: legal winner thank year wave sausage worth useful legal winner thank yellow',
    'passphrase: correct horse battery staple',
  ])('K3 %s loses its words', (text) => {
    expect(redactor.text(text)).not.toMatch(/abandon|winner|battery/);
  });

  it('K3 lose every row of a table, and nothing beside the column', () => {
    const rows = Array.from({ length: 50 }, (_, i) => `| user${i} | ${random(12)} | admin |`);
    const table = ['| user | password | role |', '|---|---|---|', ...rows].join('\n');
    const redacted = redactor.text(table);
    expect(redacted.match(/\[REDACTED:password\]/g)).toHaveLength(50);
    expect(redacted).toContain('| user49 | [REDACTED:password] | admin |');
  });
});

describe('harmless forms', () => {
  const lines = harmlessLines('harmless-forms.txt');

  it('are many', () => {
    expect(lines.length).toBeGreaterThan(310);
  });

  it('K3 stay as they are to the byte', () => {
    expect(lines.filter((text) => redactor.text(text) !== text)).toEqual([]);
  });
});

describe('K3 a secret keeps hidden on its way to the ledger', () => {
  it('in JSON within JSON, however often it was escaped', () => {
    let text = JSON.stringify({ password: weak, note: `DB_PASSWORD='${word}'` });
    for (let depth = 0; depth < 4; depth++) {
      const redacted = redactor.text(text);
      expect(redacted).not.toContain(weak);
      expect(redacted).not.toContain(word);
      text = JSON.stringify(text);
    }
  });

  it('cut off behind any of its letters, as a stream or a limit cuts it', () => {
    for (const start of ['password: ', '{"password":"', 'export DB_PASSWORD=', 'curl -u me:', "PASSWORD = '"])
      for (let kept = 6; kept <= weak.length; kept++) {
        const piece = weak.slice(0, kept);
        expect(redactor.text(`${start}${piece}`), start + kept).not.toContain(piece);
      }
  });
});

it('no name that promises a secret is passed over for its letters', () => {
  const words =
    'password passwd pwd pw pass psk pswd pasword seed secret token jwt key auth cred credentials cookie session bearer kennwort contrasena senha mnemonic passphrase recovery_codes backup_codes unlock_code pat sid apikey sessionId connect.sid';
  for (const plain of words.split(' '))
    for (const name of [
      plain,
      plain.toUpperCase(),
      `db_${plain}`,
      `my${plain[0]?.toUpperCase()}${plain.slice(1)}`,
    ]) {
      const codes = Uint16Array.from(name, (letter) => letter.charCodeAt(0));
      if (senseOfName(name).level > 0) expect(mayPromise(codes, 0, codes.length), name).toBe(true);
    }
});
