// What a message asks the user for, or says is missing: can only the user tell or decide it, or could the agent have got it
// by itself?
import { asksForChange } from '../claims/index.ts';
import type { Claim, Contract } from '../format/index.ts';
import type { Fail } from './validators/validator.ts';

/** Only the user can answer: what they want or left out, what to do next, a value that they have. */
export function isForUser({ type, quote }: Claim, telling: Fail | null, contract: Contract): boolean {
  if (type !== 'blocked' && type !== 'delegation') return false;
  if (IS_THE_USERS.test(quote) || STAYS_WITH_THEM.test(quote)) return true;
  if (type === 'delegation' && LOGS_IN.test(quote)) return true;
  return type === 'delegation' && (IS_A_DECISION.test(quote) || isOfUser(quote, telling, contract));
}

/** What only the user can tell: what they want, what they left out. */
const IS_THE_USERS =
  /\byou(?:['’]d| would)? (?:like|want|prefer|wish|mean|intend)\b|\b(?:description|input|message|prompt|request|text) (?:is|was) (?:empty|missing|blank)\b/i;

/** Only a person can log in. */
const LOGS_IN =
  /\b(?:verification|authori[sz]ation|one-time|login|2fa|mfa) code\b|\bauthori[sz]e (?:the|it|this|your|access)\b|\b(?:log|sign) in\b/i;

/** To be put where it stays theirs, and not to be handed over. */
const STAYS_WITH_THEM =
  /\b(?:add|put|set|save|store|export|keep)\b [^.;]{0,40}\b(?:in|to|into|as)\b [^.;]{0,30}(?:\.env\b|\benvironment|\bsecrets?\b|\bkeychain\b|\bvault\b)/i;

/** What only the user can decide. Whether a thing is so, the agent can look up by itself. */
const IS_A_DECISION =
  /\b(?:confirm|tell me|let me know|say|decide|specify|clarify|choose|pick)\b(?:,? (?:please|first))? (?:(?:that|if|whether) (?:I|we|you|nobody|no[- ]one|to|it['’]?s (?:ok|okay|fine|safe|all right))\b|which\b|how\b|before\b|(?:the|an?|your) (?:approach|plan|design|choice|option|order|direction|format|branch|name|version)\b)|\b(?:please|can you|could you) confirm\b[^\w]*$|\bapprove\b|\bmore (?:context|details?|information|specifics)\b|\byour (?:go[- ]ahead|permission|approval|confirmation|decision|preference)\b|\bshould I\b/i;

/** What the agent could get by itself, or has to try to: files, pages, what a command prints; and secrets. */
const CAN_BE_HAD =
  /\b(?:files?|codes?|sources?|contents?|pages?|sites?|urls?|links?|repos?(?:itory)?|folders?|director(?:y|ies)|config\w*|implementation|components?|modules?|functions?|scripts?|tests?|diff|schema|access|permissions?|tokens?|keys?|passwords?|secrets?|credentials?|login|accounts?|certificates?|licen[cs]es?)\b|[\w-]\.[a-z]\w{0,4}\b|\//i;
/** What the user sees on their own machine. */
const CAME_UP =
  /\b(?:logs?|outputs?|errors?|messages?|stack ?traces?|tracebacks?|screenshots?|console|response)\b/i;
const RUNS: readonly string[] = ['operate', 'test', 'ship'];

/** A value, a name or a text that the user has, or advice; not something that the agent was to run or would find while it works. */
function isOfUser(quote: string, telling: Fail | null, { intent, fields }: Contract): boolean {
  if (telling?.code !== 'nothing-named' || CAN_BE_HAD.test(quote)) return false;
  if (CAME_UP.test(quote))
    return !asksForChange(intent) || fields.keywords.every((word) => CAME_UP.test(word));
  return !RUNS.includes(intent);
}

/** "There is no Chrome MCP here", where the prompt names that way. */
export function isNamedWay(quote: string, { fields }: Contract): boolean {
  const [, name = ''] = /\b([\w-]+)[ -]mcp\b/i.exec(quote) ?? [];
  return fields.keywords.includes(name.toLowerCase());
}
