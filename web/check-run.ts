// What a page asks of the verifier, and what it gets: the parts of a run's bundle, judged, and read for showing.
import {
  encodeVerifierKey,
  isDsseSignedBy,
  makeVerifierKey,
  ParseError,
  parseCanonicalJson,
  parseDsse,
  parseHex,
  parseVerifierKey,
  type VerifierKey,
} from '../src/core/index.ts';
import { verifyBundle } from '../src/entry/verify-bundle.ts';
import {
  BUNDLE_PARTS,
  ENVELOPE_FILE,
  type Entry,
  hashOfEntry,
  parseBundlePayload,
  parseEntry,
  parseTar,
  type TreeFile,
} from '../src/format/index.ts';
import {
  type BundleFinding,
  type BundleReport,
  CODES,
  type Code,
  type Facet,
  NO_ARGS_HASH,
  rawLines,
  seqSaid,
  verifyRun,
  wrongContent,
} from '../src/verify/index.ts';
import {
  EARLY_FILE,
  type Early,
  ERASED_FILE,
  type Erased,
  MISSING_FILE,
  OPENED,
  PAYLOAD_FILE,
  WHY_FILE,
} from '../src/view/answers.ts';

export interface RunQuestion {
  /** As files, or as an archive of them. */
  readonly parts: readonly TreeFile[] | Uint8Array;
  /** They come from the viewer's own server, and not in a file that anybody may have made. */
  readonly isServed: boolean;
  /** Verifier keys of ledgers that the reader knows, as text. */
  readonly keys: readonly string[];
  readonly now: number;
}

/** What the check gave. */
export interface Judgement {
  /** Null where there is nothing to hold the entries against: no checkpoint covers them yet. */
  readonly report: BundleReport | null;
  /** Only some of its lines are here yet, and there was nothing to check; null else. */
  readonly early: Early | null;
  /** Why there is no report, where it is something else than that; null else. */
  readonly whyNot: string | null;
  /** The ledger has lost entries, of which some may be this run's; null where nothing is known to be missing. */
  readonly missing: string | null;
  /** The entry that says that its content was erased, where one does. */
  readonly erased: Erased | null;
  /** The record is as it was made, whatever it tells of: a claim without proof is soundly recorded. */
  readonly isSound: boolean;
  /** What was done to the record, where something was. */
  readonly broken: readonly BundleFinding[];
  /** Pieces of content that entries refer to and that were not compared with them: they are not here. */
  readonly uncompared: number;
  /** Entries that are not what their hash says, or no entries at all, by their number. */
  readonly damaged: readonly number[];
  /** The key that signed all of it, as text; null where nobody did. */
  readonly signer: string | null;
  /** How many keys of the reader's were held against it. */
  readonly given: number;
  /** Keys of the reader's that can't be read. */
  readonly unread: readonly string[];
}

/** With what there is to show. */
export interface CheckedRun extends Judgement {
  /** Of entries, without their `\n`. */
  readonly lines: readonly Uint8Array[];
  /** Content by `<algorithm>:<hash>`. */
  readonly shown: ReadonlyMap<string, Uint8Array>;
}

/** As a page has it. */
export interface RunAnswer extends Judgement {
  readonly entries: readonly Entry[];
  readonly shown: ReadonlyMap<string, Uint8Array>;
}

export async function checkRun({ parts: given, isServed, keys, now }: RunQuestion): Promise<CheckedRun> {
  const parts = given instanceof Uint8Array ? parseTar(given) : given;
  const told = isServed ? parts : [];
  const known = keys.map(readKey);
  const trusted = known.filter((key) => typeof key !== 'string');
  const unread = known.filter((key) => typeof key === 'string');
  const trust = { keys: trusted, packs: [], gateways: [], attesters: [] };
  const report = await (isServed ? judge : verifyBundle)(parts, { trust, now });
  const { lines, damaged } = readLines(parts, report);
  const isSuspect = report === null || report.findings.some(({ code }) => code === 'CONTENT_WRONG');
  const wrong = isSuspect ? wrongContent(new Map(parts.map(({ path, bytes }) => [path, bytes]))) : [];
  const named = namedContent(parts);
  const broken =
    report === null
      ? wrong.map((path) => wrongFinding(path, named.get(path) ?? null))
      : report.findings.filter((finding) => finding.level === 'fail' && !tellsOfRun(finding));
  const shown = contentOf(parts.filter(({ path }) => !wrong.includes(path)));
  // What was opened for the reader is shown in place of the ciphertext, which was compared.
  for (const [name, bytes] of contentOf(told, OPENED)) if (shown.has(name)) shown.set(name, bytes);
  const missing = textIn(told, MISSING_FILE);
  const erased = textIn(told, ERASED_FILE);
  const early = textIn(told, EARLY_FILE);
  return {
    report,
    early: early === null ? null : (JSON.parse(early) as Early),
    whyNot: textIn(told, WHY_FILE),
    missing,
    erased: erased === null ? null : (JSON.parse(erased) as Erased),
    isSound: broken.length === 0 && missing === null,
    broken,
    uncompared: named.size - shown.size,
    lines,
    damaged,
    shown,
    signer: signerOf(parts, report),
    given: trusted.length,
    unread,
  };
}

const OF_RUN: ReadonlySet<Facet> = new Set([
  'evidence',
  'receipts',
  'completeness',
  'authority',
  'replay',
  'patches',
]);

