// C17: every exchanged document has a JSON Schema, every example in spec/ and docs/ validates against its own, and so do the
// vectors. What is not in the form of a document is refused, so that no schema takes everything. Real output of the real
// commands is held against them in test/cli/schemas.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { utf8Decode } from '#platform';
import { parseYaml } from '../src/config/index.ts';
import {
  didDocument,
  encodeDidKey,
  encodeDsse,
  encodePublicKeyPem,
  type Json,
  type JsonObject,
} from '../src/core/index.ts';
import {
  encodeSigstoreBundle,
  IN_TOTO_TYPE,
  parseTar,
  testResultStatement,
  verificationSummary,
} from '../src/format/index.ts';
import { openPack } from '../src/harness/index.ts';
import { attesterKey, goodAttestation } from './format/attestations.ts';
import { packVectors, readVector } from './harness/pack-vectors.ts';
import { expectValid, SCHEMAS, SPEC, schemaOf } from './schemas.ts';
import { readBundle, readCases } from './verify/run-bundles.ts';

const HEX = '0'.repeat(64);
const SIGNATURE = `${'A'.repeat(86)}==`;
const VKEY = 'counterfoil/0123456789abcdef/gateway+07898f3f+AepKbGPinFIKvvVQexMuxflVR3auvr57kkIe7NxR1JZs';

/** An example leaves hashes, signatures and the like out; this puts one in, by the name of its member. */
function filled(value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.map((each) => filled(each, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, filled(each, member)]));
  if (typeof value !== 'string' || !/[…<]/.test(value)) return value;
  if (name.endsWith('_b64u')) return 'A'.repeat(43);
  if (['signature', 'certificate', 'sig'].includes(name)) return SIGNATURE;
  if (name === 'payload' || name === 'content_b64') return 'e30=';
  if (name === 'model') return 'a-model';
  if (value === '<git hash>') return '0'.repeat(40);
  const [, before = '', digits] = /^(.*?)(?:[0-9a-f]*)…$/.exec(value) ?? [];
  if (/^\d+-$/.test(before)) return `${before}${'0'.repeat(32)}`;
  return `${before}${before === 'counterfoil/' ? '0'.repeat(16) : (digits ?? HEX)}`;
}

function pages(): { readonly page: string; readonly text: string }[] {
  return [SPEC, join(SPEC, '../docs')].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => ({ page: file, text: readFileSync(join(folder, file), 'utf8') })),
  );
}

function blocks(language: string): { readonly page: string; readonly text: string }[] {
  return pages().flatMap(({ page, text }) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => ({
      page,
      text: block,
    })),
  );
}

/** Which schema a document is for, and the document; a part of one is put where it belongs. */
function claimed(value: JsonObject, all: readonly JsonObject[]): readonly [string, JsonObject] {
  const of = (schema: string): JsonObject => all.find((each) => each.schema === schema) ?? {};
  if (typeof value.schema === 'string') return [value.schema, value];
  if ('method' in value) return ['harness_pack.v1', { ...of('harness_pack.v1'), verification: value }];
  if (typeof value.rubric === 'object') {
    const judged = { verification_method: 'rubric', tests: null, sandbox: null, left_out: 0, ...value };
    return ['verification_attestation.v1', { ...of('verification_attestation.v1'), ...judged }];
  }
  if ('entry_hash' in value) return ['entry.v1', value];
  if ('gateway_key' in value) return ['gateway_receipt.v1', value];
  if ('deny' in value) return ['tool_policy.v1', value];
  if ('error' in value) return ['error.v1', value];
  if ('attempt' in value) return ['attester_job.v1', value];
  if (String(value.predicateType).includes('test-result')) return ['in_toto_test_result.v0.1', value];
  if (String(value.predicateType).includes('verification_summary')) return ['verification_summary.v1', value];
  throw new Error(`no schema is known for this example: ${JSON.stringify(value).slice(0, 200)}`);
}

function parts(file: string): Map<string, Uint8Array> {
  return new Map(parseTar(readBundle({ file })).map(({ path, bytes }) => [path, bytes]));
}

function json(bytes: Uint8Array | undefined): JsonObject {
  return JSON.parse(utf8Decode(bytes ?? new Uint8Array())) as JsonObject;
}

