// The attestation, `verification_attestation.v1`: somebody ran a pack's verification over the artifacts of one run, and says
// what came of it. It is the payload of a DSSE envelope that the attester signs. It counts for that run, pack and set of
// artifacts alone. spec/attestation.md is the specification.
import {
  canonicalize,
  type DsseEnvelope,
  encodeDsse,
  isDidKey,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
  parseDidKey,
  parseDsse,
} from '../core/index.ts';
import { type AttestedRubric, encodeAttestedRubric, parseAttestedRubric } from './attested-rubric.ts';
import {
  asObject,
  count,
  exactly,
  hash,
  hashB64u,
  moment,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  shortText,
} from './members.ts';

export const ATTESTATION_SCHEMA = 'verification_attestation.v1';
export const ATTESTATION_TYPE = 'application/vnd.counterfoil.verification-attestation.v1+json';
export const MOST_ATTESTATION_BYTES = 65_536;

const KIND = 'verification_result';
export const ATTESTATION_METHODS = ['tests_passed', 'rubric'] as const;
const RESULTS = ['PASS', 'FAIL'] as const;
/** What a limit rests on, as a sandbox says it. */
const RESTS_ON = ['cgroup', 'rlimit', 'tmpfs', 'reader', 'timer', 'unbounded'] as const;

export interface AttestedTests {
  /** By the pack. The other three add up to it. */
  readonly listed: number;
  readonly passed: number;
  readonly failed: number;
  /** Not in the report, or there twice. */
  readonly missing: number;
}

export interface AttestedLimit {
  readonly name: string;
  /** Null where nothing holds it. */
  readonly value: number | null;
  readonly restsOn: (typeof RESTS_ON)[number];
}

export interface AttestedSandbox {
  readonly name: string;
  /** Of the sandbox's program and the kernel, by their names. */
  readonly versions: Readonly<Record<string, string>>;
  readonly limits: readonly AttestedLimit[];
}

export interface Attestation {
  /** 32 hex digits, random. */
  readonly id: string;
  readonly runId: string;
  /** The ledger's. */
  readonly origin: string;
  /** SHA-256 of the bundle that the attester was given. */
  readonly bundleHash: string;
  readonly eventChainRoot: string;
  readonly packHash: string;
  readonly packRoot: string;
  readonly artifactHash: string;
  /** How many files. */
  readonly artifacts: number;
  /** Of those, files that were not laid out for the tests: tests and settings of test runners that the pack does not have. */
  readonly leftOut: number;
  /** What the run began from, as the bundle says. */
  readonly base: { readonly commit: string; readonly tree: string | null } | null;
  /** A hash of what the tests needed besides; null where they had nothing but the system's programs. */
  readonly dependencies: string | null;
  readonly method: (typeof ATTESTATION_METHODS)[number];
  readonly result: (typeof RESULTS)[number];
  /** Null for a rubric. */
  readonly tests: AttestedTests | null;
  /** Only of an attestation by rubric. */
  readonly rubric?: AttestedRubric;
  readonly reason: string;
  /** How often this attester has tried this run, pack and set of artifacts, this time included. */
  readonly attempt: number;
  /** Null for a rubric. */
  readonly sandbox: AttestedSandbox | null;
  readonly attester: string;
  readonly issued: string;
  readonly expires: string;
}

export const LONGEST_REASON = 512;
const LONGEST_DID = 512;
const MOST_LIMITS = 32;
const MOST_VERSIONS = 8;

export function encodeAttestation(attestation: Attestation): JsonObject {
  const { base, tests, rubric, sandbox } = attestation;
  return {
    schema: ATTESTATION_SCHEMA,
    attestation_type: KIND,
    attestation_id: attestation.id,
    run_id: attestation.runId,
    origin: attestation.origin,
    bundle_hash: attestation.bundleHash,
    event_chain_root: attestation.eventChainRoot,
    pack_hash_b64u: attestation.packHash,
    pack_root: attestation.packRoot,
    artifact_hash_b64u: attestation.artifactHash,
    artifacts: attestation.artifacts,
    left_out: attestation.leftOut,
    base: base === null ? null : { commit: base.commit, tree: base.tree },
    dependencies: attestation.dependencies,
    verification_method: attestation.method,
    result: attestation.result,
    tests: tests === null ? null : { ...tests },
    ...(rubric === undefined ? {} : { rubric: encodeAttestedRubric(rubric) }),
    reason: attestation.reason,
    attempt: attestation.attempt,
    sandbox:
      sandbox === null
        ? null
        : {
            name: sandbox.name,
            versions: { ...sandbox.versions },
            limits: sandbox.limits.map(({ name, value, restsOn }) => ({ name, value, rests_on: restsOn })),
          },
    attester_did: attestation.attester,
    issued: attestation.issued,
    expires: attestation.expires,
  };
}

