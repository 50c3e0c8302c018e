// foil certify and foil export, through the built file: a run that was really made and really replayed, checked on another home
// by public keys alone, and what was given out on record.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import { canonicalize, type JsonObject, parseVerifierKey } from '../../src/core/index.ts';
import { BUNDLE_PARTS, parseBundle, parseCustody } from '../../src/format/index.ts';
import { gunzip } from '../../src/harness/index.ts';
import { type BundleOptions, verifyBundle } from '../../src/verify/index.ts';
import { sandboxProblem } from '../runtime/replayed.ts';
import { endedRun, eventsOf } from '../runtime/run-ledger.ts';
import { expectValid } from '../schemas.ts';
import { Sandbox } from './foil.ts';
import { resigned } from './resigned-bundle.ts';

const sandbox = new Sandbox();
const other = new Sandbox();
afterAll(() => {
  sandbox.remove();
  other.remove();
});

const TOLD = { times: 2, send: 'example.com', end: true };

function trusting(vkey: string): BundleOptions {
  return {
    trust: { keys: [parseVerifierKey(vkey)], packs: [], gateways: [], attesters: [] },
    now: Date.now(),
  };
}

interface Logged {
  readonly kind: string;
  readonly payload: never;
}

function custodyIn(at: readonly string[]): Logged[] {
  const lines = sandbox
    .ok(['log', '--kind', 'custody', ...at, '--json'])
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Logged);
}

const CERTIFICATE = BUNDLE_PARTS.certificate;
const OTHER = 'a'.repeat(64);
type Members = Record<string, unknown>;

/** What is changed in the certificate, and the code that finds it. */
const LIES: readonly (readonly [name: string, lie: (certificate: Members) => Members, code: string])[] = [
  ['the final state hash', (c) => ({ ...c, final_state_hash: OTHER }), 'CERTIFICATE_WRONG'],
  ['the number of events', (c) => ({ ...c, events: 3 }), 'CERTIFICATE_WRONG'],
  ['the key of the hashes', (c) => ({ ...c, hash_key: OTHER }), 'RUN_PAYLOAD_HASH'],
  ['no key of the hashes', (c) => ({ ...c, hash_key: null }), 'RUN_PAYLOAD_UNKNOWN'],
  ['a grant more', (c) => changed(c, 'capabilities', { granted: ['fs:read:**'] }), 'CERTIFICATE_WRONG'],
  ['a denial less', (c) => changed(c, 'capabilities', { denials: 0 }), 'CERTIFICATE_WRONG'],
  ['other code', (c) => changed(c, 'determinism', { code: OTHER }), 'CERTIFICATE_WRONG'],
  ['another replay', (c) => changed(c, 'determinism', { replay_id: OTHER }), 'CERTIFICATE_WRONG'],
  [
    'a replay that came to another state',
    (c) => changed(c, 'determinism', { final_state_hash: OTHER }),
    'CERTIFICATE_WRONG',
  ],
  ['a replay from a snapshot', (c) => changed(c, 'determinism', { from: 1 }), 'CERTIFICATE_WRONG'],
  ['a replay that diverged', (c) => changed(c, 'determinism', { result: 'diverges' }), 'CERTIFICATE_WRONG'],
  [
    'a patch that nobody made',
    (c) => ({
      ...c,
      patches: [
        { id: `${c.run_id}:0`, patch_hash: OTHER, status: 'applied', proposed_by: 'x', approved_by: null },
      ],
    }),
    'CERTIFICATE_WRONG',
  ],
  ['a member more', (c) => ({ ...c, note: 1 }), 'CERTIFICATE_WRONG'],
];

function changed(certificate: Members, name: string, members: Members): Members {
  return { ...certificate, [name]: { ...(certificate[name] as Members), ...members } };
}

