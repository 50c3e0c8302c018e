// `certificate.json` of a proof bundle: what is certified of a run. All of it but the replay follows from the entries beside it,
// and a verifier makes it again; the replay is the word of whoever signed the bundle. spec/bundle.md.
import { canonicalize, type Json, type JsonObject, ParseError, parseCanonicalJson } from '../core/index.ts';
import { RUN_HASHES, type RunHashes } from './agent-init.ts';
import { LONGEST_CAPABILITY } from './grants-record.ts';
import {
  asObject,
  count,
  exactly,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  shortText,
  shortTexts,
} from './members.ts';

export const CERTIFICATE_SCHEMA = 'run_certificate.v1';

const RESULTS = ['matches', 'unknown'] as const;
const STATUSES = ['proposed', 'tested', 'audited', 'approved', 'applied', 'rejected', 'reverted'] as const;

/** That the run was replayed, by what, and what came out. */
export interface Determinism {
  readonly result: (typeof RESULTS)[number];
  /** SHA-256 of the other members and the run's id. */
  readonly replayId: string;
  /** Of the code that ran. */
  readonly code: string;
  /** Null where nothing was replayed, as are the next four. */
  readonly node: string | null;
  readonly sandbox: string | null;
  /** The event of the snapshot that it began at; null for the beginning. */
  readonly from: number | null;
  readonly events: number | null;
  readonly finalStateHash: string | null;
  /** Why it is not known; null where it is. */
  readonly reason: string | null;
}

export interface CertifiedPatch {
  readonly id: string;
  readonly patchHash: string;
  readonly status: (typeof STATUSES)[number];
  readonly proposedBy: string;
  readonly approvedBy: string | null;
}

export interface RunCertificate {
  readonly runId: string;
  readonly agent: string;
  readonly events: number;
  readonly finalStateHash: string;
  readonly hashes: RunHashes;
  /** What the hashes are keyed with, so that they can be made again; null for plain ones. */
  readonly hashKey: string | null;
  readonly capabilities: {
    readonly hash: string | null;
    readonly granted: readonly string[];
    readonly root: string;
    readonly calls: number;
    readonly denials: number;
  };
  readonly patches: readonly CertifiedPatch[];
  readonly determinism: Determinism;
}

const AT = 'certificate';
const MOST_CAPABILITIES = 2000;
const MOST_PATCHES = 10_000;
const LONGEST = 1024;
const LONGEST_NAME = 128;

export function encodeCertificate(certificate: RunCertificate): JsonObject {
  const { capabilities, determinism, patches } = certificate;
  return {
    schema: CERTIFICATE_SCHEMA,
    run_id: certificate.runId,
    agent: certificate.agent,
    events: certificate.events,
    final_state_hash: certificate.finalStateHash,
    hashes: certificate.hashes,
    hash_key: certificate.hashKey,
    capabilities: {
      hash: capabilities.hash,
      granted: [...capabilities.granted],
      root: capabilities.root,
      calls: capabilities.calls,
      denials: capabilities.denials,
    },
    patches: patches.map(({ id, patchHash, status, proposedBy, approvedBy }) => ({
      id,
      patch_hash: patchHash,
      status,
      proposed_by: proposedBy,
      approved_by: approvedBy,
    })),
    determinism: encodeDeterminism(determinism),
  };
}

function encodeDeterminism(determinism: Determinism): JsonObject {
  const { result, replayId, code, node, sandbox, from, events, finalStateHash, reason } = determinism;
  return {
    result,
    replay_id: replayId,
    code,
    node,
    sandbox,
    from,
    events,
    final_state_hash: finalStateHash,
    reason,
  };
}

/** What the id of a replay is the SHA-256 of. */
export function replayIdText(runId: string, determinism: Omit<Determinism, 'replayId'>): string {
  const { replay_id: _, ...rest } = encodeDeterminism({ ...determinism, replayId: '' });
  return `counterfoil/replay/v1\n${runId}\n${canonicalize(rest)}\n`;
}

const MEMBERS =
  'schema run_id agent events final_state_hash hashes hash_key capabilities patches determinism'.split(' ');
const DETERMINISM = 'result replay_id code node sandbox from events final_state_hash reason'.split(' ');

/** Throws ParseError. */
export function parseCertificate(bytes: Uint8Array): RunCertificate {
  const value = asObject(parseCanonicalJson(bytes) as Json, AT);
  if (value.schema !== CERTIFICATE_SCHEMA)
    throw new ParseError('UNKNOWN_VERSION', `only ${CERTIFICATE_SCHEMA} is known`, `${AT}.schema`);
  exactly(value, MEMBERS, AT);
  const capabilities = object(value, 'capabilities', AT);
  const path = `${AT}.capabilities`;
  exactly(capabilities, ['hash', 'granted', 'root', 'calls', 'denials'], path);
  return {
    runId: hash(value, 'run_id', AT),
    agent: shortText(value, 'agent', LONGEST_NAME, AT),
    events: count(value, 'events', AT),
    finalStateHash: hash(value, 'final_state_hash', AT),
    hashes: oneOf(value, 'hashes', RUN_HASHES, AT),
    hashKey: orNull(value, 'hash_key', () => hash(value, 'hash_key', AT)),
    capabilities: {
      hash: orNull(capabilities, 'hash', () => hash(capabilities, 'hash', path)),
      granted: shortTexts(capabilities, 'granted', MOST_CAPABILITIES, LONGEST_CAPABILITY + 1, path),
      root: shortText(capabilities, 'root', LONGEST, path),
      calls: count(capabilities, 'calls', path),
      denials: count(capabilities, 'denials', path),
    },
    patches: objects(value, 'patches', MOST_PATCHES, AT).map(parsePatch),
    determinism: parseDeterminism(object(value, 'determinism', AT)),
  };
}

function parsePatch(patch: JsonObject, at: number): CertifiedPatch {
  const path = `${AT}.patches[${at}]`;
  exactly(patch, ['id', 'patch_hash', 'status', 'proposed_by', 'approved_by'], path);
  return {
    id: shortText(patch, 'id', LONGEST_NAME, path),
    patchHash: hash(patch, 'patch_hash', path),
    status: oneOf(patch, 'status', STATUSES, path),
    proposedBy: shortText(patch, 'proposed_by', LONGEST, path),
    approvedBy: orNull(patch, 'approved_by', () => shortText(patch, 'approved_by', LONGEST, path)),
  };
}

function parseDeterminism(value: JsonObject): Determinism {
  const path = `${AT}.determinism`;
  exactly(value, DETERMINISM, path);
  const text = (name: string): string | null =>
    orNull(value, name, () => shortText(value, name, LONGEST, path));
  const number = (name: string): number | null => orNull(value, name, () => count(value, name, path));
  return {
    result: oneOf(value, 'result', RESULTS, path),
    replayId: hash(value, 'replay_id', path),
    code: hash(value, 'code', path),
    node: text('node'),
    sandbox: text('sandbox'),
    from: number('from'),
    events: number('events'),
    finalStateHash: orNull(value, 'final_state_hash', () => hash(value, 'final_state_hash', path)),
    reason: text('reason'),
  };
}
