// X8: what an attester signs for tools of others, and what such tools make of it: @sigstore/verify, and openssl for the
// signatures as they are. Each accepts it as it was signed, and refuses it once a byte is changed.
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import { describe, expect, it } from 'vitest';
import { encodeDidKey, encodePublicKeyPem } from '../../src/core/index.ts';
import { parseSignedAttestation, TEST_RESULT, VERIFICATION_SUMMARY } from '../../src/format/index.ts';
import {
  AttestError,
  type AttesterOptions,
  type AttestJob,
  attestJob,
  encodePack,
  encryptPack,
  type ForOthers,
  parseEncryptionKey,
} from '../../src/harness/index.ts';
import { attesterKey } from '../format/attestations.ts';
import { temporary } from '../temporary.ts';
import {
  attesterOptions,
  bubblewrap,
  type Files,
  jobOf,
  NODE_TEST,
  neverRuns,
  packOf,
  whyNot,
} from './attest-jobs.ts';

const GOOD = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const MORE = {
  ...GOOD,
  'src/ünï.txt': 'x',
  'src/.hidden': 'y',
  'src/own.test.mjs': 'z',
  'src/AGENTS.md': '!',
};
const KEY = encodePublicKeyPem(attesterKey().publicKey);
const OTHER_KEY = encodePublicKeyPem(attesterKey(8).publicKey);
const signal = new AbortController().signal;

interface Envelope {
  payload: string;
  payloadType: string;
  signatures: { sig: string; keyid?: string }[];
}
interface SigstoreBundle {
  mediaType: string;
  verificationMaterial: { publicKey: { hint: string } };
  dsseEnvelope: Envelope;
}

async function signedFor(job: AttestJob, changes: Partial<AttesterOptions> = {}) {
  const found: ForOthers[] = [];
  const take = (documents: ForOthers | AttestError): void => {
    if (documents instanceof AttestError) throw documents;
    found.push(documents);
  };
  const others = { isRequired: true, take };
  const bytes = await attestJob(attesterOptions({ ...changes, others }), job, signal);
  const [{ inToto, vsa } = { inToto: new Uint8Array(), vsa: new Uint8Array() }] = found;
  const bundle = JSON.parse(Buffer.from(inToto).toString()) as SigstoreBundle;
  const { attestation } = parseSignedAttestation(bytes);
  return { attestation, bundle, vsa: JSON.parse(Buffer.from(vsa).toString()) as Envelope };
}

const statementOf = ({ payload }: Envelope): Record<string, unknown> =>
  JSON.parse(Buffer.from(payload, 'base64').toString()) as Record<string, unknown>;

const subjects = (files: Files): object[] =>
  Object.entries(files).map(([name, text]) => ({
    name,
    digest: { sha256: createHash('sha256').update(text).digest('hex') },
  }));