describe.skipIf(sandboxProblem !== null)('foil certify', () => {
  it('O11a O11b O11c O12 makes a bundle that another home verifies by public keys alone, and records what was given out', async () => {
    const { place, run } = await endedRun(TOLD);
    const at = ['--ledger', place.directory];
    const file = join(other.work, 'bundle.tar.gz');
    const told = sandbox.run(['certify', run.slice(0, 12), ...at, '--output', file, '--for', 'Auditors Ltd']);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ Replayed to the same state') });
    const [{ vkey } = { vkey: '' }] = sandbox.json(['key', 'list', ...at]) as { vkey: string }[];
    const { code, stdout } = other.run(['verify', file, '--key', vkey, '--json']);
    const report = JSON.parse(stdout) as { verdict: string; findings: unknown[] };
    expect(report.findings.filter((each) => (each as { level: string }).level !== 'note')).toEqual([]);
    expect({ code, verdict: report.verdict }).toEqual({ code: 0, verdict: 'PASS' });
    const exported = join(other.work, 'run.json');
    sandbox.ok(['export', run.slice(0, 12), ...at, '--output', exported]);
    const log = custodyIn(at);
    expect(log.map(({ payload }) => parseCustody(payload))).toMatchObject([
      {
        run,
        form: 'proof_bundle.v1',
        file: 'bundle.tar.gz',
        sha256: sha256Hex(readFileSync(file)),
        recipient: 'Auditors Ltd',
      },
      {
        run,
        form: 'run_export.v1',
        file: 'run.json',
        sha256: sha256Hex(readFileSync(exported)),
        recipient: null,
      },
    ]);
    const document = JSON.parse(readFileSync(exported, 'utf8')) as { run_id: string; entries: Logged[] };
    expect(document.run_id).toBe(run);
    expectValid('run_export.v1', document);
    const events = document.entries.filter(({ kind }) => kind === 'run.event');
    expect(events).toHaveLength((await eventsOf(place)).length);
    const plain = gunzip(readFileSync(file), 1 << 24);
    const bundle = parseBundle(plain);
    const codesOf = async (path: string, bytes: Uint8Array | null): Promise<string[]> => {
      const signed = await resigned(place, bundle, path, bytes);
      const { verdict, findings } = verifyBundle(signed, trusting(vkey));
      expect(verdict).not.toBe('PASS');
      return findings.filter(({ level }) => level !== 'note').map(({ code }) => code);
    };
    expect(verifyBundle(plain, trusting(vkey)).verdict).toBe('PASS');
    const certificate = JSON.parse(utf8Decode(bundle.parts.get(CERTIFICATE) as Uint8Array)) as Members;
    expectValid('run_certificate.v1', certificate);
    const replays = sandbox
      .ok(['log', '--kind', 'run.replay', ...at, '--json'])
      .trimEnd()
      .split('\n');
    expect(replays.map((line) => (JSON.parse(line) as { payload: { id: string } }).payload.id)).toEqual([
      (certificate.determinism as Members).replay_id,
    ]);
    const otherwise = Buffer.from(readFileSync(file));
    otherwise[8] = 2;
    expect(() => gunzip(otherwise, 1 << 24)).toThrow(/header/);
    for (const [name, lie, code] of LIES)
      expect([
        name,
        await codesOf(CERTIFICATE, utf8Encode(canonicalize(lie(certificate) as JsonObject))),
      ]).toEqual([name, expect.arrayContaining([code])]);
    expect(await codesOf(CERTIFICATE, null)).toContain('RUN_NOT_REPLAYED');
    const { code: codeRoot } = certificate.determinism as { code: string };
    expect(await codesOf(`content/sha256-${codeRoot}`, null)).toEqual(['RUN_NOT_REPLAYED']);
    for (const [path, bytes] of bundle.parts) {
      if (path === CERTIFICATE) continue;
      const other = Uint8Array.from(bytes);
      other[other.length >> 1] = (other[other.length >> 1] ?? 0) ^ 1;
      expect([path, (await codesOf(path, other)).length > 0]).toEqual([path, true]);
    }
    rmSync(place.keyDirectory, { recursive: true });
    sandbox.ok(['export', run.slice(0, 12), ...at, '--output', exported]);
    expect(custodyIn(at)).toHaveLength(2);
    writeFileSync(file, readFileSync(file).subarray(0, -9));
    expect(other.run(['verify', file, '--key', vkey]).code).toBe(4);
  });
});
