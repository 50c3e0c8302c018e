// The proof bundle, `proof_bundle.v1`: one run in one file, for somebody who has nothing else. A canonical tar with an
// envelope and its parts; the envelope's payload names every part by its SHA-256, so that one signature covers all of it.
// spec/bundle.md is the specification.
import { sha256Hex } from '#platform';
import {
  canonicalize,
  type DsseEnvelope,
  encodeDsse,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
  parseDsse,
} from '../core/index.ts';
import { sortedFiles, type TreeFile } from './file-tree.ts';
import {
  asObject,
  count,
  exactly,
  hash,
  hashB64u,
  moment,
  object,
  oneOf,
  orNull,
  shortText,
  shortTexts,
} from './members.ts';
import { PackError } from './pack-error.ts';
import { encodeTar, parseTar } from './tar.ts';

export const BUNDLE_SCHEMA = 'proof_bundle.v1';
export const BUNDLE_TYPE = 'application/vnd.counterfoil.proof-bundle.v1+json';
export const ENVELOPE_FILE = 'bundle.json';

/** The parts. All but entries, ledger, checkpoint and proof may be missing. */
export const BUNDLE_PARTS = {
  /** The run's entries, as the ledger has them. */
  run: 'entries.jsonl',
  /** Entries of the ledger itself that those need. */
  ledger: 'ledger.jsonl',
  checkpoint: 'checkpoint',
  proof: 'proof.json',
  /** The pack, or the encrypted pack where it is secret. */
  pack: 'harness-pack.tar.gz',
  secretPack: 'harness-pack.jwe.json',
  /** What the run made, where it is shown. */
  artifacts: 'artifacts.tar',
  /** Keys of single pieces of content. */
  keys: 'content-keys.json',
  /** What is certified of a run made with counterfoil/runtime. */
  certificate: 'certificate.json',
} as const;
/** Folders of parts: disclosed content, attestations, commits and trees of git. */
export const BUNDLE_FOLDERS = ['content/', 'attestations/', 'commits/', 'trees/'] as const;

const ENCRYPTION = ['none', 'aes-gcm'] as const;

/** What the run was shaped by. All null where it has no pack. */
export interface BundleHarness {
  readonly id: string | null;
  readonly packHash: string | null;
  readonly packRoot: string | null;
  readonly packEncryption: (typeof ENCRYPTION)[number];
  readonly packUri: string | null;
  readonly configHash: string | null;
}

