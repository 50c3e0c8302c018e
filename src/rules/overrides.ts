// Phrases in a user's prompt that tell the agent to go past the gate: "skip the tests", "just say it's done". They are
// recorded, not obeyed or refused. An order counts, not a mention: none in code or quotes, none that is forbidden
// ("don't skip the tests"), asked about, or told of. English only.
import { readBlocks } from './claims/blocks.ts';
import { readTokens, splitSentences, type Token } from './claims/tokens.ts';
import { words } from './claims/words.ts';

export interface Override {
  /** Which phrase it is: the table's own words, or the policy's. */
  readonly phrase: string;
  /** The words as they stand in the prompt. */
  readonly quote: string;
}

export interface Bypass {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const LONGEST_PROMPT = 256 * 1024;
const MOST_OVERRIDES = 32;

const SKIPS = words(
  'skip bypass ignore disable circumvent omit forget override sidestep disregard neglect evade deactivate',
);
const SKIPPED =
  words(`test tests testing suite checks check verification verifying validation validating gate gates hook hooks
  evidence lint linting linter ci guard guards counterfoil foil typecheck type-check verifier verifiers validator validators
  checker checkers gatekeeper recorder recording`);
const FILLERS = words(
  'the all any those these this that our your my about running run with over for unit integration e2e test type of whole full entire failing slow every',
);
const CHECKS = words(
  'test tests testing verify verifying check checking run running validate validating verification worry bother',
);
const DECLARE = words('say claim report mark pretend act tell call');
const DECLARED = words('done fixed complete completed finished passed passing works pass ready');
const PERMITS = words(
  'can may could should please just then and so also ok okay simply now but instead lets you',
);
const FREE = words('free ok okay fine want need like allowed good alright safe right you');

export function findOverrides(prompt: string, bypass: Bypass = { add: [], remove: [] }): Override[] {
  const text = prompt.length > LONGEST_PROMPT ? prompt.slice(-LONGEST_PROMPT) : prompt;
  const { blocks, marks } = readBlocks(text);
  const added = bypass.add.map((phrase) => ({ phrase, tokens: tokensOf(phrase) }));
  const removed = new Set(bypass.remove.map((phrase) => phrase.trim().toLowerCase()));
  const found: Override[] = [];
  for (const block of blocks) {
    for (const { tokens, question } of splitSentences(readTokens(text, block.start, block.end, marks))) {
      let last = -1;
      for (let at = 0; at < tokens.length && found.length < MOST_OVERRIDES; at++) {
        const hit = phraseAt(tokens, at) ?? addedAt(tokens, at, added);
        if (hit === null || at < last || (question && !isRequest(tokens)) || removed.has(hit.phrase))
          continue;
        const quote = text.slice(tokens[hit.from ?? at]?.start ?? 0, tokens[hit.to - 1]?.end ?? 0);
        if (removed.has(quote.toLowerCase())) continue;
        found.push({ phrase: hit.phrase, quote });
        last = hit.to;
      }
    }
  }
  return found;
}

interface Hit {
  readonly phrase: string;
  /** Where its words begin, if that is before the word that it was found by: "don't" is two. */
  readonly from?: number;
  readonly to: number;
}

function tokensOf(phrase: string): readonly string[] {
  return readTokens(phrase, 0, phrase.length, new Uint8Array(phrase.length)).map(({ text }) => text);
}

function addedAt(
  tokens: readonly Token[],
  at: number,
  added: readonly { phrase: string; tokens: readonly string[] }[],
): Hit | null {
  for (const { phrase, tokens: wanted } of added) {
    const same = wanted.length > 0 && wanted.every((word, i) => tokens[at + i]?.text === word);
    if (same && !isForbidden(tokens, at))
      return { phrase: phrase.trim().toLowerCase(), to: at + wanted.length };
  }
  return null;
}

function phraseAt(tokens: readonly Token[], at: number): Hit | null {
  const token = tokens[at];
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'code')) return null;
  const word = token.text;
  if (word === '--no-verify' && !isForbidden(tokens, at)) return { phrase: '--no-verify', to: at + 1 };
  if (token.kind !== 'word') return null;
  if (SKIPS.has(word)) return skipAt(tokens, at, word);
  if (word === 'force') return forceAt(tokens, at);
  if (word === 'not' || (word === 'no' && /^(?:need|reason)$/.test(textAt(tokens, at + 1))))
    return needlessAt(tokens, at);
  if (word === 'without') return withoutAt(tokens, at);
  if (DECLARE.has(word)) return declareAt(tokens, at);
  return null;
}

function textAt(tokens: readonly Token[], at: number): string {
  return tokens[at]?.text ?? '';
}

/** Where the object of a verb at `at` ends, if it is a check; -1 if it is something else. */
function objectEnd(tokens: readonly Token[], at: number): number {
  let to = at + 1;
  while (to < at + 6 && FILLERS.has(textAt(tokens, to)) && !isLastCheck(tokens, to)) to++;
  return SKIPPED.has(textAt(tokens, to)) ? to + 1 : -1;
}

function isLastCheck(tokens: readonly Token[], at: number): boolean {
  return SKIPPED.has(textAt(tokens, at)) && !SKIPPED.has(textAt(tokens, at + 1));
}

