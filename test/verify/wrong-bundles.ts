// Bundles that must not pass. Each is signed again by the ledger's key after it was changed, its parts are hashed again, and
// where the fault lies in entries, the tree is one over the entries as they are: only the fault gives it away.
import { sha256Hex, utf8Decode, utf8Encode } from '#platform';
import {
  canonicalize,
  dsseMessage,
  encodeBase64,
  encodeVerifierKey,
  type Json,
  type JsonObject,
  makeSigner,
} from '../../src/core/index.ts';
import { encodeLedgerOpen, encodeTar } from '../../src/format/index.ts';
import { encodePack } from '../../src/harness/index.ts';
import {
  ARTIFACTS,
  fileOf,
  type Line,
  type Loose,
  linesOf,
  looseBundle,
  type Runs,
  signedBundle,
  withEnvelope,
} from './bundle-maker.ts';
import {
  type BundleCase,
  ENCRYPTED,
  failing,
  made,
  OTHER_PACK,
  RULED,
  STRICT,
  setMember,
  told,
  trusting,
  unknown,
} from './make-bundles.ts';

const stranger = makeSigner('stranger', new Uint8Array(32).fill(77));
const DEEP = `${'['.repeat(1000)}${']'.repeat(1000)}`;
const MALFORMED = failing('BUNDLE_MALFORMED');

/** Entries of the run by kind, in order. */
function seqOf(runs: Runs, kind: string, nth = 0): number {
  const found = runs
    .entries()
    .filter(({ entry }) => entry.kind === kind && entry.session_id === runs.session);
  return found[nth]?.entry.seq ?? 0;
}

function text(loose: Loose, path: string): string {
  return utf8Decode(loose.parts.get(path) ?? new Uint8Array(0));
}

function edit(path: string, change: (text: string) => string): (loose: Loose) => void {
  return (loose) => void loose.parts.set(path, utf8Encode(change(text(loose, path))));
}

function editLines(path: string, change: (lines: string[]) => readonly string[]): (loose: Loose) => void {
  return edit(path, (all) =>
    change(all.split('\n').slice(0, -1))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** The file as it is, and the payload by itself. */
function files(): BundleCase[] {
  const honest = (): Loose => looseBundle(told());
  const trust = trusting(told());
  const file = (name: string, done: string, bytes: Uint8Array): BundleCase => ({
    name,
    done,
    bytes,
    trust,
    expect: MALFORMED,
  });
  const good = signedBundle(honest());
  const payloadText = (): string => {
    const loose = honest();
    signedBundle(loose);
    return canonicalize(loose.payload);
  };
  const partsAnd = (path: string, bytes: Uint8Array): Uint8Array => {
    const loose = honest();
    signedBundle(loose);
    loose.parts.set(path, bytes);
    return signedBundle(loose, { hashes: false });
  };
  const member = (name: string, done: string, path: string, value: Json): BundleCase =>
    made(name, done, MALFORMED, {}, { change: (loose) => setMember(loose, path, value) });
  const envelope = (change: (envelope: Record<string, Json>) => void): Uint8Array => {
    const loose = honest();
    signedBundle(loose);
    const payload = utf8Encode(canonicalize(loose.payload));
    const [signer] = loose.signers;
    const sig = encodeBase64(signer?.sign(dsseMessage(loose.type, payload)) ?? new Uint8Array(64));
    const value: Record<string, Json> = {
      payload: encodeBase64(payload),
      payloadType: loose.type,
      signatures: [{ keyid: signer?.name ?? '', sig }],
    };
    change(value);
    return withEnvelope(loose.parts, value);
  };
  return [
    file('empty', 'An empty file.', new Uint8Array(0)),
    file('no-archive', 'A text.', utf8Encode('This is no bundle.\n'.repeat(60))),
    file('cut-short', 'The last kilobyte is missing.', good.subarray(0, -1024)),
    file(
      'something-behind-it',
      'A block follows behind the archive.',
      new Uint8Array([...good, ...new Uint8Array(512)]),
    ),
    file(
      'no-envelope',
      'bundle.json is missing.',
      encodeTar([...honest().parts].map(([path, bytes]) => ({ path, bytes }))),
    ),
    file(
      'part-outside-the-envelope',
      'A commit lies in the archive that the envelope does not name.',
      partsAnd('commits/aa', utf8Encode('x')),
    ),
    file(
      'part-changed',
      'The proof is not the one that the envelope names.',
      partsAnd('proof.json', utf8Encode('{"hashes":[],"size":1}')),
    ),
    made(
      'part-missing',
      'The envelope names a part that is not there.',
      MALFORMED,
      {},
      {
        file: (loose) => {
          signedBundle(loose);
          loose.parts.delete('proof.json');
          return signedBundle(loose, { hashes: false });
        },
      },
    ),
    made(
      'part-of-no-kind',
      'The envelope names a part that no bundle has.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('notes.txt', utf8Encode('Trust me.')),
      },
    ),
    made(
      'no-entries',
      'entries.jsonl is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('entries.jsonl'),
      },
    ),
    made(
      'no-proof',
      'proof.json is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('proof.json'),
      },
    ),
    made(
      'no-checkpoint',
      'The checkpoint is missing, and the envelope does not name it.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.delete('checkpoint'),
      },
    ),
    made(
      'checkpoint-malformed',
      'The checkpoint is a text.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('checkpoint', utf8Encode('fine\n')),
      },
    ),
    made(
      'proof-nested',
      'proof.json is nested a thousand deep.',
      MALFORMED,
      {},
      {
        change: ({ parts }) => void parts.set('proof.json', utf8Encode(DEEP)),
      },
    ),
    made(
      'proof-with-more',
      'proof.json has one member more.',
      MALFORMED,
      {},
      {
        change: edit('proof.json', (old) => old.replace('{', '{"a":1,')),
      },
    ),
    made(
      'payload-nested',
      'The payload is nested a thousand deep.',
      MALFORMED,
      {},
      {
        file: (loose) => fileOf(loose, utf8Encode(DEEP)),
      },
    ),
    made(
      'payload-not-canonical',
      'The payload has a space in it.',
      MALFORMED,
      {},
      {
        file: (loose) => fileOf(loose, utf8Encode(payloadText().replace(',', ', '))),
      },
    ),
    made(
      'member-twice',
      'The payload says run_id twice.',
      MALFORMED,
      {},
      {
        file: (loose) =>
          fileOf(loose, utf8Encode(payloadText().replace('{', `{"run_id":"${'0'.repeat(64)}",`))),
      },
    ),
    member('member-added', 'The payload has one member more.', 'verified_by', 'me'),
    member('inner-member-added', 'metadata.harness has one member more.', 'metadata.harness.author', 'me'),
    made(
      'member-missing',
      'The payload has no receipts_root.',
      MALFORMED,
      {},
      {
        change: ({ payload }) => void delete payload.receipts_root,
      },
    ),
    member('another-schema', 'The payload is of proof_bundle.v2.', 'schema', 'proof_bundle.v2'),
    member('date-of-no-form', 'created has no milliseconds.', 'created', '2026-11-16T09:00:00Z'),
    member('count-below-zero', 'entries is −1.', 'entries', -1),
    member('hash-in-capitals', 'event_chain_root is in capitals.', 'event_chain_root', 'A'.repeat(64)),
    member('id-too-long', 'The harness has an id of 129 characters.', 'metadata.harness.id', 'x'.repeat(129)),
    made(
      'another-type',
      'The envelope is of another payload type.',
      MALFORMED,
      {},
      {
        change: (loose) => {
          loose.type = 'application/vnd.in-toto+json';
        },
      },
    ),
    file(
      'unsigned',
      'The envelope has no signature.',
      envelope((value) => {
        value.signatures = [];
      }),
    ),
    file(
      'envelope-member-added',
      'The envelope has one member more.',
      envelope((value) => {
        value.verified = true;
      }),
    ),
    file(
      'envelope-nested',
      'The envelope is nested a thousand deep.',
      encodeTar([
        ...[...honest().parts].map(([path, bytes]) => ({ path, bytes })),
        { path: 'bundle.json', bytes: utf8Encode(DEEP) },
      ]),
    ),
  ];
}

