// C10: what an attester refuses, what it says, and what it keeps to itself.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { encodeDidKey, isDsseSignedBy } from '../../src/core/index.ts';
import {
  type Attestation,
  artifactRoot,
  encodeArtifacts,
  PackError,
  parseBundle,
  parseSignedAttestation,
} from '../../src/format/index.ts';
import {
  AttestError,
  type AttesterOptions,
  type AttestJob,
  attestJob,
  encodePack,
  encryptPack,
  parseEncryptionKey,
} from '../../src/harness/index.ts';
import { makeUnprivileged } from '../../src/sandbox/unprivileged/index.ts';
import { checkAttestation } from '../../src/verify/index.ts';
import { attesterKey } from '../format/attestations.ts';
import { temporary } from '../temporary.ts';
import {
  attested,
  attesterOptions,
  bubblewrap,
  bundleOf,
  jobOf,
  NODE_TEST,
  neverRuns,
  packOf,
  TAP,
  treeFiles,
  whyNot,
} from './attest-jobs.ts';

const GOOD = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const pack = packOf();
const signal = new AbortController().signal;

async function refusal(job: AttestJob, changes: Partial<AttesterOptions> = {}): Promise<string> {
  const state = temporary();
  // Nothing may run: what is refused is refused before.
  const sandbox = { ...bubblewrap, available: async () => null, runFolder: neverRuns().run as never };
  try {
    await attestJob(attesterOptions({ state, sandboxes: [sandbox], ...changes }), job, signal);
  } catch (error) {
    if (!(error instanceof AttestError || error instanceof PackError)) throw error;
    expect(readdirSync(state)).toEqual([]);
    return error.code;
  }
  return 'attested';
}

describe('C10 an attester refuses', () => {
  const files = treeFiles(GOOD);
  const harness = {
    id: 'harness',
    packHash: pack.hashes.packHash,
    packRoot: pack.hashes.root,
    packEncryption: 'none',
    packUri: null,
    configHash: null,
  } as const;
  it.each<[string, AttestJob]>([
    ['OTHER_PACK', jobOf(pack, GOOD, { pack: encodePack(packOf({ verification: { timeoutSeconds: 61 } })) })],
    [
      'OTHER_PACK',
      jobOf(pack, GOOD, {
        bundle: bundleOf(pack, files, { harness: { ...harness, packHash: 'A'.repeat(43) } }),
      }),
    ],
    ['NO_PACK_BOUND', jobOf(pack, GOOD, { bundle: bundleOf(null, files) })],
    ['OTHER_ARTIFACTS', jobOf(pack, GOOD, { bundle: bundleOf(pack, treeFiles({ 'src/add.mjs': '' })) })],
    ['OTHER_ARTIFACTS', jobOf(pack, { ...GOOD, 'src/more.mjs': '' }, { bundle: bundleOf(pack, files) })],
    ['NO_ARTIFACT_HASH', jobOf(pack, GOOD, { bundle: bundleOf(pack, null) })],
    ['NO_ARTIFACTS', jobOf(pack, {})],
    ['STRAY_FILE', jobOf(pack, { ...GOOD, 'package.json': '{}' })],
    ['NO_VERIFICATION', jobOf(packOf({ verification: null }), GOOD)],
    ['BAD_BUNDLE', jobOf(pack, GOOD, { bundle: encodeArtifacts(files) })],
    ['BAD_BUNDLE', jobOf(pack, GOOD, { bundle: new Uint8Array(5000) })],
    ['NOT_GZIP', jobOf(pack, GOOD, { pack: new Uint8Array(100) })],
    ['NOT_TAR', jobOf(pack, GOOD, { artifacts: new Uint8Array(2048).fill(1) })],
    ['NO_DECRYPTION_KEY', jobOf(pack, GOOD, { pack: Buffer.from('{"recipients":[]}') })],
  ])('%s, and nothing is run or counted', async (code, job) => {
    expect(await refusal(job)).toBe(code);
  });

  it('OTHER_PACK: it says which hash differs', async () => {
    const bundle = bundleOf(pack, files, { harness: { ...harness, packHash: 'A'.repeat(43) } });
    await expect(attestJob(attesterOptions({}), jobOf(pack, GOOD, { bundle }), signal)).rejects.toThrow(
      `the pack has the hash ${pack.hashes.packHash}, but the bundle names ${'A'.repeat(43)} with the same root.`,
    );
  });

  it('NO_OUTPUTS: a pack that does not say what a run makes', async () => {
    const without = packOf({ outputs: [] });
    expect(await refusal(jobOf(without, {}))).toBe('NO_OUTPUTS');
  });

  it('NO_SANDBOX: nothing is run by a sandbox that does not attest, or that is not there', async () => {
    const missing = { ...bubblewrap, available: async () => 'bubblewrap is not installed' };
    for (const sandboxes of [[], [neverRuns()], [makeUnprivileged()], [neverRuns(), missing]])
      expect(await refusal(jobOf(pack, GOOD), { sandboxes })).toBe('NO_SANDBOX');
    await expect(attested(jobOf(pack, GOOD), { sandboxes: [neverRuns(), missing] })).rejects.toThrow(
      'nothing was run: never does not attest; bubblewrap is not installed.',
    );
  });
});

