// The form of what a tool says that it needs. Its code is not trusted: it may give anything, and what is no list of short texts
// can't stand in an event.
import { LONGEST_CAPABILITY, MOST_NEEDS } from '../format/index.ts';
import { parseToolNeed } from '../policy/index.ts';

/** What `capabilities` of a tool gave, if it can stand in an event. Each need is asked for once. TypeError where it can't. */
export function asNeeds(given: unknown): readonly string[] {
  if (!Array.isArray(given)) throw new TypeError('capabilities gave no list');
  const length = Math.min(given.length, MOST_NEEDS + 1);
  const needs = Array.from({ length }, (_, at): unknown => given[at]);
  for (const each of needs)
    if (typeof each !== 'string' || !each.isWellFormed() || each.length > LONGEST_CAPABILITY)
      throw new TypeError(
        `capabilities gave something else than texts of at most ${LONGEST_CAPABILITY} characters`,
      );
  return needs as readonly string[];
}

/** Whether anybody could be granted it. A path of `fs` may be relative: it is resolved where the call is made. */
export function isNeed(text: string): boolean {
  return (
    text.length <= LONGEST_CAPABILITY && parseToolNeed(text.replace(/^(fs:[^:]*:)(?=[^/])/s, '$1/')) !== null
  );
}

/** `network:get:user:password@host`. Without a scheme, redaction doesn't know it for a password. */
export function namesPassword(need: string): boolean {
  return /^(?:network:.*@|(?!fs:)[^:]*:[^:]*:.*:.*@)/s.test(need);
}