/** Who signed. */
function signatures(): BundleCase[] {
  const rotated = (runs: Runs): void => void runs.rotateKey(9);
  const first = told();
  return [
    made(
      'another-key',
      'Another key signed the bundle.',
      failing('BUNDLE_UNSIGNED'),
      {},
      {
        change: (loose) => {
          loose.signers = [stranger];
        },
      },
    ),
    made(
      'date-changed',
      'created was changed behind the signature.',
      failing('BUNDLE_UNSIGNED'),
      {},
      {
        file: (loose, runs) => {
          signedBundle(loose);
          const before = utf8Encode(canonicalize(loose.payload));
          setMember(loose, 'created', '2026-11-16T09:00:01.000Z');
          const sig = encodeBase64(runs.signer.sign(dsseMessage(loose.type, before)));
          return withEnvelope(loose.parts, {
            payload: encodeBase64(utf8Encode(canonicalize(loose.payload))),
            payloadType: loose.type,
            signatures: [{ keyid: runs.origin, sig }],
          });
        },
      },
    ),
    made(
      'replaced-key',
      'The key that was replaced signed the bundle.',
      failing('BUNDLE_UNSIGNED'),
      { after: rotated },
      {
        change: (loose) => {
          loose.signers = [first.signer];
        },
      },
    ),
    made(
      'nobody-trusted',
      'No key is trusted.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => trusting(runs, { keys: [] }),
      },
    ),
    made(
      'another-ledger-trusted',
      'The key of another ledger is trusted.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => trusting(runs, { keys: [told({ seed: 5 }).vkey] }),
      },
    ),
    made(
      'trusted-under-another-name',
      'The key is trusted for a ledger of another name.',
      unknown('KEY_NOT_TRUSTED'),
      {},
      {
        trust: (runs) => {
          const key = makeSigner('counterfoil/other', new Uint8Array(32).fill(1));
          return trusting(runs, { keys: [encodeVerifierKey(key)] });
        },
      },
    ),
    made(
      'checkpoint-by-another-key',
      'Another key signed the checkpoint.',
      failing('CHECKPOINT_UNSIGNED'),
      {},
      {
        change: ({ parts }, runs) => {
          const signer = makeSigner(runs.origin, new Uint8Array(32).fill(77));
          parts.set('checkpoint', runs.checkpoint(runs.size, signer));
        },
      },
    ),
    made(
      'checkpoint-by-the-replaced-key',
      'The key that was replaced signed the checkpoint.',
      failing('CHECKPOINT_UNSIGNED'),
      { after: rotated },
      {
        change: ({ parts }, runs) => void parts.set('checkpoint', runs.checkpoint(runs.size, first.signer)),
      },
    ),
    made(
      'rotation-by-a-stranger',
      'The old key did not sign the new one.',
      failing('ROTATION_INVALID'),
      { after: rotated },
      {
        rewrite: (runs) => {
          const seq = runs.entries().find(({ entry }) => entry.kind === 'key.rotate')?.entry.seq ?? 0;
          const signature = encodeBase64(stranger.sign(new Uint8Array(32)));
          runs.change(seq, ({ payload }) => ({ payload: { ...payload, signature } }));
        },
        trust: (runs) => trusting(runs, { keys: [first.vkey] }),
      },
    ),
  ];
}