describe('C17 spec/schema', () => {
  it('is listed in its page, and each schema says what it is of', () => {
    const page = readFileSync(join(SPEC, 'schema/README.md'), 'utf8');
    const listed = [...page.matchAll(/^\| \[(\S+)\]\((\S+)\.json\) \|/gm)].map(([, name, file]) => {
      expect(file).toBe(name);
      return name;
    });
    expect(listed.sort()).toEqual([...SCHEMAS].sort());
    for (const name of SCHEMAS) {
      const { schema } = schemaOf(name) as unknown as { schema: JsonObject };
      expect(schema).toMatchObject({ title: name, description: expect.stringMatching(/(?:spec|docs)\//) });
    }
  });
});

describe('C17 every example', () => {
  const examples = blocks('json').map(({ page, text }) => ({
    page,
    value: filled(JSON.parse(text) as Json) as JsonObject,
  }));
  const all = examples.map(({ value }) => value);
  it.each(examples)('in $page validates: $value', ({ value }) => {
    expectValid(...claimed(value, all));
  });

  it('is found: in the specification and in the pages for users', () => {
    const found = new Set(examples.map(({ page }) => page));
    for (const page of ['attestation.md', 'bundle.md', 'entry.md', 'pack.md', 'receipt.md', 'attester.md'])
      expect(found).toContain(page);
  });

  const trust = blocks('yaml').filter(({ text }) => /^(?:ledgers|gateways|attesters):/m.test(text));
  it.each(trust)('of trust.yaml in $page validates', async ({ text }) => {
    const whole = text.replaceAll(/vkey: \S*…\S*/g, `vkey: ${VKEY}`).replaceAll(/(did:key:\w+)…/g, '$1');
    expectValid('trust.v1', await parseYaml(whole));
  });

  it('of trust.yaml is found', () => {
    expect([...new Set(trust.map(({ page }) => page))].sort()).toEqual([
      'attester.md',
      'bundles.md',
      'gateway.md',
    ]);
  });
});

describe('C17 the vectors', () => {
  const cases = readCases().filter(({ expect: { verdict } }) => verdict === 'PASS');
  it.each(cases)('every part of the bundle $name validates', ({ file }) => {
    const lines = (bytes: Uint8Array | undefined): JsonObject[] =>
      utf8Decode(bytes ?? new Uint8Array())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as JsonObject);
    const found = parts(file);
    expectValid('dsse_envelope.v1', json(found.get('bundle.json')));
    expectValid('bundle_proof.v1', json(found.get('proof.json')));
    const entries = [...lines(found.get('entries.jsonl')), ...lines(found.get('ledger.jsonl'))];
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) {
      expectValid('entry.v1', entry);
      if (entry.kind === 'commit') expectValid('commit_proof.v1', entry.payload);
      if (entry.kind === 'gateway.receipt') expectValid('gateway_receipt.v1', entry.payload);
      if (entry.kind === 'gateway.closing') expectValid('gateway_closing.v1', entry.payload);
    }
    for (const [path, bytes] of found) {
      if (path.startsWith('attestations/')) expectValid('dsse_envelope.v1', json(bytes));
      if (path === 'content-keys.json') expectValid('content_keys.v1', json(bytes));
      if (path === 'harness-pack.jwe.json') expectValid('encrypted_pack.v1', json(bytes));
    }
  });

  it('of the encrypted pack, and settings of packs validate', () => {
    const sealed = readFileSync(join(SPEC, 'vectors/bundle/encrypted-pack.jwe.json'));
    expectValid('encrypted_pack.v1', json(sealed));
    const seen = new Set<string>();
    for (const { name } of packVectors.accepted)
      for (const { path, bytes } of openPack(readVector(`accepted/${name}.tar.gz`)).files) {
        if (path === 'config/tool-policy.json') expectValid('tool_policy.v1', json(bytes));
        if (path === 'env/variables.json') expectValid('variables.v1', json(bytes));
        seen.add(path);
      }
    expect(seen).toContain('env/variables.json');
  });

  interface Run {
    readonly name: string;
    readonly entries: readonly { readonly kind: string; readonly payload: JsonObject }[];
    readonly expect: { readonly ok: boolean; readonly code?: string };
  }
  const runs = JSON.parse(readFileSync(join(SPEC, 'vectors/gateway-receipts.json'), 'utf8')) as Run[];
  const receipts = (run: Run): JsonObject[] =>
    run.entries.filter(({ kind }) => kind === 'gateway.receipt').map(({ payload }) => payload);
  it.each(runs.filter((run) => run.expect.ok))('receipts of a run that it $name validate', (run) => {
    expect(receipts(run).length).toBeGreaterThan(0);
    for (const payload of receipts(run)) expectValid('gateway_receipt.v1', payload);
  });

  it('a receipt that is not in its one form is refused', () => {
    const malformed = runs.filter((run) => run.expect.code === 'GATEWAY_RECEIPT_MALFORMED');
    expect(malformed.length).toBeGreaterThan(0);
    for (const run of malformed)
      expect(receipts(run).every((payload) => schemaOf('gateway_receipt.v1')(payload))).toBe(false);
  });
});

const attestation = goodAttestation();
const { publicKey } = attesterKey();
const envelope = {
  payloadType: IN_TOTO_TYPE,
  payload: new Uint8Array(3),
  signatures: [{ keyid: '', sig: new Uint8Array(64) }],
};
const jwk = { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43) };
const did = 'did:web:attest.example.org';
const job = { id: HEX, status: 'done', attempt: 1, finished: '2026-11-17T10:00:00.000Z' };
const signed = {
  payload: 'e30=',
  payloadType: 'application/vnd.counterfoil.verification-attestation.v1+json',
  signatures: [{ keyid: did, sig: SIGNATURE }],
};
const receipt = (() => {
  const runs = JSON.parse(readFileSync(join(SPEC, 'vectors/gateway-receipts.json'), 'utf8')) as {
    entries: { kind: string; payload: JsonObject }[];
  }[];
  return runs[0]?.entries.find(({ kind }) => kind === 'gateway.receipt')?.payload ?? {};
})();
const inner = receipt.receipt as JsonObject;
/** Of a run that is closed; its receipts are numbered. */
const closedRun = (
  json(readFileSync(join(SPEC, 'vectors/gateway-closings.json'))) as unknown as {
    entries: { kind: string; payload: JsonObject }[];
  }[]
)[0]?.entries;
const keptAs = (kind: string): JsonObject => closedRun?.find((each) => each.kind === kind)?.payload ?? {};
const [closed, numbered] = [keptAs('gateway.closing'), keptAs('gateway.receipt')];
const closing = closed.closing as JsonObject;
const { tool_uses: __, ...uncounted } = numbered.receipt as JsonObject;
const { client: _, ...local } = inner;
const subjects = [['src/add.mjs', HEX]] as const;
const vsa = verificationSummary(attestation, subjects);
const tests = testResultStatement(attestation, subjects);
const sigstore = json(encodeSigstoreBundle(envelope, publicKey));
const document = didDocument(did, { signing: publicKey, encryption: new Uint8Array(32) });
const shown = {
  did,
  did_key: encodeDidKey(publicKey),
  vkey: VKEY,
  pem: encodePublicKeyPem(publicKey),
  encryption_key: jwk,
};
const entry = {
  ...{ cause: null, kind: 'note', payload: {}, prev_hash: HEX, seq: 1, session_id: null, source: 'cli' },
  ...{ ts: '2026-11-15T10:00:00.000Z', v: 1, entry_hash: HEX },
};
const sealed = json(readFileSync(join(SPEC, 'vectors/bundle/encrypted-pack.jwe.json')));
const commit = { commit: '0'.repeat(40), tree: '0'.repeat(40), parents: [] };
const run = {
  ...{ verdict: 'PASS', tier: 'self', whyNotHigher: 'x', ownTests: false, commits: [], findings: [] },
  ...{ total: 0, run: HEX, origin: 'x', created: null, entries: 1, pack_root: null },
  ...{ artifact_hash_b64u: null, required: null },
};
const certificate = {
  ...{
    schema: 'run_certificate.v1',
    run_id: HEX,
    agent: 'x',
    events: 3,
    final_state_hash: HEX,
    hashes: 'blake3',
  },
  hash_key: null,
  capabilities: { hash: null, granted: [], root: '/', calls: 0, denials: 0 },
  patches: [],
  determinism: {
    ...{ result: 'unknown', replay_id: HEX, code: HEX, node: null, sandbox: null, from: null, events: null },
    ...{ final_state_hash: null, reason: 'x' },
  },
};
const exported = {
  ...{ schema: 'run_export.v1', run_id: HEX, origin: `counterfoil/${HEX.slice(0, 16)}`, entries: [entry] },
  exported: '2026-11-15T10:00:00.000Z',
  content: { [`sha256:${HEX}`]: { type: null, text: 'x' } },
};
const finding = { code: 'RUN_OPEN', level: 'unknown', seq: null, message: 'x' };