describe.skipIf(whyNot !== null)('C10 an attestation', () => {
  it('says what was run, on what, where, and is signed by the attester', async () => {
    const job = jobOf(pack, { ...GOOD, 'src/add.test.mjs': '' });
    const bytes = await attestJob(attesterOptions(), job, signal);
    const { envelope, attestation } = parseSignedAttestation(bytes);
    expect(isDsseSignedBy(envelope, attesterKey().publicKey)).toBe(true);
    const { id, sandbox, ...rest } = attestation;
    const said = parseBundle(job.bundle).payload;
    expect(rest).toEqual({
      runId: said.runId,
      origin: said.origin,
      bundleHash: sha256Hex(job.bundle),
      eventChainRoot: said.eventChainRoot,
      packHash: pack.hashes.packHash,
      packRoot: pack.hashes.root,
      artifactHash: artifactRoot(treeFiles({ ...GOOD, 'src/add.test.mjs': '' })),
      artifacts: 2,
      leftOut: 1,
      base: { commit: '5'.repeat(40), tree: '6'.repeat(40) },
      dependencies: null,
      method: 'tests_passed',
      result: 'PASS',
      tests: { listed: 2, passed: 2, failed: 0, missing: 0 },
      reason: 'All 2 listed tests passed.',
      attempt: 1,
      attester: encodeDidKey(attesterKey().publicKey),
      issued: '2026-11-17T10:00:00.000Z',
      expires: '2027-11-17T10:00:00.000Z',
    } satisfies Omit<Attestation, 'id' | 'sandbox'>);
    expect(sandbox?.name).toBe('bubblewrap');
    expect(Object.keys(sandbox?.versions ?? {})).toEqual(['bubblewrap', 'kernel']);
    expect(sandbox?.limits).toContainEqual({ name: 'seconds', value: 60, restsOn: 'timer' });
    expect(sandbox?.limits.map(({ name }) => name)).toContain('memory_bytes');
    const { runId, origin, packRoot, packHash, artifactHash, artifacts, base, eventChainRoot } = attestation;
    const of = { runId, origin, packRoot, packHash, artifactHash, artifacts, base, eventChainRoot };
    const trust = { attesters: [{ key: attesterKey() }], now: Date.parse('2026-11-18T00:00:00Z') };
    expect(checkAttestation(bytes, { ...of, ...trust }).ok).toBe(true);
  });

  it('C10 says of one test that it is one', async () => {
    const one = packOf({ verification: { tests: TAP.tests.slice(0, 1) } });
    const bytes = await attestJob(attesterOptions({ state: temporary() }), jobOf(one, GOOD), signal);
    expect(parseSignedAttestation(bytes).attestation.reason).toBe('The one listed test passed.');
  });

  it('numbers its attempts, for each run, pack and set of artifacts apart, also those at once', async () => {
    const state = temporary();
    const bad = jobOf(packOf({ verification: { command: ['true'] } }), GOOD);
    const two = await Promise.all([attested(bad, { state }), attested(bad, { state })]);
    expect(two.map(({ attempt }) => attempt).sort()).toEqual([1, 2]);
    expect((await attested(bad, { state })).attempt).toBe(3);
    const other = packOf({ verification: { command: ['true'] } });
    const moreWork = jobOf(other, { ...GOOD, 'src/x.mjs': '' });
    expect((await attested(moreWork, { state })).attempt).toBe(1);
    expect(two.map(({ result, reason }) => [result, reason])).toEqual([
      ['FAIL', 'The tests left no report.'],
      ['FAIL', 'The tests left no report.'],
    ]);
    const names = readdirSync(join(state, 'attempts'));
    expect(names).toHaveLength(2);
    expect(readFileSync(join(state, 'attempts', names[0] ?? ''), 'utf8')).toMatch(/^([0-9a-f]{32}\n)+$/);
  });

  it('is not made where the command can not be started, or the run is cancelled; and nothing is left', async () => {
    const place = temporary();
    const missing = jobOf(packOf({ verification: { command: ['foil-no-such-program'] } }), GOOD);
    await expect(attested(missing, { temporary: place })).rejects.toMatchObject({
      code: 'NOT_STARTED',
      message: expect.stringContaining('foil-no-such-program is not in PATH'),
    });
    const controller = new AbortController();
    const endless = jobOf(packOf({ verification: { command: ['sleep', '50'] } }), GOOD);
    const running = attestJob(attesterOptions({ temporary: place }), endless, controller.signal);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(readdirSync(place)).toEqual([]);
  });

  it('is not made where the report would blank a test, or artifacts and pack do not fit', async () => {
    for (const reportFile of ['test/add.test.mjs', 'test', '../x', 'test/add.test.mjs/x'])
      await expect(attested(jobOf(packOf({ verification: { reportFile } }), GOOD))).rejects.toMatchObject({
        code: 'BAD_VERIFICATION',
      });
    const folder = jobOf(packOf({ outputs: ['**'] }), { ...GOOD, test: 'a file in place of the folder' });
    await expect(attested(folder)).rejects.toMatchObject({ code: 'DOUBLED_PATH' });
  });

  it('removes what an attester left that was killed long ago, and nothing else', async () => {
    const place = temporary();
    const gone = spawnSync('true').pid;
    const old = new Date(Date.now() - 3 * 3_600_000);
    for (const name of [
      `foil-attest-${gone}-old`,
      `foil-attest-${process.pid}-old`,
      'foil-attest-x',
      'other',
    ]) {
      mkdirSync(join(place, name));
      writeFileSync(join(place, name, 'file'), '');
      utimesSync(join(place, name), old, old);
    }
    mkdirSync(join(place, `foil-attest-${gone}-new`));
    await attested(jobOf(packOf({ verification: { command: ['true'] } }), GOOD), { temporary: place });
    expect(readdirSync(place).sort()).toEqual(
      [`foil-attest-${gone}-new`, `foil-attest-${process.pid}-old`, 'foil-attest-x', 'other'].sort(),
    );
  });

  it('takes no longer than the attester allows', async () => {
    const slow = jobOf(packOf({ verification: { command: ['sleep', '50'] } }), GOOD);
    const { result, reason } = await attested(slow, { mostSeconds: 1 });
    expect([result, reason]).toEqual(['FAIL', 'The tests did not end within 1 seconds.']);
  });
});

