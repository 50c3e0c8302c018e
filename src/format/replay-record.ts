// What a recorded session leaves so that it can be replayed: `replay.policy`, by which an operator allows it;
// `replay.start`, what the session began with; `replay.answer`, what came back for one call. spec/replay.md.
import { hmacSha256, utf8Encode } from '#platform';
import { encodeHex, type JsonObject, ParseError } from '../core/index.ts';
import { type ContentRef, encodeContentRef, parseContentRef } from './content.ts';
import { count, exactly, flag, hash, object, oneOf, orNull, shortText, signature } from './members.ts';
import { verifierKey } from './validator-key.ts';

export const REPLAY_WORDS = ['keep', 'none'] as const;
export type ReplayWord = (typeof REPLAY_WORDS)[number];

export interface ReplayPolicy {
  readonly replay: ReplayWord;
  /** The operator's verifier key, and its signature over replayPolicyMessage in base64. */
  readonly accepted: { readonly by: string; readonly signature: string };
}

/** Where the agent's own places were: their paths mean the same in a replay, and lie elsewhere there. */
export interface ReplayPlaces {
  readonly home: string | null;
  readonly temporary: string;
}

export interface ReplayStart extends ReplayPlaces {
  /** The command, as `parseKeptCommand` reads it. */
  readonly command: ContentRef;
  /** The work tree, as `parseKeptTree` reads it. */
  readonly tree: ContentRef;
  readonly files: number;
  readonly bytes: number;
  readonly root: string;
  /** Somebody could type: what they typed is not kept. */
  readonly terminal: boolean;
}

export const ANSWER_PROBLEMS = ['broken-off', 'too-large'] as const;
export type AnswerProblem = (typeof ANSWER_PROBLEMS)[number];

export interface ReplayAnswer {
  /** Of the request, as `requestDigest` makes it. */
  readonly requestHash: string;
  /** The answer, as `parseKeptAnswer` reads it; null where `problem` says why it is not kept. */
  readonly kept: ContentRef | null;
  readonly problem: AnswerProblem | null;
}

const LONGEST_PATH = 4096;
const VERSION = 1;

export function encodeReplayPolicy({ replay, accepted }: ReplayPolicy): JsonObject {
  return { replay, accepted_by: accepted.by, signature: accepted.signature };
}

export function parseReplayPolicy(payload: JsonObject): ReplayPolicy {
  exactly(payload, ['replay', 'accepted_by', 'signature']);
  return {
    replay: oneOf(payload, 'replay', REPLAY_WORDS),
    accepted: { by: verifierKey(payload, 'accepted_by'), signature: signature(payload, 'signature') },
  };
}

export function encodeReplayStart(start: ReplayStart): JsonObject {
  const { command, tree, files, bytes, root, home, temporary, terminal } = start;
  return {
    v: VERSION,
    command: encodeContentRef(command),
    tree: encodeContentRef(tree),
    ...{ files, bytes, root, home, temporary, terminal },
  };
}

export function parseReplayStart(payload: JsonObject): ReplayStart {
  exactly(payload, ['v', 'command', 'tree', 'files', 'bytes', 'root', 'home', 'temporary', 'terminal']);
  assertVersion(payload);
  const path = (name: string): string => shortText(payload, name, LONGEST_PATH);
  return {
    command: parseContentRef(object(payload, 'command'), 'payload.command'),
    tree: parseContentRef(object(payload, 'tree'), 'payload.tree'),
    files: count(payload, 'files'),
    bytes: count(payload, 'bytes'),
    root: path('root'),
    home: orNull(payload, 'home', () => path('home')),
    temporary: path('temporary'),
    terminal: flag(payload, 'terminal'),
  };
}

function assertVersion({ v }: JsonObject): void {
  if (v !== VERSION) throw new ParseError('BAD_MEMBER', 'a version that is not known here', 'payload.v');
}

export function encodeReplayAnswer({ requestHash, kept, problem }: ReplayAnswer): JsonObject {
  return {
    v: VERSION,
    request_hash: requestHash,
    kept: kept === null ? null : encodeContentRef(kept),
    problem,
  };
}

export function parseReplayAnswer(payload: JsonObject): ReplayAnswer {
  exactly(payload, ['v', 'request_hash', 'kept', 'problem']);
  assertVersion(payload);
  if ((payload.kept === null) === (payload.problem === null))
    throw new ParseError('BAD_MEMBER', 'kept and a problem, or neither', 'payload.problem');
  return {
    requestHash: hash(payload, 'request_hash'),
    kept: orNull(payload, 'kept', () => parseContentRef(object(payload, 'kept'), 'payload.kept')),
    problem: orNull(payload, 'problem', () => oneOf(payload, 'problem', ANSWER_PROBLEMS)),
  };
}

/** What the keys of requests' digests are derived for, from the session's salt. */
export const REPLAY_KEY = 'replay';

/** A piece of a request by its name, such as `messages[3]`, in its normal form. */
export interface RequestPart {
  readonly name: string;
  readonly text: string;
}

export interface AskedRequest {
  readonly method: string;
  /** The path behind the gateway's address, query included. */
  readonly target: string;
  readonly parts: readonly RequestPart[];
}

export interface RequestDigest {
  readonly hash: string;
  readonly parts: readonly (readonly [name: string, digest: string])[];
}

/** Two requests with the same hash ask for the same. Under a key, so that nobody can guess what was asked. */
export function requestDigest(key: Uint8Array, { method, target, parts }: AskedRequest): RequestDigest {
  const digest = (text: string): string => encodeHex(hmacSha256(key, utf8Encode(text)));
  const each = parts.map(({ name, text }) => [name, digest(`part\n${name}\n${text}`)] as const);
  const all = each.map(([name, hashed]) => `${name}\n${hashed}\n`).join('');
  return { hash: digest(`request\n${method}\n${target}\n${all}`), parts: each };
}