/** "skip the tests", "bypass it": as an order or as leave, never as a thing that is told of. */
function skipAt(tokens: readonly Token[], at: number, word: string): Hit | null {
  if (!isOrder(tokens, at) || isForbidden(tokens, at)) return null;
  const end = objectEnd(tokens, at);
  const it = /^(?:it|this|them|that)$/.test(textAt(tokens, at + 1)) && tokens[at + 2]?.kind !== 'word';
  if (end === -1 && !(word === 'bypass' && (it || tokens[at + 1]?.kind !== 'word'))) return null;
  const thing = end === -1 ? '' : textAt(tokens, end - 1);
  return { phrase: end === -1 ? 'bypass' : `${word} the ${thing}`, to: end === -1 ? at + (it ? 2 : 1) : end };
}

function forceAt(tokens: readonly Token[], at: number): Hit | null {
  const it = /^(?:it|this|that|through)$/.test(textAt(tokens, at + 1));
  const alone =
    tokens[at + 2]?.kind !== 'word' || /^(?:through|now|anyway|please|in|and)$/.test(textAt(tokens, at + 2));
  return it && alone && isOrder(tokens, at) && !isForbidden(tokens, at)
    ? { phrase: 'force it', to: at + 2 }
    : null;
}

/** "don't bother testing", "don't run the tests", "no need to verify", "you needn't check". */
function needlessAt(tokens: readonly Token[], at: number): Hit | null {
  const negated = textAt(tokens, at) === 'not';
  const before = textAt(tokens, at - 1);
  if (negated && !/^(?:do|need|must|should)$/.test(before)) return null;
  let to = at + 1;
  let needless = !negated;
  while (to < at + 5 && /^(?:need|have|reason|to|for|any|you|even)$/.test(textAt(tokens, to))) {
    needless ||= /^(?:need|have)$/.test(textAt(tokens, to));
    to++;
  }
  const verb = textAt(tokens, to);
  if (!CHECKS.has(verb)) return null;
  // "do not run the server" forbids something else; "don't test" and "don't bother" say it by themselves.
  const end = objectEnd(tokens, to);
  const about =
    end !== -1 || /^(?:test|testing|tests|verify|verifying|verification|validate|check|checking)$/.test(verb);
  if (
    !about ||
    (end === -1 &&
      tokens[to + 1]?.kind === 'word' &&
      !/^(?:it|this|that|them|anything|first|before|now|again|and|for|just)$/.test(textAt(tokens, to + 1)))
  )
    return null;
  const name = needless ? `no need to ${verb}` : `don't ${verb}`;
  return { phrase: name, from: negated ? at - 1 : at, to: end === -1 ? to + 1 : end };
}

/** "commit it without testing", "without running the tests". */
function withoutAt(tokens: readonly Token[], at: number): Hit | null {
  const verb = textAt(tokens, at + 1);
  if (
    isForbidden(tokens, at) ||
    tokens.slice(0, at).some(({ text }) => /^(?:fails?|failed|crash\w*|how|why|works?|runs)$/.test(text))
  )
    return null;
  if (/^(?:testing|verification|verifying|tests)$/.test(verb))
    return { phrase: `without ${verb}`, to: at + 2 };
  const end = verb === 'running' ? objectEnd(tokens, at + 1) : -1;
  return end === -1 ? null : { phrase: 'without running the tests', to: end };
}

/** "just say it's done", "mark it as fixed". */
function declareAt(tokens: readonly Token[], at: number): Hit | null {
  if (!isOrder(tokens, at) || isForbidden(tokens, at)) return null;
  const just = textAt(tokens, at - 1) === 'just' || textAt(tokens, at - 1) === 'simply';
  let to = at + 1;
  while (
    to < at + 7 &&
    /^(?:it|this|that|the|'s|is|are|as|me|work|task|ticket|all|tests|everything|to|be|was|has|been)$/.test(
      textAt(tokens, to),
    )
  )
    to++;
  const word = textAt(tokens, at);
  const told =
    to > at + 1 && DECLARED.has(textAt(tokens, to)) && (just || word === 'pretend' || word === 'act');
  return told ? { phrase: `just ${word} it's ${textAt(tokens, to)}`, to: to + 1 } : null;
}

/** At the start of a clause, or behind words that give leave. */
function isOrder(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || before.kind === 'sign' || before.kind === 'code' || before.kind === 'quote')
    return true;
  if (before.text === 'to') return FREE.has(textAt(tokens, at - 2));
  return PERMITS.has(before.text);
}

/** "don't skip", "never bypass", "you must not ignore", "why did you skip". */
function isForbidden(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= Math.max(0, at - 5); i--) {
    const { text, kind } = tokens[i] as Token;
    if (kind === 'sign' || text === 'but') return false;
    if (/^(?:not|never|no|nobody|did|why|cannot|without|avoid|stop|refuse|if|when|whether)$/.test(text))
      return true;
  }
  return false;
}

/** "Can you skip the tests?" is an order in the form of a question; "Should we skip the tests?" is none. */
function isRequest(tokens: readonly Token[]): boolean {
  return /^(?:can|could|would|will)$/.test(textAt(tokens, 0)) && /^(?:you|we)$/.test(textAt(tokens, 1));
}