/** Lines, and where they stand. */
function entries(): BundleCase[] {
  const bad = (name: string, done: string, change: (loose: Loose, runs: Runs) => void): BundleCase =>
    made(name, done, failing('ENTRY_MALFORMED'), {}, { change });
  const misplaced = (name: string, done: string, change: (loose: Loose, runs: Runs) => void): BundleCase =>
    made(name, done, failing('ENTRY_MISPLACED'), {}, { change });
  const untree = (name: string, done: string, change: (loose: Loose, runs: Runs) => void): BundleCase =>
    made(name, done, failing('NOT_IN_TREE'), {}, { change });
  const other = told({ seed: 5 });
  const gap = { reason: 'lost', from: 3, to: 4 };
  return [
    bad(
      'entry-date-changed',
      'The date of an entry was changed, and nothing else.',
      editLines('entries.jsonl', (lines) =>
        lines.map((line, i) => (i === 2 ? line.replace('"ts":"2026', '"ts":"2025') : line)),
      ),
    ),
    bad(
      'entry-not-canonical',
      'There is a space in a line.',
      editLines('entries.jsonl', ([line = '', ...lines]) => [line.replace(',', ', '), ...lines]),
    ),
    bad(
      'empty-line',
      'There is an empty line.',
      editLines('entries.jsonl', (lines) => ['', ...lines]),
    ),
    bad(
      'no-last-newline',
      'The last line does not end.',
      edit('entries.jsonl', (all) => all.slice(0, -1)),
    ),
    bad(
      'entry-nested',
      'A line is nested a thousand deep.',
      editLines('entries.jsonl', (lines) => [...lines, DEEP]),
    ),
    bad(
      'ledger-line-malformed',
      'A line of ledger.jsonl is a text.',
      editLines('ledger.jsonl', (lines) => [...lines, 'x']),
    ),
    misplaced(
      'moved',
      'Two entries of the run changed places.',
      editLines('entries.jsonl', ([a = '', b = '', ...lines]) => [b, a, ...lines]),
    ),
    misplaced(
      'entry-twice',
      'An entry is there twice.',
      editLines('entries.jsonl', ([a = '', ...lines]) => [a, a, ...lines]),
    ),
    misplaced(
      'entry-of-another-run',
      'An entry of the other run stands among those of this one.',
      (loose, runs) => {
        const lines = runs
          .entries()
          .filter(({ entry }) => entry.session_id === runs.session || entry.seq === 4);
        loose.parts.set('entries.jsonl', linesOf(lines));
      },
    ),
    misplaced('another-run-id', 'The bundle names the other run.', (loose, runs) =>
      setMember(loose, 'run_id', runs.entries()[2]?.entry.session_id ?? null),
    ),
    misplaced('entry-of-the-run-beside-it', 'An entry of the run stands in ledger.jsonl.', (loose, runs) =>
      move(loose, runs, ({ entry }) => entry.session_id === runs.session && entry.kind === 'prompt'),
    ),
    misplaced('entry-of-nobody', 'A note stands in ledger.jsonl.', (loose, runs) =>
      move(loose, runs, ({ entry }) => entry.kind === 'note'),
    ),
    misplaced(
      'entry-in-both',
      'An entry of the ledger stands in both parts, as one of the run.',
      (loose, runs) => {
        const line = runs.entries()[1]?.line ?? new Uint8Array(0);
        loose.parts.set(
          'entries.jsonl',
          linesOf([
            { line } as Line,
            ...runs.entries().filter(({ entry }) => entry.session_id === runs.session),
          ]),
        );
      },
    ),
    made(
      'gap-before-the-run',
      'ledger.jsonl has a gap of before the run.',
      failing('ENTRY_MISPLACED'),
      {},
      {
        rewrite: (runs) => void runs.change(4, () => ({ kind: 'gap', session_id: null, payload: gap })),
        besides: ({ seq }) => seq === 4,
      },
    ),
    made(
      'gap-behind-the-run',
      'ledger.jsonl has a gap of behind the run.',
      failing('ENTRY_MISPLACED'),
      {
        after: (runs) => void runs.append('gap', gap),
      },
      { besides: ({ kind }) => kind === 'gap' },
    ),
    made(
      'ledger-unopened',
      'The entry that opens the ledger is left out.',
      failing('LEDGER_UNKNOWN'),
      {},
      {
        without: ({ kind }) => kind === 'ledger.open',
      },
    ),
    made('opened-twice', 'A second entry opens the ledger.', failing('LEDGER_UNKNOWN'), {
      after: (runs) =>
        void runs.append(
          'ledger.open',
          encodeLedgerOpen({ nonce: '1'.repeat(64), publicKey: '2'.repeat(64) }),
        ),
    }),
    made(
      'another-origin',
      'The bundle names another ledger.',
      failing('LEDGER_UNKNOWN'),
      {},
      {
        change: (loose) => setMember(loose, 'origin', other.origin),
      },
    ),
    made(
      'opened-by-another',
      'The entry that opens another ledger stands in place of the own one.',
      failing('LEDGER_UNKNOWN'),
      {},
      {
        change: editLines('ledger.jsonl', ([, ...lines]) => [other.lines[0] ?? '', ...lines]),
      },
    ),
    made(
      'entry-rehashed',
      'The date of an entry was changed, and its hash with it.',
      failing('NOT_IN_TREE', 'RUN_SUM_MISSING', 'RUN_SUM_WRONG'),
      {},
      {
        change: (loose, runs) => {
          const seq = seqOf(runs, 'tool.call');
          const before = runs.lines[seq - 1] ?? '';
          runs.change(seq, () => ({ ts: '2025-11-15T10:00:00.000Z' }));
          edit('entries.jsonl', (all) => all.replace(before, runs.lines[seq - 1] ?? ''))(loose);
          setFacts(loose, runs);
        },
      },
    ),
    untree(
      'proof-hash-changed',
      'A hash of the proof was changed.',
      edit('proof.json', (old) => old.replace(/"[0-9a-f]{64}"/, `"${'0'.repeat(64)}"`)),
    ),
    untree(
      'proof-hash-added',
      'The proof has one hash more.',
      edit('proof.json', (old) => old.replace('["', `["${'0'.repeat(64)}","`)),
    ),
    untree(
      'proof-hash-missing',
      'The proof has one hash less.',
      edit('proof.json', (old) => old.replace(/"[0-9a-f]{64}",/, '')),
    ),
    untree(
      'proof-of-another-size',
      'The proof is of a larger tree.',
      edit('proof.json', (old) => old.replace(/"size":\d+/, '"size":9007199254740991')),
    ),
    untree(
      'older-checkpoint',
      'The checkpoint is of before the run had ended.',
      ({ parts }, runs) => void parts.set('checkpoint', runs.checkpoint(8)),
    ),
    made(
      'entries-of-another-ledger',
      'The entries are those of a run of another ledger.',
      failing('NOT_IN_TREE'),
      {},
      {
        change: (loose) => {
          loose.parts.set(
            'entries.jsonl',
            looseBundle(other).parts.get('entries.jsonl') ?? new Uint8Array(0),
          );
          setMember(loose, 'run_id', other.session);
          setFacts(loose, other);
        },
      },
    ),
    made(
      'checkpoint-of-another-ledger',
      'The checkpoint is another ledger’s, of the same size.',
      failing('CHECKPOINT_UNSIGNED', 'NOT_IN_TREE'),
      {},
      {
        change: ({ parts }) => void parts.set('checkpoint', other.checkpoint()),
      },
    ),
  ];
}

