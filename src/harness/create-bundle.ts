// Makes the bundle of a run from its ledger: the run's entries, those of the ledger that they need, one proof for all of them
// under one signed checkpoint, and what the owner chooses to disclose. Signed by the ledger's key.
import { sha256, utf8Encode } from '#platform';
import { canonicalize, contentKey, encodeBase64Url, encodeHex, parseHex, StoreError } from '../core/index.ts';
import {
  BUNDLE_PARTS,
  BUNDLE_TYPE,
  type Bundle,
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
  MOST_PROMPTS,
  parseCommitProof,
  parseEntry,
  sortedFiles,
  type TreeFile,
} from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  type BundledLine,
  contentPresence,
  factsOf,
  LEDGER_KINDS,
  MEANWHILE_KINDS,
} from '../verify/index.ts';
import { encodePack } from './archive.ts';

/** A bundle is read into memory whole. */
export const MOST_BUNDLE = 512 * 1024 * 1024;

export interface BundleParts {
  readonly ledger: Pick<Ledger, 'store' | 'proveMany'>;
  readonly run: string;
  /** Where its lines are, if somebody has counted them. Left out: the whole log is read. */
  readonly places?: LinePlaces;
  /** The pack that the run names; null where it has none, or where it is not here. */
  readonly pack: HarnessPack | null;
  /** `shown`: as it is. Bytes: as it was encrypted. `left out`: its hashes alone. */
  readonly packAs: 'shown' | 'left out' | Uint8Array;
  readonly packUri: string | null;
  /** Which content is shown. */
  readonly disclose: (entry: Entry, ref: ContentRef) => boolean;
  /** Told of an entry whose content is kept, and is not what was recorded: it can't be shown. May throw. */
  readonly onDamaged?: (entry: Entry) => void;
  /** The salt of the run's content; null where it is gone. */
  readonly salt: Uint8Array | null;
  /**
   * The object of a commit that an entry names; with the commit that the run began from, also what shows that it goes on
   * from that one and what it holds. Throws where it can't be had.
   */
  readonly commitFiles: (commit: string, base: string | null) => Promise<readonly TreeFile[]>;
  /** What the run made, as an archive, by the hash that it recorded; null where it is not to be shown. May throw. */
  readonly artifacts: ((hash: string | null) => Uint8Array) | null;
  /** What is certified of the run; null where nothing is. */
  readonly certificate?: Uint8Array | null;
  /** Envelopes of attesters. */
  readonly attestations: readonly Uint8Array[];
  readonly created: string;
}

export interface LinePlaces {
  /** The first and the last entry of the run. */
  readonly first: number;
  readonly last: number;
  /** All entries of no session that a bundle may need: see `isBundledUnowned`. In order. */
  readonly unowned: readonly number[];
}

/** May a bundle need an entry of this kind that belongs to no session? */
export function isBundledUnowned(kind: string): boolean {
  return LEDGER_KINDS.has(kind) || MEANWHILE_KINDS.has(kind);
}

/** What a bundle of the run has, unsigned. The run must be sealed. Throws StoreError where it is not here. */
export async function gatherBundle(parts: BundleParts): Promise<Bundle> {
  const { ledger, run, packAs } = parts;
  const { ofRun, ofLedger } = await readLines(ledger.store, run, parts.places);
  const start = ofRun[0]?.entry;
  if (start?.kind !== 'session.start') throw new StoreError('NOT_FOUND', `this ledger has no run ${run}.`);
  if (typeof start.payload.pack !== 'string' && (packAs instanceof Uint8Array || parts.packUri !== null))
    throw new StoreError('NOT_FOUND', `run ${run.slice(0, 12)} has no pack to show or fetch.`);
  const seqs = [...ofRun, ...ofLedger].map(({ entry }) => entry.seq).sort((a, b) => a - b);
  const { sealed, hashes } = await ledger.proveMany(seqs);
  const proof = encodeBundleProof({ size: sealed.checkpoint.size, hashes: hashes.map(encodeHex) });
  const { prompts, commit, tree, artifactHash, eventChainRoot, receipts, receiptsRoot } = factsOf(ofRun);
  const files: TreeFile[] = [
    { path: BUNDLE_PARTS.run, bytes: joined(ofRun) },
    { path: BUNDLE_PARTS.ledger, bytes: joined(ofLedger) },
    { path: BUNDLE_PARTS.checkpoint, bytes: sealed.note },
    { path: BUNDLE_PARTS.proof, bytes: utf8Encode(canonicalize(proof)) },
    ...(parts.pack !== null && packAs === 'shown'
      ? [{ path: BUNDLE_PARTS.pack, bytes: encodePack(parts.pack) }]
      : []),
    ...(packAs instanceof Uint8Array ? [{ path: BUNDLE_PARTS.secretPack, bytes: packAs }] : []),
    ...(parts.artifacts === null
      ? []
      : [{ path: BUNDLE_PARTS.artifacts, bytes: parts.artifacts(artifactHash) }]),
    ...(parts.certificate == null ? [] : [{ path: BUNDLE_PARTS.certificate, bytes: parts.certificate }]),
    ...parts.attestations.map((bytes, i) => ({ path: `attestations/${i + 1}.json`, bytes })),
    // Without what the run made, nothing could be compared with what a commit holds.
    ...(await commits(parts, ofRun, parts.artifacts === null ? null : commit)),
    ...(await disclosures(parts, ofRun)),
  ];
  const payload: BundlePayload = {
    runId: run,
    origin: sealed.checkpoint.origin,
    // A clock that was set back must not make a bundle older than what is in it.
    created: ofRun.reduce((at, { entry: { ts } }) => (ts > at ? ts : at), parts.created),
    harness: harnessOf(parts, start),
    inputs: {
      prompts: prompts.slice(0, MOST_PROMPTS),
      morePrompts: prompts.length > MOST_PROMPTS,
      commit,
      tree,
    },
    outputs: { artifactHash },
    entries: ofRun.length,
    eventChainRoot,
    receipts,
    receiptsRoot,
    parts: new Map(fileHashes(sortedFiles(files))),
  };
  return { envelope: null, payload, parts: new Map(files.map(({ path, bytes }) => [path, bytes])) };
}

