// Lines, where they stand, and the tree that they are in.
import { utf8Decode } from '#platform';
import type { Json } from '../../../src/core/index.ts';
import { encodeLedgerOpen } from '../../../src/format/index.ts';
import { type Line, type Loose, linesOf, looseBundle, type Runs } from '../bundle-maker.ts';
import { type BundleCase, failing, made, setMember, told } from '../make-bundles.ts';
import { DEEP, edit, editLines, seqOf, text } from './edits.ts';

/** Lines, and where they stand. */
export function entries(): BundleCase[] {
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
          runs.changeAlone(seq, () => ({ ts: '2025-11-15T10:00:00.000Z' }));
          edit('entries.jsonl', (all) => all.replace(before, runs.lines[seq - 1] ?? ''))(loose);
          setFacts(loose, runs);
        },
      },
    ),
    made(
      'chain-broken',
      'An entry does not follow from the one right before it.',
      failing('CHAIN_BROKEN'),
      {},
      {
        rewrite: (runs) =>
          void runs.changeAlone(seqOf(runs, 'session.end'), () => ({ prev_hash: 'a'.repeat(64) })),
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
