// Refusals for an encrypted pack tell nothing of its rules: neither which one a run broke, nor whether it broke one or only
// did not show what a rule looks at. The same run with the same pack in clear is told both.
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { utf8Encode } from '#platform';
import { canonicalize, type JsonObject } from '../../src/core/index.ts';
import { buildPack, encodeArtifacts, encodeToolPolicy } from '../../src/format/index.ts';
import {
  AttestError,
  type AttestJob,
  encodePack,
  encryptPack,
  parseEncryptionKey,
} from '../../src/harness/index.ts';
import {
  attesterFiles,
  makeAttesterDirectory,
  makeKeys,
  publicEncryptionKey,
} from '../../src/service/index.ts';
import { Sandbox } from '../cli/foil.ts';
import { ARTIFACTS, looseBundle, type Runs, signedBundle } from '../verify/bundle-maker.ts';
import { setMember, told } from '../verify/make-bundles.ts';
import { attested, bubblewrap, neverRuns, TAP } from './attest-jobs.ts';

const RULES = { deny: ['hidden-tool'], arguments: [{ tool: 'Bash', matches: 'hidden-word *' }] };
const pack = buildPack({ id: 'harness', templateVersion: 'none', outputs: ['src/**'], verification: TAP }, [
  { path: 'config/tool-policy.json', bytes: utf8Encode(canonicalize(encodeToolPolicy([RULES]))) },
]);
const { publicKey, privateKey } = generateKeyPairSync('x25519');
const encryptionKey = parseEncryptionKey(privateKey.export({ format: 'jwk' }) as never, true);
const open = parseEncryptionKey(publicKey.export({ format: 'jwk' }) as never, false);
const sandboxes = [{ ...bubblewrap, available: async () => null, runFolder: neverRuns().run as never }];

/** What each run did, and what it is told if the pack is open. */
const RUNS: Readonly<Record<string, readonly [string, (runs: Runs) => void, 'arguments' | 'none']>> = {
  'called a tool': ['RUN_FAILS', (runs) => void runs.tool('hidden-tool', {}), 'arguments'],
  'gave an argument': [
    'RUN_FAILS',
    (runs) => void runs.tool('Bash', { command: 'hidden-word now' }),
    'arguments',
  ],
  'does not show its arguments': ['POLICY_UNKNOWN', () => undefined, 'none'],
};

async function jobOf(name: string, key: JsonObject | null): Promise<AttestJob> {
  const [, tell, disclose] = RUNS[name] ?? ['', () => undefined, 'none'];
  const loose = looseBundle(told({ pack, tell }), { pack, disclose });
  const archive = encodePack(pack);
  const artifacts = encodeArtifacts(ARTIFACTS);
  if (key === null) return { pack: archive, bundle: signedBundle(loose), artifacts };
  const sealed = utf8Encode(JSON.stringify(await encryptPack(archive, [parseEncryptionKey(key, false)])));
  loose.parts.delete('harness-pack.tar.gz');
  loose.parts.set('harness-pack.jwe.json', sealed);
  setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm');
  for (const member of ['id', 'config_hash_b64u']) setMember(loose, `metadata.harness.${member}`, null);
  return { pack: sealed, bundle: signedBundle(loose), artifacts };
}

async function refusal(job: AttestJob): Promise<AttestError> {
  const error: unknown = await attested(job, { sandboxes, encryptionKey }).catch((thrown: unknown) => thrown);
  if (error instanceof AttestError) return error;
  throw new Error('it was attested', { cause: error });
}

describe('C10 an attester says of a run that', () => {
  it.each(Object.entries(RUNS))('%s, with an open pack, what is wrong', async (name, [code]) => {
    const { code: told, message } = await refusal(await jobOf(name, null));
    expect([told, message]).toEqual([code, expect.stringMatching(/hidden-tool|hidden-word|Bash|argument/)]);
  });

  it('breaks a rule of an encrypted pack the same words, whatever rule it is', async () => {
    const said = new Set<string>();
    for (const name of Object.keys(RUNS)) {
      const { code, message } = await refusal(await jobOf(name, open as JsonObject));
      said.add(`${code}: ${message}`);
    }
    expect([...said]).toEqual([
      expect.stringMatching(/^RUN_FAILS: .* For an encrypted pack, no details are given\.$/),
    ]);
    expect([...said].join()).not.toMatch(/hidden|Bash|TOOL_|denie|entry \d/);
  });

  it.each(Object.keys(RUNS))('%s nothing more at the command line', async (name) => {
    const box = new Sandbox();
    onTestFinished(() => box.remove());
    const files = attesterFiles(join(box.root, 'state/counterfoil-attester'));
    makeAttesterDirectory(files);
    const { jwk } = publicEncryptionKey(await makeKeys(files));
    const job = await jobOf(name, jwk);
    writeFileSync(box.path('run.bundle'), job.bundle);
    writeFileSync(box.path('artifacts.tar'), job.artifacts);
    for (const more of [[], ['--json']]) {
      const words = ['attest', 'run.bundle', '--artifacts', 'artifacts.tar', ...more];
      const { code, stdout, stderr } = box.run(words);
      expect([code, stderr]).toEqual([1, '']);
      expect(stdout).toContain('RUN_FAILS');
      expect(stdout).not.toMatch(/hidden|Bash|TOOL_|denie|entry \d/);
    }
  });
});