function move(loose: Loose, runs: Runs, is: (line: Line) => boolean): void {
  const before = text(loose, 'ledger.jsonl').split('\n');
  const ledger = runs.entries().filter((line) => is(line) || before.includes(utf8Decode(line.line)));
  const run = runs.entries().filter((line) => line.entry.session_id === runs.session && !is(line));
  loose.parts.set('ledger.jsonl', linesOf(ledger));
  loose.parts.set('entries.jsonl', linesOf(run));
}

/** What the payload says of the entries, from the ledger as it is now. */
function setFacts(loose: Loose, runs: Runs): void {
  const { payload } = looseBundle(runs);
  for (const name of ['entries', 'event_chain_root', 'receipts', 'receipts_root', 'inputs', 'outputs'])
    loose.payload[name] = payload[name] as Json;
}

/** What is left out, or came behind. */
function sums(): BundleCase[] {
  const wrong = failing('RUN_SUM_WRONG', 'RUN_SUM_MISSING');
  const leaving = (name: string, done: string, kind: string, expect = wrong): BundleCase =>
    made(name, done, expect, {}, { without: (entry) => entry.kind === kind && entry.source === 'sdk' });
  const start = (runs: Runs): number => seqOf(runs, 'session.start');
  return [
    made(
      'start-left-out',
      'The first entry of the run is left out.',
      failing('RUN_SUM_MISSING', 'RUN_SUM_WRONG', 'RUN_UNKNOWN', 'SESSION_UNSTARTED'),
      {},
      {
        without: ({ kind }) => kind === 'session.start',
      },
    ),
    leaving('first-left-out', 'The second entry of the run is left out.', 'run.base'),
    leaving('prompt-left-out', 'The prompts are left out.', 'prompt'),
    leaving('middle-left-out', 'The calls of tools are left out.', 'tool.call'),
    leaving('last-left-out', 'The last entry before the end is left out.', 'run.artifacts'),
    leaving('end-left-out', 'The end is left out.', 'session.end', unknown('RUN_OPEN', 'RUN_SUM_MISSING')),
    made(
      'entry-changed',
      'An entry was changed, and tree, checkpoint and manifest are those of the changed one.',
      wrong,
      {},
      {
        rewrite: (runs) =>
          void runs.change(seqOf(runs, 'tool.call'), () => ({ ts: '2026-11-15T10:00:00.999Z' })),
      },
    ),
    made(
      'run-begun-twice',
      'The run has two beginnings, each with a pack of its own.',
      failing('RUN_UNKNOWN'),
      {
        tell: (runs) => {
          const { agent = null } = runs.entries()[2]?.entry.payload ?? {};
          runs.of('session.start', { agent, resumes: null, pack: OTHER_PACK.hashes.root });
        },
      },
    ),
    made(
      'run-begun-elsewhere',
      'The id of the run does not follow from its place.',
      failing('SESSION_ID_WRONG', 'RUN_SUM_MISSING', 'RUN_SUM_WRONG'),
      {},
      {
        rewrite: (runs) =>
          void runs.change(start(runs), ({ payload }) => ({
            payload: { ...payload, auth_key: '7'.repeat(64) },
          })),
      },
    ),
    made('run-open', 'The run has not ended; a sum is there.', unknown('RUN_OPEN'), {
      close: (runs) => void runs.sum(),
    }),
    made('run-cut', 'The run was cut off.', unknown('RUN_OPEN'), { close: (runs) => void runs.cut() }),
    made('entry-behind-the-sum', 'An entry stands behind the last sum.', unknown('RUN_SUM_MISSING'), {
      after: (runs) => void runs.tool('Bash', { command: 'ls' }),
    }),
    made(
      'end-without-a-sum',
      'The end says nothing of the entries before it; a sum that the owner appended leaves one out.',
      unknown('RUN_SUM_MISSING'),
      {
        pack: STRICT,
        tell: (runs) => void runs.tool('WebFetch', { url: 'https://example.org' }),
        close: (runs) => {
          runs.end({});
          const { lines } = runs;
          const at = lines.findIndex((line) => line.includes('WebFetch'));
          const [denied = ''] = lines.splice(at, 1);
          const { entries, root } = runs.summed();
          lines.splice(at, 0, denied);
          runs.of('session.sum', { entries, root });
        },
      },
      { without: ({ payload }) => payload.tool === 'WebFetch' },
    ),
    made('sum-malformed', 'The sum has one member more.', failing('SESSION_MALFORMED', 'RUN_SUM_MISSING'), {
      after: (runs) => void runs.of('session.sum', { ...runs.summed(), more: 1 }),
    }),
    made(
      'end-sum-malformed',
      'The end has a count and no root.',
      failing('SESSION_MALFORMED', 'RUN_SUM_MISSING'),
      {
        close: (runs) => void runs.end({ entries: 3 }),
      },
    ),
    made('gap-in-the-run', 'Nothing was recorded for a while, and an entry says so.', unknown('BLIND'), {
      tell: (runs) =>
        void runs.append('gap', {
          reason: 'unrecorded',
          since: '2026-11-15T10:00:00.001Z',
          until: '2026-11-15T10:00:00.002Z',
          events: null,
          why: 'recording',
          calls: [],
        }),
    }),
  ];
}