/** One good document of each kind that has no test of its own. */
const GOOD: Readonly<Record<string, JsonObject>> = {
  'attester.v1': shown,
  'attester_job.v1': { ...job, attestation: signed },
  'bundle_proof.v1': { hashes: [HEX], size: 3 },
  'commit_proof.v1': commit,
  'did_document.v1': document,
  'dsse_envelope.v1': json(encodeDsse(envelope)),
  'encrypted_pack.v1': sealed,
  'encryption_key.v1': jwk,
  'entry.v1': entry,
  'error.v1': { error: { code: 'BUSY', message: 'x' } },
  'gateway_closing.v1': closed,
  'gateway_receipt.v1': receipt,
  'in_toto_test_result.v0.1': tests,
  'sigstore_bundle.v0.3': sigstore,
  'tool_policy.v1': { arguments: [{ matches: '*', tool: 'Bash' }], deny: ['WebFetch'] },
  'verification_summary.v1': vsa,
  'run_report.v1': run,
  'run_certificate.v1': certificate,
  'run_export.v1': exported,
};

describe('C17 a schema takes its document and nothing else', () => {
  it.each(Object.entries(GOOD))('%s', (name, good) => {
    expectValid(name, good);
    const validate = schemaOf(name);
    for (const member of Object.keys(good)) {
      const { [member]: _, ...others } = good;
      const isOptional = name === 'did_document.v1' && member === 'keyAgreement';
      expect(validate(others), `${name} without ${member}`).toBe(isOptional);
      for (const wrong of [7.5, { x: 1 }, true])
        expect(
          validate({ ...good, [member]: wrong }),
          `${name} with ${member} as ${JSON.stringify(wrong)}`,
        ).toBe(
          (name === 'entry.v1' && member === 'payload' && wrong instanceof Object) ||
            (name === 'run_report.v1' && member === 'ownTests' && wrong === true),
        );
    }
    for (const value of [null, [], 'x', { ...good, added: 1 }])
      expect(validate(value), `${name} as ${JSON.stringify(value).slice(0, 40)}`).toBe(
        // Reports may say more one day.
        name === 'run_report.v1' && typeof value === 'object' && value !== null && !Array.isArray(value),
      );
  });

  const predicate = (statement: JsonObject, changes: JsonObject): JsonObject => ({
    ...statement,
    predicate: { ...(statement.predicate as JsonObject), ...changes },
  });
  it.each<[string, string, JsonObject | Json[]]>([
    ['gateway_receipt.v1', 'version 2 without its client', { ...receipt, receipt: local }],
    ['gateway_receipt.v1', 'version 2 with a number', { ...numbered, receipt: { ...uncounted, v: 2 } }],
    ['gateway_receipt.v1', 'version 3 without its number of tools', { ...numbered, receipt: uncounted }],
    [
      'gateway_receipt.v1',
      'version 3 without its number',
      { ...receipt, receipt: { ...inner, tool_uses: 0, v: 3 } },
    ],
    ['gateway_closing.v1', 'an end that is no hash', { ...closed, closing: { ...closing, end: 'there' } }],
    ['gateway_closing.v1', 'fewer calls than none', { ...closed, closing: { ...closing, calls: -1 } }],
    ['gateway_closing.v1', 'a receipt in its place', receipt],
    ['gateway_receipt.v1', 'version 1 with a client', { ...receipt, receipt: { ...inner, v: 1 } }],
    [
      'gateway_receipt.v1',
      'a nonce that is too short',
      { ...receipt, receipt: { ...inner, nonce: 'short' } },
    ],
    ['gateway_receipt.v1', 'an unknown end', { ...receipt, receipt: { ...inner, result: 'fine' } }],
    [
      'gateway_receipt.v1',
      'a parameter that is no single value',
      { ...receipt, receipt: { ...inner, parameters: { stop: [] } } },
    ],
    ['gateway_receipt.v1', 'an origin of two lines', { ...receipt, origin: 'a\nb' }],
    ['attester_job.v1', 'done without its attestation', job],
    ['attester_job.v1', 'a refusal without words', { ...job, status: 'refused' }],
    ['attester_job.v1', 'an attestation before the end', { ...job, status: 'running', attestation: signed }],
    [
      'attester_job.v1',
      'an attestation with an error',
      { ...job, attestation: signed, error: { code: 'BUSY', message: 'x' } },
    ],
    ['attester_job.v1', 'an unknown status', { ...job, status: 'lost' }],
    [
      'attester_job.v1',
      'another envelope',
      { ...job, attestation: { ...signed, payloadType: IN_TOTO_TYPE } },
    ],
    ['error.v1', 'a code in small letters', { error: { code: 'busy', message: 'x' } }],
    ['dsse_envelope.v1', 'no signature', { ...signed, signatures: [] }],
    ['dsse_envelope.v1', 'a payload in base64url', { ...signed, payload: '-_-_' }],
    ['dsse_envelope.v1', 'base64 with stray bits', { ...signed, payload: 'e31=' }],
    ['verification_summary.v1', 'a level with PASSED', predicate(vsa, { verifiedLevels: ['FAILED'] })],
    [
      'verification_summary.v1',
      'FAILED without its level',
      predicate(vsa, { verificationResult: 'FAILED', verifiedLevels: [] }),
    ],
    [
      'verification_summary.v1',
      'a level of SLSA',
      predicate(vsa, { verifiedLevels: ['SLSA_BUILD_LEVEL_3'] }),
    ],
    [
      'verification_summary.v1',
      'the other predicate',
      { ...vsa, predicateType: String(tests.predicateType) },
    ],
    ['in_toto_test_result.v0.1', 'another result', predicate(tests, { result: 'WARNED' })],
    ['in_toto_test_result.v0.1', 'no subjects', { ...tests, subject: [] }],
    ['in_toto_test_result.v0.1', 'names of tests', predicate(tests, { passedTests: ['adds'] })],
    ['did_document.v1', 'a did:key', { ...document, id: encodeDidKey(publicKey) }],
    ['encryption_key.v1', 'a private key', { ...jwk, d: 'A'.repeat(43) }],
    ['encryption_key.v1', 'another curve', { ...jwk, crv: 'P-256' }],
    ['attester.v1', 'a private key to encrypt for', { ...shown, encryption_key: { ...jwk, d: 'A' } }],
    ['encrypted_pack.v1', 'no recipient', { ...sealed, recipients: [] }],
    ['commit_proof.v1', 'a branch', { ...commit, commit: 'main' }],
    ['content_keys.v1', 'a key of another algorithm', { [`sha256:${HEX}`]: HEX }],
    ['content_keys.v1', 'a key cut short', { [`keyed-sha256:${HEX}`]: HEX.slice(1) }],
    ['variables.v1', 'a value', { PATH: '/usr/bin' }],
    ['tool_policy.v1', 'a rule twice', { arguments: [], deny: ['a', 'a'] }],
    ['entry.v1', 'a time without milliseconds', { ...entry, ts: '2026-11-15T10:00:00Z' }],
    ['trust.v1', 'an unknown member', { ledgerz: [] }],
    ['trust.v1', 'an attester without its key', { attesters: [{ did }] }],
    ['trust.v1', 'a gateway that may go anywhere', { gateways: [{ vkey: VKEY, upstreams: [] }] }],
    ['trust.v1', 'an upstream with a path', { gateways: [{ vkey: VKEY, upstreams: ['https://a.b/c'] }] }],
    ['trust.v1', 'a pack by its name', { packs: ['harness'] }],
    [
      'run_report.v1',
      'a tier for what fails',
      { ...run, verdict: 'FAIL', tier: 'sandbox', findings: [finding] },
    ],
    ['run_report.v1', 'a failure without a reason', { ...run, verdict: 'FAIL' }],
    ['run_certificate.v1', 'a key cut short', { ...certificate, hash_key: HEX.slice(1) }],
    [
      'run_certificate.v1',
      'a replay that diverged',
      { ...certificate, determinism: { ...certificate.determinism, result: 'diverges' } },
    ],
    [
      'run_export.v1',
      'content of two kinds',
      { ...exported, content: { [`sha256:${HEX}`]: { type: null, text: 'x', base64: '' } } },
    ],
    ['run_report.v1', 'an unknown tier', { ...run, tier: 'gold' }],
  ])('%s refuses %s', (name, _, value) => {
    expect(schemaOf(name)(value)).toBe(false);
  });
});
