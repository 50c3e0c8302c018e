// Which entry a changed part of a bundle is about, so that whoever shows it can point there. The verdict rests on the
// envelope, never on this.
import { ParseError } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  contentRefs,
  type Entry,
  hashOfEntry,
  PackError,
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
    if (path === BUNDLE_PARTS.run || path === BUNDLE_PARTS.ledger) return damagedLine(files.get(path));
    return path.startsWith('content/') ? damagedContent(files.get(BUNDLE_PARTS.run), path) : undefined;
  } catch (error) {
    if (error instanceof PackError || error instanceof ParseError) return undefined;
    throw error;
  }
}

function filesOf(bundle: Uint8Array | readonly TreeFile[]): readonly TreeFile[] {
  return bundle instanceof Uint8Array ? parseTar(bundle) : bundle;
}

/** The first line that is no entry, or not what its hash says. */
function damagedLine(part: Uint8Array | undefined): Damage | undefined {
  let before: Entry | undefined;
  for (const [at, line] of rawLines(part).entries()) {
    const entry = entryIn(line);
    const where = before === undefined ? `line ${at + 1}` : `line ${at + 1}, after entry ${before.seq},`;
    if (entry === undefined) return { seq: seqSaid(line), why: `${where} is no longer an entry` };
    if (hashOfEntry(entry) !== entry.entry_hash)
      return { seq: entry.seq, why: `entry ${entry.seq} was changed: its hash is different` };
    before = entry;
  }
  return undefined;
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
