// Does a call keep to the tool policy of its pack?
import { type Json, matchesText, mayMatchText } from '../core/index.ts';
import type { ToolPolicy } from '../format/index.ts';

/** Texts within one call's arguments that are looked at; what has more is not known to be allowed. */
const MOST_TEXTS = 100_000;
/** What a recorder puts in the place of a secret. */
const HIDDEN = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/;

export type ToolJudgement =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string }
  /** The arguments would have to be known, and are not. */
  | { readonly allowed: null; readonly why: string };

/** `args` is undefined where they are not disclosed. */
export function judgeTool(policy: ToolPolicy, tool: string, args: Json | undefined): ToolJudgement {
  const denied = policy.deny.find((pattern) => matchesText(pattern, tool));
  if (denied !== undefined) return { allowed: false, why: `the pack denies ${tool} (${denied})` };
  const rules = policy.arguments.filter((rule) => matchesText(rule.tool, tool));
  if (rules.length === 0) return { allowed: true };
  if (args === undefined)
    return { allowed: null, why: `the pack has rules for the arguments of ${tool}, which are not disclosed` };
  const texts: string[] = [];
  if (!collect(args, texts))
    return { allowed: null, why: `the arguments of ${tool} are too many to look at` };
  for (const { matches } of rules)
    if (texts.some((text) => matchesText(matches, text)))
      return { allowed: false, why: `the pack denies ${tool} with an argument like ${matches}` };
  const redacted = texts.filter((text) => HIDDEN.test(text)).map(piecesOf);
  for (const { matches } of rules)
    if (redacted.some((pieces) => mayMatchText(matches, pieces)))
      return {
        allowed: null,
        why: `an argument of ${tool} was redacted, and may have been like ${matches}, which the pack denies`,
      };
  return { allowed: true };
}

/** A text with null in the place of what was taken out of it. */
function piecesOf(text: string): (string | null)[] {
  return text.split(HIDDEN).flatMap((piece, i) => (i === 0 ? [piece] : [null, piece]));
}

/** Every text of it, and every number and flag as a text. False where there are too many. */
function collect(value: Json, texts: string[]): boolean {
  if (texts.length > MOST_TEXTS) return false;
  if (Array.isArray(value)) return value.every((each: Json) => collect(each, texts));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).every((each) => collect(each, texts));
  if (value !== null) texts.push(String(value));
  return true;
}