const MEMBERS = [
  ...['schema', 'attestation_type', 'attestation_id', 'run_id', 'origin', 'bundle_hash', 'event_chain_root'],
  ...['pack_hash_b64u', 'pack_root', 'artifact_hash_b64u', 'artifacts', 'left_out', 'base', 'dependencies'],
  ...['verification_method', 'result', 'tests', 'reason', 'attempt', 'sandbox'],
  ...['attester_did', 'issued', 'expires'],
];

/** Throws ParseError, with UNKNOWN_VERSION for another schema. */
export function parseAttestation(value: Json): Attestation {
  const at = 'attestation';
  const payload = asObject(value, at);
  if (payload.schema !== ATTESTATION_SCHEMA)
    throw new ParseError('UNKNOWN_VERSION', `only ${ATTESTATION_SCHEMA} is known`, `${at}.schema`);
  const isByRubric = payload.verification_method === 'rubric';
  exactly(payload, isByRubric ? [...MEMBERS, 'rubric'] : MEMBERS, at);
  oneOf(payload, 'attestation_type', [KIND], at);
  const attestation: Attestation = {
    id: hexOf(payload, 'attestation_id', [32], at),
    runId: hash(payload, 'run_id', at),
    origin: shortText(payload, 'origin', 256, at),
    bundleHash: hash(payload, 'bundle_hash', at),
    eventChainRoot: hash(payload, 'event_chain_root', at),
    packHash: hashB64u(payload, 'pack_hash_b64u', at),
    packRoot: hash(payload, 'pack_root', at),
    artifactHash: hashB64u(payload, 'artifact_hash_b64u', at),
    artifacts: count(payload, 'artifacts', at),
    leftOut: count(payload, 'left_out', at),
    base: orNull(payload, 'base', () => parseBase(object(payload, 'base', at), `${at}.base`)),
    dependencies: orNull(payload, 'dependencies', () => hash(payload, 'dependencies', at)),
    method: oneOf(payload, 'verification_method', ATTESTATION_METHODS, at),
    result: oneOf(payload, 'result', RESULTS, at),
    tests: orNull(payload, 'tests', () => parseTests(object(payload, 'tests', at), `${at}.tests`)),
    ...(isByRubric ? { rubric: parseAttestedRubric(object(payload, 'rubric', at), `${at}.rubric`) } : {}),
    reason: shortText(payload, 'reason', LONGEST_REASON, at),
    attempt: seq(payload, 'attempt', at),
    sandbox: orNull(payload, 'sandbox', () => parseSandbox(object(payload, 'sandbox', at), `${at}.sandbox`)),
    attester: did(payload, 'attester_did', at),
    issued: moment(payload, 'issued', at),
    expires: moment(payload, 'expires', at),
  };
  assertSound(attestation, at);
  return attestation;
}

/** What one member says must fit what another says. */
function assertSound(attestation: Attestation, at: string): void {
  const { artifacts, leftOut, result, tests, rubric, sandbox, issued, expires } = attestation;
  const refuse = (why: string, member: string): never => {
    throw new ParseError('BAD_MEMBER', why, `${at}.${member}`);
  };
  if (leftOut > artifacts) refuse('more than there are artifacts', 'left_out');
  if (expires <= issued) refuse('not after it was issued', 'expires');
  if (rubric !== undefined) {
    if (tests !== null) refuse('not for a rubric', 'tests');
    if (sandbox !== null) refuse('not for a rubric, which runs nothing', 'sandbox');
    if (leftOut !== 0) refuse('not for a rubric, whose judge gets all of them', 'left_out');
    if ((result === 'PASS') !== rubric.score >= rubric.threshold) refuse('not what the score says', 'result');
    return;
  }
  if (tests === null) refuse('missing', 'tests');
  if (sandbox === null) refuse('missing', 'sandbox');
  if (result === 'PASS' && tests?.passed !== tests?.listed) refuse('not all tests passed', 'result');
}

