// "Lint and tests both pass" is one sentence and two checks: what tests show is nothing that a linter would. The gate loads
// this where a claim of one check names another beside it.
import { aboutText } from '../claims/index.ts';
import type { SaidClaim } from './judge-input.ts';

const ENDS = /^(.{3,100}?)\s(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean|ok)\b/i;
/** Between the last of them and how they ended. */
const LINKS = /(?:[\s,]+(?:all|both|each|are|is|were|now|still|also|again|have|has|come|came|back))+$/i;
const AND = /\s*(?:,\s*(?:and\s+)?|\s(?:and|plus)\s|\s[&+]\s|\/)\s*/;
const TESTS = /\b(?:tests?|specs?|suites?)$/i;
const OF_RUN = / (?:checks?|checking|runs?|steps?|scripts?|command|job)$/i;
const MOST_WORDS = 4;

/** The claim, and one more for every other check that it names in the same breath. */
export function jointClaims(claim: SaidClaim): SaidClaim[] {
  const subject = ENDS.exec(claim.quote.replace(/[`*_]/g, ''))?.[1]?.replace(LINKS, '') ?? '';
  const parts = subject.split(AND).map((part) => part.trim());
  const isList = parts.length > 1 && parts.every((part) => /^[\w -]+$/.test(part) && isShort(part));
  const sorts = isList ? parts.map(sortOf) : [];
  // A word that is no check makes another sentence of it.
  if (sorts.length === 0 || sorts.includes(null)) return [claim];
  const own = claim.type === 'tested' ? 'tested' : claim.about;
  const others = new Set(sorts.filter((sort) => sort !== own));
  const { unsure, quote } = claim;
  return [
    claim,
    ...[...others].flatMap((sort): SaidClaim[] =>
      sort === null
        ? []
        : [
            {
              type: sort === 'tested' ? 'tested' : 'checked',
              about: sort === 'tested' ? null : sort,
              quote,
              whole: false,
              ...(unsure === undefined ? {} : { unsure }),
            },
          ],
    ),
  ];
}

function isShort(part: string): boolean {
  return part.split(' ').length <= MOST_WORDS;
}

function sortOf(part: string): string | null {
  if (TESTS.test(part)) return 'tested';
  const plain = part.replace(OF_RUN, '');
  // "Lint config" and "lint has two warnings" end with another word.
  const name = /\btype[ -]?check\w*$/i.test(part) ? 'typecheck' : (plain.split(' ').at(-1) ?? '');
  const { about } = aboutText('checked', name);
  return about === 'ci' ? null : about;
}
