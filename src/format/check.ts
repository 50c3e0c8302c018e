// What a finished command says of itself as evidence: the checks in it, what it tried to get at, and the fingerprint of
// the work tree. These members stand in `tool.call` and `tool.result`, beside what recorders always write. Bounded, so
// that a command of any length leaves an entry; what is cut can only prove less.
import type { Json, JsonObject } from '../core/index.ts';
import type { AttemptFact, Check, CheckKind, Flaw, FlawCode } from './evidence.ts';
import {
  count,
  cut,
  cutAll,
  exactly,
  fitted,
  flag,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  shortText,
  shortTexts,
  sizeOf,
} from './members.ts';
import type { Exit, ExitOrigin, FileFact, TestCounts } from './recorded.ts';

const KINDS: readonly CheckKind[] = ['test', 'build', 'types', 'lint', 'format', 'run', 'http', 'ship'];
const FLAWS: readonly FlawCode[] = [
  'not-a-check',
  'masked',
  'background',
  'dry-run',
  'shadowed',
  'overtaken',
];
const MEMBERS = ['kind', 'runner', 'command', 'targets', 'selectors', 'directory', 'flaw', 'url', 'status'];
const SUMMARIES = ['passed', 'failed', 'unclear'] as const;
const CAPABILITIES: readonly AttemptFact['capability'][] = ['fetch', 'read', 'search', 'run'];

const MOST_CHECKS = 8;
const MOST_ATTEMPTS = 8;
const MOST_LISTED = 32;
const LONGEST = 256;
const LONGEST_RUNNER = 64;
/** Of a line: the checks of one command, and its attempts. */
const CHECKS_BYTES = 16_384;
const ATTEMPTS_BYTES = 8192;

/** What the gate wants to know of a call. */
export interface CallEvidence {
  /** Fingerprint of the work tree's code before it; null where none was taken. */
  readonly tree: string | null;
  /** The command calls our hooks itself: what is recorded while it runs may not be the host's. */
  readonly feedsHooks: boolean;
}

/** What the gate wants to know of a result. */
export interface ResultEvidence {
  /** Null where it is no command, or holds no check. */
  readonly checks: readonly Check[] | null;
  readonly attempts: readonly AttemptFact[] | null;
  /** Fingerprint after it. */
  readonly tree: string | null;
  /** It still runs: what it gave so far is not its end. */
  readonly background: boolean;
}

/** To be put beside the other members of a `tool.call`. */
export function encodeCallEvidence({ tree, feedsHooks }: CallEvidence): JsonObject {
  return { tree, feeds_hooks: feedsHooks };
}

/** What a `tool.call` has of it; recorders that know no gate write none of it. */
export function parseCallEvidence(payload: JsonObject): CallEvidence {
  return {
    tree: has(payload, 'tree') ? orNull(payload, 'tree', () => hash(payload, 'tree')) : null,
    feedsHooks: has(payload, 'feeds_hooks') ? flag(payload, 'feeds_hooks') : false,
  };
}

/** To be put beside the other members of a `tool.result`. */
export function encodeResultEvidence(evidence: ResultEvidence): JsonObject {
  const { checks, attempts, tree, background } = evidence;
  return {
    checks: checks === null ? null : encodeChecks(checks),
    attempts: attempts === null ? null : encodeAttempts(attempts),
    tree,
    background,
  };
}

/** All that judging needs of a `tool.result`. */
export interface ResultFacts extends ResultEvidence {
  readonly outcome: 'ok' | 'error' | 'aborted' | 'timeout';
  readonly exit: Exit;
  readonly tests: TestCounts | null;
  readonly files: readonly FileFact[];
  /** A second end of a call that had one. */
  readonly repeated: boolean;
}

const ORIGINS: readonly ExitOrigin[] = ['host', 'parsed', 'inferred', 'unknown'];
const OUTCOMES = ['ok', 'error', 'aborted', 'timeout'] as const;
const OPS: readonly FileFact['op'][] = ['write', 'edit', 'delete', 'read'];
const MOST_FILES = 1024;
const LONGEST_PATH = 4096;

export function parseResultFacts(payload: JsonObject): ResultFacts {
  const code = orNull(payload, 'exit_code', () => exitCode(payload));
  return {
    outcome: oneOf(payload, 'result', OUTCOMES),
    exit: { code, origin: oneOf(payload, 'exit_origin', ORIGINS) },
    tests: orNull(payload, 'tests', () => parseTests(object(payload, 'tests'))),
    files: objects(payload, 'files', MOST_FILES).map((file, i) => parseFile(file, `payload.files[${i}]`)),
    repeated: has(payload, 'repeated') ? flag(payload, 'repeated') : false,
    checks: has(payload, 'checks') ? orNull(payload, 'checks', () => parseChecks(payload)) : null,
    attempts: has(payload, 'attempts') ? orNull(payload, 'attempts', () => parseAttempts(payload)) : null,
    tree: has(payload, 'tree') ? orNull(payload, 'tree', () => hash(payload, 'tree')) : null,
    background: has(payload, 'background') ? flag(payload, 'background') : false,
  };
}

