// Attacks on a ledger, each with everything the verifier must say about it.
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { makeSigner } from '../../src/core/index.ts';
import { encodeEntry, encodeHead, GENESIS, parseEntry } from '../../src/format/index.ts';
import { codesOf, filesNamed, statusesOf, verify } from './expect.ts';
import { type FileMap, join, LedgerMaker, linesOf, setLines } from './make-ledger.ts';

const LOG = 'ledger/0000000000000001.jsonl';

/** Ten entries: the first eight sealed, two not. */
function ledger(): LedgerMaker {
  return new LedgerMaker().notes(4).seal().notes(3).seal().notes(2);
}

function sealed(): LedgerMaker {
  return new LedgerMaker().notes(9).seal();
}

describe('an untouched ledger', () => {
  it('is INTACT, and SIGNED as far as a pinned key signed', async () => {
    const made = ledger();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(statusesOf(report)).toBe('pass unknown pass');
    expect(codesOf(report)).toEqual(['UNSEALED@9']);
    expect(report).toMatchObject({
      verdict: 'INTACT',
      marks: { signed: { from: 1, to: 8 } },
      valid: true,
      status: 'VALID',
    });
    expect(report.facets.truncation.findings[0]?.message).toBe(
      '2 entries from 9 are not under a checkpoint yet, since 2026-11-15T10:00:00.008Z',
    );
    expect(report.sentence).toBe(
      'Entries 1–10 are intact; 1–8 are signed by a key that you pinned. The last 2 are not sealed yet.',
    );
  });

  it('passes everything when all is sealed, and does not claim that a rollback is excluded', async () => {
    const made = sealed();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(statusesOf(report)).toBe('pass pass pass');
    expect(codesOf(report)).toEqual([]);
    expect(report.facets.truncation.message).toContain('Nothing inside the directory shows');
    const kept = await verify(made.files, { keys: [made.signer], keptCheckpoints: [made.checkpoint(7)] });
    expect(kept.facets.truncation.message).toContain('in line with the checkpoint that you kept');
  });

  it('is never SIGNED without a pinned key', async () => {
    const report = await verify(sealed().files);
    expect(statusesOf(report)).toBe('pass pass unknown');
    expect(codesOf(report)).toEqual(['NO_PINNED_KEY']);
    expect(report.marks.signed).toBeNull();
    expect(report.sentence).toContain('you pinned no key');
  });
});

describe('K6c an empty or missing ledger is never valid', () => {
  const empty: [string, FileMap][] = [
    ['an empty directory', new Map()],
    ['an empty segment', new Map([[LOG, new Uint8Array(0)]])],
    ['only torn bytes', new Map([[LOG, utf8Encode('{"cau')]])],
    [
      'no segment, but all the rest',
      new Map([...sealed().files].filter(([path]) => !path.startsWith('ledger/'))),
    ],
  ];
  for (const [what, files] of empty) {
    it(what, async () => {
      const report = await verify(files);
      expect(report).toMatchObject({ verdict: 'BROKEN', valid: false, status: 'EMPTY_LOG', entries: 0 });
      expect(report.facets.integrity.status).toBe('fail');
      expect(codesOf(report)).toContain('EMPTY_LOG');
    });
  }
});