describe.skipIf(whyNot !== null)('C10 an encrypted pack', () => {
  const keyOf = (): {
    open: ReturnType<typeof parseEncryptionKey>;
    secret: ReturnType<typeof parseEncryptionKey>;
  } => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    return {
      open: parseEncryptionKey(publicKey.export({ format: 'jwk' }) as never, false),
      secret: parseEncryptionKey(privateKey.export({ format: 'jwk' }) as never, true),
    };
  };
  const secretTests = {
    'test/add.test.mjs': `console.log('# the secret of the tests');\nconsole.error('the secret of the tests');\n${NODE_TEST['test/add.test.mjs']}`,
  };
  const hidden = packOf({ tests: secretTests, verification: { tests: [...TAP.tests, 'the secret test'] } });

  it('is opened by the attester it is for, in memory alone, and nothing of its tests leaves', async () => {
    const { open, secret } = keyOf();
    const sealed = Buffer.from(JSON.stringify(await encryptPack(encodePack(hidden), [open])));
    const job = jobOf(hidden, GOOD, { pack: sealed });
    const [disk, state] = [temporary('/tmp'), temporary()];
    const without = {
      ...bubblewrap,
      memoryProblem: async () => 'there is no /dev/shm',
      runFolder: neverRuns().run as never,
    };
    await expect(attested(job, { encryptionKey: secret, sandboxes: [without] })).rejects.toMatchObject({
      code: 'NO_MEMORY_FOLDER',
    });
    const own = { encryptionKey: secret, state, temporary: disk };
    const bytes = await attestJob(attesterOptions(own), job, signal);
    const { attestation } = parseSignedAttestation(bytes);
    expect(attestation).toMatchObject({ result: 'FAIL', packRoot: hidden.hashes.root });
    expect(attestation.reason).toBe('The tests did not pass. For an encrypted pack, no details are given.');
    expect(Buffer.from(parseSignedAttestation(bytes).envelope.payload).toString()).not.toMatch(/secret|adds/);
    expect(readdirSync(disk)).toEqual([]);
    await expect(attested(job, { encryptionKey: keyOf().secret })).rejects.toMatchObject({
      code: 'NOT_FOR_THIS_KEY',
    });
  });

  it('passes without a word of its tests, and stays secret if it is given in clear', async () => {
    const good = packOf({ tests: secretTests });
    const { open, secret } = keyOf();
    const sealed = Buffer.from(JSON.stringify(await encryptPack(encodePack(good), [open])));
    const passed = await attested(jobOf(good, GOOD, { pack: sealed }), { encryptionKey: secret });
    expect([passed.result, passed.reason]).toEqual(['PASS', 'All listed tests passed.']);
    const said = bundleOf(hidden, treeFiles(GOOD), {
      harness: {
        id: null,
        packHash: hidden.hashes.packHash,
        packRoot: hidden.hashes.root,
        packEncryption: 'aes-gcm',
        packUri: null,
        configHash: null,
      },
    });
    expect((await attested(jobOf(hidden, GOOD, { bundle: said }))).reason).not.toContain('secret');
    const wide = packOf({ tests: { 'secret/add.mjs': '' }, outputs: ['**'] });
    const closed = Buffer.from(JSON.stringify(await encryptPack(encodePack(wide), [open])));
    const clash = attested(jobOf(wide, { Secret: '' }, { pack: closed }), { encryptionKey: secret });
    await expect(clash).rejects.toThrow(/^the artifacts do not fit the pack's files\.$/);
  });
});