function parseBase(base: JsonObject, at: string): NonNullable<Attestation['base']> {
  exactly(base, ['commit', 'tree'], at);
  return {
    commit: hexOf(base, 'commit', [40, 64], at),
    tree: orNull(base, 'tree', () => hexOf(base, 'tree', [40, 64], at)),
  };
}

function parseTests(tests: JsonObject, at: string): AttestedTests {
  const names = ['listed', 'passed', 'failed', 'missing'] as const;
  exactly(tests, names, at);
  const [listed, passed, failed, missing] = names.map((name) => count(tests, name, at)) as [
    number,
    number,
    number,
    number,
  ];
  if (listed === 0 || passed + failed + missing !== listed)
    throw new ParseError('BAD_MEMBER', 'passed, failed and missing are not all that are listed', at);
  return { listed, passed, failed, missing };
}

function parseSandbox(sandbox: JsonObject, at: string): AttestedSandbox {
  exactly(sandbox, ['name', 'versions', 'limits'], at);
  const versions = object(sandbox, 'versions', at);
  const programs = Object.keys(versions);
  if (programs.length > MOST_VERSIONS || programs.some((name) => name.length > 64))
    throw new ParseError('BAD_MEMBER', 'too many, or too long', `${at}.versions`);
  return {
    name: shortText(sandbox, 'name', 64, at),
    versions: Object.fromEntries(
      programs.map((name) => [name, shortText(versions, name, 128, `${at}.versions`)]),
    ),
    limits: objects(sandbox, 'limits', MOST_LIMITS, at).map((limit, i) => {
      const here = `${at}.limits[${i}]`;
      exactly(limit, ['name', 'value', 'rests_on'], here);
      const restsOn = oneOf(limit, 'rests_on', RESTS_ON, here);
      const value = orNull(limit, 'value', () => count(limit, 'value', here));
      if ((value === null) !== (restsOn === 'unbounded'))
        throw new ParseError('BAD_MEMBER', 'a value, and nothing that it rests on, or the reverse', here);
      return { name: shortText(limit, 'name', 64, here), value, restsOn };
    }),
  };
}

function hexOf(value: JsonObject, name: string, lengths: readonly number[], at: string): string {
  const text = shortText(value, name, 64, at);
  if (!/^[0-9a-f]+$/.test(text) || !lengths.includes(text.length))
    throw new ParseError('BAD_MEMBER', `not ${lengths.join(' or ')} hex digits`, `${at}.${name}`);
  return text;
}

function did(value: JsonObject, name: string, at: string): string {
  const text = shortText(value, name, LONGEST_DID, at);
  if (isDidKey(text)) parseDidKey(text);
  else if (!/^did:web:[A-Za-z0-9.%_-]+(?::[A-Za-z0-9.%_-]+)*$/.test(text))
    throw new ParseError('BAD_MEMBER', 'neither did:key nor did:web', `${at}.${name}`);
  return text;
}

/** The canonical text that is signed. */
export function attestationText(attestation: Attestation): string {
  return canonicalize(encodeAttestation(attestation));
}

export interface SignedAttestation {
  readonly envelope: DsseEnvelope;
  readonly attestation: Attestation;
}

export function encodeSignedAttestation(envelope: DsseEnvelope): Uint8Array {
  return encodeDsse(envelope);
}

/** Nobody's signature has been checked. Throws ParseError; UNKNOWN_VERSION for another type or schema. */
export function parseSignedAttestation(bytes: Uint8Array): SignedAttestation {
  if (bytes.length > MOST_ATTESTATION_BYTES)
    throw new ParseError('TOO_LONG', `more than ${MOST_ATTESTATION_BYTES} bytes`, 'attestation');
  const envelope = parseDsse(parseCanonicalJson(bytes));
  if (envelope.payloadType !== ATTESTATION_TYPE)
    throw new ParseError('UNKNOWN_VERSION', `is not of the type ${ATTESTATION_TYPE}`, 'attestation');
  return { envelope, attestation: parseAttestation(parseCanonicalJson(envelope.payload)) };
}
