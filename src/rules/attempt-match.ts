// Which attempts were made at something that a prompt names, which ways are left to try, and whether a message speaks of it.
// An attempt is only ever held against the agent's "I can't", so being generous here lets an honest one through, never a
// false pass.

import { wordSet } from '../core/index.ts';
import { holds, nameWords, samePath, segments } from '../ecosystems/index.ts';
import { isOwn, type LadderHop } from '../format/index.ts';
import { isNamedBy, isPageOf, sameUrl } from './command-match.ts';
import type { Attempt, Evidence } from './evidence.ts';

export function isUrl(target: string): boolean {
  return /^[a-z+]+:\/\/|^(?:localhost|127\.0\.0\.1):/i.test(target);
}

/** Was this an attempt at the target? Looking into its folder, or for its name, is one. */
export function isAttemptAt({ capability, target }: Attempt, hop: Pick<LadderHop, 'target'>): boolean {
  if (isUrl(hop.target))
    return sameUrl(target, hop.target) || isPageOf(target, hop.target) || isOfRepository(target, hop.target);
  if (capability === 'run')
    return [target, target.replace(LAUNCHED, '')].some(
      (tried) => isNamedBy(tried, hop.target) || isNamedBy(hop.target, tried) || isRunOf(tried, hop.target),
    );
  const name = segments(hop.target).at(-1) ?? '';
  const pattern = target.replace(/[*?^$]/g, '');
  if (samePath(target, hop.target) || (target !== '' && holds(target, hop.target))) return true;
  return capability === 'search' && pattern.length > 2 && name.includes(segments(pattern).at(-1) ?? pattern);
}

/** `python -m mypy src` is how mypy is run, and `npx eslint`. */
const LAUNCHED =
  /^(?:python[\d.]* -m|npx(?: --?[\w-]+)*|bunx|uvx|pnpm exec|yarn(?: run)?|poetry run|uv run|bundle exec) /;

/** `gh api repos/owner/name/…`, for a page of that repository. */
function isOfRepository(command: string, url: string): boolean {
  const name = /^https:\/\/github\.com\/([\w.-]+\/[\w.-]+)/.exec(url)?.[1];
  return (
    name !== undefined &&
    /^gh (?:api|issue|pr|repo|run|release|search)\b/.test(command) &&
    command.includes(name)
  );
}

/** A command that is given the path, or something in it. */
function isRunOf(command: string, path: string): boolean {
  if (!/[/.]/.test(path)) return false;
  return command
    .split(/\s+/)
    .slice(0, 32)
    .some((word) => samePath(word, path) || (segments(path).length > 0 && holds(path, word)));
}

/** Was it had after all: read, fetched, run or even changed? */
export function isReached(target: string, { attempts, changes }: Evidence): boolean {
  return (
    attempts.some((attempt) => attempt.ok && attempt.capability !== 'search' && isExactly(attempt, target)) ||
    (!isUrl(target) && changes.some(({ path }) => samePath(path, target)))
  );
}

/** `curl -sf URL; true`: how it ended is not known, so it neither was had nor failed. */
export function isUnclear({ seq, target }: Attempt, { runs }: Evidence): boolean {
  return runs.some(
    (run) =>
      run.seq === seq &&
      run.checks.some((check) => check.url === target && check.status === null && !isOwn(check)),
  );
}

/** Was it tried itself, and not something near it? */
export function isExactly({ capability, target: tried }: Attempt, target: string): boolean {
  if (isUrl(target)) return sameUrl(tried, target);
  return capability === 'run' ? isNamedBy(tried, target) : samePath(tried, target);
}

const COMMON = wordSet(
  'http https www com org net html json docs doc the src lib app test tests file page md txt ts js py index main example api issue',
);

/** Does a text speak of the target, by its name or by a word of it? */
export function speaksOf(text: string, target: string): boolean {
  const name = segments(target).at(-1) ?? target;
  if (text.includes(target) || (name.length > 3 && text.includes(name))) return true;
  const said = new Set(nameWords(text));
  return nameWords(target).some((word) => word.length > 2 && !COMMON.has(word) && said.has(word));
}

/** How to ask what a URL names whether it is there, by its scheme. */
const CLIENTS: readonly (readonly [scheme: RegExp, ways: readonly ((url: string) => string)[]])[] = [
  [/^postgres(?:ql)?:/i, [(url) => `psql ${url} -c 'select 1'`]],
  [/^mongodb(?:\+srv)?:/i, [(url) => `mongosh ${url} --eval 'db.stats()'`]],
  [/^rediss?:/i, [(url) => `redis-cli -u ${url} ping`]],
  [/^(?:https?:|ftp:|(?![a-z+]+:\/\/))/i, [(url) => `curl -fsSL ${url}`, (url) => `wget -qO- ${url}`]],
];

/** A command for a way that was not tried yet; null where none is known. */
export function untriedWay(hop: LadderHop, attempts: readonly Attempt[]): string | null {
  const tried = attempts.filter((attempt) => isAttemptAt(attempt, hop));
  return waysTo(hop).find((line) => !tried.some(({ way }) => line.startsWith(`${way} `))) ?? null;
}

function waysTo({ capability, target }: LadderHop): readonly string[] {
  if (capability === 'run') return [target];
  if (!isPlain(target)) return [];
  if (capability === 'fetch')
    return CLIENTS.find(([scheme]) => scheme.test(target))?.[1].map((way) => way(target)) ?? [];
  const found = `find . -name ${segments(target).at(-1) ?? target}`;
  const ways = [`cat ${target}`, found, `git show HEAD:${target}`];
  return capability === 'search' ? [found, ...ways] : ways;
}

/** A shell takes it as one word. */
export function isPlain(text: string): boolean {
  return /^[\w./:@%+,=-]+$/.test(text);
}
