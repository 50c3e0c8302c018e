// `foil attester serve` as users start it, with its real work: bubblewrap runs a pack's tests, and the key of its state
// directory signs what came of it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get as getTls } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestAttestation } from '../../src/app/attest/attester-client.ts';
import { isDsseSignedBy, type JsonObject, parseVerifierKey } from '../../src/core/index.ts';
import { parseSignedAttestation } from '../../src/format/index.ts';
import { encryptPack, parseEncryptionKey } from '../../src/harness/index.ts';
import { readAttesterToken } from '../../src/service/index.ts';
import { ends, prints, Sandbox } from '../cli/foil.ts';
import { jobOf, packOf, whyNot } from '../harness/attest-jobs.ts';

interface Ready {
  readonly url: string;
  readonly did: string;
  readonly vkey: string;
  readonly token_file: string;
}

function sandbox(): Sandbox {
  const made = new Sandbox();
  onTestFinished(() => made.remove());
  return made;
}

async function served(home: Sandbox, words: readonly string[] = []) {
  const child = home.start(['attester', 'serve', '--listen', '127.0.0.1:0', '--json', ...words]);
  const ended = ends(child);
  onTestFinished(async () => {
    // In order, so that its folders go; whoever was killed already is not there any more.
    child.kill('SIGTERM');
    await ended;
  });
  const [line = ''] = (await prints(child, /\n/)).split('\n');
  return { child, ended, ready: JSON.parse(line) as Ready };
}

const GOOD = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const BAD = { 'src/add.mjs': 'export const add = (a, b) => a - b;\n' };

