// http_2xx {url}: a request to the URL got an explicit 2xx, by a command whose output says so or by a fetch tool. An
// exit code alone is none: curl ends with 0 on a 500, unless it is told to fail. What the claim names is what was wanted: a 400.

import { isCode } from '../../ecosystems/index.ts';
import { type Check, type Contract, isOwn } from '../../format/index.ts';
import { sameHost, sameScheme, sameUrl } from '../command-match.ts';
import { listed, shortfallOf } from '../run-assessment.ts';
import { urlRefusal } from './binding.ts';
import { mostTelling } from './choice.ts';
import { isLocal, isServedAt } from './shown-work.ts';
import { type Fail, failOf, textArguments, type Validator, type ValidatorContext } from './validator.ts';

const NEWEST = 6;

export const http2xx: Validator = {
  id: 'http_2xx',
  version: NEWEST,
  words: 'an HTTP request that was answered with success',
  fields: ['urls', 'backtick_tokens'],
  needs: ['url'],
  judge(args, context) {
    const texts = textArguments(args, ['url']);
    if ('outcome' in texts) return texts;
    const { url } = texts;
    const unbound = url === undefined ? null : urlRefusal(url, context);
    if (unbound !== null) return unbound;
    const { version = NEWEST } = context;
    const wanted = (asked: string) =>
      url === undefined
        ? isMeant(asked, context)
        : sameUrl(asked, url) && (version === 1 || sameScheme(asked, url));
    const hosts = version < 4 ? [] : [url ?? [], namedUrls(context.contract)].flat();
    const fails: Fail[] = [];
    /** Addresses whose newest answer was seen: what they answered before that is over. */
    const told: string[] = [];
    let passed: number | null = null;
    let broken: Fail | null = null;
    for (const { url: asked, status, fail: short, seq } of responsesOf(context).toReversed()) {
      const isWanted = wanted(asked);
      const fail = short ?? serverFail(asked, seq, context);
      if (!isWanted && !hosts.some((host) => sameHost(asked, host))) continue;
      const isNewest = !told.some((each) => sameUrl(each, asked));
      if (fail !== null && isWanted) fails.push(fail);
      if (fail === null && isWanted && (isNewest || version === 1)) passed ??= seq;
      const isFailed = fail?.status === 'failed';
      if (isFailed && isNewest && version > 2 && mustWork(asked, status, context)) broken ??= fail;
      if (fail === null || isFailed) told.push(asked);
    }
    if (passed !== null && broken === null) return { outcome: 'pass', evidence: [passed] };
    return (
      broken ??
      mostTelling(fails) ??
      failOf('unbacked', 'nothing-ran', `No request to ${url ?? 'what the prompt names'} is on record.`)
    );
  },
};

interface Response {
  readonly url: string;
  readonly seq: number;
  readonly status: number | null;
  readonly fail: Fail | null;
}

const IS_NO_PAGE = /^(?:git|python[\d.]*|pip[\d.]*|uv|npm|pnpm|yarn|cargo|go|docker)$/;

function responsesOf(context: ValidatorContext): Response[] {
  const { runs, attempts } = context.evidence;
  const need = { tests: false, fresh: true, covers: false };
  const ran = runs.flatMap((run) =>
    run.checks.flatMap((check) => {
      if (check.kind !== 'http' || check.url === null) return [];
      const { url, status } = check;
      // What came is in view, and no more is known of it than that.
      const short = check.summary === 'unclear' ? null : shortfallOf(run, check, need, context);
      const isFine = status === null && isToldToFail(check, run.exit.code, context);
      const fail = short ?? (isFine ? null : statusFail(url, status, run.seq, context));
      return [{ url, seq: run.seq, status, fail }];
    }),
  );
  // What git or an installer fetches is no page.
  const fetched = attempts.flatMap(({ capability, way, target, status, seq }) =>
    capability === 'fetch' &&
    status !== undefined &&
    !(status === null ? IS_NO_PAGE.test(way) : way === 'git')
      ? [
          {
            url: target,
            seq,
            status,
            fail: statusFail(target, status, seq, context) ?? staleFail(target, seq, context),
          },
        ]
      : [],
  );
  return [...ran, ...fetched].sort((a, b) => a.seq - b.seq);
}

const FAILS = /^curl\b.*\s(?:-[a-zA-Z]*f[a-zA-Z]*|--fail(?:-with-body)?)(?=\s|$)/;

/** `curl -f` ends with 0 only if the answer is no error. */
function isToldToFail(check: Check, code: number | null, { version = NEWEST }: ValidatorContext): boolean {
  return (
    version > 5 && FAILS.test(check.command) && ((isOwn(check) && code === 0) || check.summary === 'passed')
  );
}

/** "Bad JSON gets a 400" */
export function isStatusNamed(status: number, quote: string): boolean {
  return new RegExp(`(?<![\\w./:-])${status}(?![\\w/-])`).test(quote);
}

function statusFail(
  url: string,
  status: number | null,
  seq: number,
  { claim, version = NEWEST }: ValidatorContext,
): Fail | null {
  if (status !== null && status >= 200 && status < 300) return null;
  if (version > 5 && status !== null && status < 500 && isStatusNamed(status, claim.quote)) return null;
  return status === null
    ? failOf(
        'unbacked',
        'no-status',
        `The request to ${url} shows no status, so it doesn't count as a 2xx.`,
        [seq],
      )
    : failOf('failed', 'failed', `The request to ${url} got ${status}.`, [seq]);
}

function staleFail(url: string, seq: number, { evidence }: ValidatorContext): Fail | null {
  // A fetch has no fingerprint of its own: the changes on record decide, and what commands after it saw.
  const later = evidence.changes.filter((change) => change.seq > seq && isCode(change.path));
  const moved = evidence.runs.some(
    ({ seq: at, tree }) => at > seq && tree !== null && tree !== evidence.tree,
  );
  const edits = later.map(({ path }) => path);
  return edits.length === 0 && !moved
    ? null
    : failOf('stale', 'stale', `${url} was requested, but then ${listed(edits)} changed. Request it again.`, [
        seq,
      ]);
}

/** "Done" is said of each URL of the prompt that was asked, and of no server that fails. Elsewhere a 404 may be what was wanted. */
function mustWork(asked: string, status: number | null, { claim, contract }: ValidatorContext): boolean {
  const isNamed = namedUrls(contract).some((named) => sameUrl(asked, named));
  return claim.type === 'done' && (isNamed || (status ?? 0) >= 500);
}

function namedUrls({ fields }: Contract): readonly string[] {
  return [...fields.urls, ...fields.backtick_tokens];
}

/** "Done" needs a URL of the prompt, or one on this machine where it names none; "verified" is content with any. */
function isMeant(asked: string, { claim, contract, version = NEWEST }: ValidatorContext): boolean {
  if (claim.type !== 'done') return true;
  if (namedUrls(contract).some((url) => sameUrl(asked, url) && (version < 3 || sameScheme(asked, url))))
    return true;
  return contract.fields.urls.length === 0 && isLocal(asked);
}

/** A server on this machine that the prompt does not name, and the session did not start, may serve anything. */
function serverFail(url: string, seq: number, context: ValidatorContext): Fail | null {
  const { claim, contract, version = NEWEST } = context;
  const isNamed = namedUrls(contract).some((named) => sameUrl(url, named));
  if (version < 5 || claim.type !== 'done' || isNamed || !isLocal(url) || isServedAt(seq, context))
    return null;
  return failOf(
    'unbacked',
    'not-served',
    `${url} answered, but this session started no server, so nothing shows that it serves what changed. Start the project's server, then send the request again.`,
    [seq],
  );
}
