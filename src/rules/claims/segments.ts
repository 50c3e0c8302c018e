// A sentence cut into segments at its joints: signs, conjunctions, subordinators. A segment that claims nothing joins
// the one before it later on ("Fixed a, b and c"); one behind `if` or `because` is out of what the sentence asserts.
import {
  ADVERBS,
  BREAKS,
  CAUSES,
  CONDITIONS,
  COORDINATORS,
  DETERMINERS,
  FIRST,
  NOUN_ORDERS,
  ORDERS,
  PREPOSITIONS,
  TIMES,
  TRANSPARENT,
  words,
} from './lexicon.ts';
import type { Token } from './tokens.ts';

export type Link =
  | 'start'
  | 'coordinate' // and, or, a comma: goes on with the same subject, unless it brings its own
  | 'break' // but, so, a semicolon, a dash: begins anew
  | 'label' // behind a colon
  | 'aside' // in brackets
  | 'condition' // if, once, unless, until, before
  | 'time' // when, after, where
  | 'cause' // because, since, so that
  | 'relative' // which, who
  | 'that';

export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly link: Link;
  /** A comma stood at its beginning. */
  readonly comma: boolean;
  /** Not asserted: it is inside a condition, a time, a cause or a relative clause. */
  readonly off: boolean;
  /** The sentence began with a condition that this depends on. */
  readonly conditional: boolean;
}

/** Every word that can be a joint, so that most words are done with at once. */
const JOINTS = new Set([
  ...words('so in as even that which who whose except once before since yet then'),
  ...CONDITIONS,
  ...TIMES,
  ...CAUSES,
  ...BREAKS,
  ...COORDINATORS,
]);
const COMPLEMENTS =
  words(`say says said think believe know noticed found see saw suggest suggests indicate indicates assume hope
  seems appears told tells wrote claim claims clear likely possible true fact doubt guess expect suspect ensure such`);
const SIGN_LINKS: ReadonlyMap<string, Link> = new Map(
  Object.entries({
    ';': 'break',
    '—': 'break',
    ':': 'label',
    '(': 'aside',
    ')': 'break',
    ',': 'coordinate',
    '→': 'break',
  } as const),
);

export function splitSegments(tokens: readonly Token[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  let link: Link = 'start';
  let comma = false;
  let off: Link | null = null;
  let leading = false;
  let conditional = false;
  /** What held before a bracket was opened. */
  let outer: { off: Link | null; conditional: boolean } | null = null;

  const cut = (at: number, next: Link, skip: number) => {
    if (at > from) segments.push({ from, to: at, link, comma, off: off !== null, conditional });
    const empty = at <= from;
    const nextComma = tokens[at]?.text === ',' || (empty && comma);
    const closes = tokens[at]?.text === ')' && outer !== null;
    if (next === 'aside') outer = { off, conditional };
    if (next === 'break' || next === 'label' || next === 'aside') {
      off = closes ? (outer?.off ?? null) : null;
      conditional = closes ? (outer?.conditional ?? false) : false;
      if (next !== 'aside') outer = null;
    } else if (next === 'coordinate') {
      // A leading clause ends at its comma; one behind the main clause ends where a comma joins another.
      const joined = nextComma && (leading || (empty && tokens[at]?.text !== ','));
      if (off !== null && joined) {
        // "When all is imported, the table is dropped": a rule. "When I ran it, …" is not.
        const began = tokens.slice(0, Math.min(at, 8));
        const rule =
          /^when(?:ever)?$/.test(began[0]?.text ?? '') && !began.some(({ text }) => FIRST.has(text));
        conditional = leading && (off === 'condition' || rule || began.some(({ text }) => text === 'you'));
        off = null;
      }
      if (off === 'relative' && nextComma) off = null;
      // "An index that is written once, and the scanner now reads it": a subject of its own, and news of it.
      if (
        (off === 'relative' || off === 'that') &&
        tokens.slice(at + 1, at + 4).some(({ text }) => text === 'now')
      )
        off = null;
    } else if (next !== 'start') {
      leading = segments.length === 0;
      off = next;
    }
    link = empty && next === 'coordinate' && link !== 'coordinate' ? link : next;
    comma = nextComma;
    from = at + skip;
  };

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind === 'sign') {
      const sign = SIGN_LINKS.get(token.text);
      if (sign !== undefined) cut(i, sign, 1);
      continue;
    }
    if (token.kind !== 'word') continue;
    const joint = jointAt(tokens, i, from);
    if (joint !== null) cut(i, joint.link, joint.skip);
    else if ((off as Link | null) === 'that' && (link as Link) === 'that' && endsRelative(tokens, i, from))
      cut(i, 'break', 0);
    else if (
      off === 'time' &&
      leading &&
      FIRST.has(token.text) &&
      i > from + 1 &&
      !ADVERBS.has(tokens[i - 1]?.text ?? '')
    ) {
      // `After the first run I moved it`: no comma, but a subject of its own.
      cut(i, 'break', 0);
    }
  }
  cut(tokens.length, 'start', 0);
  return segments;
}

