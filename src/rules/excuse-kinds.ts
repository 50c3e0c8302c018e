// Which claims can be excused, and by what. The reasons themselves are in excuses.ts.
import type { ClaimType } from '../format/index.ts';

/** Of the rules by which a gate excuses claims. A gate's entry names it, so that a verifier holds each to its own. */
export const RULES_VERSION = 2;

const EXCUSES = {
  'nothing-changed': ['done', 'changed'],
  disclosed: ['done', 'changed', 'tested', 'blocked'],
  background: ['done', 'changed', 'checked'],
  declarative: ['done'],
  looked: ['done', 'tested', 'checked', 'shipped'],
  tried: ['blocked', 'delegation'],
  asked: ['blocked', 'delegation'],
  'earlier-prompt': ['done'],
  recap: ['done'],
  shipped: ['done'],
} as const satisfies Readonly<Record<string, readonly ClaimType[]>>;
export type Excuse = keyof typeof EXCUSES;

/** Can a claim of this type be excused so, by the rules of that version? The first knew no excuse but of changes. */
export function mayExcuse(type: ClaimType, code: string | null, version: number): boolean {
  if (version < 2) return type === 'done' || type === 'changed';
  const types: Readonly<Record<string, readonly ClaimType[]>> = EXCUSES;
  return code !== null && Object.hasOwn(types, code) && types[code]?.includes(type) === true;
}