describe('K1c K1b sequence and chain', () => {
  /** What the tree and the checkpoints say when line `n` of ten is no longer what it was. */
  const tree = ['ROOT_MISMATCH@10', 'TILE_MISMATCH'];

  it('a byte of each line changed: that entry is named', async () => {
    const made = sealed();
    for (let seq = 1; seq <= 10; seq++) {
      const files = made.copy();
      const lines = linesOf(files, LOG);
      lines[seq - 1] = (lines[seq - 1] as string).replace('"source":"cli"', '"source":"clj"');
      setLines(files, LOG, lines);
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual([`HASH_MISMATCH@${seq}`, ...tree].sort());
      expect(report.failures).toContainEqual({ seq, error: 'HASH_MISMATCH' });
      expect(report).toMatchObject({
        verdict: 'BROKEN',
        valid: false,
        status: 'CORRUPTED',
        marks: { signed: null },
      });
    }
  });

  it('a changed entry with its hash made right: the next one says so', async () => {
    const made = sealed();
    const files = made.copy();
    const lines = linesOf(files, LOG);
    const { entry_hash: _, prev_hash, seq, ...draft } = parseEntry(utf8Encode(lines[4] as string));
    lines[4] = encodeEntry({ ...draft, payload: { text: 'forged' } }, seq, prev_hash).line;
    setLines(files, LOG, lines);
    expect(codesOf(await verify(files, { keys: [made.signer] }))).toContain('CHAIN_BROKEN@6');
  });

  it('each line dropped', async () => {
    const made = sealed();
    for (let seq = 2; seq <= 9; seq++) {
      const files = made.copy();
      setLines(files, LOG, linesOf(files, LOG).toSpliced(seq - 1, 1));
      const codes = codesOf(await verify(files, { keys: [made.signer] }));
      expect(codes).toEqual(
        expect.arrayContaining([
          `SEQ_MISMATCH@${seq + 1}`,
          `CHAIN_BROKEN@${seq + 1}`,
          'TRUNCATED@10',
          'TILE_BEYOND_LOG@10',
        ]),
      );
    }
  });

  it('the first line dropped: not a ledger', async () => {
    const made = sealed();
    const files = made.copy();
    setLines(files, LOG, linesOf(files, LOG).slice(1));
    const codes = codesOf(await verify(files, { keys: [made.signer] }));
    expect(codes).toEqual(
      expect.arrayContaining(['GENESIS_MISMATCH@2', 'SEQ_MISMATCH@2', 'SEGMENT_NAME@2', 'NOT_A_LEDGER@1']),
    );
  });

  it('a line added, doubled, or two swapped', async () => {
    const made = sealed();
    const attacks: [(lines: string[]) => string[], string[]][] = [
      [
        (l) =>
          l.toSpliced(
            4,
            0,
            encodeEntry(
              { kind: 'note', payload: {}, source: 'cli', ts: '2026-11-15T10:00:00.000Z' },
              5,
              made.hashes[3] as string,
            ).line,
          ),
        ['CHAIN_BROKEN@5', 'SEQ_MISMATCH@5'],
      ],
      [(l) => l.toSpliced(4, 0, l[4] as string), ['CHAIN_BROKEN@5', 'SEQ_MISMATCH@5']],
      [
        (l) => l.with(4, l[5] as string).with(5, l[4] as string),
        [
          'CHAIN_BROKEN@5',
          'CHAIN_BROKEN@6',
          'CHAIN_BROKEN@7',
          'SEQ_MISMATCH@5',
          'SEQ_MISMATCH@6',
          'SEQ_MISMATCH@7',
        ],
      ],
    ];
    for (const [attack, expected] of attacks) {
      const files = made.copy();
      setLines(files, LOG, attack(linesOf(files, LOG)));
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual(expect.arrayContaining([...expected, 'ROOT_MISMATCH@10']));
      expect(report.verdict).toBe('BROKEN');
    }
  });

  it('K6a all failures are reported, not just the first', async () => {
    const made = sealed();
    const files = made.copy();
    const lines = linesOf(files, LOG);
    lines[2] = 'not json';
    lines[4] = (lines[4] as string).replace('note 5', 'note 6');
    lines[6] = '';
    lines[8] = `${lines[8]}\r`;
    setLines(files, LOG, lines);
    files.set('tile/0/000.p/10', new Uint8Array(320));
    const report = await verify(files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(
      [
        'BLANK_LINE@7',
        'HASH_MISMATCH@5',
        'HEAD_MISMATCH@10',
        'INVALID_JSON@3',
        'NOT_CANONICAL@9',
        'ROOT_MISMATCH@10',
        'TILE_MISMATCH',
      ].sort(),
    );
    expect(report.failures.map(({ seq }) => seq)).toEqual([3, 5, 7, 9, 10, 10, 10, null]);
  });

  it('G14 a chain that does not begin at the genesis hash', async () => {
    const made = sealed();
    const files = made.copy();
    const lines = linesOf(files, LOG);
    const { entry_hash: _, prev_hash: __, seq, ...draft } = parseEntry(utf8Encode(lines[0] as string));
    lines[0] = encodeEntry(draft, seq, 'f'.repeat(64)).line;
    setLines(files, LOG, lines);
    const codes = codesOf(await verify(files));
    expect(codes).toEqual(expect.arrayContaining(['GENESIS_MISMATCH@1', 'CHAIN_BROKEN@2']));
    expect(GENESIS).not.toBe('f'.repeat(64));
  });

  it('a first entry that opens no ledger, and a second that does', async () => {
    const made = sealed();
    const files = made.copy();
    const lines = linesOf(files, LOG);
    const { entry_hash: _, prev_hash, seq, ...draft } = parseEntry(utf8Encode(lines[0] as string));
    lines[0] = encodeEntry({ ...draft, kind: 'note' }, seq, prev_hash).line;
    setLines(files, LOG, lines);
    expect(codesOf(await verify(files))).toContain('NOT_A_LEDGER@1');
    const twice = new LedgerMaker();
    twice.append('ledger.open', parseEntry(utf8Encode(twice.lines[0] as string)).payload);
    expect(codesOf(await verify(twice.seal().files))).toContain('NOT_A_LEDGER@2');
  });
});

describe('cut at the end', () => {
  it('at every line: under a checkpoint it fails, above it the head tells', async () => {
    const made = ledger();
    for (let kept = 1; kept < 10; kept++) {
      const files = made.copy();
      setLines(files, LOG, linesOf(files, LOG).slice(0, kept));
      const report = await verify(files, { keys: [made.signer] });
      const codes = codesOf(report);
      expect(report.verdict).toBe('BROKEN');
      expect(report.facets.truncation.status).toBe('fail');
      expect(codes).toContain(`HEAD_AHEAD@${kept + 1}`);
      expect(codes.includes(`TRUNCATED@${kept + 1}`)).toBe(kept < 8);
      expect(codes.includes(`TILE_BEYOND_LOG@${kept + 1}`)).toBe(kept < 8);
      expect(report.facets.integrity.status).toBe('pass');
    }
  });

  it('says which checkpoint the log is too short for', async () => {
    const made = ledger();
    const files = made.copy();
    setLines(files, LOG, linesOf(files, LOG).slice(0, 6));
    const report = await verify(files);
    const truncated = report.facets.truncation.findings.filter(({ code }) => code === 'TRUNCATED');
    expect(truncated.map(({ message }) => message)).toContain(
      'the checkpoint covers 8 entries, but the log ends at 6',
    );
    expect(filesNamed(report, 'TRUNCATED')).toEqual(['checkpoint', 'checkpoints/0000000000000008']);
  });

  it('with the head made to match: an unsealed tail can be cut without a trace, and the report says unknown', async () => {
    const made = ledger();
    const cut = new LedgerMaker().notes(4).seal().notes(3).seal().notes(1);
    const report = await verify(cut.files, { keys: [made.signer] });
    expect(statusesOf(report)).toBe('pass unknown pass');
    expect(codesOf(report)).toEqual(['UNSEALED@9']);
  });

  it('rolled back as a whole: only a kept checkpoint shows it', async () => {
    const made = ledger();
    const old = new LedgerMaker().notes(4).seal();
    expect(codesOf(await verify(old.files, { keys: [made.signer] }))).toEqual([]);
    const report = await verify(old.files, { keys: [made.signer], keptCheckpoints: [made.checkpoint(8)] });
    expect(report.verdict).toBe('BROKEN');
    expect(codesOf(report)).toEqual(['TRUNCATED@6']);
  });

  it('forked: another history of the same ledger does not continue a kept checkpoint', async () => {
    const made = ledger();
    const fork = new LedgerMaker().notes(4).seal();
    fork.append('note', { text: 'another history' });
    fork.notes(4).seal();
    const report = await verify(fork.files, { keys: [made.signer], keptCheckpoints: [made.checkpoint(8)] });
    expect(codesOf(report)).toEqual(['KEPT_CHECKPOINT_MISMATCH@8']);
    expect(report.verdict).toBe('BROKEN');
    const foreign = await verify(fork.files, {
      keptCheckpoints: [new LedgerMaker(9).notes(1).checkpoint(), utf8Encode('x')],
    });
    expect(codesOf(foreign)).toEqual(['KEPT_CHECKPOINT_MISMATCH', 'NO_PINNED_KEY']);
  });

  it('forked on disk: a checkpoint of the other history is left behind', async () => {
    const fork = new LedgerMaker().notes(4).seal();
    fork.append('note', { text: 'another history' });
    fork.notes(4).seal();
    fork.files.set('checkpoints/0000000000000008', ledger().checkpoint(8));
    const report = await verify(fork.files);
    expect(codesOf(report)).toContain('ROOT_MISMATCH@8');
    expect(filesNamed(report, 'ROOT_MISMATCH')).toEqual(['checkpoints/0000000000000008']);
  });
});

describe('the head', () => {
  it('missing or damaged is unknown, not a failure', async () => {
    const made = sealed();
    for (const [head, code] of [
      [undefined, 'HEAD_MISSING'],
      [new Uint8Array(3), 'HEAD_DAMAGED'],
    ] as const) {
      const files = made.copy();
      if (head === undefined) files.delete('head');
      else files.set('head', head);
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual([code]);
      expect(statusesOf(report)).toBe('pass unknown pass');
    }
  });

  it('shows that the last line was cut short: something is missing at the end', async () => {
    const made = sealed();
    const bytes = made.files.get(LOG) as Uint8Array;
    for (const cut of [1, 2, 100]) {
      const files = made.copy();
      files.set(LOG, bytes.subarray(0, bytes.length - cut));
      const report = await verify(files, { keys: [made.signer] });
      expect(report.facets.truncation.status).toBe('fail');
      expect(codesOf(report)).toContain('HEAD_AHEAD@10');
    }
  });

  it('that lies: ahead of the log, at another place, or naming another entry', async () => {
    const made = sealed();
    const bytes = (made.files.get(LOG) as Uint8Array).length;
    const segment = { first: 1, part: 0 };
    const hash = made.hashes[9] as string;
    const lies = [
      [{ seq: 11, hash, segment, offset: bytes + 10 }, 'HEAD_AHEAD@11'],
      [{ seq: 10, hash, segment, offset: bytes - 1 }, 'HEAD_MISMATCH@10'],
      [{ seq: 10, hash, segment: { first: 2, part: 0 }, offset: bytes }, 'HEAD_MISMATCH@10'],
      [{ seq: 10, hash: 'e'.repeat(64), segment, offset: bytes }, 'HEAD_MISMATCH@10'],
    ] as const;
    for (const [head, expected] of lies) {
      const files = made.copy();
      files.set('head', encodeHead(head));
      expect(codesOf(await verify(files, { keys: [made.signer] }))).toEqual([expected]);
    }
  });

  it('that lags, or stands at the beginning of a fresh segment, is fine', async () => {
    const made = sealed();
    const files = made.copy();
    files.set('head', new LedgerMaker().notes(3).files.get('head') as Uint8Array);
    expect(codesOf(await verify(files, { keys: [made.signer] }))).toEqual([]);
    const fresh = made.copy();
    fresh.set('ledger/0000000000000011.jsonl', new Uint8Array(0));
    fresh.set(
      'head',
      encodeHead({ seq: 10, hash: made.hashes[9] as string, segment: { first: 11, part: 0 }, offset: 0 }),
    );
    expect(codesOf(await verify(fresh, { keys: [made.signer] }))).toEqual([]);
  });
});

describe('checkpoints and tiles', () => {
  it('a checkpoint of another ledger', async () => {
    const made = ledger();
    const other = new LedgerMaker(9).notes(7);
    const files = made.copy();
    files.set('checkpoint', other.checkpoint());
    const report = await verify(files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('CHECKPOINT_FOREIGN');
    expect(filesNamed(report, 'CHECKPOINT_FOREIGN')).toEqual(['checkpoint']);
    expect(report.facets.integrity.status).toBe('fail');
  });

  it('a checkpoint under the name of another size, or gone', async () => {
    const made = ledger();
    const files = made.copy();
    files.set('checkpoints/0000000000000006', made.checkpoint(7));
    expect(codesOf(await verify(files, { keys: [made.signer] }))).toContain('CHECKPOINT_INVALID@6');
    const without = made.copy();
    without.delete('checkpoint');
    expect(codesOf(await verify(without, { keys: [made.signer] }))).toEqual([
      'CHECKPOINT_MISSING',
      'UNSEALED@9',
    ]);
    const numbered = made.copy();
    numbered.delete('checkpoints/0000000000000008');
    expect(codesOf(await verify(numbered, { keys: [made.signer] }))).toEqual([
      'CHECKPOINT_MISSING@8',
      'UNSEALED@9',
    ]);
  });

  it('tiles: full, partial and stale ones must be what the entries give', async () => {
    const made = new LedgerMaker().notes(254).seal().notes(3).seal();
    expect([...made.files.keys()].filter((path) => path.startsWith('tile/'))).toEqual([
      'tile/0/000.p/255',
      'tile/0/000',
      'tile/0/001.p/2',
      'tile/1/000.p/1',
    ]);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
    for (const path of ['tile/0/000.p/255', 'tile/0/000', 'tile/0/001.p/2', 'tile/1/000.p/1']) {
      for (const change of [
        (b: Uint8Array) => b.with(40 % b.length, 0),
        (b: Uint8Array) => b.subarray(1),
        (b: Uint8Array) => join(b, new Uint8Array(1)),
      ]) {
        const files = made.copy();
        files.set(path, change(made.files.get(path) as Uint8Array));
        const report = await verify(files, { keys: [made.signer] });
        expect(codesOf(report)).toEqual(['TILE_MISMATCH']);
        expect(filesNamed(report, 'TILE_MISMATCH')).toEqual([path]);
      }
    }
  });

  it('tiles that the newest checkpoint needs must be there; stale ones need not', async () => {
    const made = new LedgerMaker().notes(254).seal().notes(3).seal();
    for (const path of ['tile/0/000', 'tile/0/001.p/2', 'tile/1/000.p/1']) {
      const files = made.copy();
      files.delete(path);
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual(['TILE_MISSING']);
      expect(filesNamed(report, 'TILE_MISSING')).toEqual([path]);
    }
    const pruned = made.copy();
    pruned.delete('tile/0/000.p/255');
    expect(codesOf(await verify(pruned, { keys: [made.signer] }))).toEqual([]);
  });

  it('a wider partial tile stands in for the one that was pruned', async () => {
    const made = ledger();
    const wider = ledger().seal();
    const files = made.copy();
    files.delete('tile/0/000.p/8');
    files.set('tile/0/000.p/10', wider.files.get('tile/0/000.p/10') as Uint8Array);
    expect(codesOf(await verify(files, { keys: [made.signer] }))).toEqual(['UNSEALED@9']);
  });

  it('a tile beyond the log shows that it was cut, even where checkpoint and head were put back', async () => {
    const made = new LedgerMaker().notes(4).seal();
    made.files.set('tile/0/000.p/8', new Uint8Array(256));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['TILE_BEYOND_LOG@6']);
    expect(report.verdict).toBe('BROKEN');
  });
});

describe('K12b segments', () => {
  const segmented = (): LedgerMaker =>
    new LedgerMaker().notes(3).rotateSegment().notes(4).rotateSegment().notes(2).seal();

  it('are one chain', async () => {
    const made = segmented();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual([]);
    expect(report.counts).toMatchObject({ segments: 3, entries: 10 });
  });

  it('one missing in the middle, or at the beginning', async () => {
    const made = segmented();
    const files = made.copy();
    files.delete('ledger/0000000000000005.jsonl');
    const report = await verify(files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('SEGMENT_MISSING@5');
    expect(codesOf(report)).not.toContain('CHAIN_BROKEN@9');
    expect(report.facets.integrity.findings[0]?.message).toBe(
      'entries 5–8 are missing before 0000000000000009.jsonl',
    );
    const headless = made.copy();
    headless.delete('ledger/0000000000000001.jsonl');
    expect(codesOf(await verify(headless, { keys: [made.signer] }))).toContain('SEGMENT_MISSING@1');
  });

  it('the last one missing is a truncation', async () => {
    const made = segmented();
    made.files.delete('ledger/0000000000000009.jsonl');
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['HEAD_AHEAD@9', 'TILE_BEYOND_LOG@9', 'TRUNCATED@9']);
  });

  it('renamed, or with the order changed', async () => {
    const made = segmented();
    const files = made.copy();
    files.set('ledger/0000000000000006.jsonl', files.get('ledger/0000000000000005.jsonl') as Uint8Array);
    files.delete('ledger/0000000000000005.jsonl');
    const report = await verify(files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['SEGMENT_NAME@5']);
    expect(filesNamed(report, 'SEGMENT_NAME')).toEqual(['ledger/0000000000000006.jsonl']);
  });

  it('with files that are not on the map beside them', async () => {
    const made = segmented();
    made.files.set('ledger/readme.txt', utf8Encode('x'));
    made.files.set('ledger/0000000000000005.jsonl.tmp', utf8Encode('x'));
    made.files.set('checkpoints/latest', utf8Encode('x'));
    made.files.set('tile/0/0x', utf8Encode('x'));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
  });
});

describe('what was required', () => {
  it('signed holds up to the newest session.end', async () => {
    const made = new LedgerMaker().notes(2);
    made.append('session.end', {});
    made.seal().notes(2);
    const holds = await verify(made.files, { keys: [made.signer], require: ['signed'] });
    expect(holds.required).toEqual({ marks: ['signed'], range: { from: 1, to: 4 }, missing: [] });
    const all = await verify(made.files, { keys: [made.signer], require: ['signed'], requireTo: 6 });
    expect(all.required.missing).toEqual(['signed']);
    const unpinned = await verify(made.files, { require: ['signed'] });
    expect(unpinned.required.missing).toEqual(['signed']);
    const other = await verify(made.files, {
      trusted: [makeSigner('counterfoil/0000000000000000', new Uint8Array(32))],
      require: ['signed'],
    });
    expect(other.required.missing).toEqual(['signed']);
  });
});