/** What the payload says of the run. */
function manifests(): BundleCase[] {
  const wrong = (name: string, path: string, value: Json, story = {}): BundleCase =>
    made(`manifest-${name}`, `${path} is not what the entries say.`, failing('MANIFEST_WRONG'), story, {
      change: (loose) => setMember(loose, path, value),
    });
  const zeros = '0'.repeat(64);
  const many = {
    tell: (runs: Runs): void => {
      for (let i = 2; i <= 4; i++) runs.of('prompt', { prompt_hash: `${i}`.repeat(64) });
    },
  };
  const withPack = { pack: STRICT };
  return [
    wrong('entries', 'entries', 3),
    wrong('event-chain-root', 'event_chain_root', zeros),
    wrong('receipts', 'receipts', 2),
    wrong('receipts-root', 'receipts_root', zeros),
    wrong('prompts', 'inputs.prompt_hashes', [zeros]),
    wrong('more-prompts', 'inputs.more_prompts', true),
    made(
      'manifest-fewer-prompts',
      'Of four prompts one is listed, and more_prompts is true.',
      failing('MANIFEST_WRONG'),
      many,
      {
        change: (loose) => {
          const { prompt_hashes: hashes } = loose.payload.inputs as JsonObject;
          setMember(loose, 'inputs.prompt_hashes', [(hashes as string[])[0] ?? '']);
          setMember(loose, 'inputs.more_prompts', true);
        },
      },
    ),
    wrong('commit', 'inputs.commit', 'c'.repeat(40)),
    wrong('tree', 'inputs.tree', null),
    wrong('artifacts', 'outputs.artifact_hash_b64u', 'A'.repeat(43)),
    made(
      'artifacts-chosen',
      'Two entries name artifacts, and the bundle names those of one.',
      failing('MANIFEST_WRONG'),
      {
        tell: (runs) => void runs.artifacts([]),
      },
      {
        change: (loose, runs) => {
          const { artifact_hash_b64u: hash = null } =
            runs.entries()[seqOf(runs, 'run.artifacts') - 1]?.entry.payload ?? {};
          setMember(loose, 'outputs.artifact_hash_b64u', hash);
        },
      },
    ),
    made(
      'artifacts-behind-the-end',
      'Artifacts were named behind the end of the run.',
      failing('MANIFEST_WRONG'),
      {
        close: (runs) => void runs.end(),
        after: (runs) => {
          runs.artifacts();
          runs.sum();
        },
      },
    ),
    wrong('pack-left-unnamed', 'metadata.harness.pack_root', null, withPack),
    wrong('date-before-the-run', 'created', '2026-11-15T09:00:00.000Z'),
    made(
      'harness-without-a-pack',
      'The run has no pack, and the bundle gives the harness a name and hashes.',
      failing('MANIFEST_WRONG'),
      {},
      {
        change: (loose) => {
          const { harness } = looseBundle(told(withPack), withPack).payload.metadata as {
            harness: JsonObject;
          };
          setMember(loose, 'metadata.harness', { ...harness, pack_root: null });
        },
      },
    ),
    made(
      'pack-without-a-name',
      'The run has no pack, and one is in the bundle.',
      failing('MANIFEST_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('harness-pack.tar.gz', encodePack(STRICT)),
      },
    ),
    made(
      'open-pack-called-secret',
      'The pack is there, and is said to be encrypted.',
      failing('MANIFEST_WRONG'),
      withPack,
      {
        change: (loose) => setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm'),
      },
    ),
    made('two-packs', 'Beside the pack there is an encrypted one.', failing('MANIFEST_WRONG'), withPack, {
      change: ({ parts }) => void parts.set('harness-pack.jwe.json', ENCRYPTED),
    }),
  ];
}

