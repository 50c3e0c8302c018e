// foil pack: from a folder to a file, and what one can ask of such files.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { openPack } from '../../src/harness/index.ts';
import { packVectors, readVector } from '../harness/pack-vectors.ts';
import { type Result, Sandbox } from './foil.ts';

function sandbox(files: Readonly<Record<string, string>> = {}): Sandbox {
  const box = new Sandbox();
  onTestFinished(() => box.remove());
  for (const [path, text] of Object.entries(files)) put(box, path, text);
  return box;
}

function put(box: Sandbox, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(box.path(path)), { recursive: true });
  writeFileSync(box.path(path), content);
}

const PACK = 'harness-pack.tar.gz';
const packOf = (box: Sandbox, file = PACK) => openPack(new Uint8Array(readFileSync(box.path(file))));

/** The value of a file of the pack that is JSON. */
function packedValue(box: Sandbox, path: string, file = PACK): JsonObject {
  const found = packOf(box, file).files.find((each) => each.path === path);
  if (found === undefined) throw new Error(`${path} is not in the pack`);
  return JSON.parse(Buffer.from(found.bytes).toString()) as JsonObject;
}

const errorOf = ({ stdout }: Result): { code: string; message: string } =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;

/** Built here, so that no scanner takes this file for a leak. */
const secret = ['gh', 'p_', 'a1B2c3D4e5'.repeat(4).slice(0, 36)].join('');

