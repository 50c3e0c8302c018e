// The payload of `judge.vote`: what a model that judges by a pack's rubric answered once, about the artifacts of one run. It
// stands in the attester's own ledger, and its cause is the model call. spec/attestation.md.
import { type JsonObject, ParseError } from '../core/index.ts';
import { score } from './attested-rubric.ts';
import { MOST_VOTES } from './harness-pack.ts';
import { exactly, hash, hashB64u, oneOf, orNull, seq, shortText } from './members.ts';

/** Why an answer is no vote. */
export const VOTE_PROBLEMS = [
  'unanswered', // nothing came, or not all of it
  'status', // the provider answered with another status than 200
  'form', // not the one form that was asked for
] as const;
export type VoteProblem = (typeof VOTE_PROBLEMS)[number];

export interface JudgeVote {
  /** The run that is judged, and its ledger. */
  readonly runId: string;
  readonly origin: string;
  readonly packRoot: string;
  readonly artifactHash: string;
  readonly rubricHash: string;
  readonly model: string;
  /** From 1, and how many are asked for. */
  readonly vote: number;
  readonly votes: number;
  /** Of 100; null where it does not count. */
  readonly score: number | null;
  readonly problem: VoteProblem | null;
  /** Of the gateway, for the model call; null where the call did not get that far. */
  readonly receiptId: string | null;
}

const MEMBERS = [
  ...['run_id', 'origin', 'pack_root', 'artifact_hash_b64u', 'rubric_sha256', 'model'],
  ...['vote', 'votes', 'score', 'problem', 'receipt_id'],
];

export function encodeJudgeVote(vote: JudgeVote): JsonObject {
  return {
    run_id: vote.runId,
    origin: vote.origin,
    pack_root: vote.packRoot,
    artifact_hash_b64u: vote.artifactHash,
    rubric_sha256: vote.rubricHash,
    model: vote.model,
    vote: vote.vote,
    votes: vote.votes,
    score: vote.score,
    problem: vote.problem,
    receipt_id: vote.receiptId,
  };
}

export function parseJudgeVote(payload: JsonObject): JudgeVote {
  const at = 'payload';
  exactly(payload, MEMBERS, at);
  const vote: JudgeVote = {
    runId: hash(payload, 'run_id', at),
    origin: shortText(payload, 'origin', 256, at),
    packRoot: hash(payload, 'pack_root', at),
    artifactHash: hashB64u(payload, 'artifact_hash_b64u', at),
    rubricHash: hash(payload, 'rubric_sha256', at),
    model: shortText(payload, 'model', 128, at),
    vote: seq(payload, 'vote', at),
    votes: seq(payload, 'votes', at),
    score: orNull(payload, 'score', () => score(payload, 'score', at)),
    problem: orNull(payload, 'problem', () => oneOf(payload, 'problem', VOTE_PROBLEMS, at)),
    receiptId: orNull(payload, 'receipt_id', () => shortText(payload, 'receipt_id', 64, at)),
  };
  if (vote.vote > vote.votes || vote.votes > MOST_VOTES)
    throw new ParseError('BAD_MEMBER', 'more than are asked for', `${at}.vote`);
  if ((vote.score === null) === (vote.problem === null))
    throw new ParseError('BAD_MEMBER', 'a score and a problem, or neither', `${at}.problem`);
  return vote;
}
