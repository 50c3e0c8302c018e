// foil attest: from a bundle and a work tree to a signed attestation, here or by an attester elsewhere.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  encodeSignerKey,
  isDsseSignedBy,
  type JsonObject,
  parseDidKey,
  parseVerifierKey,
} from '../../src/core/index.ts';
import { encodeArtifacts, parseSignedAttestation } from '../../src/format/index.ts';
import { encodePack, encryptPack, parseEncryptionKey } from '../../src/harness/index.ts';
import { bundleOf, packOf, treeFiles, whyNot } from '../harness/attest-jobs.ts';
import { prints, type Result, Sandbox } from './foil.ts';

const GOOD = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const pack = packOf();

/** A work tree with more in it than outputs, the pack, and the bundle of a run that made `artifacts`. */
function boxOf(artifacts: Readonly<Record<string, string>> = GOOD, now = artifacts): Sandbox {
  const box = new Sandbox();
  onTestFinished(() => box.remove());
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(box.path(path)), { recursive: true });
    writeFileSync(box.path(path), content);
  };
  for (const [path, text] of Object.entries({ ...now, 'README.md': '# x\n', 'package.json': '{' }))
    put(`tree/${path}`, text);
  put('pack.tar.gz', encodePack(pack));
  put('run.bundle', bundleOf(pack, treeFiles(artifacts)));
  return box;
}

const words = ['attest', 'run.bundle', '--pack', 'pack.tar.gz', '--artifacts', 'tree'];
const errorOf = ({ stdout }: Result): { code: string; message: string } =>
  (JSON.parse(stdout) as { error: { code: string; message: string } }).error;

interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly sig: string }[];
}

function readJson(box: Sandbox, name: string): unknown {
  return JSON.parse(readFileSync(box.path(name), 'utf8'));
}

function opensslVerifies(box: Sandbox, pem: string, { payload, payloadType, signatures }: Envelope) {
  writeFileSync(box.path('key.pem'), pem);
  const body = Buffer.from(payload, 'base64');
  const head = `DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `;
  writeFileSync(box.path('pae'), Buffer.concat([Buffer.from(head), body]));
  writeFileSync(box.path('sig'), Buffer.from(signatures[0]?.sig ?? '', 'base64'));
  const line = 'pkeyutl -verify -pubin -inkey key.pem -rawin -in pae -sigfile sig';
  const { status, stdout } = spawnSync('openssl', line.split(' '), { cwd: box.work, encoding: 'utf8' });
  return [status, stdout];
}

describe.skipIf(whyNot !== null)('foil attest', () => {
  it('C10 writes a PASS that the key it made signed, and says what it is about', () => {
    const box = boxOf();
    const { code, stdout } = box.run(words);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^PASS {2}All 2 listed tests passed\.\nrun /)]);
    const { envelope, attestation } = parseSignedAttestation(
      new Uint8Array(readFileSync(box.path('attestation.json'))),
    );
    expect(attestation).toMatchObject({ packRoot: pack.hashes.root, artifacts: 1, result: 'PASS' });
    expect(isDsseSignedBy(envelope, parseDidKey(attestation.attester))).toBe(true);
    const vkey = /^key {8}(\S+)$/m.exec(stdout)?.[1] ?? '';
    expect(parseVerifierKey(vkey).publicKey).toEqual(parseDidKey(attestation.attester));
    expect(box.run(['attester', 'show']).stdout).toContain(vkey);
    const state = join(box.root, 'state/counterfoil-attester');
    expect(statSync(join(state, 'key')).mode & 0o777).toBe(0o600);
    // The same key and the next number, from a tar as well.
    writeFileSync(box.path('artifacts.tar'), encodeArtifacts(treeFiles(GOOD)));
    const again = box.json([...words.slice(0, -1), 'artifacts.tar', '--out', 'again.json']);
    expect(again).toMatchObject({ attempt: 2, attester_did: attestation.attester, file: 'again.json', vkey });
  });

  it('C10 writes a FAIL, too, and ends with 4', () => {
    const box = boxOf({ 'src/add.mjs': 'export const add = () => 5;\n' });
    const { code, stdout } = box.run([...words, '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      4,
      { result: 'FAIL', tests: { passed: 1, failed: 1 } },
    ]);
    const out = box.run([...words, '--out', '-']);
    expect([out.code, parseSignedAttestation(Buffer.from(out.stdout)).attestation.attempt]).toEqual([4, 2]);
  });

  it('C10 takes another key by its file, and never the key of a ledger', () => {
    const box = boxOf();
    const file = (name: string, key: string, mode = 0o600): string => {
      writeFileSync(box.path(name), `${encodeSignerKey(key, new Uint8Array(32).fill(3))}\n`, { mode });
      chmodSync(box.path(name), mode);
      return name;
    };
    expect(box.json([...words, '--key', file('own', 'mine')])).toMatchObject({
      vkey: expect.stringMatching(/^mine\+/),
    });
    expect(box.run([...words, '--key', file('ledger', 'counterfoil/0123456789abcdef')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is the key of a ledger'),
    });
    expect(box.run([...words, '--key', file('open', 'mine', 0o644)]).code).toBe(2);
  });
});