/** The pack, and whether the run kept to it. */
function packs(): BundleCase[] {
  const harness = (name: string, done: string, path: string, value: Json): BundleCase =>
    made(
      name,
      done,
      failing('PACK_WRONG'),
      { pack: STRICT },
      {
        change: (loose) => setMember(loose, `metadata.harness.${path}`, value),
      },
    );
  const part = (name: string, done: string, bytes: Uint8Array): BundleCase =>
    made(
      name,
      done,
      failing('PACK_WRONG'),
      { pack: STRICT },
      {
        change: ({ parts }) => void parts.set('harness-pack.tar.gz', bytes),
      },
    );
  const secret = (loose: Loose): void => {
    loose.parts.delete('harness-pack.tar.gz');
    loose.parts.set('harness-pack.jwe.json', ENCRYPTED);
    setMember(loose, 'metadata.harness.pack_encryption_method', 'aes-gcm');
  };
  const calls = (
    name: string,
    done: string,
    expect: BundleCase['expect'],
    tell: (runs: Runs) => void,
    disclose: 'arguments' | 'none' = 'arguments',
  ): BundleCase => made(name, done, expect, { pack: RULED, tell }, { disclose });
  const denied = failing('TOOL_DENIED');
  const undisclosed = unknown('TOOL_UNDISCLOSED');
  return [
    part('pack-of-another-root', 'Another pack is in the bundle.', encodePack(OTHER_PACK)),
    part('pack-malformed', 'The pack is a text.', utf8Encode('pack')),
    part('pack-cut-short', 'The pack is cut short.', encodePack(STRICT).subarray(0, -9)),
    made(
      'another-pack-named',
      'The bundle names another pack than the run, and has it.',
      failing('MANIFEST_WRONG'),
      { pack: STRICT },
      { pack: OTHER_PACK },
    ),
    harness(
      'pack-hash-wrong',
      'The bundle names another pack hash.',
      'pack_hash_b64u',
      OTHER_PACK.hashes.packHash,
    ),
    harness(
      'config-hash-wrong',
      'The bundle names another hash of the configuration.',
      'config_hash_b64u',
      'A'.repeat(43),
    ),
    harness('pack-id-wrong', 'The bundle gives the pack another id.', 'id', 'better'),
    made(
      'pack-left-out',
      'The pack is not in the bundle.',
      unknown('PACK_MISSING'),
      { pack: STRICT },
      {
        change: ({ parts }) => void parts.delete('harness-pack.tar.gz'),
      },
    ),
    made(
      'pack-encrypted',
      'The pack is encrypted.',
      unknown('PACK_MISSING'),
      { pack: STRICT },
      { change: secret },
    ),
    calls(
      'tool-denied',
      'The run called a tool that its pack denies.',
      denied,
      (runs) => void runs.tool('WebFetch', { url: 'https://example.org' }),
    ),
    calls(
      'argument-denied',
      'The run used an argument that its pack denies, and shows it.',
      denied,
      (runs) => void runs.tool('Bash', { command: 'sudo rm -rf /' }),
    ),
    calls(
      'argument-denied-inline',
      'The denied argument stands in the entry itself.',
      denied,
      (runs) => void runs.tool('Bash', {}, { args: { deep: [{ command: 'rm -rf /' }] } }),
    ),
    calls(
      'argument-denied-in-a-text',
      'The arguments are one text, and it is denied.',
      denied,
      (runs) => void runs.tool('Bash', '', { bytes: utf8Encode('rm -rf /'), type: 'text/plain' }),
    ),
    made(
      'tool-denied-behind-the-end',
      'The denied call stands behind the end.',
      denied,
      {
        pack: RULED,
        after: (runs) => {
          runs.tool('WebFetch', { url: 'https://example.org' });
          runs.sum();
        },
      },
      { disclose: 'arguments' },
    ),
    calls(
      'arguments-not-shown',
      'A rule looks at arguments that are not shown.',
      undisclosed,
      () => undefined,
      'none',
    ),
    calls(
      'arguments-not-kept',
      'A rule looks at arguments that were never kept: the entry has their hash alone.',
      undisclosed,
      (runs) => void runs.tool('Bash', { command: 'rm -rf /' }, { args: null }),
    ),
    calls(
      'arguments-not-canonical',
      'The arguments that are shown name a member twice.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { bytes: utf8Encode('{"command":"rm -rf /","command":"ls"}') }),
    ),
    calls(
      'arguments-nested',
      'The arguments that are shown are nested ten thousand deep.',
      undisclosed,
      (runs) =>
        void runs.tool('Bash', {}, { bytes: utf8Encode(`${'['.repeat(10_000)}${']'.repeat(10_000)}`) }),
    ),
    calls(
      'arguments-within-arguments',
      'A part of the arguments is a reference to content.',
      undisclosed,
      (runs) =>
        void runs.tool(
          'Bash',
          {},
          { args: { command: runs.kept(utf8Encode('rm -rf /'), 'text/plain').ref } },
        ),
    ),
    calls(
      'arguments-of-no-form',
      'The reference to the arguments is malformed.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { args: { $content: 'keyed-sha256:x', bytes: 1 } }),
    ),
    calls(
      'arguments-encrypted',
      'What is shown of the arguments is encrypted.',
      undisclosed,
      (runs) => void runs.tool('Bash', {}, { bytes: utf8Encode('{}'), type: 'application/octet-stream' }),
    ),
    calls(
      'tool-without-a-name',
      'A call does not say which tool it is of.',
      undisclosed,
      (runs) => void runs.of('tool.call', { args: null }),
    ),
  ];
}