describe('foil pack create', () => {
  it('C1 writes a pack, and says what it is', () => {
    const box = sandbox({ 'AGENTS.md': 'Be brief.\n' });
    const text = box.ok(['pack', 'create']);
    const { root, packHash } = packOf(box).hashes;
    expect(text).toContain(root);
    expect(text).toContain(packHash);
    expect(text).toContain('Nobody can attest');
    const json = box.json(['pack', 'create', '--out', 'other.tar.gz']) as JsonObject;
    expect(json).toMatchObject({
      root,
      pack_hash_b64u: packHash,
      files: 3,
      file: 'other.tar.gz',
      id: 'harness',
    });
    expect(readFileSync(box.path('other.tar.gz'))).toEqual(readFileSync(box.path(PACK)));
    expect(json.bytes).toBe(readFileSync(box.path(PACK)).length);
  });

  it('takes another folder, and writes here', () => {
    const box = sandbox({ 'project/CLAUDE.md': 'x' });
    box.ok(['pack', 'create', 'project']);
    expect(packOf(box).files.map(({ path }) => path)).toContain('static/CLAUDE.md');
  });

  it('writes to standard output', () => {
    const box = sandbox({ 'AGENTS.md': 'x' });
    box.ok(['pack', 'create']);
    // Text of a process loses bytes; its beginning and its length say enough.
    const { stdout } = box.spawn(['pack', 'create', '--out', '-']);
    expect(stdout.startsWith('\x1f')).toBe(true);
    expect(stdout).not.toContain('root');
  });

  it('C1 packs what counterfoil.yaml says, under its names', () => {
    const box = sandbox({
      'AGENTS.md': 'x',
      'docs/style.md': 'y',
      'prompts/a.txt': 'z',
      'test/a.test.js': 't',
      'counterfoil.yaml': `pack:
  id: mine
  template_version: "3"
  include: [docs/*.md]
  templates: [prompts/**]
  exclude: [AGENTS.md]
  outputs: [src/**]
  env: [DEPLOY_TARGET]
  tools: {deny: [WebFetch, Agent, WebFetch], arguments: [{tool: Bash, matches: "curl *"}]}
  verification:
    method: tests
    command: [node, --test]
    tests: [adds]
    files: [test/**]
`,
    });
    expect(box.ok(['pack', 'create'])).not.toContain('Nobody can attest');
    const { manifest, files } = packOf(box);
    expect(manifest).toMatchObject({ id: 'mine', templateVersion: '3', outputs: ['src/**'] });
    expect(manifest.verification).toMatchObject({ method: 'tests', report: 'tap', timeoutSeconds: 300 });
    expect(files.map(({ path }) => path)).toEqual([
      'config/counterfoil.yaml.json',
      'config/tool-policy.json',
      'env/variables.json',
      'manifest.json',
      'static/docs/style.md',
      'template/prompts/a.txt',
      'verification/test/a.test.js',
    ]);
    expect(packedValue(box, 'config/tool-policy.json')).toEqual({
      arguments: [{ matches: 'curl *', tool: 'Bash' }],
      deny: ['Agent', 'WebFetch'],
    });
    expect(packedValue(box, 'env/variables.json')).toEqual({ DEPLOY_TARGET: null });
  });

  it('packs a rubric that lies anywhere', () => {
    const box = sandbox({
      'AGENTS.md': 'x',
      'docs/rubric.md': 'Is it true?',
      'counterfoil.yaml':
        'pack: {outputs: [a], verification: {method: rubric, rubric: docs/rubric.md, model: m, votes: 3, threshold: 70}}',
    });
    box.ok(['pack', 'create']);
    expect(packOf(box).manifest.verification).toMatchObject({ rubric: 'verification/docs/rubric.md' });
  });

  it.each([
    ['pack.incldue', 'pack: {incldue: []}'],
    ['pack.outputs', 'pack: {outputs: src}'],
    ['pack.tools', 'pack: {tools: {allow: [Bash]}}'],
    ['pack.tools', 'pack: {tools: {deny: Bash}}'],
    ['pack.tools', 'pack: {tools: {arguments: [{tool: Bash}]}}'],
    ['pack.verification.tests', 'pack: {verification: {method: tests, command: [a], tests: []}}'],
    [
      'pack.verification.votes',
      'pack: {verification: {method: rubric, rubric: a, model: m, votes: 26, threshold: 1}}',
    ],
  ])('names the member that is wrong: %s', (member, yaml) => {
    const box = sandbox({ 'AGENTS.md': 'x', 'counterfoil.yaml': yaml });
    const result = box.run(['pack', 'create', '--json']);
    expect(result.code).not.toBe(0);
    expect(errorOf(result).code).toBe('UNPARSABLE');
    expect(errorOf(result).message).toContain(`counterfoil.yaml: ${member}`);
  });

  it('says that nothing was found', () => {
    const result = sandbox({ 'src/a.js': 'x' }).run(['pack', 'create', '--json']);
    expect(result.code).toBe(1);
    expect(errorOf(result).code).toBe('NOTHING_FOUND');
  });

  it.each([
    ['an instruction', 'AGENTS.md', ''],
    ['a template', '.github/prompts/a.prompt.md', ''],
    [
      'a test',
      'test/a.js',
      'pack: {verification: {method: tests, command: [a], tests: [b], files: [test/**]}}',
    ],
  ])('refuses a secret in %s, and takes it along where one insists', (_, path, yaml) => {
    const box = sandbox({ 'CLAUDE.md': 'x', [path]: `Use ${secret} to push.\n`, 'counterfoil.yaml': yaml });
    const result = box.run(['pack', 'create', '--json']);
    expect(result.code).toBe(1);
    expect(errorOf(result).code).toBe('SECRET');
    expect(errorOf(result).message).toContain(path);
    expect(result.stdout).not.toContain(secret);
    expect(() => packOf(box)).toThrow(/ENOENT/);
    box.ok(['pack', 'create', '--allow-secrets']);
    expect(packOf(box).files.some(({ bytes }) => Buffer.from(bytes).includes(secret))).toBe(true);
  });
});