/** Is it about what the agent did, and not about what was done to the record? */
function tellsOfRun({ code, message }: BundleFinding): boolean {
  return (
    message === NO_ARGS_HASH ||
    code === 'TOOL_DENIED' ||
    (Object.hasOwn(CODES, code) && OF_RUN.has(CODES[code as Code].facet))
  );
}

/** What the server sends: a run of a ledger that is here has no envelope that somebody signed, and says the same of itself. */
async function judge(
  parts: readonly TreeFile[],
  options: Parameters<typeof verifyBundle>[1],
): Promise<BundleReport | null> {
  const payload = parts.find(({ path }) => path === PAYLOAD_FILE);
  if (payload === undefined)
    return parts.some(({ path }) => path === ENVELOPE_FILE) ||
      !parts.some(({ path }) => path === BUNDLE_PARTS.run)
      ? verifyBundle(parts, options)
      : null;
  const rest = parts.filter(({ path }) => !OURS.has(path) && !path.startsWith(OPENED));
  return verifyRun(
    {
      envelope: null,
      payload: parseBundlePayload(parseCanonicalJson(payload.bytes)),
      parts: new Map(rest.map(({ path, bytes }) => [path, bytes])),
    },
    options,
  );
}

/** What the server tells besides the parts of a bundle. */
const OURS: ReadonlySet<string> = new Set([PAYLOAD_FILE, MISSING_FILE, ERASED_FILE]);

function readKey(text: string): VerifierKey | string {
  try {
    return parseVerifierKey(text.trim());
  } catch {
    return text;
  }
}

/** The verifier has read and hashed them: where it found nothing wrong, there is nothing to look for. */
function readLines(
  parts: readonly TreeFile[],
  report: BundleReport | null,
): { readonly lines: readonly Uint8Array[]; readonly damaged: readonly number[] } {
  const all = rawLines(bytesOf(parts, BUNDLE_PARTS.run));
  if (report !== null && report.verdict !== 'FAIL') return { lines: all, damaged: [] };
  const lines: Uint8Array[] = [];
  const damaged: number[] = [];
  let last = 0;
  for (const line of all) {
    try {
      const entry = parseEntry(line);
      lines.push(line);
      last = entry.seq;
      if (report !== null && hashOfEntry(entry) !== entry.entry_hash) damaged.push(entry.seq);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      damaged.push(seqSaid(line) ?? last + 1);
    }
  }
  return { lines, damaged };
}

/** Null where it is empty or not there. */
function textIn(parts: readonly TreeFile[], path: string): string | null {
  const bytes = bytesOf(parts, path);
  return bytes === undefined || bytes.length === 0 ? null : new TextDecoder().decode(bytes);
}

function bytesOf(parts: readonly TreeFile[], path: string): Uint8Array | undefined {
  return parts.find((part) => part.path === path)?.bytes;
}

/** By the paths of content, the first entry that names each. What stands in a text there has a backslash in front of its quote. */
function namedContent(parts: readonly TreeFile[]): ReadonlyMap<string, number | null> {
  const named = new Map<string, number | null>();
  const decoder = new TextDecoder();
  for (const line of rawLines(bytesOf(parts, BUNDLE_PARTS.run)))
    for (const [, algorithm, hash] of decoder
      .decode(line)
      .matchAll(/"\$content":"([a-z0-9-]+):([0-9a-f]{64})"/g)) {
      const path = `content/${algorithm}-${hash}`;
      if (!named.has(path)) named.set(path, seqSaid(line) ?? null);
    }
  return named;
}

function wrongFinding(path: string, seq: number | null): BundleFinding {
  return {
    code: 'CONTENT_WRONG',
    level: 'fail',
    seq,
    message: `${path}: this is not what its name commits to`,
  };
}

function contentOf(parts: readonly TreeFile[], folder = 'content/'): Map<string, Uint8Array> {
  return new Map(
    parts
      .filter(({ path }) => path.startsWith(folder))
      .map(({ path, bytes }) => {
        const at = path.lastIndexOf('-');
        return [`${path.slice(folder.length, at)}:${path.slice(at + 1)}`, bytes];
      }),
  );
}

/** The envelope names a key; it counts if that key signed it. Without an envelope the checkpoint is what somebody signed. */
function signerOf(parts: readonly TreeFile[], report: BundleReport | null): string | null {
  const written = bytesOf(parts, ENVELOPE_FILE);
  if (written === undefined) return ledgerKey(parts, report);
  try {
    const envelope = parseDsse(parseCanonicalJson(written));
    for (const { keyid } of envelope.signatures) {
      const key = readKey(keyid ?? '');
      if (typeof key !== 'string' && isDsseSignedBy(envelope, key.publicKey)) return encodeVerifierKey(key);
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  return null;
}

/** The ledger's last key, which signed the checkpoint unless the report says otherwise. */
function ledgerKey(parts: readonly TreeFile[], report: BundleReport | null): string | null {
  const isSigned = report?.findings.some(({ code }) => code === 'CHECKPOINT_UNSIGNED') === false;
  if (!isSigned || report?.bundle == null) return null;
  try {
    const entries = rawLines(bytesOf(parts, BUNDLE_PARTS.ledger)).map(parseEntry);
    const last = entries.findLast(({ kind }) => kind === 'ledger.open' || kind === 'key.rotate');
    const publicKey = parseHex(String(last?.payload.public_key));
    return encodeVerifierKey(makeVerifierKey(report.bundle.origin, publicKey));
  } catch (error) {
    if (error instanceof ParseError || error instanceof RangeError) return null;
    throw error;
  }
}
