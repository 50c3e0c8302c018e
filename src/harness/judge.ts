// Asks a judge for its votes, one by one, and puts each on record before the next. Which model that is, and how it is
// reached, is behind a port; that each call is on record, with a receipt, is a promise of that port which is checked here.
import { encodeHex } from '../core/index.ts';
import {
  type AttestedRubric,
  type AttestedVote,
  areEnoughVotes,
  type JudgeVote,
  rubricScore,
  type VoteLedger,
  type VoteProblem,
} from '../format/index.ts';
import type { TrustedGateway } from '../verify/index.ts';
import { AttestError } from './attest-error.ts';
import { parseVote, type Question, questionOf, type RubricCase } from './rubric.ts';

/** What came of one question. */
export interface Answer {
  /** The seq of the model call; null where it is not on record, because it was not made. */
  readonly call: number | null;
  readonly receiptId: string | null;
  /** What the model said; null where it did not come to that. */
  readonly text: string | null;
  /** Null with a text. */
  readonly problem: Exclude<VoteProblem, 'form'> | null;
  /** What happened, for people. */
  readonly told: string;
}

/** One attempt, which is a session of its own in the attester's ledger. */
export interface JudgeSession {
  /** Never rejects for what the provider does. Aborted, it resolves once that is on record. */
  ask(model: string, question: Question, signal: AbortSignal): Promise<Answer>;
  /** Durable when it resolves. */
  record(vote: JudgeVote, cause: number | null): Promise<Omit<AttestedVote, 'score'>>;
  /**
   * Ends the session and seals. Throws AttestError VOTE_UNRECEIPTED unless each of the `counted` model calls has a receipt that
   * holds; and unless every call has one of the independent gateway, where there is one.
   */
  end(counted: readonly number[]): Promise<VoteLedger>;
  /** Ends the session with what it has. */
  abandon(reason: 'interrupted' | 'failed'): Promise<void>;
}

export interface Judge {
  /** May the rubric of an encrypted pack go to a model's provider? */
  readonly takesSecrets: boolean;
  /** Whose receipts count for the model calls of a run. */
  gateways(): Promise<readonly TrustedGateway[]>;
  /** Throws AttestError where this model can't be asked here. Nothing is asked. */
  assertReady(model: string): void;
  /** `isSecret`: nothing of what is asked may be kept. */
  open(about: { readonly packRoot: string; readonly isSecret: boolean }): Promise<JudgeSession>;
}

export interface JudgedWork {
  readonly work: RubricCase;
  readonly isSecret: boolean;
  readonly about: Pick<JudgeVote, 'runId' | 'origin' | 'packRoot' | 'artifactHash'>;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly signal: AbortSignal;
}

export interface RubricOutcome {
  readonly passed: boolean;
  readonly rubric: AttestedRubric;
  readonly reason: string;
}

/** Throws AttestError where there are too few votes, or a receipt is missing: that is no FAIL. */
export async function judgeByRubric(judge: Judge, judged: JudgedWork): Promise<RubricOutcome> {
  const { packRoot } = judged.about;
  const session = await judge.open({ packRoot, isSecret: judged.isSecret });
  let votes: AskedVote[];
  try {
    votes = await askAll(session, judged);
    assertEnough(votes, judged.work.verification.votes);
  } catch (error) {
    // What is on record stays, and the first error is the one that counts.
    await session.abandon(judged.signal.aborted ? 'interrupted' : 'failed').catch(() => undefined);
    throw error;
  }
  const counted = votes.flatMap(({ call, score }) => (score === null || call === null ? [] : [call]));
  const ledger = await session.end(counted);
  return outcomeOf(judged.work, votes, ledger);
}

interface AskedVote extends AttestedVote {
  readonly call: number | null;
  readonly told: string;
}

async function askAll(
  session: JudgeSession,
  { work, about, randomBytes, signal }: JudgedWork,
): Promise<AskedVote[]> {
  const { model, votes: asked } = work.verification;
  const votes: AskedVote[] = [];
  // Once half of them do not count, no answer can make them enough.
  while (votes.length < asked && 2 * votes.filter(({ score }) => score === null).length < asked) {
    const answer = await session.ask(model, questionOf(work, encodeHex(randomBytes(16))), signal);
    const score = answer.text === null ? null : parseVote(answer.text);
    const vote: JudgeVote = {
      ...about,
      rubricHash: work.rubricHash,
      model,
      vote: votes.length + 1,
      votes: asked,
      score,
      problem: answer.problem ?? (score === null ? 'form' : null),
      receiptId: answer.receiptId,
    };
    const at = await session.record(vote, answer.call);
    votes.push({ ...at, score, call: answer.call, told: answer.told });
    if (signal.aborted) throw new AttestError('CANCELLED', 'the judge was interrupted.');
  }
  return votes;
}

function assertEnough(votes: readonly AskedVote[], asked: number): void {
  const scores = votes.map(({ score }) => score);
  if (votes.length === asked && areEnoughVotes(scores)) return;
  const counted = scores.filter((score) => score !== null).length;
  const last = votes.findLast(({ score }) => score === null)?.told ?? '';
  throw new AttestError(
    'TOO_FEW_VOTES',
    `the judge was asked ${votes.length} times and gave a score ${counted} times; at least ${Math.floor(asked / 2) + 1} of ${asked} answers must have one. The last answer without one: ${last}. Nothing was attested. Try again.`,
  );
}

function outcomeOf(work: RubricCase, votes: readonly AttestedVote[], ledger: VoteLedger): RubricOutcome {
  const { model, threshold } = work.verification;
  const score = rubricScore(votes.map((vote) => vote.score));
  const rubric: AttestedRubric = {
    rubricHash: work.rubricHash,
    model,
    threshold,
    votes: votes.map(({ seq, entryHash, score }) => ({ seq, entryHash, score })),
    score,
    ledger,
  };
  const many = votes.length === 1 ? 'The one vote' : `The median of ${votes.length} votes`;
  const reason = `${many} is ${score} of 100, and the pack asks for ${threshold}.`;
  return { passed: score >= threshold, rubric, reason };
}