describe.skipIf(whyNot !== null)('foil attest --server', () => {
  /** The options that name an attester of another user. */
  async function elsewhere(): Promise<{ readonly options: string[]; readonly there: Sandbox }> {
    const there = new Sandbox();
    onTestFinished(() => there.remove());
    const server = there.start(['attester', 'serve', '--listen', '127.0.0.1:0']);
    const ended = new Promise((resolve) => server.on('close', resolve));
    onTestFinished(async () => {
      server.kill();
      await ended;
    });
    const greeting = await prints(server, /token +in .+\n/);
    const [url, token] = [/http:\S+/, /token +in (.+)\n/].map(
      (form) => form.exec(greeting)?.slice(-1)[0] ?? '',
    );
    return { options: ['--server', url ?? '', '--token-file', token ?? ''], there };
  }

  it('C11 has the attester there do it, takes its answer, and tells its refusal', async () => {
    const box = boxOf();
    const { options, there } = await elsewhere();
    const { code, stdout } = await box.foil([...words, ...options, '--json']);
    const answer = JSON.parse(stdout) as Record<string, string>;
    const { did } = there.json(['attester', 'show']) as { did: string };
    expect([code, answer.result, answer.attester_did]).toEqual([0, 'PASS', did]);
    writeFileSync(box.path('tree/src/add.mjs'), 'changed since');
    const refused = await box.foil([...words, ...options, '--json']);
    expect([refused.code, errorOf(refused).code]).toEqual([1, 'OTHER_ARTIFACTS']);
  });

  it('X8 takes what the attester there signed for other tools, the same however often it is asked for', async () => {
    const box = boxOf();
    const { options, there } = await elsewhere();
    const asked = [...words, ...options, '--in-toto', 'tests.json', '--vsa', 'vsa.json'];
    // The attestation alone first: they were signed with it.
    const first = JSON.parse((await box.foil([...words, ...options, '--json'])).stdout) as {
      attempt: number;
    };
    const both = await box.foil([...asked, '--json']);
    expect([both.code, JSON.parse(both.stdout)]).toMatchObject([
      0,
      { attempt: first.attempt, in_toto_file: 'tests.json', vsa_file: 'vsa.json' },
    ]);
    const pem = there.run(['attester', 'show', '--pem']).stdout;
    const { dsseEnvelope } = readJson(box, 'tests.json') as { dsseEnvelope: Envelope };
    for (const envelope of [dsseEnvelope, readJson(box, 'vsa.json') as Envelope])
      expect(opensslVerifies(box, pem, envelope)).toEqual([0, 'Signature Verified Successfully\n']);
    const before = readFileSync(box.path('tests.json'));
    await box.foil(asked);
    expect(readFileSync(box.path('tests.json'))).toEqual(before);
  });

  it('X8 of an encrypted pack the attester there signs its attestation alone', async () => {
    const box = boxOf();
    const { options, there } = await elsewhere();
    const { encryption_key: key } = there.json(['attester', 'show']) as { encryption_key: JsonObject };
    const sealed = await encryptPack(encodePack(pack), [parseEncryptionKey(key, false)]);
    writeFileSync(box.path('pack.jwe.json'), JSON.stringify(sealed));
    writeFileSync(box.path('artifacts.tar'), encodeArtifacts(treeFiles(GOOD)));
    const secret = ['attest', 'run.bundle', '--pack', 'pack.jwe.json', '--artifacts', 'artifacts.tar'];
    const refused = await box.foil([...secret, ...options, '--vsa', 'vsa.json', '--json']);
    expect([refused.code, errorOf(refused).code]).toEqual([1, 'NOT_FOR_OTHERS']);
    expect(readdirSync(box.work)).not.toContain('vsa.json');
    expect((await box.foil([...secret, ...options])).code).toBe(0);
  });
});

