// Texts made to be slow for the rules about tables, sentences, calls, SQL rows, elements and a command's words. As in
// hostile-shapes.slow.test.ts no time is asserted: what is worse than linear would run into the test's limit.
import { expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';

const redactor = makeRedactor();
const SIZE = 150_000;

it.each([
  ...[
    'password ',
    'password is ',
    'the password for a ',
    'use a as the password',
    'key is ',
    'mnemonic is abandon ',
  ],
  ...[
    'password,',
    'password,a\n',
    '"password","a"\n',
    '| password |\n',
    'a  password  b\n',
    'name,password\n',
  ],
  ...['VALUES (', '(password) VALUES (', "(password) VALUES ('a'),", "(password) values ('"],
  ...['setPassword("', 'login("a", ', 'env.PASSWORD || "', '#define PASSWORD "', 'password <- "', '@tcp('],
  ...['<a name="password">', '<key>Password</key><string>', '<password><![CDATA[', '&lt;password&gt;'],
  ...['password: !!str ', '? password\n: ', 'password:\n  a\n', 'data:\n  a: b\n', 'kind: Secret\ndata:\n'],
  ...['secrets set A=b ', 'config:set A=', 'echo a b c | ', 'passwd <<EOF\na\n', 'send "a\\r" '],
  ...['net user a ', 'nmcli a ', 'qpdf --encrypt a ', 'impdp a/b ', 'openssl passwd -1 ', 'ssh-keygen -P a '],
  ...[
    'password=$$',
    'password="""',
    "password='''",
    'password=${PASSWORD:-',
    'user: a, pass: "',
    '{:password, "',
  ],
])('%j, over and over, is redacted', (piece) => {
  expect(redactor.text(piece.repeat(Math.ceil(SIZE / piece.length))).length).toBeGreaterThan(0);
});
