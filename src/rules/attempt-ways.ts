// The ways by which an agent can get at what a prompt names, as commands: what to try before "I can't" or "send me X".
import type { LadderHop } from '../format/index.ts';
import { isAttemptAt } from './attempt-match.ts';
import type { Attempt } from './evidence.ts';
import { segments } from './path-match.ts';

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