/** As many as fit: each stands for itself, so one that is left out proves nothing and spoils nothing. */
export function encodeChecks(checks: readonly Check[]): Json[] {
  const encoded: Json[] = [];
  let left = CHECKS_BYTES;
  for (const check of checks.slice(0, MOST_CHECKS)) {
    const one = fitted(left, [MOST_LISTED, 2], (most) => encodeCheck(check, most));
    const size = sizeOf(one);
    if (size > left) continue;
    encoded.push(one);
    left -= size;
  }
  return encoded;
}

function encodeCheck(check: Check, most: number): JsonObject {
  const { flaw, directory, url } = check;
  return {
    kind: check.kind,
    runner: cut(check.runner, LONGEST_RUNNER),
    command: cut(check.command, LONGEST),
    targets: cutAll(check.targets, most, LONGEST),
    selectors: cutAll(check.selectors, most, LONGEST),
    directory: directory === null ? null : cut(directory, LONGEST),
    flaw: flaw === null ? null : { code: flaw.code, detail: cut(flaw.detail, LONGEST) },
    url: url === null ? null : cut(url, LONGEST),
    status: check.status,
    ...(check.summary === undefined ? {} : { summary: check.summary }),
  };
}

/** The member `checks` of a payload. */
export function parseChecks(payload: JsonObject): Check[] {
  return objects(payload, 'checks', MOST_CHECKS).map((check, i) => parseCheck(check, `payload.checks[${i}]`));
}

function parseCheck(check: JsonObject, path: string): Check {
  const summed = has(check, 'summary');
  exactly(check, summed ? [...MEMBERS, 'summary'] : MEMBERS, path);
  return {
    kind: oneOf(check, 'kind', KINDS, path),
    runner: shortText(check, 'runner', LONGEST_RUNNER, path),
    command: shortText(check, 'command', LONGEST, path),
    targets: shortTexts(check, 'targets', MOST_LISTED, LONGEST, path),
    selectors: shortTexts(check, 'selectors', MOST_LISTED, LONGEST, path),
    directory: orNull(check, 'directory', () => shortText(check, 'directory', LONGEST, path)),
    flaw: orNull(check, 'flaw', () => parseFlaw(object(check, 'flaw', path), `${path}.flaw`)),
    url: orNull(check, 'url', () => shortText(check, 'url', LONGEST, path)),
    status: orNull(check, 'status', () => count(check, 'status', path)),
    ...(summed ? { summary: oneOf(check, 'summary', SUMMARIES, path) } : {}),
  };
}

function parseFlaw(flaw: JsonObject, path: string): Flaw {
  exactly(flaw, ['code', 'detail'], path);
  return { code: oneOf(flaw, 'code', FLAWS, path), detail: shortText(flaw, 'detail', LONGEST, path) };
}

export function encodeAttempts(attempts: readonly AttemptFact[]): Json[] {
  return fitted(ATTEMPTS_BYTES, [MOST_ATTEMPTS, 2], (most) =>
    attempts.slice(0, most).map(({ capability, way, target, ok, status }) => ({
      capability,
      way: cut(way, LONGEST_RUNNER),
      target: cut(target, LONGEST),
      ok,
      status,
    })),
  );
}

/** The member `attempts` of a payload. */
export function parseAttempts(payload: JsonObject): AttemptFact[] {
  return objects(payload, 'attempts', MOST_ATTEMPTS).map((attempt, i) => {
    const path = `payload.attempts[${i}]`;
    exactly(attempt, ['capability', 'way', 'target', 'ok', 'status'], path);
    return {
      capability: oneOf(attempt, 'capability', CAPABILITIES, path),
      way: shortText(attempt, 'way', LONGEST_RUNNER, path),
      target: shortText(attempt, 'target', LONGEST, path),
      ok: flag(attempt, 'ok', path),
      status: orNull(attempt, 'status', () => count(attempt, 'status', path)),
    };
  });
}

export function parseTests(tests: JsonObject): TestCounts {
  const path = 'payload.tests';
  exactly(tests, ['runner', 'passed', 'failed', 'skipped', 'total'], path);
  return {
    runner: shortText(tests, 'runner', LONGEST, path),
    passed: count(tests, 'passed', path),
    failed: count(tests, 'failed', path),
    skipped: count(tests, 'skipped', path),
    total: orNull(tests, 'total', () => count(tests, 'total', path)),
  };
}

function parseFile(file: JsonObject, path: string): FileFact {
  exactly(file, ['path', 'op', 'hash', 'bytes'], path);
  return {
    path: shortText(file, 'path', LONGEST_PATH, path),
    op: oneOf(file, 'op', OPS, path),
    hash: orNull(file, 'hash', () => hash(file, 'hash', path)),
    bytes: orNull(file, 'bytes', () => count(file, 'bytes', path)),
  };
}

/** Exit codes of Windows and of signals may be negative. */
function exitCode(payload: JsonObject): number {
  const value = payload.exit_code;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value < 0) return value;
  return value === 0 ? 0 : seq(payload, 'exit_code');
}

function has(payload: JsonObject, name: string): boolean {
  return Object.hasOwn(payload, name);
}
