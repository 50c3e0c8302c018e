// fetch_attempt_proof {target}: before the user is asked for what the agent could get itself, a URL or path that the
// prompt names, three distinct ways to it were tried and failed. Of what the prompt does not name there is no proof.

import { samePath } from '../../ecosystems/index.ts';
import { isAttemptAt, isExactly, isReached, isUnclear, isUrl, speaksOf } from '../attempt-match.ts';
import { sameScheme, sameUrl } from '../command-match.ts';
import type { Attempt } from '../evidence.ts';
import { listed } from '../run-assessment.ts';
import {
  failOf,
  NOTHING_FAILED,
  refused,
  textArguments,
  type Validator,
  type ValidatorContext,
} from './validator.ts';

const WAYS = 3;

const NEWEST = 4;

export const fetchAttemptProof: Validator = {
  id: 'fetch_attempt_proof',
  version: NEWEST,
  words: 'three different ways to fetch it were tried, and failed',
  fields: ['urls', 'paths', 'backtick_tokens'],
  needs: ['target'],
  judge(args, context) {
    const texts = textArguments(args, ['target']);
    if ('outcome' in texts) return texts;
    const { urls, paths, backtick_tokens: tokens } = context.contract.fields;
    const { target } = texts;
    const named = [...urls, ...paths, ...tokens];
    const { version = NEWEST } = context;
    const isSame = (a: string, b: string) => version < 4 || sameScheme(a, b);
    if (
      target !== undefined &&
      !named.some((each) => isSame(target, each) && (sameUrl(target, each) || samePath(target, each)))
    )
      return refused('not-bound', `The prompt doesn't name the URL or path "${target}".`);
    // Earlier versions asked neither whether it was had, nor whether the way leads to a page at all.
    const isOld = version < 3;
    const meant = target !== undefined ? [target] : askedFor(context);
    const had = (each: string) => !isOld && wasHad(each, context) === true;
    const targets = meant.filter((each) => !had(each));
    if (meant.length > 0 && targets.length === 0)
      return failOf(
        'not-tried',
        'was-had',
        `This session already has ${listed(meant)}, so there is no need to ask for it.`,
      );
    if (targets.length === 0 && version > 1) return failOf('not-tried', 'nothing-named', NOTHING_FAILED);
    const seqs: number[] = [];
    for (const each of targets) {
      const failed = context.evidence.attempts.filter(
        (attempt) =>
          (!attempt.ok || (!isOld && wasRefused(attempt, context))) &&
          isAttemptAt(attempt, { target: each }) &&
          isSame(attempt.target, each) &&
          (isOld || !isUrl(each) || attempt.capability === 'fetch'),
      );
      seqs.push(...failed.map(({ seq }) => seq));
      const ways = new Set(failed.map(({ way }) => way));
      if (ways.size < WAYS)
        return failOf(
          'not-tried',
          'not-tried',
          `${each} is known to have failed in ${ways.size} of ${WAYS} ways${ways.size > 0 ? ` (${listed([...ways])})` : ''}. Before you ask the user for it, try others, such as ${untried(each, ways)}.`,
          newest(seqs),
        );
    }
    return { outcome: 'pass', evidence: newest(seqs) };
  },
};

/** One command may try several things. */
function newest(seqs: readonly number[]): number[] {
  return [...new Set(seqs.slice(-32))];
}

/** Of the usual ways to a page or to a file, those that were not tried. */
function untried(target: string, ways: ReadonlySet<string>): string {
  const usual = isUrl(target)
    ? ['curl', 'wget', 'your own tool for web pages']
    : ['cat', 'find', 'git show', 'your own tool for files'];
  // Programs have names in lower case, tools of a host mostly not.
  const hasTool = [...ways].some((way) => /[A-Z_]/.test(way));
  return usual.filter((way) => !(way.startsWith('your') ? hasTool : ways.has(way))).join(' or ');
}

const SECRETS =
  /\b(?:tokens?|keys?|passwords?|secrets?|credentials?|dsn|access|permissions?|login|account|licen[cs]es?|approval|certificates?|2fa|otp)\b/i;
const MATERIAL =
  /\b(?:paste|send|share|provide|copy|upload|attach|download|supply|give|show|content|contents|text|page|file|push)\b/i;

/** Of a request's words those by which it is told what is asked for. */
export function askedWords(quote: string): string {
  return [MATERIAL, SECRETS].flatMap((words) => words.exec(quote)?.[0].toLowerCase() ?? []).join(' ');
}

/** It was answered, and not with success: curl ends with 0 on a 500. */
function wasRefused({ seq, target }: Attempt, { evidence }: ValidatorContext): boolean {
  return evidence.runs.some(
    (run) =>
      run.seq === seq &&
      run.checks.some(
        ({ url, status }) => url !== null && status !== null && status >= 400 && sameUrl(url, target),
      ),
  );
}

/** The newest word counts: what was had once, and fails now, may be asked for. Null: not known. */
function wasHad(target: string, context: ValidatorContext): boolean | null {
  const { attempts } = context.evidence;
  const last = attempts.findLast((each) => each.capability !== 'search' && isExactly(each, target));
  if (last?.ok && (context.version ?? NEWEST) > 3 && isUnclear(last, context.evidence)) return null;
  return last === undefined
    ? isReached(target, { ...context.evidence, attempts: [] })
    : last.ok && !wasRefused(last, context);
}

const PAGE = /\b(?:page|site|url|link|article|response|docs?)\b/i;

/** Of what the prompt names, what the claim asks for: what it speaks of, or else whatever was never had. */
function askedFor(context: ValidatorContext): string[] {
  const { claim, contract, evidence, version = NEWEST } = context;
  const targets = [
    ...new Set(contract.ladder.filter(({ capability }) => capability !== 'run').map(({ target }) => target)),
  ];
  const open = targets.filter((target) =>
    version < 3 ? !isReached(target, evidence) : wasHad(target, context) === false,
  );
  const among = version < 3 ? open : targets;
  const spoken = among.filter((target) => speaksOf(claim.quote, target));
  // "Paste the limits": of a page and a file that is to be made of it, the page is what is missing.
  const pages = (spoken.length > 0 ? spoken : version < 3 || !PAGE.test(claim.quote) ? [] : among).filter(
    (target) => contract.fields.urls.some((url) => sameUrl(url, target)),
  );
  if (pages.length > 0) return pages;
  if (spoken.length > 0) return spoken;
  return MATERIAL.test(claim.quote) && !SECRETS.test(claim.quote) ? open : [];
}
