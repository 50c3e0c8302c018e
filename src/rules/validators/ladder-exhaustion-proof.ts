// ladder_exhaustion_proof {}: before "I can't" is believed, every way to what the prompt names was tried, and one failed.
// What was had by one way needs no other. Where the prompt names nothing there is nothing to look at, and no proof.
import { isAttemptAt, isReached, isUnclear, speaksOf } from '../attempt-match.ts';
import { listed } from '../run-assessment.ts';
import { failOf, NOTHING_FAILED, textArguments, type Validator } from './validator.ts';

export const ladderExhaustionProof: Validator = {
  id: 'ladder_exhaustion_proof',
  version: 2,
  words: 'everything that the prompt names was tried, and failed',
  fields: ['ladder'],
  needs: [],
  judge(args, { evidence, contract, claim, version }) {
    const texts = textArguments(args, []);
    if ('outcome' in texts) return texts;
    const spoken = contract.ladder.filter(({ target }) => speaksOf(claim.quote, target));
    const hops = spoken.length > 0 ? spoken : contract.ladder;
    const tried = evidence.attempts.filter((attempt) => hops.some((hop) => isAttemptAt(attempt, hop)));
    const seqs = [...new Set(tried.map(({ seq }) => seq).slice(-32))];
    const isFirst = version === 1;
    if (hops.length === 0)
      return isFirst
        ? { outcome: 'pass', evidence: seqs }
        : failOf('not-tried', 'nothing-named', NOTHING_FAILED, seqs);
    const open = hops.filter(({ target }) => !isReached(target, evidence));
    const isUnknown = tried.some((attempt) => isUnclear(attempt, evidence));
    if (open.length === 0 && (isFirst || !isUnknown)) {
      if (spoken.length === 0 && isFirst) return { outcome: 'pass', evidence: seqs };
      const had = [...new Set(hops.map(({ target }) => target))];
      return failOf(
        'not-tried',
        'was-had',
        `This session already has ${listed(had)}, so it isn't an obstacle.`,
        seqs,
      );
    }
    // To have run it, and failed, is more than to have looked for it.
    const missing = open.filter(
      (hop) =>
        !tried.some(
          (attempt) =>
            (attempt.capability === hop.capability || (attempt.capability === 'run' && !attempt.ok)) &&
            isAttemptAt(attempt, hop),
        ),
    );
    if (missing.length > 0) {
      const ways = missing.map(({ capability, target }) => `${VERBS[capability]} ${target}`);
      return failOf('not-tried', 'not-tried', `No attempt to ${listed(ways)} is on record.`, seqs);
    }
    if (open.length === 0 || tried.every(({ ok }) => ok))
      return failOf(
        'not-tried',
        'no-failure',
        'Nothing on record shows an attempt that failed, so nothing shows an obstacle.',
        seqs,
      );
    return { outcome: 'pass', evidence: seqs };
  },
};

const VERBS = { fetch: 'reach', read: 'read', search: 'find', run: 'run' } as const;
