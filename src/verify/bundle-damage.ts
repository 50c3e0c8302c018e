// Which entry a changed part of a bundle is about, so that whoever shows it can point there. The verdict rests on the
// envelope, never on this.
import { ParseError, parseCanonicalJson, parseDsse } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  contentRefs,
  ENVELOPE_FILE,
  type Entry,
  hashOfEntry,
  PackError,
  parseBundlePayload,
  parseEntry,
  parseTar,
  type TreeFile,
} from '../format/index.ts';

export interface Damage {
  readonly seq: number | null;
  readonly why: string;
}

/** Undefined where nothing of the part tells. Never throws for what is in the file. */
export function damageIn(bundle: Uint8Array | readonly TreeFile[], path: string): Damage | undefined {
  try {
    const files = new Map(filesOf(bundle).map((file) => [file.path, file.bytes]));
    if (path === BUNDLE_PARTS.run) return damagedLine(files.get(path)) ?? leftOut(files);
    if (path === BUNDLE_PARTS.ledger) return damagedLine(files.get(path));
    return path.startsWith('content/') ? damagedContent(files.get(BUNDLE_PARTS.run), path) : undefined;
  } catch (error) {
    if (error instanceof PackError || error instanceof ParseError) return undefined;
    throw error;
  }
}

function filesOf(bundle: Uint8Array | readonly TreeFile[]): readonly TreeFile[] {
  return bundle instanceof Uint8Array ? parseTar(bundle) : bundle;
}

/** The first line that is no entry, not what its hash says, or not in its place. */
function damagedLine(part: Uint8Array | undefined): Damage | undefined {
  let before: Entry | undefined;
  const lines = rawLines(part);
  for (const [at, line] of lines.entries()) {
    const entry = entryIn(line);
    const where = before === undefined ? `line ${at + 1}` : `line ${at + 1}, after entry ${before.seq},`;
    if (entry === undefined) return { seq: seqSaid(line), why: `${where} is no longer an entry` };
    if (hashOfEntry(entry) !== entry.entry_hash) {
      const next = lines[at + 1];
      return changed(entry, where, before?.seq ?? 0, next === undefined ? undefined : entryIn(next)?.seq);
    }
    if (before?.seq === entry.seq) return { seq: entry.seq, why: `entry ${entry.seq} is there twice` };
    if (before !== undefined && before.seq > entry.seq)
      return { seq: entry.seq, why: `entry ${entry.seq} comes after entry ${before.seq}` };
    before = entry;
  }
  return undefined;
}

/** So many numbers are tried for one that was changed. */
const MOST_TRIED = 1000;

/** The number may be what was changed: the hash tells which it was, and its neighbours whether it can be this one. */
function changed(entry: Entry, where: string, before: number, next = Number.POSITIVE_INFINITY): Damage {
  for (let seq = before + 1; seq < next && seq <= before + MOST_TRIED; seq++)
    if (hashOfEntry({ ...entry, seq }) === entry.entry_hash)
      return { seq, why: `entry ${seq} was changed: its line says that it is entry ${entry.seq}` };
  return before < entry.seq && entry.seq < next
    ? { seq: entry.seq, why: `entry ${entry.seq} was changed: its hash is different` }
    : { seq: null, why: `${where} was changed: its hash is different` };
}

const ENDS: ReadonlySet<string> = new Set(['session.end', 'session.cut', 'session.sum']);
const MOST_PLACES = 3;

/**
 * Entries of the run that are not here, by the envelope's count. Others may have recorded at the same time, so a number that
 * the run skips isn't always one of its own.
 */
function leftOut(files: ReadonlyMap<string, Uint8Array>): Damage | undefined {
  if (!files.has(BUNDLE_PARTS.run)) return undefined;
  const envelope = parseDsse(parseCanonicalJson(files.get(ENVELOPE_FILE) ?? new Uint8Array()));
  const { entries: due } = parseBundlePayload(parseCanonicalJson(envelope.payload));
  const run = entriesIn(files.get(BUNDLE_PARTS.run));
  const missing = due - run.length;
  if (missing <= 0) return undefined;
  const holes = holesIn(run, entriesIn(files.get(BUNDLE_PARTS.ledger)));
  const places = [
    ...(run[0]?.kind === 'session.start' ? [] : ['at its beginning']),
    ...holes.slice(0, MOST_PLACES).map(([after, before]) => `between entries ${after} and ${before}`),
    ...(holes.length > MOST_PLACES ? ['further on'] : []),
    ...(ENDS.has(run.at(-1)?.kind ?? '') ? [] : ['at its end']),
  ];
  const [[after, before] = [0, 0]] = holes;
  if (places.length === 1 && missing === 1 && before - after === 2)
    return { seq: after + 1, why: `entry ${after + 1} is missing` };
  const what = missing === 1 ? 'an entry of the run is' : `${missing} entries of the run are`;
  return { seq: null, why: `${what} missing${places.length > 1 ? ', perhaps' : ''} ${places.join(' or ')}` };
}

/** Numbers between its first entry and its last that are not here. */
function holesIn(run: readonly Entry[], ledger: readonly Entry[]): [after: number, before: number][] {
  const [first, last] = [run[0]?.seq ?? 0, run.at(-1)?.seq ?? 0];
  const here = [...run, ...ledger]
    .map(({ seq }) => seq)
    .filter((seq) => first <= seq && seq <= last)
    .sort((a, b) => a - b);
  return here.flatMap((seq, i): [number, number][] => {
    const before = here[i - 1];
    return before === undefined || seq === before + 1 ? [] : [[before, seq]];
  });
}

function entriesIn(part: Uint8Array | undefined): Entry[] {
  return rawLines(part).flatMap((line) => entryIn(line) ?? []);
}

function damagedContent(part: Uint8Array | undefined, path: string): Damage | undefined {
  for (const line of rawLines(part)) {
    const entry = entryIn(line);
    const isShown =
      entry !== undefined &&
      contentRefs(entry.payload).some(({ algorithm, hash }) => path === `content/${algorithm}-${hash}`);
    if (isShown) return { seq: entry.seq, why: `content of entry ${entry.seq}` };
  }
  return undefined;
}

/** What stands between newlines, whatever it is. */
export function rawLines(part: Uint8Array | undefined): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; part !== undefined && start < part.length; ) {
    const end = part.indexOf(0x0a, start);
    lines.push(part.subarray(start, end < 0 ? part.length : end));
    start = end < 0 ? part.length : end + 1;
  }
  return lines;
}

function entryIn(line: Uint8Array): Entry | undefined {
  try {
    return parseEntry(line);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** What a line that is no entry says of its number. It may not be UTF-8. */
export function seqSaid(line: Uint8Array): number | null {
  const text = Array.from(line, (byte) => String.fromCharCode(byte)).join('');
  const [, digits] = /"seq":([1-9]\d{0,14}),"session_id"/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