/** The code of what was wrong, or undefined. */
function sigstoreSays(bundle: SigstoreBundle, pem = KEY): string | undefined {
  const publicKey = createPublicKey(pem);
  const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const trust = { ...none, publicKey: () => ({ publicKey, validFor: () => true }) };
  const verifier = new Verifier(trust, { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 });
  try {
    verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Whether openssl takes the signature for one over the pre-authentication encoding, which is written out here. */
function opensslTakes({ payload, payloadType, signatures }: Envelope, pem = KEY): boolean {
  const [folder, body] = [temporary(), Buffer.from(payload, 'base64')];
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${body.length} `;
  const files = {
    pae: Buffer.concat([Buffer.from(head), body]),
    sig: Buffer.from(signatures[0]?.sig ?? '', 'base64'),
    key: pem,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const line = 'pkeyutl -verify -pubin -inkey key -rawin -in pae -sigfile sig';
  const { status, stdout } = spawnSync('openssl', line.split(' '), { cwd: folder, encoding: 'utf8' });
  expect(stdout).toMatch(status === 0 ? /Verified Successfully/ : /Verification Failure/);
  return status === 0;
}

/** In its middle, so that it stays base64 of as many bytes. */
function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64');
}

const changesOf = (envelope: Envelope): Envelope[] => [
  { ...envelope, payload: flipped(envelope.payload) },
  { ...envelope, payloadType: 'application/vnd.in-toto+jsom' },
  { ...envelope, signatures: [{ sig: flipped(envelope.signatures[0]?.sig ?? '') }] },
];

describe.skipIf(whyNot !== null)('X8 for other tools', () => {
  it('a PASS is a bundle that @sigstore/verify and openssl accept, and refuse once a byte is changed', async () => {
    const { bundle } = await signedFor(jobOf(packOf(), GOOD));
    expect(sigstoreSays(bundle)).toBeUndefined();
    expect(sigstoreSays(bundle, OTHER_KEY)).toBe('SIGNATURE_ERROR');
    for (const dsseEnvelope of changesOf(bundle.dsseEnvelope)) {
      expect(sigstoreSays({ ...bundle, dsseEnvelope })).toBe('SIGNATURE_ERROR');
      expect(opensslTakes(dsseEnvelope)).toBe(false);
    }
    expect([opensslTakes(bundle.dsseEnvelope), opensslTakes(bundle.dsseEnvelope, OTHER_KEY)]).toEqual([
      true,
      false,
    ]);
    const der = createPublicKey(KEY).export({ type: 'spki', format: 'der' });
    expect(bundle).toEqual({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: createHash('sha256').update(der).digest('base64') } },
      dsseEnvelope: expect.objectContaining({ payloadType: 'application/vnd.in-toto+json' }),
    });
  });

  it('a PASS is a bare summary without a level of SLSA, which openssl accepts, and refuses once changed', async () => {
    const { attestation, vsa } = await signedFor(jobOf(packOf(), GOOD));
    expect([opensslTakes(vsa), opensslTakes(vsa, OTHER_KEY)]).toEqual([true, false]);
    expect(changesOf(vsa).map((changed) => opensslTakes(changed))).toEqual([false, false, false]);
    // Verifiers in Go would pass over a signature by another keyid than theirs.
    expect(vsa.signatures).toEqual([{ keyid: '', sig: expect.any(String) }]);
    const uri = `urn:counterfoil:pack:${attestation.packRoot}`;
    expect(statementOf(vsa)).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: subjects(GOOD),
      predicateType: VERIFICATION_SUMMARY,
      predicate: {
        verifier: { id: encodeDidKey(attesterKey().publicKey) },
        timeVerified: '2026-11-17T10:00:00.000Z',
        resourceUri: uri,
        policy: { uri, digest: { counterfoilPackRoot: attestation.packRoot } },
        inputAttestations: [{ digest: { sha256: attestation.bundleHash } }],
        verificationResult: 'PASSED',
        verifiedLevels: [],
      },
    });
  });

  it('a FAIL says FAILED in both', async () => {
    const bad = { 'src/add.mjs': 'export const add = () => 5;\n' };
    const { bundle, vsa } = await signedFor(jobOf(packOf(), bad));
    expect([sigstoreSays(bundle), opensslTakes(vsa)]).toEqual([undefined, true]);
    expect(statementOf(bundle.dsseEnvelope)).toMatchObject({
      subject: subjects(bad),
      predicateType: TEST_RESULT,
      predicate: { result: 'FAILED' },
    });
    expect(statementOf(vsa).predicate).toMatchObject({
      verificationResult: 'FAILED',
      verifiedLevels: ['FAILED'],
    });
  });

  it('only files that the tests got are subjects, in order, and no test is named', async () => {
    // src/AGENTS.md is the pack's own here; hidden files and tests are left out.
    const pack = packOf({ tests: { ...NODE_TEST, 'src/AGENTS.md': 'Be brief.\n' } });
    const { attestation, bundle, vsa } = await signedFor(jobOf(pack, MORE));
    const { subject, predicate } = statementOf(bundle.dsseEnvelope);
    expect(subject).toEqual(subjects({ ...GOOD, 'src/ünï.txt': 'x' }));
    expect(statementOf(vsa).subject).toEqual(subject);
    const { packRoot, runId } = attestation;
    expect(predicate).toEqual({
      result: 'PASSED',
      configuration: [{ uri: `urn:counterfoil:pack:${packRoot}`, digest: { counterfoilPackRoot: packRoot } }],
      url: `urn:counterfoil:run:${runId}`,
    });
  });

  it('an encrypted pack stays closed', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    const open = parseEncryptionKey(publicKey.export({ format: 'jwk' }) as never, false);
    const encryptionKey = parseEncryptionKey(privateKey.export({ format: 'jwk' }) as never, true);
    const sealed = async (pack: ReturnType<typeof packOf>) =>
      Buffer.from(JSON.stringify(await encryptPack(encodePack(pack), [open])));
    const pack = packOf();
    const { bundle, vsa } = await signedFor(jobOf(pack, MORE, { pack: await sealed(pack) }), {
      encryptionKey,
    });
    for (const envelope of [bundle.dsseEnvelope, vsa]) {
      expect(statementOf(envelope)).toMatchObject({ subject: [{ name: 'src/AGENTS.md' }, {}, {}] });
      expect(JSON.stringify(statementOf(envelope))).not.toMatch(/adds|numbers|test\//);
    }
    // Which artifact is missing would tell what the pack has.
    const own = packOf({ tests: { ...NODE_TEST, 'src/AGENTS.md': 'Be brief.\n' } });
    const job = jobOf(own, MORE, { pack: await sealed(own) });
    await expect(signedFor(job, { encryptionKey })).rejects.toMatchObject({
      code: 'NOT_FOR_OTHERS',
      message: expect.not.stringContaining('AGENTS'),
    });
  });
});

describe('X8 refused before anything runs', () => {
  const sandboxes = [{ ...bubblewrap, available: async () => null, runFolder: neverRuns().run as never }];
  const many = (count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/${i}.txt`, '']));

  it.each<[string, Files, RegExp]>([
    [
      'more files than cosign takes',
      many(1025),
      /there are 1025 artifacts, but other tools accept at most 1024/,
    ],
    ['no file that the tests get', { 'src/own.test.mjs': '' }, /the tests get none of the artifacts/],
  ])('%s', async (_, files, message) => {
    const state = temporary();
    await expect(signedFor(jobOf(packOf(), files), { state, sandboxes })).rejects.toMatchObject({
      code: 'NOT_FOR_OTHERS',
      message: expect.stringMatching(message),
    });
    expect(readdirSync(state)).toEqual([]);
  });
});