describe.skipIf(whyNot !== null)('foil attest for other tools', () => {
  it('X8 writes what openssl verifies with the key that `foil attester show --pem` prints', () => {
    const box = boxOf();
    const { code, stdout } = box.run([...words, '--in-toto', 'tests.sigstore.json', '--vsa', 'vsa.json']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^written {4}attestation\.json, tests\.sigstore\.json, vsa\.json$/m),
    ]);
    const { dsseEnvelope } = readJson(box, 'tests.sigstore.json') as { dsseEnvelope: Envelope };
    const pem = box.run(['attester', 'show', '--pem']).stdout;
    expect(box.json(['attester', 'show'])).toMatchObject({ pem });
    for (const envelope of [dsseEnvelope, readJson(box, 'vsa.json') as Envelope])
      expect(opensslVerifies(box, pem, envelope)).toEqual([0, 'Signature Verified Successfully\n']);
    // One of them alone, and none unless asked for.
    const one = [...words, '--out', 'one.json', '--vsa', 'one-vsa.json'];
    expect(box.json(one)).toMatchObject({ file: 'one.json', vsa_file: 'one-vsa.json', pem });
    expect(
      readdirSync(box.work)
        .filter((name) => name.endsWith('.json'))
        .sort(),
    ).toEqual(['attestation.json', 'one-vsa.json', 'one.json', 'tests.sigstore.json', 'vsa.json']);
  });
});

describe('foil attest refuses', () => {
  it('OTHER_ARTIFACTS: a work tree that was changed since, and writes nothing', () => {
    const box = boxOf(GOOD, { 'src/add.mjs': 'export const add = () => 5;\n' });
    const result = box.run([...words, '--json']);
    expect([result.code, errorOf(result).code]).toEqual([1, 'OTHER_ARTIFACTS']);
    expect(box.run(words).stdout).toMatch(/^NOT ATTESTED \(OTHER_ARTIFACTS\): the artifacts have the hash /);
    expect(readdirSync(box.work)).not.toContain('attestation.json');
  });

  it.each([
    [
      ['attest', 'run.bundle', '--pack', 'pack.tar.gz'],
      /doesn't hold the outputs of the run. Name them with --artifacts/,
    ],
    [['attest', 'run.bundle', '--artifacts', 'tree'], /doesn't hold its pack. Name the pack with --pack/],
    [[...words, '--ledger', 'x'], /an attester only uses its own ledger/],
    [[...words, '--token-file', 'x'], /--token-file needs --server/],
    [[...words, '--server', 'http://127.0.0.1:1', '--key', 'x'], /--key can't be combined with --server/],
    [[...words, '--server', 'http://127.0.0.1:1'], /--server needs --token-file/],
    [['attest', 'missing.bundle', '--artifacts', 'tree'], /can't read/],
  ])('%j as wrong usage', (line, says) => {
    const { code, stderr } = boxOf().run(line);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  });

  it('BAD_BUNDLE and a pack that is none, each in its own words', () => {
    const box = boxOf();
    writeFileSync(box.path('run.bundle'), 'no bundle');
    expect(errorOf(box.run(['attest', 'run.bundle', '--artifacts', 'tree', '--json'])).code).toBe(
      'BAD_BUNDLE',
    );
    writeFileSync(box.path('pack.tar.gz'), 'no pack');
    expect(errorOf(box.run([...words, '--json'])).code).toBe('NOT_GZIP');
  });
});