/** "Everything that broke | is fixed": the verb behind a relative clause is the sentence's own. "…says that it is" has none. */
function endsRelative(tokens: readonly Token[], i: number, from: number): boolean {
  const first = tokens[from];
  if (
    i === from ||
    first?.kind !== 'word' ||
    !/^(?:is|are|was|were|has|have|passes|pass|works|work|runs)$/.test(tokens[i]?.text ?? '')
  )
    return false;
  if (
    DETERMINERS.has(first.text) ||
    (FIRST.has(first.text) && i < from + 2) ||
    /^(?:it|you|they|all|there)$|ing$/.test(first.text)
  )
    return false;
  if (/^(?:is|are|was|were|has|have)$/.test(first.text) && i === from + 1) return false;
  const governor = tokens[from - 2]?.text ?? '';
  if (/^(?:an?|each|every|any)$/.test(tokens[from - 3]?.text ?? '')) return false;
  return !COMPLEMENTS.has(governor) && (!ORDERS.has(governor) || NOUN_ORDERS.has(governor));
}

/** Does a clause follow, with a pronoun or an auxiliary in its first words? */
function hasVerb(tokens: readonly Token[], from: number): boolean {
  const near = tokens.slice(from, from + 6);
  const comma = near.findIndex(({ text }) => text === ',');
  return near
    .slice(0, comma === -1 ? 6 : comma)
    .some(({ text }) => /^(?:i|we|you|it|they|all|is|are|was|were|has|have|had|pass|passes)$/.test(text));
}

function jointAt(tokens: readonly Token[], i: number, from: number): { link: Link; skip: number } | null {
  const word = tokens[i]?.text ?? '';
  if (!JOINTS.has(word)) return null;
  const next = tokens[i + 1]?.text ?? '';
  const before = tokens[i - 1]?.text ?? '';
  if (word === 'so' && next === 'that') return { link: 'cause', skip: 2 };
  if (word === 'in' && next === 'order') return { link: 'cause', skip: 2 };
  if (word === 'in' && (next === 'theory' || next === 'principle') && i === from)
    return { link: 'condition', skip: 2 };
  if (word === 'in' && next === 'case') return { link: 'condition', skip: 2 };
  if (word === 'as' && (next === 'soon' || next === 'long') && tokens[i + 2]?.text === 'as')
    return { link: 'condition', skip: 3 };
  if (word === 'even' && (next === 'if' || next === 'though'))
    return { link: next === 'if' ? 'time' : 'break', skip: 2 };
  if (word === 'except' && next === 'that') return { link: 'that', skip: 2 };
  if (word === 'that') {
    // `that bug is gone` at the start; `verified that …` asserts what follows, `the one that …` does not.
    if (
      i === from ||
      PREPOSITIONS.has(before) ||
      before === 'besides' ||
      TRANSPARENT.has(before) ||
      before === 'so' ||
      before === 'now' ||
      // "committed that as `41ac9d0`", "reads that first": a thing, no clause.
      next === '' ||
      (tokens[i + 1]?.kind === 'sign' && next !== '`') ||
      PREPOSITIONS.has(next) ||
      ADVERBS.has(next)
    )
      return null;
    return { link: 'that', skip: 1 };
  }
  if (word === 'which' || word === 'who' || word === 'whose')
    return i === from && from === 0 ? null : { link: 'relative', skip: 1 };
  if (
    word === 'once' &&
    (before === 'at' ||
      before === 'only' ||
      /^(?:|now|again|more|per|a|every|with|without|on|in)$/.test(next) ||
      tokens[i + 1]?.kind === 'sign')
  )
    return null;
  if (word === 'before' && (tokens[i + 1]?.kind === 'sign' || next === '' || next === 'and')) return null;
  if (word === 'since' && before === 'has') return null;
  if (word === 'so' && (i === 0 || next === 'far' || next === 'as')) return null;
  if (word === 'yet' && before !== ',') return null;
  if (word === 'then' && (before === 'and' || before === ',')) return { link: 'coordinate', skip: 1 };
  if (word === 'then') return null;
  // "Stops after the last page": a preposition, unless a clause of its own follows.
  if (word === 'after' && before === 'and' && tokens[i - 2]?.text === 'before') return null;
  if (word === 'after' && (i > from ? !hasVerb(tokens, i + 1) : /^(?:that|this|which)$/.test(next)))
    return null;
  if (CONDITIONS.has(word)) return { link: 'condition', skip: 1 };
  if (TIMES.has(word))
    return {
      link: word === 'while' && !/^(?:it|they|you|that|this)$/.test(next) ? 'break' : 'time',
      skip: 1,
    };
  if (CAUSES.has(word)) return { link: 'cause', skip: 1 };
  if (BREAKS.has(word)) return { link: 'break', skip: 1 };
  if (word === 'and' && (before === 'up' || before === 'before') && (next === 'running' || next === 'after'))
    return null;
  if (COORDINATORS.has(word)) return { link: 'coordinate', skip: 1 };
  return null;
}