/** Content and commits that are shown. */
function shown(): BundleCase[] {
  const wrong = (name: string, done: string, change: (loose: Loose, runs: Runs) => void): BundleCase =>
    made(`content-${name}`, done, failing('CONTENT_WRONG'), {}, { disclose: 'all', change });
  const first = ({ parts }: Loose): string =>
    [...parts.keys()].find((path) => path.startsWith('content/')) ?? '';
  const commit = {
    after: (runs: Runs): void => {
      runs.commit();
      runs.sum();
    },
  };
  const uncommitted = (name: string, done: string, change: (loose: Loose) => void): BundleCase =>
    made(`commit-${name}`, done, failing('COMMIT_WRONG'), commit, { change });
  const object = ({ parts }: Loose): string =>
    [...parts.keys()].find((path) => path.startsWith('commits/')) ?? '';
  return [
    wrong(
      'changed',
      'Content is not what its name commits to.',
      (loose) => void loose.parts.set(first(loose), utf8Encode('better')),
    ),
    wrong(
      'without-its-key',
      'The key of content is missing.',
      edit('content-keys.json', (keys) => keys.replace(/"[^"]*":"[^"]*",/, '')),
    ),
    wrong('without-keys', 'There are no keys.', ({ parts }) => void parts.delete('content-keys.json')),
    wrong(
      'under-another-key',
      'The key of content is another one.',
      edit('content-keys.json', (keys) => keys.replace(/:"[0-9a-f]{64}"/, `:"${'0'.repeat(64)}"`)),
    ),
    wrong(
      'keys-not-canonical',
      'content-keys.json has a space in it.',
      edit('content-keys.json', (keys) => keys.replace(',', ', ')),
    ),
    wrong(
      'keys-nested',
      'content-keys.json is nested a thousand deep.',
      edit('content-keys.json', () => DEEP),
    ),
    wrong(
      'key-of-no-form',
      'A key is a number.',
      edit('content-keys.json', (keys) => keys.replace('{', '{"a":1,')),
    ),
    wrong(
      'key-of-nothing',
      'There is a key for content that is not shown.',
      (loose) => void loose.parts.delete(first(loose)),
    ),
    wrong('of-no-entry', 'Content is shown that no entry names.', ({ parts }) => {
      const bytes = utf8Encode('The agent was right.');
      parts.set(`content/sha256-${sha256Hex(bytes)}`, bytes);
    }),
    wrong('of-another-run', 'Content of the other run is shown.', (loose, runs) => {
      const { parts } = looseBundle(runs, {
        run: runs.entries()[2]?.entry.session_id ?? '',
        disclose: 'all',
      });
      for (const [path, bytes] of parts) if (path.startsWith('content')) loose.parts.set(path, bytes);
    }),
    wrong(
      'of-no-name',
      'Content has a name of no form.',
      ({ parts }) => void parts.set('content/prompt.txt', utf8Encode('x')),
    ),
    made(
      'content-under-the-salt',
      'Content under the older algorithm is shown with the salt, which opens all of it.',
      failing('CONTENT_WRONG'),
      {
        tell: (runs) => {
          runs.of('tool.call', { tool: 'Bash', args: runs.content('ls') });
        },
      },
      {
        change: ({ parts }, runs) => {
          const [, name = ''] = /"hmac-sha256:([0-9a-f]{64})"/.exec(runs.lines.join('\n')) ?? [];
          parts.set(`content/hmac-sha256-${name}`, utf8Encode('ls'));
          parts.set('content-keys.json', utf8Encode(`{"hmac-sha256:${name}":"${'5a'.repeat(32)}"}`));
        },
      },
    ),
    made(
      'artifacts-changed',
      'What the run made is shown, and is something else.',
      failing('ARTIFACTS_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('artifacts.tar', encodeTar([])),
      },
    ),
    made(
      'artifacts-malformed',
      'The archive of what the run made is a text.',
      failing('ARTIFACTS_WRONG'),
      {},
      {
        change: ({ parts }) => void parts.set('artifacts.tar', utf8Encode('x')),
      },
    ),
    made(
      'artifacts-of-no-entry',
      'Something is shown as made by the run, and no entry says what it made.',
      failing('ARTIFACTS_WRONG'),
      { close: (runs) => void runs.end() },
      {
        change: ({ parts }) => void parts.set('artifacts.tar', encodeTar(ARTIFACTS)),
      },
    ),
    uncommitted(
      'left-out',
      'The object of the commit is not there.',
      (loose) => void loose.parts.delete(object(loose)),
    ),
    uncommitted(
      'changed',
      'The object is not the one of its name.',
      (loose) => void loose.parts.set(object(loose), utf8Encode('tree x\n')),
    ),
    uncommitted(
      'of-no-entry',
      'An object is there that no entry names.',
      ({ parts }) => void parts.set(`commits/${'a'.repeat(40)}`, utf8Encode('x')),
    ),
    made(
      'commit-with-another-tree',
      'The entry names another tree than the object.',
      failing('COMMIT_WRONG'),
      {
        after: (runs) => {
          runs.commit({ tree: 'c'.repeat(64) });
          runs.sum();
        },
      },
    ),
    made(
      'commit-with-other-parents',
      'The entry names other parents than the object.',
      failing('COMMIT_WRONG'),
      {
        after: (runs) => {
          runs.commit({ parents: [] });
          runs.sum();
        },
      },
    ),
    made('commit-malformed', 'The entry has one member more.', failing('COMMIT_WRONG'), {
      after: (runs) => {
        runs.commit({ author: 'me' });
        runs.sum();
      },
    }),
  ];
}

