// The attacks of the demo, each on a copy of the ledger by somebody who can write every file of it: what was done,
// what it takes to see it, and what the verifier must then say.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLedger } from '../../src/entry/index.ts';
import { encodeHead, encodeSegmentName, HEAD_FILE, parseEntry, SEGMENT_DIR } from '../../src/format/index.ts';
import type { Report } from '../../src/verify/index.ts';

export interface Attack {
  readonly name: string;
  readonly done: string;
  /** What the verifier knows besides the files. */
  readonly pinned: boolean;
  /** Changes the copy in `directory`, and gives the directory that the verifier is shown. */
  apply(directory: string): Promise<string> | string;
  /** Whether the verifier said what it must. */
  expected(report: Report): boolean;
  /** For a person: what this shows. */
  readonly lesson: string;
}

const FIRST = { first: 1, part: 0 };

/** `sealed` entries are under a checkpoint, `entries` there are. */
export function attacks(entries: number, sealed: number): Attack[] {
  const middle = Math.floor(sealed / 2);
  const broken = (report: Report, facet: keyof Report['facets'], code: string, seq?: number): boolean =>
    report.verdict === 'BROKEN' &&
    report.facets[facet].findings.some(
      (finding) => finding.code === code && (seq === undefined || finding.seq === seq),
    );
  let rewritten: Promise<string> | undefined;
  const rewrite = (directory: string): Promise<string> => {
    rewritten ??= rewriteWithFreshKey(directory, middle);
    return rewritten;
  };
  return [
    {
      name: 'a byte flipped',
      done: `one letter of entry ${middle} changed`,
      pinned: true,
      apply: (directory) => editLines(directory, (lines) => flip(lines, middle - 1)),
      expected: (report) => broken(report, 'integrity', 'HASH_MISMATCH', middle),
      lesson: 'Every entry carries the hash of its own bytes.',
    },
    {
      name: 'a line dropped',
      done: `entry ${middle} removed`,
      pinned: true,
      apply: (directory) => editLines(directory, (lines) => lines.toSpliced(middle - 1, 1)),
      expected: (report) => broken(report, 'integrity', 'SEQ_MISMATCH', middle + 1),
      lesson: 'Entries are numbered without gaps, and each names the hash of the one before.',
    },
    {
      name: 'two lines swapped',
      done: `entries ${middle} and ${middle + 1} exchanged`,
      pinned: true,
      apply: (directory) =>
        editLines(directory, (lines) =>
          lines.with(middle - 1, lines[middle] ?? '').with(middle, lines[middle - 1] ?? ''),
        ),
      expected: (report) => broken(report, 'integrity', 'SEQ_MISMATCH', middle + 1),
      lesson: 'Order is part of the chain.',
    },
    {
      name: 'the tail cut',
      done: `everything from entry ${sealed - 9} on removed, and the head made to match`,
      pinned: true,
      apply: (directory) => cut(directory, sealed - 10),
      expected: (report) => broken(report, 'truncation', 'TRUNCATED'),
      lesson:
        'A chain without its end is still a chain. Only the signed checkpoint shows that it was longer.',
    },
    {
      name: 'the unsealed tail cut',
      done: `the last ${entries - sealed - 1} of ${entries - sealed} entries that no checkpoint covers yet removed, and the head made to match`,
      pinned: true,
      apply: (directory) => cut(directory, sealed + 1),
      expected: ({ verdict, facets }) =>
        verdict === 'INTACT' &&
        facets.truncation.status === 'unknown' &&
        facets.truncation.findings.some(({ code }) => code === 'UNSEALED'),
      lesson:
        'NOT detected, and the report does not claim otherwise: truncation is unknown. Seal more often to shorten this tail.',
    },
    {
      name: 'rewritten with a fresh key',
      done: `the whole log rewritten with entry ${middle} changed, and signed with the attacker's key`,
      pinned: true,
      apply: rewrite,
      expected: (report) => broken(report, 'identity', 'KEY_NOT_TRUSTED'),
      lesson:
        'Everything in it is consistent. Only the key that you pinned distinguishes it from the real one.',
    },
    {
      name: 'the same copy, without the pin',
      done: 'the same rewritten log, verified by somebody who pinned no key',
      pinned: false,
      apply: rewrite,
      expected: ({ verdict, marks, facets }) =>
        verdict === 'INTACT' && marks.signed === null && facets.identity.status === 'unknown',
      lesson: 'INTACT but not SIGNED: it is consistent, but nothing shows whose it is. Pin the key.',
    },
  ];
}

function segmentPath(directory: string): string {
  return join(directory, SEGMENT_DIR, encodeSegmentName(FIRST));
}

function readLines(directory: string): string[] {
  return readFileSync(segmentPath(directory), 'utf8').split('\n').slice(0, -1);
}

function editLines(directory: string, edit: (lines: string[]) => string[]): string {
  const lines = edit(readLines(directory));
  writeFileSync(segmentPath(directory), lines.map((line) => `${line}\n`).join(''));
  return directory;
}

/** One bit of one letter: `step` becomes `stdp`. */
function flip(lines: string[], index: number): string[] {
  return lines.with(index, (lines[index] ?? '').replace('"step ', '"stdp '));
}

/** Keeps the first `count` lines, and a head that says so. */
function cut(directory: string, count: number): string {
  editLines(directory, (lines) => lines.slice(0, count));
  const kept = readLines(directory);
  const last = parseEntry(Buffer.from(kept.at(-1) ?? ''));
  const offset = kept.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  writeFileSync(
    join(directory, HEAD_FILE),
    encodeHead({ seq: last.seq, hash: last.entry_hash, segment: FIRST, offset }),
  );
  return directory;
}

/** Another ledger with the same entries but one, made from the beginning. */
async function rewriteWithFreshKey(directory: string, changed: number): Promise<string> {
  const fresh = `${directory}-fresh`;
  const entries = readLines(directory).map((line) => parseEntry(Buffer.from(line)));
  const ledger = await createLedger({ directory: fresh, keyDirectory: join(fresh, 'keys') });
  try {
    const drafts = entries.slice(1).map(({ seq, kind, payload, source, ts }) => ({
      kind,
      payload: seq === changed ? { ...payload, text: 'nothing to see here' } : payload,
      source,
      ts,
    }));
    await ledger.append(drafts);
    await ledger.seal();
  } finally {
    await ledger.close();
  }
  return fresh;
}
