// fetch_attempt_proof {target}: before the user is asked for what the agent could get itself, a URL or path that the
// prompt names, three distinct ways to it were tried and failed. Of what the prompt does not name there is no proof.
import { isAttemptAt, isReached, isUrl, speaksOf } from '../attempt-match.ts';
import { sameUrl } from '../command-match.ts';
import { samePath } from '../path-match.ts';
import { listed } from '../run-assessment.ts';
import {
  NOTHING_FAILED,
  refused,
  textArguments,
  type Validator,
  type ValidatorContext,
} from './validator.ts';

const WAYS = 3;

export const fetchAttemptProof: Validator = {
  id: 'fetch_attempt_proof',
  version: 2,
  words: 'three different ways to fetch it were tried, and failed',
  fields: ['urls', 'paths', 'backtick_tokens'],
  needs: ['target'],
  judge(args, context) {
    const texts = textArguments(args, ['target']);
    if ('outcome' in texts) return texts;
    const { urls, paths, backtick_tokens: tokens } = context.contract.fields;
    const { target } = texts;
    const named = [...urls, ...paths, ...tokens];
    if (target !== undefined && !named.some((each) => sameUrl(target, each) || samePath(target, each)))
      return refused('not-bound', `"${target}" is none of the URLs and paths that the prompt names.`);
    const targets = target !== undefined ? [target] : askedFor(context);
    if (targets.length === 0 && context.version !== 1)
      return {
        outcome: 'fail',
        status: 'not-tried',
        code: 'nothing-named',
        reason: NOTHING_FAILED,
        evidence: [],
      };
    const seqs: number[] = [];
    for (const each of targets) {
      const failed = context.evidence.attempts.filter(
        (attempt) => !attempt.ok && isAttemptAt(attempt, { target: each }),
      );
      seqs.push(...failed.map(({ seq }) => seq));
      const ways = new Set(failed.map(({ way }) => way));
      if (ways.size < WAYS)
        return {
          outcome: 'fail',
          status: 'not-tried',
          code: 'not-tried',
          reason: `${each} was tried in ${ways.size} of ${WAYS} ways${ways.size > 0 ? ` (${listed([...ways])})` : ''}. Before the user is asked for it, try others, such as ${untried(each, ways)}.`,
          evidence: seqs.slice(-32),
        };
    }
    return { outcome: 'pass', evidence: seqs.slice(-32) };
  },
};

/** Of the usual ways to a page or to a file, those that were not tried. */
function untried(target: string, ways: ReadonlySet<string>): string {
  const usual = isUrl(target)
    ? ['curl', 'wget', 'your own tool for web pages']
    : ['cat', 'find', 'git show', 'your own tool for files'];
  return usual.filter((way) => !ways.has(way)).join(' or ');
}

const SECRETS =
  /\b(?:tokens?|keys?|passwords?|secrets?|credentials?|dsn|access|permissions?|login|account|licen[cs]es?|approval|certificates?|2fa|otp)\b/i;
const MATERIAL =
  /\b(?:paste|send|share|provide|copy|upload|attach|download|supply|give|show|content|contents|text|page|file|push)\b/i;

/** Of a request's words those by which it is told what is asked for. */
export function askedWords(quote: string): string {
  return [MATERIAL, SECRETS].flatMap((words) => words.exec(quote)?.[0].toLowerCase() ?? []).join(' ');
}

/** Of what the prompt names, what the claim asks for: what it speaks of, or else whatever was never had. */
function askedFor({ claim, contract, evidence }: ValidatorContext): string[] {
  const targets = [
    ...new Set(contract.ladder.filter(({ capability }) => capability !== 'run').map(({ target }) => target)),
  ];
  const open = targets.filter((target) => !isReached(target, evidence));
  const spoken = open.filter((target) => speaksOf(claim.quote, target));
  // "Paste the limits": of a page and a file that is to be made of it, the page is what is missing.
  const pages = spoken.filter((target) => contract.fields.urls.some((url) => sameUrl(url, target)));
  if (spoken.length > 0) return pages.length > 0 ? pages : spoken;
  return MATERIAL.test(claim.quote) && !SECRETS.test(claim.quote) ? open : [];
}
