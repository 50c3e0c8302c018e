// The entries of a bundle: each in its one form, in order, of this run or of the ledger itself, and all of them in one
// tree that the ledger's key signed. Entries between them are not here, so the chain of hashes is looked at where two stand
// next to each other; the tree covers every line.
import {
  leafHash,
  openCheckpoint,
  ParseError,
  parseHex,
  rootOfMany,
  sameBytes,
  type VerifierKey,
  verifyNote,
} from '../core/index.ts';
import {
  BUNDLE_PARTS,
  type Bundle,
  type Entry,
  hashOfEntry,
  linesOf,
  parseBundleProof,
  parseEntry,
  parseKeyRotate,
} from '../format/index.ts';
import type { BundleFindings } from './bundle-findings.ts';
import { Findings } from './findings.ts';
import { IdentityCheck } from './identity-check.ts';

/** Entries of the ledger itself that a run may need. */
export const LEDGER_KINDS: ReadonlySet<string> = new Set([
  'ledger.open',
  'key.rotate',
  'gateway.key',
  'validator.key',
  'policy',
  'grants',
  'operator.enrol',
  'operator.revoke',
]);
/** Entries of no session that say what was not recorded: those from the run's first entry to its last go along. */
export const MEANWHILE_KINDS: ReadonlySet<string> = new Set(['gap', 'crash', 'config.change']);

export interface BundledLine {
  readonly entry: Entry;
  readonly line: Uint8Array;
}

const leaves = new WeakMap<BundledLine, Uint8Array>();

/** Its leaf in every tree that it is in: several checks ask, and in a browser hashing takes most of the time. */
export function leafOf(bundled: BundledLine): Uint8Array {
  let leaf = leaves.get(bundled);
  if (leaf === undefined) {
    leaf = leafHash(bundled.line);
    leaves.set(bundled, leaf);
  }
  return leaf;
}

export interface BundledEntries {
  /** Of the run. */
  readonly run: readonly BundledLine[];
  /** Of the run and of the ledger, in order. */
  readonly all: readonly BundledLine[];
  /** Keys of the ledger; the last is that of the checkpoint. */
  readonly identity: IdentityCheck;
}

/** Undefined where they can't be read. */
export function readEntries(bundle: Bundle, findings: BundleFindings): BundledEntries | undefined {
  const run = linesIn(bundle, BUNDLE_PARTS.run, findings);
  const ledger = linesIn(bundle, BUNDLE_PARTS.ledger, findings);
  if (run === undefined || ledger === undefined) return undefined;
  const { runId } = bundle.payload;
  const [first, last] = [run[0]?.entry.seq ?? 0, run.at(-1)?.entry.seq ?? 0];
  const isMeanwhile = ({ kind, seq }: Entry): boolean =>
    MEANWHILE_KINDS.has(kind) && first < seq && seq < last;
  const stranger =
    run.find(({ entry }) => entry.session_id !== runId) ??
    ledger.find(
      ({ entry }) => entry.session_id !== null || !(LEDGER_KINDS.has(entry.kind) || isMeanwhile(entry)),
    );
  if (stranger !== undefined) {
    const { seq, kind } = stranger.entry;
    findings.add(
      'ENTRY_MISPLACED',
      seq,
      `entry ${seq} (${kind}) is not part of this run, or doesn't belong here`,
    );
    return undefined;
  }
  const all = [...run, ...ledger].sort((a, b) => a.entry.seq - b.entry.seq);
  const twice = all.find(({ entry }, i) => i > 0 && entry.seq === all[i - 1]?.entry.seq);
  if (twice !== undefined) {
    findings.add('ENTRY_MISPLACED', twice.entry.seq, `entry ${twice.entry.seq} is there twice`);
    return undefined;
  }
  const identity = identityOf(ledger, bundle.payload.origin, findings);
  return identity === undefined ? undefined : { run, all, identity };
}

