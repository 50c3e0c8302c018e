// Phrases in a user's prompt that tell the agent to go past the gate: "skip the tests", "just say it's done". They are
// recorded, not obeyed or refused. An order counts, not a mention: none in code or quotes, none that is forbidden
// ("don't skip the tests"), asked about, or told of. English only.
import { readBlocks, readTokens, splitSentences, type Token } from '../claims/index.ts';

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

const oneOf = (list: string): string => `(?:${list.split(/\s+/).join('|')})`;

const SKIPS = oneOf(
  'skip bypass ignore disable circumvent omit forget override sidestep disregard neglect evade deactivate',
);
const SKIPPED =
  oneOf(`test tests testing suite checks check verification verifying validation validating gate gates hook hooks
  evidence lint linting linter ci guard guards counterfoil foil typecheck type-check verifier verifiers validator validators
  checker checkers gatekeeper recorder recording`);
const FILLERS = oneOf(
  'the all any those these this that our your my about running run with over for unit integration e2e test type of whole full entire failing slow every',
);
const CHECKS = oneOf(
  'test tests testing verify verifying check checking run running validate validating verification worry bother',
);
const DECLARE = oneOf('say claim report mark pretend act tell call');
const DECLARED = oneOf('done fixed complete completed finished passed passing works pass ready');
const PERMITS = oneOf(
  'can may could should please just then and so also ok okay simply now but instead lets you',
);
const FREE = oneOf('free ok okay fine want need like allowed good alright safe right you');

/** A sentence as patterns see it: words with a blank between them, and one of these for what is no word. */
const SIGN = '\0';
const OPAQUE = '\x02';
const OTHER = '\x01';
const NO_WORD = '(?! [^\0-\x02])';
const END = '(?= |$)';
/** What a verb is said of, where that is a check. */
const OBJECT = `(?:${FILLERS} ){0,5}(${SKIPPED})${END}`;

/** At the start of a clause, or behind words that give leave. */
const ORDERED = new RegExp(`^$|[${SIGN}${OPAQUE}]\\S* $|(?:^| )(?:${PERMITS}|${FREE} to) $`);
/** "don't skip", "never bypass", "you must not ignore", "why did you skip". */
const FORBIDDEN = new RegExp(
  `(?:^| )(?:not|never|no|nobody|did|why|cannot|without|avoid|stop|refuse|if|when|whether)(?: (?!but |${SIGN})\\S+){0,4} $`,
);
/** "It fails without tests" is told, not asked for. */
const TOLD = /(?:^| )(?:fails?|failed|crash\w*|how|why|works?|runs) /;
/** "Can you skip the tests?" is an order in the form of a question; "Should we skip the tests?" is none. */
const REQUEST = /^(?:can|could|would|will) (?:you|we)(?: |$)/;

interface Phrase {
  readonly form: RegExp;
  readonly name: (match: readonly string[]) => string;
  /** Where what stands before it in the sentence makes it none. */
  readonly isNone: (before: string) => boolean;
}

const isNoOrder = (before: string): boolean => !ORDERED.test(before) || FORBIDDEN.test(before);
const phrase = (form: string, name: Phrase['name'], isNone: Phrase['isNone'] = isNoOrder): Phrase => ({
  form: new RegExp(form, 'y'),
  name,
  isNone,
});

