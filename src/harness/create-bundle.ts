// Makes the bundle of a run from its ledger: the run's entries, those of the ledger that they need, one proof for all of them
// under one signed checkpoint, and what the owner chooses to disclose. Signed by the ledger's key.
import { sha256, utf8Encode } from '#platform';
import { canonicalize, contentKey, encodeBase64Url, encodeHex, parseHex, StoreError } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  BUNDLE_TYPE,
  type BundleHarness,
  type BundlePayload,
  bundlePayloadText,
  type ContentRef,
  contentRefs,
  type Entry,
  encodeBlobName,
  encodeBundle,
  encodeBundleProof,
  fileHashes,
  type HarnessPack,
  parseEntry,
  sortedFiles,
  type TreeFile,
} from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { factsOf } from '../verify/index.ts';
import { encodePack } from './archive.ts';

/** Entries of the ledger itself that a verifier of a run needs. */
const LEDGER_KINDS: ReadonlySet<string> = new Set([
  'ledger.open',
  'key.rotate',
  'gateway.key',
  'validator.key',
  'policy',
]);

export interface BundleParts {
  readonly ledger: Pick<Ledger, 'store' | 'proveMany' | 'envelope' | 'identity'>;
  readonly run: string;
  /** The pack that the run names; null where it has none, or the pack is not to be shown. */
  readonly pack: HarnessPack | null;
  readonly packUri: string | null;
  /** Which content is shown. */
  readonly disclose: (entry: Entry, ref: ContentRef) => boolean;
  /** The salt of the run's content; null where it is gone. */
  readonly salt: Uint8Array | null;
  readonly created: string;
}

interface Line {
  readonly entry: Entry;
  readonly line: Uint8Array;
}

/** The run must be sealed. Throws StoreError where it is not here. */
export async function createBundle(parts: BundleParts): Promise<Uint8Array> {
  const { ledger, run } = parts;
  const { ofRun, ofLedger } = await readLines(ledger.store, run);
  const start = ofRun[0]?.entry;
  if (start?.kind !== 'session.start') throw new StoreError('NOT_FOUND', `this ledger has no run ${run}.`);
  const seqs = [...ofRun, ...ofLedger].map(({ entry }) => entry.seq).sort((a, b) => a - b);
  const { sealed, hashes } = await ledger.proveMany(seqs);
  const proof = encodeBundleProof({ size: sealed.checkpoint.size, hashes: hashes.map(encodeHex) });
  const files: TreeFile[] = [
    { path: BUNDLE_PARTS.run, bytes: joined(ofRun) },
    { path: BUNDLE_PARTS.ledger, bytes: joined(ofLedger) },
    { path: BUNDLE_PARTS.checkpoint, bytes: sealed.note },
    { path: BUNDLE_PARTS.proof, bytes: utf8Encode(canonicalize(proof)) },
    ...(parts.pack === null ? [] : [{ path: BUNDLE_PARTS.pack, bytes: encodePack(parts.pack) }]),
    ...(await disclosures(parts, ofRun)),
  ];
  const { base } = start.payload;
  const { prompts, ...facts } = factsOf(ofRun);
  const payload: BundlePayload = {
    runId: run,
    origin: sealed.checkpoint.origin,
    created: parts.created,
    harness: harnessOf(parts, start),
    inputs: { prompts, morePrompts: false, commit: typeof base === 'string' ? base : null },
    outputs: { artifactHash: null },
    entries: ofRun.length,
    ...facts,
    parts: new Map(fileHashes(sortedFiles(files))),
  };
  const envelope = await ledger.envelope(BUNDLE_TYPE, utf8Encode(bundlePayloadText(payload)));
  return encodeBundle(envelope, files);
}

function harnessOf({ pack, packUri }: BundleParts, { payload }: Entry): BundleHarness {
  return {
    id: pack?.manifest.id ?? null,
    packHash: pack?.hashes.packHash ?? null,
    packRoot: typeof payload.pack === 'string' ? payload.pack : null,
    packEncryption: 'none',
    packUri,
    configHash: pack === null ? null : encodeBase64Url(parseHex(pack.hashes.configHash, 32)),
  };
}

/** The whole log is read once; only lines that name the run, or no session, are taken apart. */
async function readLines(
  store: BundleParts['ledger']['store'],
  run: string,
): Promise<{ readonly ofRun: Line[]; readonly ofLedger: Line[] }> {
  const [ofRun, ofLedger]: [Line[], Line[]] = [[], []];
  const [own, nobody] = [Buffer.from(`"session_id":"${run}"`), Buffer.from('"session_id":null')];
  for await (const piece of store.read(1, (await store.head()).seq)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    for (
      let start = 0, end = bytes.indexOf(0x0a);
      end >= 0;
      start = end + 1, end = bytes.indexOf(0x0a, start)
    ) {
      const line = bytes.subarray(start, end);
      if (!line.includes(own) && !line.includes(nobody)) continue;
      const entry = parseEntry(line);
      // Its payload may say the same words.
      if (entry.session_id === run) ofRun.push({ entry, line: Uint8Array.from(line) });
      else if (entry.session_id === null && LEDGER_KINDS.has(entry.kind))
        ofLedger.push({ entry, line: Uint8Array.from(line) });
    }
  }
  return { ofRun, ofLedger };
}

function joined(lines: readonly Line[]): Uint8Array {
  return Buffer.concat(lines.flatMap(({ line }) => [line, Uint8Array.of(0x0a)]));
}

/** Content that is chosen, and for each piece the key that opens it and no other. */
async function disclosures(
  { ledger, run, disclose, salt }: BundleParts,
  lines: readonly Line[],
): Promise<TreeFile[]> {
  const content = new Map<string, Uint8Array>();
  const keys: Record<string, string> = {};
  for (const { entry } of lines)
    for (const ref of contentRefs(entry.payload)) {
      const name = encodeBlobName(ref);
      if (content.has(name) || !disclose(entry, ref)) continue;
      // Under the older algorithm there is only the salt, which would open everything.
      if (ref.algorithm === 'hmac-sha256' || (ref.algorithm === 'keyed-sha256' && salt === null)) continue;
      const bytes = await ledger.store.getContent(run, ref);
      if (bytes === undefined) continue;
      content.set(name, bytes);
      if (ref.algorithm === 'keyed-sha256' && salt !== null)
        keys[`${ref.algorithm}:${ref.hash}`] = encodeHex(contentKey(salt, sha256(bytes)));
    }
  if (content.size === 0) return [];
  return [
    ...[...content].map(([name, bytes]) => ({ path: `content/${name}`, bytes })),
    { path: BUNDLE_PARTS.keys, bytes: utf8Encode(canonicalize(keys)) },
  ];
}