/** Receipts, as in a ledger. */
function receipts(): BundleCase[] {
  const misbound = failing('RECEIPT_MISBOUND');
  return [
    made('receipt-of-a-tool-call', 'A receipt names a call of a tool.', failing('RECEIPT_MISBOUND'), {
      tell: (runs) => {
        const exchange = runs.exchange();
        runs.receipt({ ...exchange, event: runs.tool('Bash', { command: 'ls' }) });
      },
    }),
    made('receipt-of-another-run', 'A receipt names another run.', failing('RECEIPT_MISBOUND'), {
      tell: (runs) => void runs.receipt(runs.exchange(), { change: { run: '7'.repeat(64) } }),
    }),
    made('receipt-used-twice', 'A receipt is there twice.', misbound, {
      tell: (runs) => {
        const exchange = runs.exchange();
        runs.receipt(exchange);
        runs.receipt(exchange);
      },
    }),
    made('nonce-used-twice', 'Two receipts have one nonce.', failing('RECEIPT_NONCE_REUSED'), {
      tell: (runs) => {
        const nonce = 'client-nonce-1';
        for (let i = 0; i < 2; i++) runs.receipt(runs.exchange({ nonce }), { change: { nonce } });
      },
    }),
    made('receipt-forged', 'Another key signed a receipt.', failing('RECEIPT_FORGED'), {
      tell: (runs) => void runs.receipt(runs.exchange(), { by: stranger }),
    }),
    made(
      'receipt-without-its-key',
      'The entry that introduces the gateway’s key is left out.',
      failing('RECEIPT_FORGED'),
      { model: true },
      {
        without: ({ kind }) => kind === 'gateway.key',
      },
    ),
    made('receipt-missing', 'A model call has no receipt.', unknown('RECEIPT_MISSING'), {
      tell: (runs) => void runs.exchange(),
    }),
    made(
      'receipt-of-another-pack',
      'A receipt names another pack than the run.',
      failing('RECEIPT_MISBOUND'),
      {
        tell: (runs) => void runs.receipt(runs.exchange(), { change: { pack: OTHER_PACK.hashes.root } }),
      },
    ),
  ];
}

export function wrongBundles(): BundleCase[] {
  return [
    ...files(),
    ...signatures(),
    ...entries(),
    ...sums(),
    ...manifests(),
    ...packs(),
    ...shown(),
    ...receipts(),
  ];
}