describe('foil attester', () => {
  it.skipIf(whyNot !== null)(
    'C11 takes pack, bundle and artifacts and gives a signed attestation back, of an encrypted pack as well',
    async () => {
      const home = sandbox();
      const { child, ended, ready } = await served(home, ['--did', 'did:web:attest.example.org']);
      const asks = { server: ready.url, token: readAttesterToken(ready.token_file), timeoutMs: 50_000 };
      const shown = home.json(['attester', 'show']) as { vkey: string; encryption_key: JsonObject };
      expect(shown.vkey).toBe(ready.vkey);
      const pack = packOf();
      const good = jobOf(pack, GOOD);
      const sealed = await encryptPack(good.pack, [parseEncryptionKey(shown.encryption_key, false)]);
      const secret = { ...good, pack: Buffer.from(JSON.stringify(sealed)) };
      const [passed, failed, again] = await Promise.all(
        [good, jobOf(pack, BAD), secret].map((job) => requestAttestation({ ...asks, ...job })),
      );
      const read = [passed, failed, again].map((bytes) => parseSignedAttestation(bytes ?? new Uint8Array()));
      expect(read.map(({ attestation }) => attestation.result)).toEqual(['PASS', 'FAIL', 'PASS']);
      expect(read.map(({ attestation }) => attestation.attester)).toEqual(
        read.map(() => 'did:web:attest.example.org'),
      );
      const { publicKey } = parseVerifierKey(ready.vkey);
      for (const { envelope } of read) expect(isDsseSignedBy(envelope, publicKey)).toBe(true);
      // The same run, pack and artifacts, told to be tried twice, whatever the pack came in.
      expect([read[0], read[2]].map((each) => each?.attestation.attempt).sort()).toEqual([1, 2]);
      const other = { ...good, artifacts: jobOf(pack, BAD).artifacts };
      await expect(requestAttestation({ ...asks, ...other })).rejects.toMatchObject({
        code: 'OTHER_ARTIFACTS',
      });
      child.kill('SIGTERM');
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );

  it('shows the name that it signs as, and the same key as a did:key, also when it does not run', async () => {
    const home = sandbox();
    const did = 'did:web:attest.example.org';
    const first = await served(home, ['--did', did]);
    const shown = home.json(['attester', 'show']) as { did: string; did_key: string };
    expect(shown).toMatchObject({ did, did_key: expect.stringMatching(/^did:key:z6Mk/) });
    first.child.kill('SIGTERM');
    await first.ended;
    const { stdout } = home.run(['attester', 'show']);
    expect(stdout).toContain(`    did: ${did}\n`);
    expect(stdout).toContain(`The same key as a did:key: ${shown.did_key}\n`);
    const second = await served(home);
    expect(second.ready.did).toBe(shown.did_key);
    expect(home.json(['attester', 'show'])).toMatchObject({ did: shown.did_key, did_key: shown.did_key });
  });

  it('makes a token for its user alone at the first start, where it was asked to', async () => {
    const home = sandbox();
    const file = home.path('attester-token');
    const { ready } = await served(home, ['--token-file', file, '--state', home.path('state')]);
    expect(ready.token_file).toBe(file);
    expect(readFileSync(file, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(existsSync(home.path('state', 'token'))).toBe(false);
    expect(home.run(['attester', 'show', '--state', home.path('state')]).stdout).toContain(ready.vkey);
  });

  it('removes what a killed one had laid out, and nothing else', async () => {
    const home = sandbox();
    const first = await served(home);
    const list = join(home.root, 'state/counterfoil-attester/places');
    const left = readFileSync(list, 'utf8').trim().split('\n');
    for (const place of left) writeFileSync(join(place, 'secret'), 'a part of a pack');
    first.child.kill('SIGKILL');
    await first.ended;
    const other = [home.path('counterfoil-attester-file'), home.path('other')];
    writeFileSync(other[0] ?? '', 'a file');
    mkdirSync(other[1] ?? '');
    writeFileSync(list, `${[...left, ...other, '../work', ''].join('\n')}\n`, { mode: 0o600 });
    const second = await served(home);
    expect(left.filter((place) => existsSync(place))).toEqual([]);
    expect(other.filter((place) => !existsSync(place))).toEqual([]);
    const now = readFileSync(list, 'utf8').trim().split('\n');
    second.child.kill('SIGTERM');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(now.filter((place) => existsSync(place))).toEqual([]);
  });

  it('serves over TLS, with its did:web document', async () => {
    const home = sandbox();
    const [cert, key] = [home.path('cert.pem'), home.path('key.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
        .concat(['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'])
        .concat(['-keyout', key, '-out', cert]),
      { stdio: 'ignore' },
    );
    chmodSync(key, 0o644);
    const tls = ['--cert', cert, '--key-file', key, '--did', 'did:web:localhost'];
    const open = home.run(['attester', 'serve', '--listen', '0.0.0.0:0', ...tls]);
    expect([open.code, open.stderr]).toEqual([
      2,
      expect.stringContaining('other users of this machine can read'),
    ]);
    chmodSync(key, 0o600);
    const { ready } = await served(home, tls);
    expect(ready.url).toMatch(/^https:/);
    const body = await new Promise<string>((resolve, reject) => {
      const url = `${ready.url}/.well-known/did.json`;
      getTls(url, { ca: readFileSync(cert), agent: false }, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
    expect(JSON.parse(body)).toMatchObject({ id: 'did:web:localhost' });
  });

  it.each([
    [['--listen', '0.0.0.0:0'], 1, 'without TLS they could read the token'],
    [['--listen', '8080'], 2, '--listen: "8080" is not HOST:PORT'],
    [['--listen', '127.0.0.1:99999'], 2, 'is not HOST:PORT'],
    [['--cert', 'x'], 2, '--cert and --key-file need each other'],
    [['--did', 'did:web:NO'], 2, '--did did:web:NO: its host is not a lower-case domain name'],
    [['--did', 'did:key:z6Mk'], 2, '--did did:key:z6Mk: not a did:web such as did:web:example.org.'],
    [['--jobs', '0'], 2, '--jobs: write a number from 1 to 64'],
    [['--max-bytes', '99999999999'], 2, '--max-bytes: write a number from 1 to'],
    [['--timeout', '2w'], 2, '--timeout: a day at most'],
    [['--ledger', '.'], 2, 'an attester only uses its own ledger'],
  ])('serve %j ends with %i', (words, code, says) => {
    const home = sandbox();
    const ended = home.run(['attester', 'serve', ...words]);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(says)]);
    expect(existsSync(join(home.root, 'state/counterfoil-attester/token'))).toBe(false);
  });

  it('does not know other words', () => {
    const ended = sandbox().run(['attester', 'serv']);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('Did you mean serve?')]);
  });
});
