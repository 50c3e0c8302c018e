// What an attestation says of a rubric: by which rubric and model the work was judged, each vote with its entry in the
// attester's ledger, and the score that follows from them. spec/attestation.md, "A rubric", is the specification.
import { type JsonObject, ParseError } from '../core/index.ts';
import { MOST_VOTES } from './harness-pack.ts';
import { count, exactly, hash, object, objects, orNull, seq, shortText } from './members.ts';

export const HIGHEST_SCORE = 100;
const LONGEST_MODEL = 128;

export interface AttestedVote {
  /** Its `judge.vote` in the attester's ledger. */
  readonly seq: number;
  readonly entryHash: string;
  /** Of 100; null where the answer was not of the form that was asked for. */
  readonly score: number | null;
}

/** Where the votes are on record. */
export interface VoteLedger {
  readonly origin: string;
  readonly sessionId: string;
  /** Of a checkpoint that covers all of them. */
  readonly treeSize: number;
  readonly rootHash: string;
}

export interface AttestedRubric {
  /** SHA-256 of the rubric's file. */
  readonly rubricHash: string;
  readonly model: string;
  readonly threshold: number;
  /** All that were asked for, in order. */
  readonly votes: readonly AttestedVote[];
  readonly score: number;
  readonly ledger: VoteLedger;
}

type Scores = readonly (number | null)[];

/**
 * The lower median of all votes that were asked for. One that does not count is 0 here: so it takes more than half of all
 * votes to reach a threshold, and an answer that is spoilt never helps.
 */
export function rubricScore(scores: Scores): number {
  const sorted = scores.map((score) => score ?? 0).sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/** Do enough of them count, so that there is something to say at all? */
export function areEnoughVotes(scores: Scores): boolean {
  return 2 * scores.filter((score) => score !== null).length > scores.length;
}

export function encodeAttestedRubric(rubric: AttestedRubric): JsonObject {
  const { rubricHash, model, threshold, votes, score, ledger } = rubric;
  return {
    rubric_sha256: rubricHash,
    model,
    threshold,
    votes: votes.map((vote) => ({ seq: vote.seq, entry_hash: vote.entryHash, score: vote.score })),
    score,
    ledger: {
      origin: ledger.origin,
      session_id: ledger.sessionId,
      tree_size: ledger.treeSize,
      root_hash: ledger.rootHash,
    },
  };
}

/** Throws ParseError, also where the score does not follow from the votes. */
export function parseAttestedRubric(value: JsonObject, at: string): AttestedRubric {
  exactly(value, ['rubric_sha256', 'model', 'threshold', 'votes', 'score', 'ledger'], at);
  const rubric: AttestedRubric = {
    rubricHash: hash(value, 'rubric_sha256', at),
    model: shortText(value, 'model', LONGEST_MODEL, at),
    threshold: score(value, 'threshold', at),
    votes: objects(value, 'votes', MOST_VOTES, at).map((vote, i) => parseVote(vote, `${at}.votes[${i}]`)),
    score: score(value, 'score', at),
    ledger: parseLedger(object(value, 'ledger', at), `${at}.ledger`),
  };
  const refuse = (why: string, member: string): never => {
    throw new ParseError('BAD_MEMBER', why, `${at}.${member}`);
  };
  const { votes, ledger, threshold } = rubric;
  const scores = votes.map((vote) => vote.score);
  if (threshold === 0) refuse('nothing could miss it', 'threshold');
  if (votes.some((vote, i) => vote.seq <= (votes[i - 1]?.seq ?? 0))) refuse('not in order', 'votes');
  if (!areEnoughVotes(scores)) refuse('not more than half of them count', 'votes');
  if (rubric.score !== rubricScore(scores)) refuse('not the median of the votes', 'score');
  if ((votes.at(-1)?.seq ?? 0) > ledger.treeSize) refuse('does not cover the votes', 'ledger.tree_size');
  return rubric;
}

function parseVote(vote: JsonObject, at: string): AttestedVote {
  exactly(vote, ['seq', 'entry_hash', 'score'], at);
  return {
    seq: seq(vote, 'seq', at),
    entryHash: hash(vote, 'entry_hash', at),
    score: orNull(vote, 'score', () => score(vote, 'score', at)),
  };
}

function parseLedger(ledger: JsonObject, at: string): VoteLedger {
  exactly(ledger, ['origin', 'session_id', 'tree_size', 'root_hash'], at);
  return {
    origin: shortText(ledger, 'origin', 256, at),
    sessionId: hash(ledger, 'session_id', at),
    treeSize: seq(ledger, 'tree_size', at),
    rootHash: hash(ledger, 'root_hash', at),
  };
}

/** From 0 to 100, whole. */
export function score(value: JsonObject, name: string, at: string): number {
  const found = count(value, name, at);
  if (found > HIGHEST_SCORE)
    throw new ParseError('BAD_MEMBER', `more than ${HIGHEST_SCORE}`, `${at}.${name}`);
  return found;
}