describe('C1 settings in a pack', () => {
  const value = 'a-plain-value-nobody-takes-for-a-secret';
  const mcp = {
    mcpServers: {
      github: { command: 'github-mcp', args: ['--read-only'], env: { Z_TOKEN: value, A_HOST: value } },
      remote: { url: 'https://mcp.example/mcp', headers: { 'X-Team': value, Authorization: value } },
    },
  };

  it('have names in place of values of the environment and of headers', () => {
    const box = sandbox({ '.mcp.json': JSON.stringify(mcp) });
    box.ok(['pack', 'create']);
    expect(packedValue(box, 'config/.mcp.json')).toEqual({
      mcpServers: {
        github: { command: 'github-mcp', args: ['--read-only'], env: ['A_HOST', 'Z_TOKEN'] },
        remote: { url: 'https://mcp.example/mcp', headers: ['Authorization', 'X-Team'] },
      },
    });
    expect(packedValue(box, 'env/variables.json')).toEqual({ A_HOST: null, Z_TOKEN: null });
    expect(packOf(box).files.some(({ bytes }) => Buffer.from(bytes).includes(value))).toBe(false);
  });

  it('give the same pack for other values', () => {
    const [one, two] = [value, 'another'].map((each) => {
      const box = sandbox({ '.mcp.json': JSON.stringify(mcp).replaceAll(value, each) });
      box.ok(['pack', 'create']);
      return packOf(box).hashes.root;
    });
    expect(one).toBe(two);
  });

  it('C1 have checksums of variables under a key that stays outside', () => {
    const key = 'k'.repeat(32);
    const box = sandbox({ '.mcp.json': JSON.stringify(mcp), 'key.bin': key });
    const create = (env: NodeJS.ProcessEnv): JsonObject => {
      box.ok(['pack', 'create', '--env-key', 'key.bin'], { env });
      return packedValue(box, 'env/variables.json');
    };
    const checksum = createHmac('sha256', key).update('A_HOST=example.org').digest('hex');
    expect(create({ A_HOST: 'example.org' })).toEqual({ A_HOST: checksum, Z_TOKEN: null });
    const other = create({ A_HOST: 'example.com', Z_TOKEN: '' });
    expect(other.A_HOST).not.toBe(checksum);
    expect(other.Z_TOKEN).toBe(createHmac('sha256', key).update('Z_TOKEN=').digest('hex'));
    for (const { bytes } of packOf(box).files)
      for (const hidden of [key, 'example.com']) expect(Buffer.from(bytes).includes(hidden)).toBe(false);
  });

  it.each(['k'.repeat(32), 'key-'.repeat(10).concat('\n')])(
    'C1 are refused with the key of the checksums among the files: %j',
    (key) => {
      const box = sandbox({
        '.mcp.json': JSON.stringify(mcp),
        'keys/env.bin': key,
        'counterfoil.yaml': 'pack: {include: [keys/**]}',
      });
      const words = ['pack', 'create', '--env-key', 'keys/env.bin', '--allow-secrets', '--json'];
      const result = box.run(words);
      expect([result.code, errorOf(result).code]).toEqual([1, 'SECRET']);
      expect(errorOf(result).message).toContain('static/keys/env.bin holds the key given with --env-key');
      expect(() => packOf(box)).toThrow(/ENOENT/);
    },
  );

  it('may have comments and trailing commas, as hosts let them', () => {
    const box = sandbox({
      '.claude/settings.json': '{\n  // why\n  "model": "opus", /* and\n how */\n  "env": {"A": "b",},\n}\n',
    });
    box.ok(['pack', 'create']);
    expect(packedValue(box, 'config/.claude/settings.json')).toEqual({ model: 'opus', env: ['A'] });
  });

  it('may be TOML', () => {
    const box = sandbox({
      '.codex/config.toml': `model = "gpt-5" # why
[mcp_servers.docs]
command = "docs-mcp"
args = ["-y"]
[mcp_servers.docs.env]
DOCS_TOKEN = "${value}"
[mcp_servers.far]
url = "https://mcp.example"
http_headers = { X-Team = "${value}" }
`,
    });
    box.ok(['pack', 'create']);
    expect(packedValue(box, 'config/.codex/config.toml.json')).toEqual({
      model: 'gpt-5',
      mcp_servers: {
        docs: { command: 'docs-mcp', args: ['-y'], env: ['DOCS_TOKEN'] },
        far: { url: 'https://mcp.example', http_headers: ['X-Team'] },
      },
    });
    expect(packedValue(box, 'env/variables.json')).toEqual({ DOCS_TOKEN: null });
  });

  it('have names in place of values in lists, and in what Codex sets for commands', () => {
    const box = sandbox({
      '.codex/config.toml': `[shell_environment_policy]
set = { DEPLOY = "${value}" }
[mcp_servers.docs]
command = "docs-mcp"
env_vars = ["FORWARDED", "AS=${value}"]
headers = ["X-Team: ${value}"]
`,
    });
    box.ok(['pack', 'create']);
    expect(packedValue(box, 'config/.codex/config.toml.json')).toEqual({
      shell_environment_policy: { set: ['DEPLOY'] },
      mcp_servers: { docs: { command: 'docs-mcp', env_vars: ['AS', 'FORWARDED'], headers: ['X-Team'] } },
    });
    expect(packedValue(box, 'env/variables.json')).toEqual({ AS: null, DEPLOY: null, FORWARDED: null });
  });

  it('lose what is taken for a secret', () => {
    const box = sandbox({
      '.mcp.json': JSON.stringify({ mcpServers: { a: { command: 'a', args: ['--token', secret] } } }),
    });
    box.ok(['pack', 'create']);
    expect(JSON.stringify(packedValue(box, 'config/.mcp.json'))).not.toContain(secret);
  });

  it('C1 make the tool policy with the rules of the project, each once and sorted', () => {
    const deny = ['WebFetch', 'Bash(curl:*)', 'Read(./secrets/**)', 'WebFetch'];
    const box = sandbox({
      '.claude/settings.json': JSON.stringify({ permissions: { deny, allow: ['Bash'] } }),
      'counterfoil.yaml': 'pack: {tools: {deny: [Agent, WebFetch]}}',
    });
    box.ok(['pack', 'create']);
    expect(packedValue(box, 'config/tool-policy.json')).toEqual({
      arguments: [
        { matches: 'curl', tool: 'Bash' },
        { matches: 'curl *', tool: 'Bash' },
        { reads: 'secrets/**', tool: 'Bash' },
        ...['Glob', 'Grep', 'LS', 'NotebookRead'].map((tool) => ({ path: 'secrets/**', tool })),
        { reads: 'secrets/**', tool: 'PowerShell' },
        { path: 'secrets/**', tool: 'Read' },
      ],
      deny: ['Agent', 'WebFetch'],
    });
  });

  it('C9 say so where a rule of theirs can not be judged, and keep it', () => {
    const box = sandbox({
      '.claude/settings.json': JSON.stringify({ permissions: { deny: ['Write([ab].env)'] } }),
    });
    expect(box.ok(['pack', 'create'])).toContain("The rule Write([ab].env) can't be checked");
    expect(packedValue(box, 'config/tool-policy.json')).toEqual({
      arguments: [{ tool: 'Write', unjudged: '[ab].env' }],
      deny: [],
    });
  });

  it.each([
    ['.mcp.json', '{"a": '],
    ['.codex/config.toml', 'a = '],
    ['.claude/settings.json', '{"a": 1} trailing'],
  ])('are refused where they can not be read: %s', (path, text) => {
    const result = sandbox({ [path]: text }).run(['pack', 'create', '--json']);
    expect(result.code).toBe(1);
    expect(errorOf(result).code).toBe('BAD_SETTINGS');
    expect(errorOf(result).message).toContain(path);
  });
});

