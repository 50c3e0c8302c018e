// Jobs for an attester, made by hand: a pack with tests, artifacts, and the bundle of a run that made them.
import { randomBytes } from 'node:crypto';
import { utf8Encode } from '#platform';
import { dsseMessage, type JsonObject, sessionIdOf } from '../../src/core/index.ts';
import {
  type Attestation,
  artifactRoot,
  type BundlePayload,
  buildPack,
  bundlePayloadText,
  encodeArtifacts,
  encodeBundle,
  encodeRunArtifacts,
  encodeRunBase,
  encodeSessionEnd,
  encodeSessionStart,
  fileHashes,
  type HarnessPack,
  LineSum,
  parseEntry,
  parseSignedAttestation,
  sortedFiles,
  type TestVerification,
  type TreeFile,
  UNBOUND,
  withSum,
} from '../../src/format/index.ts';
import type { Sandbox } from '../../src/gate/index.ts';
import { type AttesterOptions, type AttestJob, attestJob, encodePack } from '../../src/harness/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { closingOf } from '../../src/session/index.ts';
import { factsOf } from '../../src/verify/index.ts';
import { attesterKey } from '../format/attestations.ts';
import { temporary } from '../temporary.ts';
import { LedgerMaker } from '../verify/make-ledger.ts';

export type Files = Readonly<Record<string, string>>;

/** Programs of the system alone: those in a home are not there in a sandbox. */
export const bubblewrap = makeBubblewrap({ hidden: [], path: '/usr/bin:/bin' });
export const whyNot = await bubblewrap.available();

export function treeFiles(files: Files): TreeFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, bytes: utf8Encode(text) }));
}

export interface PackOf {
  readonly outputs?: readonly string[];
  readonly verification?: Partial<TestVerification> | null;
  /** By their paths in the project. */
  readonly tests?: Files;
}

export const TAP: TestVerification = {
  method: 'tests',
  command: ['node', '--test', '--test-reporter=tap', 'test/add.test.mjs'],
  report: 'tap',
  reportFile: null,
  tests: ['adds two numbers', 'adds > negative numbers'],
  timeoutSeconds: 60,
};

export const NODE_TEST: Files = {
  'test/add.test.mjs': `import assert from 'node:assert';
import { describe, it, test } from 'node:test';
import { add } from '../src/add.mjs';
test('adds two numbers', () => assert.strictEqual(add(2, 3), 5));
describe('adds', () => it('negative numbers', () => assert.strictEqual(add(-2, -3), -5)));
`,
};

export function packOf({
  outputs = ['src/**'],
  verification = {},
  tests = NODE_TEST,
}: PackOf = {}): HarnessPack {
  return buildPack(
    {
      id: 'harness',
      templateVersion: 'none',
      outputs,
      verification: verification === null ? null : { ...TAP, ...verification },
    },
    treeFiles({
      'config/tool-policy.json': '{"arguments":[],"deny":[]}',
      'static/AGENTS.md': 'Be brief.\n',
      ...Object.fromEntries(Object.entries(tests).map(([path, text]) => [`verification/${path}`, text])),
    }),
  );
}

/** Of a run with these artifacts, whole and signed. `changes` are made before it is signed. */
export function bundleOf(
  pack: HarnessPack | null,
  artifacts: readonly TreeFile[] | null,
  changes: Partial<BundlePayload> = {},
): Uint8Array {
  const maker = new LedgerMaker(9);
  const session = sessionIdOf({ prevHash: maker.hashes.at(-1) ?? '' });
  const first = maker.size;
  const more = { session_id: session, source: 'run' };
  maker.append('session.start', startPayload(pack?.hashes.root ?? null), more);
  const base = { commit: '5'.repeat(40), tree: '6'.repeat(40), dirty: 0, dirtyRoot: null };
  maker.append('run.base', encodeRunBase(base), more);
  const artifactHash = artifacts === null ? null : artifactRoot(artifacts);
  if (artifactHash !== null)
    maker.append('run.artifacts', encodeRunArtifacts({ artifactHash, files: 1, bytes: 1 }), more);
  const lines = (): Uint8Array[] => maker.lines.slice(first).map((line) => utf8Encode(line));
  const sum = new LineSum();
  for (const line of lines()) sum.add(line);
  const counts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };
  const closing = closingOf({ session, sequence: 0, hash: session }, null);
  const end = encodeSessionEnd({ reason: 'exit', exitCode: 0, counts }, closing);
  maker.append('session.end', withSum(end, sum.sum()), more);
  const run = lines().map((line) => ({ line, entry: parseEntry(line) }));
  const files = treeFiles({
    'entries.jsonl': `${maker.lines.slice(first).join('\n')}\n`,
    'ledger.jsonl': `${maker.lines.slice(0, first).join('\n')}\n`,
    checkpoint: Buffer.from(maker.checkpoint()).toString(),
    'proof.json': `{"hashes":[],"size":${maker.size}}`,
  });
  const { prompts, commit, tree, artifactHash: said, ...facts } = factsOf(run);
  const payload: BundlePayload = {
    runId: session,
    origin: maker.origin,
    created: '2026-11-16T10:00:00.000Z',
    harness: {
      id: pack?.manifest.id ?? null,
      packHash: pack?.hashes.packHash ?? null,
      packRoot: pack?.hashes.root ?? null,
      packEncryption: 'none',
      packUri: null,
      configHash: null,
    },
    inputs: { prompts, morePrompts: false, commit, tree },
    outputs: { artifactHash: said },
    entries: run.length,
    ...facts,
    parts: new Map(fileHashes(sortedFiles(files))),
    ...changes,
  };
  const type = 'application/vnd.counterfoil.proof-bundle.v1+json';
  const bytes = utf8Encode(bundlePayloadText(payload));
  const sig = maker.signer.sign(dsseMessage(type, bytes));
  return encodeBundle({ payloadType: type, payload: bytes, signatures: [{ keyid: '', sig }] }, files);
}

function startPayload(pack: string | null): JsonObject {
  const payload = encodeSessionStart(
    {
      agent: 'program',
      agentSession: null,
      workspaceRoot: null,
      trigger: 'run',
      resumes: null,
      pack,
      interaction: 'sdk',
      interactionKind: 'response',
      mode: 'guard',
      content: 'none',
      hashes: 'salted',
      redaction: 'default',
      configHash: null,
      transcript: null,
      hostProcess: null,
    },
    UNBOUND,
  );
  return { ...payload, pack };
}

export function jobOf(pack: HarnessPack, artifacts: Files, changes: Partial<AttestJob> = {}): AttestJob {
  const files = treeFiles(artifacts);
  return {
    pack: encodePack(pack),
    bundle: bundleOf(pack, files),
    artifacts: encodeArtifacts(files),
    ...changes,
  };
}

export function attesterOptions(changes: Partial<AttesterOptions> = {}): AttesterOptions {
  return {
    signer: attesterKey(),
    sandboxes: [bubblewrap],
    state: temporary(),
    now: () => Date.parse('2026-11-17T10:00:00.000Z'),
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
    ...changes,
  };
}

export async function attested(job: AttestJob, changes: Partial<AttesterOptions> = {}): Promise<Attestation> {
  const bytes = await attestJob(attesterOptions(changes), job, new AbortController().signal);
  return parseSignedAttestation(bytes).attestation;
}

/** A sandbox that must not be used. */
export function neverRuns(changes: Partial<Sandbox> = {}): Sandbox {
  const never = (): never => {
    throw new Error('something was run');
  };
  return { name: 'never', cannot: [], attests: false, available: async () => null, run: never, ...changes };
}