/** As an order or as leave, never as a thing that is told of. */
const PHRASES: readonly Phrase[] = [
  phrase(
    `${OPAQUE}--no-verify${END}`,
    () => '--no-verify',
    (before) => FORBIDDEN.test(before),
  ),
  phrase(`(${SKIPS}) ${OBJECT}`, ([, word, thing]) => `${word} the ${thing}`),
  phrase(`bypass(?: (?:it|this|them|that))?${END}${NO_WORD}`, () => 'bypass'),
  phrase(
    `force (?:it|this|that|through)${END}(?:${NO_WORD}|(?= (?:through|now|anyway|please|in|and)${END}))`,
    () => 'force it',
  ),
  // "don't bother testing", "don't run the tests", "no need to verify", "you needn't check". "Do not run the server" forbids
  // something else; "don't test" and "don't bother" say it by themselves.
  phrase(
    `(?:(?:do|need|must|should) not|no(?= (?:need|reason)${END}))((?: (?:need|have|reason|to|for|any|you|even)){0,4}) (${CHECKS})` +
      `(?: ${OBJECT}|(?<= (?:test|testing|tests|verify|verifying|verification|validate|check|checking))(?:${NO_WORD}|(?= (?:it|this|that|them|anything|first|before|now|again|and|for|just)${END})))`,
    ([whole = '', between = '', verb]) =>
      `${whole.startsWith('no ') || /need|have/.test(between) ? 'no need to' : "don't"} ${verb}`,
    () => false,
  ),
  // "commit it without testing", "without running the tests".
  phrase(
    `without (?:(testing|verification|verifying|tests)${END}|running ${OBJECT})`,
    ([, verb]) => `without ${verb ?? 'running the tests'}`,
    (before) => FORBIDDEN.test(before) || TOLD.test(before),
  ),
  // "just say it's done", "mark it as fixed".
  phrase(
    `(?:(?<=(?:^| )(?:just|simply) )(${DECLARE})|(pretend|act))(?: (?:it|this|that|the|'s|is|are|as|me|work|task|ticket|all|tests|everything|to|be|was|has|been)){1,6} (${DECLARED})${END}`,
    ([, said, feigned, word]) => `just ${said ?? feigned} it's ${word}`,
  ),
];

export function findOverrides(prompt: string, bypass: Bypass = { add: [], remove: [] }): Override[] {
  const text = prompt.length > LONGEST_PROMPT ? prompt.slice(-LONGEST_PROMPT) : prompt;
  const { blocks, marks } = readBlocks(text);
  const added = bypass.add.map((each) => ({ phrase: each.trim().toLowerCase(), tokens: tokensOf(each) }));
  const removed = new Set(bypass.remove.map((each) => each.trim().toLowerCase()));
  const found: Override[] = [];
  for (const block of blocks) {
    for (const { tokens, question } of splitSentences(readTokens(text, block.start, block.end, marks))) {
      const words = tokens.map(wordOf);
      const sentence = words.join(' ');
      if (question && !REQUEST.test(sentence)) continue;
      let last = -1;
      let place = 0;
      for (let at = 0; at < tokens.length && found.length < MOST_OVERRIDES; at++) {
        const hit =
          at < last ? null : (phraseAt(sentence, place) ?? addedAt(tokens, at, sentence, place, added));
        place += (words[at] ?? '').length + 1;
        if (hit === null || removed.has(hit.phrase)) continue;
        const quote = text.slice(tokens[at]?.start ?? 0, tokens[at + hit.count - 1]?.end ?? 0);
        if (removed.has(quote.toLowerCase())) continue;
        found.push({ phrase: hit.phrase, quote });
        last = at + hit.count;
      }
    }
  }
  return found;
}

/** A phrase, and how many words it has. */
interface Hit {
  readonly phrase: string;
  readonly count: number;
}

function wordOf({ kind, text }: Token): string {
  if (kind === 'word') return text;
  if (kind === 'sign') return SIGN;
  return kind === 'code' || kind === 'quote' ? `${OPAQUE}${text === '--no-verify' ? text : ''}` : OTHER;
}

function tokensOf(phrase: string): readonly string[] {
  return readTokens(phrase, 0, phrase.length, new Uint8Array(phrase.length)).map(({ text }) => text);
}

function phraseAt(sentence: string, place: number): Hit | null {
  for (const { form, name, isNone } of PHRASES) {
    form.lastIndex = place;
    const match = form.exec(sentence);
    if (match !== null && !isNone(sentence.slice(0, place)))
      return { phrase: name(match), count: match[0].split(' ').length };
  }
  return null;
}

function addedAt(
  tokens: readonly Token[],
  at: number,
  sentence: string,
  place: number,
  added: readonly { readonly phrase: string; readonly tokens: readonly string[] }[],
): Hit | null {
  const isHere = (wanted: readonly string[]): boolean =>
    wanted.length > 0 && wanted.every((word, i) => tokens[at + i]?.text === word);
  const found = added.find((each) => isHere(each.tokens));
  return found === undefined || FORBIDDEN.test(sentence.slice(0, place))
    ? null
    : { phrase: found.phrase, count: found.tokens.length };
}
