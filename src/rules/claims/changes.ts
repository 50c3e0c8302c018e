// Changes told of the thing itself, not of who made them: "this fixes the crash", "`README.md` gained a chapter", and
// what the writer had to do, or was able to.
import { type Clause, type Found, hasWord, leftOf, stateOf, wordAt } from './clause.ts';
import {
  BE,
  DEMONSTRATIVES,
  DETERMINERS,
  FIRST,
  FIXES,
  ORDERS,
  OTHERS,
  PREPOSITIONS,
  PRONOUNS,
  words,
} from './lexicon.ts';
import { TARGETS } from './verbs.ts';

const WORKING = words(
  'working running going green passing work start build pass compile run boot load render',
);
const REPAIR = words('fix resolve solve implement complete finish');
const BECAME: ReadonlyMap<string, RegExp> = new Map([
  ['became', /./],
  ['gained', /./],
  ['moved', /^(?:to|into|from|behind|out|under|up|down|below)$/],
  ['went', /^(?:into|out)$/],
  ['got', /^(?:an?|its|the|one|two|three|new|`.*)$/],
  ['turned', /^into$/],
  ['lost', /^(?:its|the|their|`)/],
  ['joined', /^the$/],
]);

const HASH = /^`?[0-9a-f]{6,40}`?$/;
const HOLDING = /^(?:holds|contains|has|is|covers|includes)$/;

/** "`README.md` gained a chapter", "the helpers went into `util.py`": what has become of a thing. */
export function becameAt(clause: Clause, at: number): Found | null {
  const after = BECAME.get(wordAt(clause, at));
  const left = leftOf(clause, at);
  if (after === undefined || left < clause.segment.from || !after.test(wordAt(clause, at + 1))) return null;
  const subject = wordAt(clause, left);
  // "88 of 94 seconds went into it", "most of the time went into": where it was lost.
  if (hasWord(clause, /^(?:time|seconds?|minutes?|hours?|effort|ms|memory|%)$/, clause.segment.from, at))
    return null;
  if (
    BE.has(subject) ||
    FIRST.has(subject) ||
    OTHERS.has(subject) ||
    DETERMINERS.has(subject) ||
    (PRONOUNS.has(subject) && wordAt(clause, at) !== 'went')
  )
    return null;
  if (wordAt(clause, at + 1) === 'out') {
    const sent =
      (/^(?:in|with|as)$/.test(wordAt(clause, at + 2)) && /^`?v?\d/.test(wordAt(clause, at + 3))) ||
      (wordAt(clause, at + 2) === 'to' && TARGETS.has(wordAt(clause, at + 3)));
    return sent ? { type: 'shipped', from: at, to: at + 1, form: 'action', subject: 'thing' } : null;
  }
  return { type: 'changed', from: at, to: at + 1, form: 'action', subject: 'thing', soft: true };
}

/** "That commit fixes it": one from before. */
export function isThat(clause: Clause, at: number): boolean {
  return (
    /^(?:that|the)$/.test(wordAt(clause, at - 1)) &&
    /^(?:commit|pr|update|release|patch)$/.test(wordAt(clause, at))
  );
}

/** "Got the container to start", "managed to get the build working". */
function gotAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const left = leftOf(clause, at);
  const own = left < clause.segment.from || FIRST.has(wordAt(clause, left));
  const managed = wordAt(clause, at - 1) === 'to' && /^(?:able|managed)$/.test(wordAt(clause, at - 2));
  if (!(word === 'got' && own) && !(word === 'get' && managed)) return null;
  for (let i = at + 2; i < Math.min(clause.segment.to, at + 8); i++) {
    const works =
      WORKING.has(wordAt(clause, i)) &&
      (wordAt(clause, i - 1) === 'to' || /ing$|^green$/.test(wordAt(clause, i)));
    if (works) return { type: 'done', from: at, to: i + 1, form: 'action', subject: 'first' };
  }
  return null;
}

/** "This fixes the crash", ", which resolves it". */
export function fixesAt(clause: Clause, at: number): Found | null {
  const got = gotAt(clause, at);
  if (got !== null) return got;
  // "I was able to fix it", "I managed to resolve it".
  if (REPAIR.has(wordAt(clause, at))) {
    const managed = wordAt(clause, at - 1) === 'to' && /^(?:able|managed)$/.test(wordAt(clause, at - 2));
    return managed ? { type: 'done', from: at, to: at + 1, form: 'action', subject: 'first' } : null;
  }
  // "I've had to change the signature".
  if (wordAt(clause, at - 1) === 'to' && wordAt(clause, at - 2) === 'had' && ORDERS.has(wordAt(clause, at))) {
    const owner = leftOf(clause, at - 2);
    const own = FIRST.has(wordAt(clause, wordAt(clause, owner) === 'have' ? owner - 1 : owner));
    return own ? { type: 'changed', from: at, to: at + 1, form: 'action', subject: 'first' } : null;
  }
  if (!FIXES.has(wordAt(clause, at))) return null;
  const { segment } = clause;
  const left = leftOf(clause, at);
  if (left < segment.from) {
    if (at + 1 >= segment.to) return null;
    const joined = segment.link === 'relative' || (segment.link === 'coordinate' && clause.before !== null);
    return joined ? { type: 'done', from: at, to: at + 1, form: 'action', subject: 'thing' } : null;
  }
  if (!DEMONSTRATIVES.has(wordAt(clause, left)) || left - segment.from > 3 || isThat(clause, left))
    return null;
  // "It resolves the name", "it finishes its work": what the code does.
  if (wordAt(clause, left) === 'it' && wordAt(clause, at) !== 'fixes') return null;
  return { type: 'done', from: at, to: at + 1, form: 'action', subject: 'thing' };
}

/** "The commit is `f31c0aa`", "commit `77ab0e2` holds the change", "PR: #77". */
export function commitAt(clause: Clause, at: number): Found | null {
  const { segment, tokens } = clause;
  if (wordAt(clause, at) === 'commit') {
    const opens = at - segment.from < 2 && !PREPOSITIONS.has(wordAt(clause, segment.from));
    const hash = [at + 1, at + 2, at + 3].find(
      (i) => HASH.test(wordAt(clause, i)) && /\d/.test(wordAt(clause, i)),
    );
    if (!opens || hash === undefined) return null;
    const told = hash > at + 1 ? BE.has(wordAt(clause, at + 1)) : HOLDING.test(wordAt(clause, hash + 1));
    return told ? stateOf('shipped', at, hash + 1, true) : null;
  }
  const [first, second] = [tokens[segment.to], tokens[segment.to + 1]];
  return /^(?:pr|mr)$/.test(wordAt(clause, at)) &&
    segment.to === 1 &&
    first?.text === ':' &&
    second?.text === '#'
    ? stateOf('shipped', at, at + 1)
    : null;
}