describe('a file that is given', () => {
  let box: Sandbox;
  const small = packVectors.accepted.find(({ name }) => name === 'small')!;
  beforeAll(() => {
    box = new Sandbox();
    for (const { name, file } of packVectors.accepted) put(box, `${name}.tar.gz`, readVector(file));
    put(box, 'changed.tar.gz', readVector('refused/changed-static-file.tar.gz'));
    put(box, 'text.txt', 'This is no pack.');
  });
  afterAll(() => box.remove());

  it('C2 is verified', () => {
    expect(box.ok(['pack', 'verify', 'small.tar.gz'])).toMatch(new RegExp(`^GOOD[^]*${small.root}`));
    expect(box.json(['pack', 'verify', 'small.tar.gz'])).toMatchObject({
      valid: true,
      root: small.root,
      pack_hash_b64u: small.pack_hash_b64u,
      static_hash: small.static_hash,
      config_hash: small.config_hash,
    });
  });

  it('C3 is refused by verify with the code of its fault', () => {
    for (const [file, code] of [
      ['changed.tar.gz', 'CHANGED_FILE'],
      ['text.txt', 'NOT_GZIP'],
    ] as const) {
      const json = box.run(['pack', 'verify', file, '--json']);
      expect(json.code).not.toBe(0);
      expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, code });
      const text = box.run(['pack', 'verify', file]);
      expect(text.code).toBe(json.code);
      expect(text.stdout).toMatch(/^NOT GOOD/);
    }
  });

  it.each(['inspect', 'disclose', 'encrypt', 'diff'])(
    'C3 is refused by %s where it does not hold',
    (action) => {
      const words = { inspect: [], disclose: ['static/AGENTS.md'], encrypt: [], diff: ['small.tar.gz'] }[
        action
      ];
      const result = box.run(['pack', action, 'changed.tar.gz', ...(words ?? []), '--json']);
      expect(result.code).toBe(1);
      expect(errorOf(result).code).toBe('CHANGED_FILE');
    },
  );

  it('is shown by inspect', () => {
    const text = box.ok(['pack', 'inspect', 'every-folder-with-tests.tar.gz']);
    for (const shown of ['every', 'src/** *.md', '2 tests by node --test', 'template/prompts/task.md'])
      expect(text).toContain(shown);
    const json = box.json(['pack', 'inspect', 'small.tar.gz']) as JsonObject;
    expect(json).toMatchObject({ root: small.root, outputs: [], verification: null, files: 3 });
    expect((json.contents as JsonObject[]).map(({ path }) => path)).toEqual(
      small.files.map(([path]) => path),
    );
  });

  it('C9 is shown by inspect with its rules', () => {
    put(box, 'ruled/AGENTS.md', 'x\n');
    put(
      box,
      'ruled/counterfoil.yaml',
      'pack:\n  tools:\n    deny: [WebFetch]\n    arguments:\n      - {tool: Bash, matches: "curl *"}\n',
    );
    box.ok(['pack', 'create', 'ruled', '--out', 'ruled.tar.gz']);
    expect(box.ok(['pack', 'inspect', 'ruled.tar.gz'])).toContain(
      'denies        WebFetch\ndenies        Bash matches curl *\n',
    );
    expect(box.json(['pack', 'inspect', 'ruled.tar.gz'])).toMatchObject({
      tools: { deny: ['WebFetch'], arguments: [{ tool: 'Bash', matches: 'curl *' }] },
    });
  });

  it('is compared by diff', () => {
    expect(box.ok(['pack', 'diff', 'small.tar.gz', 'stored.tar.gz'])).toContain('The same pack');
    const { code, stdout } = box.run(['pack', 'diff', 'small.tar.gz', 'rubric.tar.gz', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      same: false,
      before: small.root,
      changes: [
        { path: 'manifest.json', change: 'changed' },
        { path: 'verification/rubric.md', change: 'added' },
      ],
    });
    const back = box.run(['pack', 'diff', 'rubric.tar.gz', 'small.tar.gz']);
    expect(back.stdout).toMatch(/removed +verification\/rubric\.md/);
  });

  it('C2 is disclosed in part, and the part is verified without the rest', () => {
    const printed = box.ok(['pack', 'disclose', 'small.tar.gz', 'static/AGENTS.md']);
    const good = packVectors.disclosures.find(({ name }) => name === 'static/AGENTS.md of a small pack');
    expect(JSON.parse(printed)).toEqual(good?.disclosure);
    box.ok(['pack', 'disclose', 'small.tar.gz', 'static/AGENTS.md', '--out', 'proof.json']);
    expect(box.read('proof.json')).toBe(printed);
    expect(box.ok(['pack', 'verify', 'proof.json'])).toContain(small.root);

    put(box, 'changed.json', printed.replace('"index":2', '"index":1'));
    const refused = box.run(['pack', 'verify', 'changed.json', '--json']);
    expect(refused.code).not.toBe(0);
    expect(JSON.parse(refused.stdout)).toMatchObject({ valid: false });
  });

  it('has no such file to disclose', () => {
    const { code, stderr } = box.run(['pack', 'disclose', 'small.tar.gz', 'static/AGENT.md']);
    expect(code).toBe(2);
    expect(stderr).toContain('static/AGENTS.md');
  });

  it('C4 is encrypted for keys, and decrypted by one of them', () => {
    const keys = ['one', 'two', 'stranger'].map((name) => {
      const { privateKey, publicKey } = generateKeyPairSync('x25519');
      put(box, `${name}.jwk.json`, JSON.stringify(publicKey.export({ format: 'jwk' })));
      put(box, `${name}.secret.json`, JSON.stringify(privateKey.export({ format: 'jwk' })));
      return name;
    });
    const to = keys.slice(0, 2).flatMap((name) => ['--to', `${name}.jwk.json`]);
    const json = box.json(['pack', 'encrypt', 'small.tar.gz', ...to, '--out', 'sealed.json']);
    expect(json).toEqual({
      file: 'sealed.json',
      recipients: 2,
      root: small.root,
      pack_hash_b64u: small.pack_hash_b64u,
    });
    expect(box.read('sealed.json')).not.toContain(small.root);
    // A file that others may read is there already.
    put(box, 'two.tar.gz', '');
    for (const name of keys.slice(0, 2)) {
      box.ok(['pack', 'decrypt', 'sealed.json', '--key', `${name}.secret.json`, '--out', `${name}.tar.gz`]);
      expect(readFileSync(box.path(`${name}.tar.gz`))).toEqual(readFileSync(box.path('small.tar.gz')));
      expect(statSync(box.path(`${name}.tar.gz`)).mode & 0o777).toBe(0o600);
    }
    const sealed = box.run(['pack', 'verify', 'sealed.json']);
    expect([sealed.code, sealed.stdout]).toEqual([
      6,
      "UNKNOWN: sealed.json is encrypted, so it can't be checked without the key. Use `foil pack decrypt` to open it.\n",
    ]);
    const secret = box.run(['pack', 'encrypt', 'small.tar.gz', '--to', 'one.secret.json', '--json']);
    expect(errorOf(secret).message).toContain('--to one.secret.json: this is a private key');
    put(box, 'cut.tar.gz', readFileSync(box.path('small.tar.gz')).subarray(0, 200));
    const cut = box.run(['pack', 'encrypt', 'cut.tar.gz', '--to', 'one.jwk.json', '--json']);
    expect(errorOf(cut).message).toBe(
      "can't use the pack cut.tar.gz: the file is damaged or cut short: it does not unpack",
    );
    const wrong = box.run([
      'pack',
      'decrypt',
      'sealed.json',
      '--key',
      'stranger.secret.json',
      '--out',
      'no',
      '--json',
    ]);
    expect(errorOf(wrong).code).toBe('NOT_FOR_THIS_KEY');
    expect(() => box.read('no')).toThrow(/ENOENT/);
    const open = box.run(['pack', 'decrypt', 'sealed.json', '--key', 'one.jwk.json', '--json']);
    expect(errorOf(open).code).toBe('BAD_KEY');
    const inspected = box.run(['pack', 'inspect', 'sealed.json']);
    expect(inspected.stderr).toContain('foil pack decrypt');
  });
});

describe('foil pack', () => {
  it.each([
    [[], ''],
    [['crate'], 'create'],
    [['verify'], '`foil pack verify` needs an argument'],
    [['diff', 'a'], '`foil pack diff` needs two arguments'],
    [['disclose', 'a'], '`foil pack disclose` needs two arguments'],
    [['inspect', 'a', 'b'], 'takes at most one argument'],
    [['create', 'a', 'b'], 'takes at most one argument'],
    [['create', '--env-key', 'short.bin'], '32'],
    [['encrypt', 'small.tar.gz'], '--to'],
    [['decrypt', 'a'], '--key'],
    [['create', '--no-such-option'], 'no-such-option'],
  ] as const)('C1 says what would be right for %j', (words, hint) => {
    const box = sandbox({ 'AGENTS.md': 'x', 'short.bin': 'short' });
    put(box, 'small.tar.gz', readVector('accepted/small.tar.gz'));
    const { code, stderr } = box.run(['pack', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(hint);
  });

  it('says which file is not there', () => {
    const { code, stderr } = sandbox().run(['pack', 'verify', 'none.tar.gz']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('none.tar.gz');
  });
});
