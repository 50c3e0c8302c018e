// Makes spec/vectors/record.json: payloads of kinds that tell of replays, of what was given out and of what was released, and
// changed copies that must be refused. A test compares the file with what this gives, and `UPDATE_VECTORS=1` writes it anew
// after a deliberate change of the format.
import { encodeVerifierKey, type Json, type JsonObject, makeSigner } from '../../src/core/index.ts';

export interface RecordCase {
  readonly kind: string;
  readonly name: string;
  readonly payload: JsonObject;
  readonly valid: boolean;
}

const HASH = 'a'.repeat(64);
const REF = { $content: `keyed-sha256:${HASH}`, bytes: 3, type: 'application/octet-stream' };
const OPERATOR = encodeVerifierKey(makeSigner('operator', new Uint8Array(32).fill(9)));
const DIVERGENCE = { event: 8, patch: null, what: 'output', expected: HASH, got: HASH, why: null };

const WHOLE: Readonly<Record<string, JsonObject>> = {
  'replay.policy': {
    replay: 'keep',
    accepted_by: OPERATOR,
    signature: Buffer.alloc(64, 1).toString('base64'),
  },
  'replay.start': {
    ...{ v: 1, command: REF, tree: REF, files: 2, bytes: 9, root: '/work', home: null },
    ...{ temporary: '/tmp', terminal: false },
  },
  'replay.answer': { v: 1, request_hash: HASH, kept: REF, problem: null },
  'run.replay': {
    ...{ id: HASH, run: HASH, replay: 'forensic', from: null, to: null, execute: true, events: 24 },
    ...{ code: HASH, node: 'v20.19.0', sandbox: 'bubblewrap', outcome: 'matches', final_state_hash: HASH },
    ...{ divergence: null, flaw: null, impure: [] },
  },
  custody: {
    ...{ run: HASH, form: 'proof_bundle.v1', file: 'run.tar.gz', sha256: HASH, bytes: 12, by: 'ada' },
    recipient: null,
  },
  release: {
    name: 'v1.2.0',
    files: [{ path: 'dist/a.js', role: 'artifact', sha256: HASH, bytes: 12 }],
    by: 'ada',
  },
};

/** Besides those that every kind has: a member more, and each of its members left out or of another type. */
const CHANGED: readonly (readonly [kind: string, name: string, members: JsonObject, valid?: true])[] = [
  ['replay.policy', 'another word', { replay: 'all' }],
  ['replay.policy', 'a signature of 63 bytes', { signature: Buffer.alloc(63).toString('base64') }],
  ['replay.policy', 'a key that is none', { accepted_by: 'operator' }],
  ['replay.start', 'another version', { v: 2 }],
  ['replay.start', 'with a home', { home: '/home/ann' }, true],
  ['replay.start', 'a tree that is no reference', { tree: { $content: 'sha256:00', bytes: 1 } }],
  ['replay.start', 'half a file', { files: 0.5 }],
  ['replay.answer', 'not kept', { kept: null, problem: 'too-large' }, true],
  ['replay.answer', 'kept, with a problem', { problem: 'broken-off' }],
  ['replay.answer', 'not kept, without a problem', { kept: null }],
  ['replay.answer', 'an unknown problem', { kept: null, problem: 'lost' }],
  [
    'run.replay',
    'that diverged',
    { outcome: 'diverges', final_state_hash: null, divergence: DIVERGENCE },
    true,
  ],
  [
    'run.replay',
    'that diverged at a memory write',
    { outcome: 'diverges', final_state_hash: null, divergence: { ...DIVERGENCE, what: 'memory' } },
    true,
  ],
  [
    'run.replay',
    'diverges in what nobody compares',
    { outcome: 'diverges', divergence: { ...DIVERGENCE, what: 'mood' } },
  ],
  ['run.replay', 'diverges, and does not say where', { outcome: 'diverges' }],
  ['run.replay', 'matches, and says where it diverges', { divergence: DIVERGENCE }],
  ['run.replay', 'another name', { replay: 'partial' }],
  ['run.replay', 'a short id', { id: 'a'.repeat(63) }],
  [
    'run.replay',
    'a divergence with a member more',
    { outcome: 'diverges', divergence: { ...DIVERGENCE, at: 1 } },
  ],
  ['run.replay', 'a tool that is no text', { impure: [1] }],
  ['custody', 'to standard output, for somebody', { file: null, recipient: 'Auditors Ltd' }, true],
  ['custody', 'another form', { form: 'zip' }],
  ['custody', 'a hash in capitals', { sha256: 'A'.repeat(64) }],
  ['custody', 'fewer than no bytes', { bytes: -1 }],
  ['release', 'of tools alone', { files: [{ path: 'cc', role: 'tool', sha256: HASH, bytes: 1 }] }],
  ['release', 'of nothing', { files: [] }],
];

export function recordVectors(): { about: string; cases: RecordCase[] } {
  const cases: RecordCase[] = [];
  for (const [kind, payload] of Object.entries(WHOLE)) {
    cases.push({ kind, name: 'as it is', payload, valid: true });
    cases.push({ kind, name: 'a member more', payload: { ...payload, more: 1 }, valid: false });
    for (const name of Object.keys(payload)) {
      const { [name]: _, ...rest } = payload;
      const other: Json = { x: 1 };
      cases.push({ kind, name: `without ${name}`, payload: rest, valid: false });
      cases.push({
        kind,
        name: `${name} of another type`,
        payload: { ...payload, [name]: other },
        valid: false,
      });
    }
  }
  for (const [kind, name, members, valid = false] of CHANGED)
    cases.push({ kind, name, payload: { ...WHOLE[kind], ...members }, valid });
  return {
    about:
      'Payloads of replay.policy, replay.start, replay.answer, run.replay, custody and release. A parser takes those that are valid, and refuses the others. Whether a signature holds is not asked here.',
    cases,
  };
}
