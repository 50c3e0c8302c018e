// Secrets that only their name or their place gives away, each in the text where it stands.
import { BASE64, base64, HEX, join, pem, random, uuid } from './pieces.ts';

interface Planted {
  readonly id: string;
  readonly secret: string;
  readonly text: string;
}

export function named(): Planted[] {
  const list: Planted[] = [];
  const put = (id: string, secret: string, text: (secret: string) => string) =>
    list.push({ id, secret, text: text(secret) });
  const weak = join('hun', 'ter2');
  const word = join('sword', 'fish');
  const strange = join('p@ss', '!w0rd', '#9');
  const long = random(40);
  const key = pem(join('PRIVATE', ' KEY'), 300);
  const line = key.split('\n')[2] ?? '';

  // Variables and settings
  for (const name of [
    'PASSWORD',
    'DB_PASSWORD',
    'PGPASSWORD',
    'MYSQL_PWD',
    'API_KEY',
    'CLIENT_SECRET',
    'FOO_TOKEN',
    'SMTP_PASS',
    'SECRET_KEY_BASE',
    'AWS_SECRET_ACCESS_KEY',
    'CLOUDFLARE_API_TOKEN',
    'NPM_CONFIG__AUTH_TOKEN',
  ]) {
    put(`${name} in a .env`, long, (s) => `PORT=80\n${name}=${s}\nDEBUG=1\n`);
    put(`${name} exported`, weak, (s) => `export ${name}=${s} && run`);
    put(`${name} quoted`, strange, (s) => `${name}="${s}" node server.js`);
  }
  put('a word as a password', word, (s) => `DB_PASSWORD=${s}\n`);
  put('heroku by name', uuid(), (s) => `HEROKU_API_KEY=${s}`);
  put('twilio by name', random(32, HEX), (s) => `TWILIO_AUTH_TOKEN=${s}`);
  put('datadog by name', random(32, HEX), (s) => `DD_API_KEY: ${s}`);
  put('yaml', weak, (s) => `db:\n  user: me\n  password: ${s}\n  port: 5432\n`);
  put('yaml, a word', word, (s) => `password: ${s}\n`);
  put('yaml quoted', strange, (s) => `password: '${s}'\n`);
  put('ini', weak, (s) => `[db]\npassword = ${s}\n`);
  put('properties', long, (s) => `spring.datasource.password=${s}\n`);
  put('toml', long, (s) => `api_key = "${s}"\n`);
  put('kubernetes', weak, (s) => `- name: DB_PASSWORD\n  value: ${s}\n`);
  put('kubernetes in JSON', weak, (s) => `[{"name":"DB_PASSWORD","value":"${s}"}]`);
  put('npmrc', long, (s) => `//registry.npmjs.org/:_authToken=${s}\n`);
  put('npmrc, old', base64(`me:${weak}`), (s) => `_auth=${s}\n`);
  put('netrc', weak, (s) => `machine api.example.com login me password ${s}\n`);
  put('netrc over lines', weak, (s) => `machine api.example.com\n  login me\n  password ${s}\n`);
  put('pgpass', weak, (s) => `db.example.com:5432:app:me:${s}\n`);
  put('pgpass, wild', strange, (s) => `*:*:*:me:${s}\n`);
  put('maven', weak, (s) => `<server><id>x</id><password>${s}</password></server>`);
  put('nuget', weak, (s) => `<add key="ClearTextPassword" value="${s}" />`);

  // JSON, and JSON in strings
  for (const name of [
    'password',
    'apiKey',
    'api_key',
    'client_secret',
    'accessToken',
    'refresh_token',
    'x-api-key',
    'privateKey',
    'passphrase',
    'token',
    'authToken',
    'sessionToken',
    'AccountKey',
    'dbPassword',
  ])
    put(`"${name}"`, strange, (s) => `{"user":"me","${name}":"${s}","n":1}`);
  put('escaped JSON', weak, (s) => `{\\"password\\":\\"${s}\\",\\"n\\":1}`);
  put('twice escaped JSON', weak, (s) => `{\\\\\\"password\\\\\\":\\\\\\"${s}\\\\\\"}`);
  put('JSON with spaces', weak, (s) => `{ "password" : "${s}" }`);
  put('JSON number', '8675309', (s) => `{"password": ${s}}`);
  put('JSON with a quote in it', join('a\\"', 'b1c2'), (s) => `{"password":"${s}"}`);
  put('JSON cut short', weak, (s) => `{"user":"me","password":"${s}`);
  put('python dict', weak, (s) => `{'password': '${s}'}`);
  put('ruby hash', weak, (s) => `{ :password => "${s}" }`);
  put('a very long value', random(6000), (s) => `{"secret":"${s}","n":1}`);

  // Source
  put('typescript', weak, (s) => `const password: string = '${s}';`);
  put('python', weak, (s) => `password = "${s}"`);
  put('python default', weak, (s) => `def login(user, password: str = "${s}"):`);
  put('go', weak, (s) => `password := "${s}"`);
  put('java', weak, (s) => `private String dbPassword = "${s}";`);
  put('comparison', weak, (s) => `if (password === '${s}') return true;`);
  put('environment by index', weak, (s) => `os.environ["DB_PASSWORD"] = "${s}"`);
  put('powershell', weak, (s) => `$env:DB_PASSWORD = "${s}"`);
  put('aws secret in code', random(40, BASE64), (s) => `secretAccessKey: "${s}",`);

  // Commands
  put('curl -u', weak, (s) => `curl -u admin:${s} https://api.example.com`);
  put('curl -u quoted', strange, (s) => `curl -u 'admin:${s}' https://api.example.com`);
  put('curl --user', weak, (s) => `curl --user admin:${s} https://api.example.com`);
  put('bearer header', long, (s) => `curl -H "Authorization: Bearer ${s}" https://api.example.com`);
  put('bearer header, word', word, (s) => `curl -H "Authorization: Bearer ${s}" https://api.example.com`);
  put(
    'bearer header in JSON',
    long,
    (s) => `{"command":"curl -H \\"Authorization: Bearer ${s}\\" https://x"}`,
  );
  put('basic header', base64(`admin:${weak}`), (s) => `Authorization: Basic ${s}\r\nAccept: */*`);
  put('token header', random(40, HEX), (s) => `-H 'Authorization: token ${s}'`);
  put(
    'signed header',
    random(64, HEX),
    (s) => `Authorization: AWS4-HMAC-SHA256 Credential=x/y, Signature=${s}\n`,
  );
  put('lower-case header', long, (s) => `authorization: Bearer ${s}`);
  put('api key header', long, (s) => `-H "X-Api-Key: ${s}"`);
  put('private token header', long, (s) => `--header "PRIVATE-TOKEN: ${s}"`);
  put('bearer alone', long, (s) => `sent Bearer ${s}`);
  put('basic alone', base64(`admin:${weak}`), (s) => `sent Basic ${s}`);
  put('--password', weak, (s) => `mysqlsh --user me --password ${s} --host db`);
  put('--password, word', word, (s) => `mysqlsh --user me --password ${s} mydb`);
  put('--password=', weak, (s) => `mysql --password=${s} db`);
  put('--token', long, (s) => `cli --token ${s}`);
  put('--api-key quoted', strange, (s) => `cli --api-key "${s}" run`);
  put('mysql -p', weak, (s) => `mysql -u root -p${s} app`);
  put('sshpass', weak, (s) => `sshpass -p '${s}' ssh me@host`);
  put('docker login', weak, (s) => `docker login -u me -p ${s} registry.example.com`);
  put('redis-cli', weak, (s) => `redis-cli -h cache -a ${s} ping`);
  put('cookie flag', long, (s) => `curl --cookie "sid=${s}" https://x.example.com`);

  // Headers
  put('cookie', long, (s) => `Cookie: theme=dark; sid=${s}\r\n`);
  put('set-cookie', long, (s) => `Set-Cookie: session=${s}; Path=/; HttpOnly\r\n`);
  put('set-cookie in JSON', long, (s) => `{"set-cookie":"sid=${s}; Path=/"}`);

  // Addresses
  for (const scheme of [
    'postgres',
    'postgresql',
    'mysql',
    'mongodb',
    'mongodb+srv',
    'redis',
    'amqp',
    'https',
    'ftp',
    'smtp',
    'jdbc:postgresql',
    'postgresql+asyncpg',
  ])
    put(`${scheme}://`, weak, (s) => `DATABASE=${scheme}://app:${s}@db.example.com:5432/app?ssl=1`);
  put('password with signs', 'p%40ss:w0rd!', (s) => `redis://:${s}@cache:6379`.replace('://:', '://me:'));
  put('git remote', long, (s) => `git clone https://x-access-token:${s}@github.com/a/b.git`);
  put('query token', random(20), (s) => `GET /v1?user=me&token=${s}&page=2 HTTP/1.1`);
  put('query api key', word, (s) => `https://api.example.com/?api_key=${s}&q=x`);
  put('query access token', long, (s) => `https://x.example.com/cb#state=1&access_token=${s}`);
  put(
    'azure sas',
    `${random(43)}%3D`,
    (s) => `https://a.blob.core.windows.net/c?sv=2024-01-01&sig=${s}&se=2030`,
  );
  put(
    's3 presigned',
    random(64, HEX),
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=${s}`,
  );
  put(
    'azure account key',
    `${random(86, BASE64)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=core.windows.net`,
  );
  put(
    'azure bus key',
    `${random(43, BASE64)}=`,
    (s) => `Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=${s}`,
  );
  put('ado connection string', weak, (s) => `Server=db;User Id=sa;Password=${s};Encrypt=true`);
  put(
    'slack webhook',
    `${random(11)}/${random(24)}`,
    (s) => `https://hooks.slack.com/services/T${random(8)}/B${s}`,
  );
  put('zapier webhook', random(16), (s) => `https://hooks.zapier.com/hooks/catch/1234567/${s}/`);
  put('discord webhook', `${random(68)}`, (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`);
  put('aws csv', random(40, BASE64), (s) => `me,${join('AKIA', 'ABCDEFGH23456723')},${s}\n`);

  // Keys
  put('service account', line, () =>
    JSON.stringify({ type: 'service_account', private_key_id: random(40, HEX), private_key: key }),
  );
  put('key with escaped line ends', line, () => key.replaceAll('\n', '\\n'));
  put('key cut short', line, () => `${key.slice(0, 300)}`);
  put('key cut short, escaped', line, () => key.slice(0, 300).replaceAll('\n', '\\n'));
  put('key in yaml', line, () => `tls:\n  key: |\n    ${key.replaceAll('\n', '\n    ')}\nnext: 1\n`);
  put('key with windows line ends', line, () => key.replaceAll('\n', '\r\n'));
  return list;
}
