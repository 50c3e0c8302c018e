// Changes told without a full sentence: "Bug fixed", "PR opened", "tests for the zero case added". A participle behind its
// noun is one where nothing else in the clause is the verb.
import { isThat } from './changes.ts';
import { type Clause, type Found, hasWord, isTool, kindAt, rightOf, wordAt } from './clause.ts';
import {
  BE,
  DEMONSTRATIVES,
  DETERMINERS,
  FIRST,
  ORDERS,
  OTHERS,
  PREPOSITIONS,
  TITLES,
  words,
} from './lexicon.ts';
import { type Verb, verbOf } from './verbs.ts';

/** Never participles: "React threw it away" is no passive. */
const PAST_ONLY = words('wrote rewrote took gave brought threw undid redid ran let');
/** Nouns as well: "the `Sized` bound on it". */
const NOUNS_TOO = words('bound fit wound left put shut fed bent');
/** "Switched off", "put back". */
const PARTICLES = words('off back out up over');
const MAKERS = words('formatter codemod lane generator script hook fixer');

/** How a verb in the past is built into its clause. */
export interface Structure {
  readonly from: number;
  readonly subject: Found['subject'];
  readonly passive: boolean;
  /** How it is now: `is fixed`. */
  readonly state: boolean;
}

/** "Avatars uploaded before March have no suffix": the verb comes later. */
function isReduced({ tokens, segment }: Clause): boolean {
  if (!/^(?:before|after|since|when|until)$/.test(tokens[segment.to]?.text ?? '')) return false;
  for (let i = segment.to + 1; i < tokens.length && tokens[i]?.kind !== 'sign'; i++)
    if (/^(?:have|has|are|is|were|was|get|need|keep|stay)$/.test(tokens[i]?.text ?? '')) return true;
  return false;
}

/** "HTTP/2 and HSTS enabled": what is before the joint is the first half of the subject. */
function afterNouns({ tokens, segment }: Clause): boolean {
  return (
    segment.from < 8 &&
    tokens.slice(0, segment.from).every(({ text, kind }) => {
      if (kind === 'sign') return text === ',' || text === '→';
      return (
        kind !== 'word' || !(BE.has(text) || FIRST.has(text) || ORDERS.has(text) || verbOf(text) !== null)
      );
    })
  );
}

/** "Bug fixed", "PR opened", "This fixed it". */
export function fragmentStructure(clause: Clause, left: number, at: number, verb: Verb): Structure | null {
  const { segment } = clause;
  const word = wordAt(clause, left);
  const next = rightOf(clause, at);
  const nextWord = wordAt(clause, next);
  const thing: Structure = { from: at, subject: 'thing', passive: true, state: false };
  if (
    PAST_ONLY.has(wordAt(clause, at)) ||
    NOUNS_TOO.has(wordAt(clause, at)) ||
    (wordAt(clause, at) === 'set' && kindAt(clause, left) !== 'code') ||
    wordAt(clause, left) === '0'
  )
    return null;
  // "Response time dropped from 900 ms to 80": measured, not made.
  if (
    /^(?:from|by)$/.test(nextWord) &&
    kindAt(clause, next + 1) === 'number' &&
    !/^(?:extended|raised|lowered|bumped|set)$/.test(wordAt(clause, at)) &&
    verb.type === 'changed'
  )
    return null;
  if (
    DEMONSTRATIVES.has(word) &&
    !isThat(clause, left) &&
    verb.type === 'done' &&
    left - segment.from < 2 &&
    nextWord !== '' &&
    nextWord !== 'in'
  )
    return { ...thing, passive: false };
  if (kindAt(clause, left) === 'sign' || DETERMINERS.has(word) || OTHERS.has(word) || PREPOSITIONS.has(word))
    return null;
  // "`npm version` also updated the lock file": a tool's doing is the writer's.
  if (
    (isTool(clause.tokens[left]) || MAKERS.has(word)) &&
    DETERMINERS.has(nextWord) &&
    left - segment.from < 3
  )
    return verb.type === 'changed' ? { ...thing, passive: false } : null;
  if (segment.link === 'coordinate' && clause.before === null && !afterNouns(clause)) return null;
  if (isReduced(clause)) return null;
  const first = wordAt(clause, segment.from);
  if (
    left - segment.from > 6 ||
    (left === segment.from &&
      TITLES.has(first) &&
      (clause.heading || (verb.type === 'changed' && clause.tokens[segment.to]?.text === ':'))) ||
    first === 'what'
  )
    return null;
  const clausal = /^(?:i|we|have|has|to|not)$/;
  if (hasWord(clause, BE, segment.from, left) || hasWord(clause, clausal, segment.from, left)) return null;
  if (hasWord(clause, BE, at + 1) || hasWord(clause, /^not$/, at + 1)) return null;
  return next >= segment.to ||
    (PARTICLES.has(nextWord) && !(wordAt(clause, at) === 'turned' && nextWord === 'out')) ||
    (PREPOSITIONS.has(nextWord) &&
      (nextWord !== 'by' || /^(?:replaced|extended|regenerated|shortened)$/.test(wordAt(clause, at))))
    ? thing
    : null;
}