export interface BundlePayload {
  readonly runId: string;
  /** The ledger's origin. */
  readonly origin: string;
  readonly created: string;
  readonly harness: BundleHarness;
  readonly inputs: {
    /** Hashes of the prompts, as the entries have them. */
    readonly prompts: readonly string[];
    readonly morePrompts: boolean;
    /** The commit that was checked out at the start, and its tree. */
    readonly commit: string | null;
    readonly tree: string | null;
  };
  readonly outputs: { readonly artifactHash: string | null };
  /** Entries of the run, and the RFC 6962 root over their lines. */
  readonly entries: number;
  readonly eventChainRoot: string;
  readonly receipts: number;
  readonly receiptsRoot: string;
  /** SHA-256 of each part, by its path. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Prompts whose hashes are listed. */
export const MOST_PROMPTS = 256;
const MOST_PARTS = 20_000;
const LONGEST = 2048;

export function encodeBundlePayload(payload: BundlePayload): JsonObject {
  const { harness, inputs } = payload;
  return {
    schema: BUNDLE_SCHEMA,
    run_id: payload.runId,
    origin: payload.origin,
    created: payload.created,
    metadata: {
      harness: {
        id: harness.id,
        pack_hash_b64u: harness.packHash,
        pack_root: harness.packRoot,
        pack_encryption_method: harness.packEncryption,
        pack_uri: harness.packUri,
        config_hash_b64u: harness.configHash,
      },
    },
    inputs: {
      prompt_hashes: [...inputs.prompts],
      more_prompts: inputs.morePrompts,
      commit: inputs.commit,
      tree: inputs.tree,
    },
    outputs: { artifact_hash_b64u: payload.outputs.artifactHash },
    entries: payload.entries,
    event_chain_root: payload.eventChainRoot,
    receipts: payload.receipts,
    receipts_root: payload.receiptsRoot,
    parts: Object.fromEntries(payload.parts),
  };
}

const MEMBERS = [
  'schema',
  'run_id',
  'origin',
  'created',
  'metadata',
  'inputs',
  'outputs',
  'entries',
  'event_chain_root',
  'receipts',
  'receipts_root',
  'parts',
];

export function parseBundlePayload(value: Json): BundlePayload {
  const at = 'bundle';
  const payload = asObject(value, at);
  if (payload.schema !== BUNDLE_SCHEMA)
    throw new ParseError('UNKNOWN_VERSION', `only ${BUNDLE_SCHEMA} is known`, `${at}.schema`);
  exactly(payload, MEMBERS, at);
  const metadata = object(payload, 'metadata', at);
  exactly(metadata, ['harness'], `${at}.metadata`);
  const [inputs, outputs, parts] = (['inputs', 'outputs', 'parts'] as const).map((name) =>
    object(payload, name, at),
  ) as [JsonObject, JsonObject, JsonObject];
  exactly(inputs, ['prompt_hashes', 'more_prompts', 'commit', 'tree'], `${at}.inputs`);
  exactly(outputs, ['artifact_hash_b64u'], `${at}.outputs`);
  const paths = Object.keys(parts);
  if (paths.length > MOST_PARTS) throw new ParseError('BAD_MEMBER', `more than ${MOST_PARTS}`, `${at}.parts`);
  const prompts = shortTexts(inputs, 'prompt_hashes', MOST_PROMPTS, 64, `${at}.inputs`);
  for (const [i] of prompts.entries())
    hash({ [`${i}`]: prompts[i] as Json }, `${i}`, `${at}.inputs.prompt_hashes`);
  if (typeof inputs.more_prompts !== 'boolean')
    throw new ParseError('BAD_MEMBER', 'not true or false', `${at}.inputs.more_prompts`);
  return {
    runId: hash(payload, 'run_id', at),
    origin: shortText(payload, 'origin', 256, at),
    created: moment(payload, 'created', at),
    harness: parseHarness(object(metadata, 'harness', `${at}.metadata`), `${at}.metadata.harness`),
    inputs: {
      prompts,
      morePrompts: inputs.more_prompts,
      commit: orNull(inputs, 'commit', () => shortText(inputs, 'commit', 64, `${at}.inputs`)),
      tree: orNull(inputs, 'tree', () => shortText(inputs, 'tree', 64, `${at}.inputs`)),
    },
    outputs: { artifactHash: b64uOrNull(outputs, 'artifact_hash_b64u', `${at}.outputs`) },
    entries: count(payload, 'entries', at),
    eventChainRoot: hash(payload, 'event_chain_root', at),
    receipts: count(payload, 'receipts', at),
    receiptsRoot: hash(payload, 'receipts_root', at),
    parts: new Map(paths.map((path) => [path, hash(parts, path, `${at}.parts`)])),
  };
}

function parseHarness(harness: JsonObject, at: string): BundleHarness {
  exactly(
    harness,
    ['id', 'pack_hash_b64u', 'pack_root', 'pack_encryption_method', 'pack_uri', 'config_hash_b64u'],
    at,
  );
  return {
    id: orNull(harness, 'id', () => shortText(harness, 'id', 128, at)),
    packHash: b64uOrNull(harness, 'pack_hash_b64u', at),
    packRoot: orNull(harness, 'pack_root', () => hash(harness, 'pack_root', at)),
    packEncryption: oneOf(harness, 'pack_encryption_method', ENCRYPTION, at),
    packUri: orNull(harness, 'pack_uri', () => shortText(harness, 'pack_uri', LONGEST, at)),
    configHash: b64uOrNull(harness, 'config_hash_b64u', at),
  };
}

function b64uOrNull(value: JsonObject, name: string, at: string): string | null {
  return orNull(value, name, () => hashB64u(value, name, at));
}

/** Which leaves of the tree the lines are is told by their seqs; these are the hashes beside them. */
export interface BundleProof {
  readonly size: number;
  /** 64 hex digits each. */
  readonly hashes: readonly string[];
}

const MOST_HASHES = 1_000_000;

export function encodeBundleProof({ size, hashes }: BundleProof): JsonObject {
  return { hashes: [...hashes], size };
}

export function parseBundleProof(bytes: Uint8Array): BundleProof {
  const at = BUNDLE_PARTS.proof;
  const proof = asObject(parseCanonicalJson(bytes), at);
  exactly(proof, ['size', 'hashes'], at);
  const hashes = shortTexts(proof, 'hashes', MOST_HASHES, 64, at);
  for (const [i] of hashes.entries()) hash({ [`${i}`]: hashes[i] as Json }, `${i}`, `${at}.hashes`);
  return { size: count(proof, 'size', at), hashes };
}

export interface Bundle {
  /** Null for one that was never written to a file: whoever made it has the ledger. */
  readonly envelope: DsseEnvelope | null;
  readonly payload: BundlePayload;
  /** By path, the envelope apart. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
}

export function encodeBundle(envelope: DsseEnvelope, parts: readonly TreeFile[]): Uint8Array {
  return encodeTar([...parts, { path: ENVELOPE_FILE, bytes: encodeDsse(envelope) }]);
}

/**
 * Its parts, each held against its hash. Nobody's signature has been checked. Throws PackError for an archive that is
 * not in order, or whose parts are not those of the envelope, and ParseError for a malformed envelope.
 */
export function parseBundle(bytes: Uint8Array): Bundle {
  return bundleOfFiles(parseTar(bytes));
}

/** Likewise, of the files of an archive that never was one, or has been read already. */
export function parseBundleFiles(unsorted: readonly TreeFile[]): Bundle {
  return bundleOfFiles(sortedFiles(unsorted));
}

function bundleOfFiles(sorted: readonly TreeFile[]): Bundle {
  const files = new Map(sorted.map((file) => [file.path, file.bytes]));
  const written = files.get(ENVELOPE_FILE);
  if (written === undefined) throw new PackError('NO_MANIFEST', 'is missing', ENVELOPE_FILE);
  files.delete(ENVELOPE_FILE);
  const envelope = parseDsse(parseCanonicalJson(written));
  if (envelope.payloadType !== BUNDLE_TYPE)
    throw new ParseError('MALFORMED', `is not of the type ${BUNDLE_TYPE}`, 'bundle');
  const payload = parseBundlePayload(parseCanonicalJson(envelope.payload));
  holdParts(payload, files);
  return { envelope, payload, parts: files };
}

/** Throws PackError where the parts are not those that the payload names. */
function holdParts(payload: BundlePayload, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [path, content] of files) {
    const expected = payload.parts.get(path);
    if (expected === undefined || !isPart(path))
      throw new PackError('ADDED_FILE', "isn't part of the bundle", path);
    if (sha256Hex(content) !== expected)
      throw new PackError('CHANGED_FILE', 'is not as the envelope says', path);
  }
  for (const path of payload.parts.keys())
    if (!files.has(path))
      throw new PackError('MISSING_FILE', 'is in the envelope, but not in the bundle', path);
}

function isPart(path: string): boolean {
  const single: readonly string[] = Object.values(BUNDLE_PARTS);
  return single.includes(path) || BUNDLE_FOLDERS.some((folder) => path.startsWith(folder));
}

/** The canonical bytes that are signed. */
export function bundlePayloadText(payload: BundlePayload): string {
  return canonicalize(encodeBundlePayload(payload));
}

/** The lines of a part, without their newlines. Throws ParseError where the last has none, or one is empty. */
export function linesOf(part: Uint8Array, path: string): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < part.length; ) {
    const end = part.indexOf(0x0a, start);
    if (end < 0) throw new ParseError('MALFORMED', 'the last line does not end in a newline', path);
    if (end === start) throw new ParseError('BLANK_LINE', 'an empty line', path);
    lines.push(part.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