function linesIn(
  { parts }: Bundle,
  path: string,
  findings: BundleFindings,
): readonly BundledLine[] | undefined {
  const part = parts.get(path);
  if (part === undefined) {
    findings.add('BUNDLE_MALFORMED', null, `${path} is missing`);
    return undefined;
  }
  let before = 0;
  const lines: BundledLine[] = [];
  try {
    for (const line of linesOf(part, path)) {
      const entry = parseEntry(line);
      if (hashOfEntry(entry) !== entry.entry_hash)
        throw new ParseError('MALFORMED', 'is not what its entry_hash says');
      if (entry.seq <= before) {
        findings.add('ENTRY_MISPLACED', entry.seq, `entry ${entry.seq} comes after entry ${before}`);
        return undefined;
      }
      before = entry.seq;
      lines.push({ entry, line });
    }
    return lines;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    findings.add('ENTRY_MALFORMED', null, `${path}, line ${lines.length + 1}: ${error.message}`);
    return undefined;
  }
}

/** The keys of the ledger, one after the other. A rotation carries the checkpoint that it rests on. */
function identityOf(
  ledger: readonly BundledLine[],
  origin: string,
  findings: BundleFindings,
): IdentityCheck | undefined {
  const found = new Findings();
  const identity = new IdentityCheck(found);
  for (const { entry } of ledger) followKeys(identity, entry);
  for (const finding of found.of('identity')) findings.take(finding);
  // A second entry that opens the ledger is a fault of its integrity.
  const isOpened = found.of('integrity').length === 0;
  if (!isOpened || identity.origin !== origin || identity.current === undefined) {
    findings.add(
      'LEDGER_UNKNOWN',
      null,
      'the entry that opens the ledger is missing, or belongs to another ledger',
    );
    return undefined;
  }
  return identity;
}

/** Brings it up to this entry, of those of the ledger itself. */
export function followKeys(identity: IdentityCheck, entry: Entry): void {
  if (entry.seq === 1 || entry.kind === 'ledger.open') identity.open(entry);
  else if (entry.kind === 'key.rotate') identity.rotate(entry, rootBefore(entry));
}

function rootBefore(entry: Entry): Uint8Array | undefined {
  try {
    return openCheckpoint(new TextEncoder().encode(parseKeyRotate(entry.payload).checkpoint)).checkpoint.root;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Does each entry follow from the one right before it, where that is here? */
export function checkChain({ all }: BundledEntries, findings: BundleFindings): void {
  for (const [i, { entry }] of all.entries()) {
    const before = all[i - 1]?.entry;
    if (before?.seq === entry.seq - 1 && before.entry_hash !== entry.prev_hash)
      findings.take({
        code: 'CHAIN_BROKEN',
        seq: entry.seq,
        message: `prev_hash is not the hash of entry ${before.seq}`,
      });
  }
}

/** Are they all in the tree of the checkpoint, and did the ledger's key of that place sign it? */
export function checkTree(
  { parts, payload }: Bundle,
  { all, identity }: BundledEntries,
  findings: BundleFindings,
): void {
  const [note, proof] = [parts.get(BUNDLE_PARTS.checkpoint), parts.get(BUNDLE_PARTS.proof)];
  if (note === undefined || proof === undefined) {
    findings.add('BUNDLE_MALFORMED', null, 'the checkpoint or the proof is missing');
    return;
  }
  try {
    const { checkpoint, note: signed } = openCheckpoint(note);
    const { size, hashes } = parseBundleProof(proof);
    const root = rootOfMany(
      all.map(({ entry }) => entry.seq - 1),
      all.map(leafOf),
      size,
      hashes.map((hash) => parseHex(hash, 32)),
    );
    if (
      checkpoint.origin !== payload.origin ||
      checkpoint.size !== size ||
      root === undefined ||
      !sameBytes(root, checkpoint.root)
    )
      findings.add('NOT_IN_TREE', null, "the entries and the proof don't lead to the checkpoint's root");
    const key = identity.current as VerifierKey;
    if (verifyNote(signed, [key]).verified.length === 0)
      findings.add('CHECKPOINT_UNSIGNED', null, "the ledger's key did not sign the checkpoint");
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    findings.add('BUNDLE_MALFORMED', null, error.message);
  }
}
