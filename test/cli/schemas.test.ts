// C17: what the real commands and the real server give others is held against the JSON Schemas.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeArtifacts } from '../../src/format/index.ts';
import { encodePack } from '../../src/harness/index.ts';
import { encodeSubmission, readAttesterToken } from '../../src/service/index.ts';
import { bundleOf, jobOf, packOf, treeFiles, whyNot } from '../harness/attest-jobs.ts';
import { expectValid, schemaOf } from '../schemas.ts';
import { readBundle } from '../verify/run-bundles.ts';
import { ends, prints, Sandbox } from './foil.ts';

const GOOD = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const pack = packOf();

function boxOf(): Sandbox {
  const box = new Sandbox();
  onTestFinished(() => box.remove());
  const put = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(box.path(path)), { recursive: true });
    writeFileSync(box.path(path), content);
  };
  put('pack.tar.gz', encodePack(pack));
  put('artifacts.tar', encodeArtifacts(treeFiles(GOOD)));
  put('run.bundle', bundleOf(pack, treeFiles(GOOD)));
  return box;
}

const payloadOf = ({ payload }: { payload: string }): unknown =>
  JSON.parse(Buffer.from(payload, 'base64').toString());
const words = ['attest', 'run.bundle', '--pack', 'pack.tar.gz', '--artifacts', 'artifacts.tar'];

describe.skipIf(whyNot !== null)('C17 an attester', () => {
  it('answers over HTTP, and is described, as its schemas say', async () => {
    const home = boxOf();
    const server = home.start([
      ...['attester', 'serve', '--listen', '127.0.0.1:0', '--json'],
      ...['--did', 'did:web:attest.example.org'],
    ]);
    const ended = ends(server);
    onTestFinished(async () => {
      server.kill('SIGTERM');
      await ended;
    });
    const ready = JSON.parse((await prints(server, /\n/)).split('\n')[0] ?? '') as Record<string, string>;
    const authorization = `Bearer ${readAttesterToken(ready.token_file ?? '')}`;
    const ask = async (path: string, init: RequestInit = {}, headers = { authorization }) => {
      const answer = await fetch(`${ready.url}${path}`, {
        ...init,
        headers: { ...headers, ...init.headers },
      });
      return { status: answer.status, value: (await answer.json()) as Record<string, unknown> };
    };
    const post = (job: ReturnType<typeof jobOf>) => {
      const body = Buffer.from(encodeSubmission(job));
      return ask('/v1/attestations', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-tar' },
      });
    };
    expectValid('attester.v1', home.json(['attester', 'show']));
    const document = await (await fetch(`${ready.url}/.well-known/did.json`)).json();
    expectValid('did_document.v1', document);

    const good = jobOf(pack, GOOD);
    const posted = await post(good);
    expect(posted.status).toBe(202);
    expectValid('attester_job.v1', posted.value);
    const path = `/v1/attestations/${String(posted.value.id)}`;
    const done = await ask(`${path}?wait=60`);
    expect(done.value).toMatchObject({ status: 'done' });
    expectValid('attester_job.v1', done.value);
    expectValid('dsse_envelope.v1', done.value.attestation);
    expectValid('verification_attestation.v1', payloadOf(done.value.attestation as { payload: string }));
    const tests = (await ask(`${path}/in-toto`)).value;
    expectValid('sigstore_bundle.v0.3', tests);
    expectValid('in_toto_test_result.v0.1', payloadOf(tests.dsseEnvelope as { payload: string }));
    const vsa = (await ask(`${path}/vsa`)).value;
    expectValid('dsse_envelope.v1', vsa);
    expectValid('verification_summary.v1', payloadOf(vsa as unknown as { payload: string }));

    const other = await post({ ...good, artifacts: jobOf(pack, { 'src/add.mjs': '' }).artifacts });
    const refused = await ask(`/v1/attestations/${String(other.value.id)}?wait=60`);
    expect(refused.value).toMatchObject({ status: 'refused' });
    expectValid('attester_job.v1', refused.value);
    for (const wrong of [
      await ask(path, {}, { authorization: 'Bearer no' }),
      await ask(`/v1/attestations/${'0'.repeat(64)}`),
      await ask(`/v1/attestations/${'0'.repeat(64)}/vsa`),
      await ask('/v1/attestations', { method: 'POST', body: 'x' }),
    ]) {
      expect(wrong.status).toBeGreaterThan(399);
      expectValid('error.v1', wrong.value);
    }
  });

  it('on this machine writes, and refuses, what its schemas say', () => {
    const box = boxOf();
    expect(box.run([...words, '--in-toto', 'tests.json', '--vsa', 'vsa.json']).code).toBe(0);
    const read = (name: string) =>
      JSON.parse(readFileSync(box.path(name), 'utf8')) as Record<string, unknown>;
    expectValid('dsse_envelope.v1', read('attestation.json'));
    expectValid('sigstore_bundle.v0.3', read('tests.json'));
    expectValid('dsse_envelope.v1', read('vsa.json'));
    expectValid('attester.v1', box.json(['attester', 'show']));
    writeFileSync(box.path('artifacts.tar'), encodeArtifacts(treeFiles({ 'src/add.mjs': '' })));
    expectValid('error.v1', JSON.parse(box.run([...words, '--json']).stdout));
  });
});

