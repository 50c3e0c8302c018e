// Secrets in the documents that an agent reads: a Secret of Kubernetes, a dump of a database, YAML lists, pages of HTML,
// a web server's settings, and sentences. Beside them what looks like that and is harmless.
import { describe, expect, it } from 'vitest';
import { makeRedactor } from '../../src/redact/index.ts';
import { random } from '../corpus/redact/pieces.ts';

const redactor = makeRedactor();
const word = 'Hun'.concat('ter', 'Falcon', '7316!');
const token = `k${random(10)}4Q${random(12)}`;
const basic = Buffer.from(`bob:${word}`).toString('base64');
const secrets = [word, token, basic];
const filled = (line: string) =>
  line.replaceAll('«w»', word).replaceAll('«t»', token).replaceAll('«b»', basic);

const LEAKED = [
  '{"kind":"Secret","data":{"foo":"«b»","bar":"«t»"}}',
  '{\n    "apiVersion": "v1",\n    "data": {\n        "foo": "«b»"\n    },\n    "kind": "Secret",\n    "metadata": {"name": "x"}\n}',
  '{"apiVersion":"v1","items":[{"data":{"a":"«b»"},"kind":"Secret","metadata":{"name":"y"}}],"kind":"List"}',
  '{\n  "kind": "Secret",\n  "stringData": {\n    "foo": "«w»"\n  }\n}',
  JSON.stringify({ text: '{"kind":"Secret","data":{"foo":"«b»"}}' }),
  'COPY public.tokens (id, api_token) FROM stdin;\n1\t«t»\n2\t«w»\n\\.\n',
  '- value: «w»\n  name: DB_PASSWORD',
  'env:\n  - value: "«w»"\n    name: DB_PASSWORD',
  '{"value":"«w»","name":"DB_PASSWORD"}',
  '{"ParameterKey":"DbPassword","ParameterValue":"«w»"}',
  '{"ParameterValue":"«w»","ParameterKey":"DbPassword"}',
  'aws cloudformation deploy --parameters ParameterKey=DbPassword,ParameterValue=«w»',
  'passwords:\n  - «w»\n  - "«t»"\nnext: 1',
  'tokens:\n- «t»',
  'app:\n  api_keys:\n    - «t»  # the old one\n    - «t»',
  '<li>Password: <code>«w»</code></li>',
  '<p>Password: <strong>«w»</strong></p>',
  '<b>Password:</b> «w»',
  '<b>Password</b>: «w»',
  '<input type="password" name="p" value="«w»">',
  '<input name="p" value="«w»" type="password">',
  '<meta name="csrf-token" content="«t»">',
  'proxy_set_header Authorization "Basic «b»";',
  'proxy_set_header X-Api-Key «t»;',
  'add_header X-Auth-Token «t»;',
  'fastcgi_param DB_PASSWORD «w»;',
  'RequestHeader set X-Api-Key "«t»"',
  'SetEnv DB_PASSWORD «w»',
  'http-request set-header X-Auth-Token «t»',
  "Temporary password '«w»' for user root",
  'passphrase "«w»"',
  'API key created: «t»',
  'Your API token (keep it safe!): «t»',
  'use token «t» please',
  'Username: bob\nPassword:\n«w»\n',
  'contraseña: «w»',
  'пароль: «w»',
  '密码: «w»',
  "document.querySelector('#password').value='«w»'",
  'vault kv put secret/x user=bob value=«w» other=«t»',
  'htpasswd -bnBC 10 "" «w»',
  'jq -n --arg password "«w»" \'{a: $password}\'',
  'crudini --set x.ini db password «w»',
  'sops --set \'["db"]["password"] "«w»"\' f',
  'supabase link -p «w»',
  'hydra -l u -p «w» ssh://h',
  'gem push --key «t» x',
  'gcloud auth activate-refresh-token a@b.c «t»',
  'virsh secret-set-value x --base64 «b»',
  'wg set wg0 private-key <(echo «b»)',
  'swaks -ap «w»',
  'secret-tool store --label=x a b <<< "«w»"',
];

const HARMLESS = [
  'jobs:\n  call:\n    secrets: inherit\n    with: 1',
  '"password": "Password is required"',
  "password: 'is too short'",
  "password: 'must be at least 8 characters'",
  '"password": "Passwords do not match"',
  'api_key: header',
  '{"kind":"ConfigMap","data":{"color":"blue7green","log":"a1b2c3d4e5"}}',
  '{"items":[{"data":{"color":"blue7green"},"kind":"ConfigMap"},{"kind":"Secret","type":"Opaque"}]}',
  '{"data":{"id":"abc123def","kind":"Secret santa"}}',
  'COPY public.users (id, name) FROM stdin;\n1\tbob7smith\n\\.\n',
  'COPY package.json ./',
  'Use COPY t (password) FROM stdin; to load it.',
  '- value: production1\n  name: NODE_ENV',
  '{"value":"eu-west-1","name":"REGION"}',
  '- name: A\n  value: eu1west\n- name: DB_PASSWORD\n  valueFrom: x',
  '{"ParameterKey":"InstanceType","ParameterValue":"t3.micro"}',
  'secrets:\n  - db_password\n  - NPM_TOKEN\n  - api_key_v2',
  'password:\n  - required\n  - min:8',
  'imagePullSecrets:\n  - name: regcred1',
  '<label>Password: <span>required</span></label>',
  '<p>Password: <b>at least 8 characters</b></p>',
  '<input type="password" value="">',
  '<input type="text" value="hello1world">',
  '<meta name="viewport" content="width=device-width">',
  'proxy_set_header Authorization $http_authorization;',
  'proxy_set_header Host $host;',
  'add_header X-Auth-Token $token;',
  'add_header Access-Control-Allow-Headers Authorization;',
  'Password:\nrequired',
  'Password:\nLast login: Mon from host1',
  'API key created: see 1Password for it',
  'use token authentication with version2',
  "the new password 'field' is required",
  "document.querySelector('#email').value='bob7@example.org'",
  'vault kv put secret/x @data.json',
  'vault kv put secret/x value=$VALUE',
  'npm publish --otp=$OTP',
  'jq --arg name bob7smith x',
  'gem push --key rubygems x',
  'htpasswd -c file bob7smith',
  'fastcgi_param SCRIPT_FILENAME /srv/www1/index.php;',
];

describe('documents with a secret', () => {
  it.each(LEAKED)('K3 %s loses it', (line) => {
    const redacted = redactor.text(filled(line));
    for (const secret of secrets) expect(redacted).not.toContain(secret);
    expect(redacted).toContain('[REDACTED:');
    expect(redactor.text(redacted)).toBe(redacted);
  });
});

it.each(HARMLESS)('K3 %s stays as it is', (line) => {
  expect(redactor.text(line)).toBe(line);
});

it.each([
  { sql: 'INSERT INTO t(user,password) VALUES (?,?)', params: ['bob', word] },
  { sql: 'INSERT INTO t (id, password) VALUES (1, $1)', params: [word] },
  { query: 'UPDATE users SET password = $1 WHERE name = $2', values: [word, 'bob'] },
])('K3 %j loses the value that stands for a column', (call) => {
  const redacted = JSON.stringify(redactor.value(call));
  expect(redacted).not.toContain(word);
  expect(redacted.includes('bob')).toBe(JSON.stringify(call).includes('bob'));
});
