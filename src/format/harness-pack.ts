// The harness pack, `harness_pack.v1`: what shaped an agent, as a set of files with a manifest, and the hashes that
// sessions, receipts, bundles and attestations are bound to. Two hashes: `pack_hash_b64u` as the format's source defines
// it, which covers static files, configuration and the template's version; and the root, which covers every file, the
// manifest included. spec/pack.md is the specification.
import { sha256, sha256Hex, utf8Encode } from '#platform';
import {
  canonicalize,
  encodeBase64Url,
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
  parseHex,
} from '../core/index.ts';
import { type FileHash, fileHashes, filesRoot, sortedFiles, type TreeFile } from './file-tree.ts';
import { asObject, count, exactly, hash, object, oneOf, orNull, shortText, shortTexts } from './members.ts';
import { PackError } from './pack-error.ts';
import { parseToolPolicy, type ToolPolicy } from './tool-policy.ts';

export const PACK_SCHEMA = 'harness_pack.v1';
export const MANIFEST_FILE = 'manifest.json';
export const TOOL_POLICY_FILE = 'config/tool-policy.json';
export const VARIABLES_FILE = 'env/variables.json';
/** The folders of a pack, and nothing beside them but the manifest. */
export const PACK_FOLDERS = ['config', 'env', 'static', 'template', 'verification'] as const;

/** Reports that name each test, so that a run which ended early is not taken for one that passed. */
export const TEST_REPORTS = ['tap', 'junit'] as const;
export type TestReport = (typeof TEST_REPORTS)[number];

/** Tests that lie in the pack, run with the artifacts in a sandbox. */
export interface TestVerification {
  readonly method: 'tests';
  /** An argument each; never a shell line, never a script of the artifacts. */
  readonly command: readonly string[];
  readonly report: TestReport;
  /** Where the command leaves its report, below the work tree; null: on standard output. */
  readonly reportFile: string | null;
  /** Every test that must be in the report, and have passed. */
  readonly tests: readonly string[];
  readonly timeoutSeconds: number;
}

/** A model judges, by a rubric that lies in the pack. */
export interface RubricVerification {
  readonly method: 'rubric';
  /** A file of the pack. */
  readonly rubric: string;
  readonly model: string;
  readonly votes: number;
  /** Of 100: the median of the votes must reach it. */
  readonly threshold: number;
}

export type Verification = TestVerification | RubricVerification;

export interface PackManifest {
  readonly id: string;
  readonly templateVersion: string;
  /** Globs of the files that a run makes; none: nothing can be attested. */
  readonly outputs: readonly string[];
  readonly verification: Verification | null;
}

export interface PackHashes {
  /** 64 hex digits each. */
  readonly staticHash: string;
  readonly configHash: string;
  readonly toolPolicyHash: string;
  /** Base64url without padding. */
  readonly packHash: string;
  /** Over every file, the manifest included: 64 hex digits. */
  readonly root: string;
}

export interface HarnessPack {
  readonly manifest: PackManifest;
  readonly hashes: PackHashes;
  /** Sorted, the manifest among them. */
  readonly files: readonly TreeFile[];
}

const LONGEST_ID = 128;
const MOST_GLOBS = 256;
const LONGEST_GLOB = 512;
const MOST_ARGUMENTS = 256;
const LONGEST_ARGUMENT = 4096;
const MOST_TESTS = 20_000;
const LONGEST_TEST = 1024;
export const LONGEST_TIMEOUT = 3600;
export const MOST_VOTES = 25;

/** The pack of these files, manifest apart: that is made here. Throws PackError. */
export function buildPack(manifest: PackManifest, content: readonly TreeFile[]): HarnessPack {
  const sorted = sortedFiles(content);
  const hashes = fileHashes(sorted);
  const named = namedHashes(sorted, hashes, manifest.templateVersion);
  const encoded = utf8Encode(canonicalize(encodeManifest(manifest, named, hashes)));
  // What a reader would refuse is never made.
  return readPackFiles([...sorted, { path: MANIFEST_FILE, bytes: encoded }]);
}

type NamedHashes = Omit<PackHashes, 'root'>;

function namedHashes(
  files: readonly TreeFile[],
  hashes: readonly FileHash[],
  templateVersion: string,
): NamedHashes {
  const stray = files.find(({ path }) => !PACK_FOLDERS.some((folder) => path.startsWith(`${folder}/`)));
  if (stray !== undefined)
    throw new PackError('STRAY_FILE', `not in one of ${PACK_FOLDERS.join(', ')}`, stray.path);
  toolPolicyOf({ files });
  const policy = hashes.find(([path]) => path === TOOL_POLICY_FILE);
  const staticHash = sha256Hex(
    canonicalize(hashes.filter(([path]) => path.startsWith('static/')).map(plain)),
  );
  const configHash = sha256Hex(canonicalize(configOf(files)));
  const whole = [parseHex(staticHash), parseHex(configHash), utf8Encode(templateVersion)];
  return {
    staticHash,
    configHash,
    toolPolicyHash: policy?.[1] ?? '',
    packHash: encodeBase64Url(sha256(Uint8Array.from(whole.flatMap((part) => [...part])))),
  };
}