describe('C17 foil verify --json', () => {
  it('says of a bundle what its schema says, whether it passes or not', () => {
    const box = boxOf();
    const verdict = (): unknown => {
      const value = JSON.parse(box.run(['verify', 'run.bundle', '--json']).stdout) as { verdict: string };
      expectValid('run_report.v1', value);
      return value.verdict;
    };
    expect(verdict()).toBe('UNKNOWN');
    const bytes = readFileSync(box.path('run.bundle'));
    writeFileSync(box.path('run.bundle'), bytes.subarray(0, 2048));
    expect(verdict()).toBe('FAIL');
    writeFileSync(box.path('run.bundle'), readBundle({ file: 'commit-holds.bundle' }));
    expect(verdict()).toBe('UNKNOWN');
  });

  it('says of a ledger what its schema says, whether it is sound or not', () => {
    const box = boxOf();
    box.ledger(3);
    box.ok(['checkpoint']);
    const verdict = (): Record<string, unknown> => {
      const value = JSON.parse(box.run(['verify', '--json']).stdout) as Record<string, unknown>;
      expectValid('ledger_report.v1', value);
      return value;
    };
    const sound = verdict();
    expect(sound.verdict).toBe('INTACT');
    const folder = box.path('.foil/ledger');
    const [segment = ''] = readdirSync(folder);
    const file = `${folder}/${segment}`;
    writeFileSync(file, readFileSync(file, 'utf8').replace('"kind":"note"', '"kind":"nota"'));
    const broken = verdict();
    expect(broken.verdict).toBe('BROKEN');
    for (const wrong of [
      { ...broken, valid: true },
      { ...sound, status: 'CORRUPTED' },
      { ...sound, verdict: 'FINE' },
      { ...sound, facets: {} },
      { ...sound, counts: { ...(sound.counts as object), entries: -1 } },
      { ...broken, failures: [{ seq: 3 }] },
    ])
      expect(schemaOf('ledger_report.v1')(wrong)).toBe(false);
  });

  it('of a refusal is an error with a code', () => {
    const { stdout } = boxOf().run(['verify', 'elsewhere', '--json']);
    expectValid('error.v1', JSON.parse(stdout));
  });
});

describe('C17 packs', () => {
  it('are encrypted, with their settings, as their schemas say', () => {
    const box = boxOf();
    const keys = ['a', 'b'].map((name) => {
      const pem = execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-outform', 'DER']);
      const spki = execFileSync('openssl', ['pkey', '-inform', 'DER', '-pubout', '-outform', 'DER'], {
        input: pem,
      });
      const key = { kty: 'OKP', crv: 'X25519', x: spki.subarray(-32).toString('base64url') };
      writeFileSync(box.path(`${name}.jwk.json`), JSON.stringify(key));
      expectValid('encryption_key.v1', key);
      return `${name}.jwk.json`;
    });
    for (const recipients of [keys.slice(1), keys]) {
      const named = recipients.flatMap((file) => ['--to', file]);
      box.ok(['pack', 'encrypt', 'pack.tar.gz', ...named, '--out', 'pack.jwe.json']);
      expectValid('encrypted_pack.v1', JSON.parse(readFileSync(box.path('pack.jwe.json'), 'utf8')));
    }
  });
});