/** The file. */
export async function signBundle(
  ledger: Pick<Ledger, 'envelope'>,
  { payload, parts }: Bundle,
): Promise<Uint8Array> {
  const envelope = await ledger.envelope(BUNDLE_TYPE, utf8Encode(bundlePayloadText(payload)));
  return encodeBundle(
    envelope,
    [...parts].map(([path, bytes]) => ({ path, bytes })),
  );
}

function harnessOf({ pack, packAs, packUri }: BundleParts, { payload }: Entry): BundleHarness {
  // Of a secret pack nothing is told but what it hashes to.
  const isSecret = packAs instanceof Uint8Array;
  return {
    id: isSecret ? null : (pack?.manifest.id ?? null),
    packHash: pack?.hashes.packHash ?? null,
    packRoot: typeof payload.pack === 'string' ? payload.pack : null,
    packEncryption: isSecret ? 'aes-gcm' : 'none',
    packUri,
    configHash: pack === null || isSecret ? null : encodeBase64Url(parseHex(pack.hashes.configHash, 32)),
  };
}

/** What is read is read once; only lines that name the run, or no session, are taken apart. */
async function readLines(
  store: BundleParts['ledger']['store'],
  run: string,
  places: LinePlaces | undefined,
): Promise<{ readonly ofRun: BundledLine[]; readonly ofLedger: BundledLine[] }> {
  const [ofRun, ofLedger]: [BundledLine[], BundledLine[]] = [[], []];
  /** Since the run began. */
  const meanwhile: BundledLine[] = [];
  const [own, nobody] = [Buffer.from(`"session_id":"${run}"`), Buffer.from('"session_id":null')];
  for await (const piece of piecesOf(store, places)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    for (
      let start = 0, end = bytes.indexOf(0x0a);
      end >= 0;
      start = end + 1, end = bytes.indexOf(0x0a, start)
    ) {
      const line = bytes.subarray(start, end);
      if (!line.includes(own) && !line.includes(nobody)) continue;
      const entry = parseEntry(line);
      const bundled = { entry, line: Uint8Array.from(line) };
      // Its payload may say the same words.
      if (entry.session_id === run) {
        ofRun.push(bundled);
        ofLedger.push(...meanwhile.splice(0));
      } else if (entry.session_id !== null) continue;
      else if (LEDGER_KINDS.has(entry.kind)) ofLedger.push(bundled);
      else if (MEANWHILE_KINDS.has(entry.kind) && ofRun.length > 0) meanwhile.push(bundled);
    }
  }
  ofLedger.sort((a, b) => a.entry.seq - b.entry.seq);
  return { ofRun, ofLedger };
}

async function* piecesOf(
  store: BundleParts['ledger']['store'],
  places: LinePlaces | undefined,
): AsyncGenerator<Uint8Array> {
  if (places === undefined) {
    yield* store.read(1, (await store.head()).seq);
    return;
  }
  const { first, last, unowned } = places;
  for (const seq of unowned) if (seq < first) yield* store.read(seq, seq);
  yield* store.read(first, last);
  for (const seq of unowned) if (seq > last) yield* store.read(seq, seq);
}

function joined(lines: readonly BundledLine[]): Uint8Array {
  return Buffer.concat(lines.flatMap(({ line }) => [line, Uint8Array.of(0x0a)]));
}

async function commits(
  { commitFiles }: BundleParts,
  lines: readonly BundledLine[],
  base: string | null,
): Promise<TreeFile[]> {
  const named = new Set(
    lines.flatMap(({ entry: { kind, payload } }) =>
      kind === 'commit' ? [parseCommitProof(payload).commit] : [],
    ),
  );
  const files = new Map<string, TreeFile>();
  for (const commit of named) for (const file of await commitFiles(commit, base)) files.set(file.path, file);
  return [...files.values()];
}

/** Content that is chosen, and for each piece the key that opens it and no other. */
async function disclosures(
  { ledger, run, disclose, onDamaged, salt }: BundleParts,
  lines: readonly BundledLine[],
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
      if (bytes === undefined) {
        if ((await contentPresence(ledger.store.files, run, ref)) === 'damaged') onDamaged?.(entry);
        continue;
      }
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