const plain = ([path, sha256]: FileHash): Json => [path, sha256];

/** The whole of config/ as one object: each file's value by its path. */
function configOf(files: readonly TreeFile[]): JsonObject {
  return Object.fromEntries(
    files
      .filter(({ path }) => path.startsWith('config/'))
      .map(({ path, bytes }) => [path.slice('config/'.length), configValue(path, bytes)]),
  );
}

function configValue(path: string, bytes: Uint8Array): Json {
  try {
    return parseCanonicalJson(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new PackError('BAD_CONFIG', `not canonical JSON (${error.message})`, path);
  }
}

function encodeManifest(
  { id, templateVersion, outputs, verification }: PackManifest,
  { staticHash, configHash, toolPolicyHash, packHash }: NamedHashes,
  hashes: readonly FileHash[],
): JsonObject {
  const isStatic = ([path]: FileHash): boolean => path.startsWith('static/');
  return {
    config_hash: configHash,
    file_hashes: Object.fromEntries(hashes.filter((each) => !isStatic(each))),
    id,
    outputs: [...outputs],
    pack_hash_b64u: packHash,
    schema: PACK_SCHEMA,
    static_file_hashes: Object.fromEntries(hashes.filter(isStatic)),
    static_hash: staticHash,
    template_version: templateVersion,
    tool_policy_hash: toolPolicyHash,
    verification: verification === null ? null : encodeVerification(verification),
  };
}

function encodeVerification(verification: Verification): JsonObject {
  if (verification.method === 'rubric') return { ...verification };
  const { method, command, report, reportFile, tests, timeoutSeconds } = verification;
  return {
    method,
    command: [...command],
    report,
    report_file: reportFile,
    tests: [...tests],
    timeout_seconds: timeoutSeconds,
  };
}

const MANIFEST_MEMBERS = [
  'schema',
  'id',
  'template_version',
  'outputs',
  'verification',
  'static_file_hashes',
  'file_hashes',
  'static_hash',
  'config_hash',
  'tool_policy_hash',
  'pack_hash_b64u',
];

/** A pack from its files, every hash recomputed. Throws PackError for one that does not hold. */
export function readPackFiles(files: readonly TreeFile[]): HarnessPack {
  const sorted = sortedFiles(files);
  const written = sorted.find(({ path }) => path === MANIFEST_FILE);
  if (written === undefined) throw new PackError('NO_MANIFEST', 'is missing', MANIFEST_FILE);
  const content = sorted.filter((file) => file !== written);
  const { manifest, listed, named } = parseManifest(written.bytes);
  const hashes = fileHashes(content);
  compareFiles(listed, hashes);
  assertNamed(named, namedHashes(content, hashes, manifest.templateVersion));
  assertRubric(manifest.verification, content);
  assertVariables(content);
  return { manifest, hashes: { ...named, root: filesRoot(fileHashes(sorted)) }, files: sorted };
}

interface ParsedManifest {
  readonly manifest: PackManifest;
  readonly listed: ReadonlyMap<string, string>;
  readonly named: NamedHashes;
}

function parseManifest(bytes: Uint8Array): ParsedManifest {
  const path = MANIFEST_FILE;
  try {
    const value = asObject(parseCanonicalJson(bytes), path);
    if (value.schema !== PACK_SCHEMA)
      throw new ParseError('UNKNOWN_VERSION', `only ${PACK_SCHEMA} is known`, `${path}.schema`);
    exactly(value, MANIFEST_MEMBERS, path);
    const statics = hashesOf(value, 'static_file_hashes', (name) => name.startsWith('static/'));
    const others = hashesOf(value, 'file_hashes', (name) => !name.startsWith('static/'));
    return {
      manifest: {
        id: shortText(value, 'id', LONGEST_ID, path),
        templateVersion: shortText(value, 'template_version', LONGEST_ID, path),
        outputs: shortTexts(value, 'outputs', MOST_GLOBS, LONGEST_GLOB, path),
        verification: orNull(value, 'verification', () =>
          parseVerification(object(value, 'verification', path), `${path}.verification`),
        ),
      },
      listed: new Map([...statics, ...others]),
      named: {
        staticHash: hash(value, 'static_hash', path),
        configHash: hash(value, 'config_hash', path),
        toolPolicyHash: hash(value, 'tool_policy_hash', path),
        packHash: shortText(value, 'pack_hash_b64u', 43, path),
      },
    };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new PackError('BAD_MANIFEST', error.message);
  }
}

function hashesOf(
  manifest: JsonObject,
  name: string,
  belongs: (path: string) => boolean,
): [path: string, sha256: string][] {
  const at = `${MANIFEST_FILE}.${name}`;
  const members = object(manifest, name, MANIFEST_FILE);
  return Object.keys(members).map((path) => {
    if (!belongs(path)) throw new ParseError('BAD_MEMBER', 'does not belong here', `${at}.${path}`);
    return [path, hash(members, path, at)];
  });
}

/** What a settings file or a manifest says of the verification. Throws ParseError. */
export function parseVerification(value: JsonObject, path: string): Verification {
  const method = oneOf(value, 'method', ['tests', 'rubric'], path);
  if (method === 'rubric') {
    exactly(value, ['method', 'rubric', 'model', 'votes', 'threshold'], path);
    return {
      method,
      rubric: shortText(value, 'rubric', LONGEST_GLOB, path),
      model: shortText(value, 'model', LONGEST_ID, path),
      votes: within(value, 'votes', 1, MOST_VOTES, path),
      threshold: within(value, 'threshold', 1, 100, path),
    };
  }
  exactly(value, ['method', 'command', 'report', 'report_file', 'tests', 'timeout_seconds'], path);
  const command = shortTexts(value, 'command', MOST_ARGUMENTS, LONGEST_ARGUMENT, path);
  if ((command[0] ?? '') === '') throw new ParseError('BAD_MEMBER', 'names no program', `${path}.command`);
  const tests = shortTexts(value, 'tests', MOST_TESTS, LONGEST_TEST, path);
  if (tests.length === 0)
    throw new ParseError('BAD_MEMBER', 'names no test, so that nothing could fail', `${path}.tests`);
  if (new Set(tests).size < tests.length)
    throw new ParseError('BAD_MEMBER', 'names a test twice', `${path}.tests`);
  return {
    method,
    command,
    report: oneOf(value, 'report', TEST_REPORTS, path),
    reportFile: orNull(value, 'report_file', () => shortText(value, 'report_file', LONGEST_GLOB, path)),
    tests,
    timeoutSeconds: within(value, 'timeout_seconds', 1, LONGEST_TIMEOUT, path),
  };
}

function within(value: JsonObject, name: string, least: number, most: number, path: string): number {
  const number = count(value, name, path);
  if (number < least || number > most)
    throw new ParseError('BAD_MEMBER', `not from ${least} to ${most}`, `${path}.${name}`);
  return number;
}

function compareFiles(listed: ReadonlyMap<string, string>, hashes: readonly FileHash[]): void {
  for (const [path, sha256] of hashes) {
    const expected = listed.get(path);
    if (expected === undefined) throw new PackError('ADDED_FILE', 'is not in the manifest', path);
    if (expected !== sha256) throw new PackError('CHANGED_FILE', 'is not as the manifest says', path);
  }
  const there = new Set(hashes.map(([path]) => path));
  for (const path of listed.keys())
    if (!there.has(path))
      throw new PackError('MISSING_FILE', 'is in the manifest, but not in the pack', path);
}

function assertNamed(written: NamedHashes, computed: NamedHashes): void {
  const names = {
    staticHash: 'static_hash',
    configHash: 'config_hash',
    toolPolicyHash: 'tool_policy_hash',
    packHash: 'pack_hash_b64u',
  } as const;
  for (const [member, name] of Object.entries(names) as [keyof NamedHashes, string][])
    if (written[member] !== computed[member])
      throw new PackError('WRONG_HASH', `${name} is not the hash of these files`, MANIFEST_FILE);
}

/** Names, each with null or a checksum: a value must not be there. */
function assertVariables(files: readonly TreeFile[]): void {
  const file = files.find(({ path }) => path === VARIABLES_FILE);
  if (file === undefined) return;
  const value = configValue(VARIABLES_FILE, file.bytes);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.values(value).every((each) => each === null || isHash(each)))
    throw new PackError(
      'BAD_VARIABLES',
      'has something other than names with null or a checksum',
      VARIABLES_FILE,
    );
}

/** What the pack denies. */
export function toolPolicyOf({ files }: Pick<HarnessPack, 'files'>): ToolPolicy {
  const file = files.find(({ path }) => path === TOOL_POLICY_FILE);
  if (file === undefined) throw new PackError('NO_TOOL_POLICY', 'is missing', TOOL_POLICY_FILE);
  try {
    return parseToolPolicy(configValue(TOOL_POLICY_FILE, file.bytes), TOOL_POLICY_FILE);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new PackError('BAD_CONFIG', error.message);
  }
}

function assertRubric(verification: Verification | null, files: readonly TreeFile[]): void {
  if (verification?.method !== 'rubric') return;
  if (!files.some(({ path }) => path === verification.rubric))
    throw new PackError('BAD_MANIFEST', `${verification.rubric} is not in the pack`, MANIFEST_FILE);
}
