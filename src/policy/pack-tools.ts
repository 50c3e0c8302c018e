// Does a call keep to the tool policy of its pack?
import { type Json, matchesText, mayMatchText } from '../core/index.ts';
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';
import { isAtHost } from './domain-rules.ts';
import { type NamedPaths, namesFile } from './path-rules.ts';

/** Texts within one call's arguments that are looked at; what has more is not known to be allowed. */
const MOST_TEXTS = 100_000;
/** What a recorder puts in the place of a secret. */
const HIDDEN = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/;

export type ToolJudgement =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly why: string }
  /** The arguments would have to be known, and are not. */
  | { readonly allowed: null; readonly why: string };

/** `args` is undefined where they are not disclosed, `named` where no paths are recorded. */
export function judgeTool(
  policy: ToolPolicy,
  tool: string,
  args: Json | undefined,
  named?: NamedPaths,
): ToolJudgement {
  const denied = policy.deny.find((pattern) => matchesText(pattern, tool));
  if (denied !== undefined)
    return { allowed: false, why: `the pack denies ${tool}${denied === tool ? '' : ` (${denied})`}` };
  const rules = rulesFor(policy, tool);
  if (rules.length === 0) return { allowed: true };
  const judged = rules.map((rule) => judgeRule(rule, tool, args, named));
  return (
    judged.find(({ allowed }) => allowed === false) ??
    judged.find(({ allowed }) => allowed === null) ?? { allowed: true }
  );
}

/** Must the arguments of that tool be known? The files that a call names are recorded apart from them. */
export function needsArguments(policy: ToolPolicy, tool: string): boolean {
  return rulesFor(policy, tool).some((rule) => 'matches' in rule || 'domain' in rule);
}

function rulesFor(policy: ToolPolicy, tool: string): readonly ArgumentRule[] {
  return policy.arguments.filter((rule) => matchesText(rule.tool, tool));
}

function judgeRule(
  rule: ArgumentRule,
  tool: string,
  args: Json | undefined,
  named: NamedPaths | undefined,
): ToolJudgement {
  const judged = (isDenied: boolean | null, denied: string, unknown: string): ToolJudgement =>
    isDenied === true
      ? { allowed: false, why: `the pack denies ${tool} ${denied}` }
      : isDenied === null
        ? { allowed: null, why: unknown }
        : { allowed: true };
  if ('unjudged' in rule)
    return judged(null, '', `the pack has a rule that can't be judged: ${rule.tool}(${rule.unjudged})`);
  if ('path' in rule)
    return judged(
      namesFile(rule.path, tool, named),
      `on files like ${rule.path}`,
      `the pack denies ${tool} on files like ${rule.path}, and the call does not show which files it names`,
    );
  if (args === undefined)
    return { allowed: null, why: `the pack has rules for the arguments of ${tool}, which are not disclosed` };
  const texts: string[] = [];
  if (!collect(args, texts))
    return { allowed: null, why: `the arguments of ${tool} are too many to look at` };
  if ('matches' in rule) {
    const redacted = texts.filter((text) => HIDDEN.test(text)).map(piecesOf);
    const isDenied = texts.some((text) => matchesText(rule.matches, text));
    const mayBe = redacted.some((pieces) => mayMatchText(rule.matches, pieces));
    return judged(
      isDenied || (mayBe ? null : false),
      `with an argument like ${rule.matches}`,
      `an argument of ${tool} was redacted, and may have been like ${rule.matches}, which the pack denies`,
    );
  }
  const hosts = texts.map((text) => (HIDDEN.test(text) ? null : isAtHost(rule.domain, text)));
  return judged(
    hosts.includes(true) ? true : hosts.includes(null) ? null : false,
    `at ${rule.domain}`,
    `the pack denies ${tool} at ${rule.domain}, and the host of an address can't be read`,
  );
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
