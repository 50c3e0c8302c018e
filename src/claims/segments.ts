// A sentence cut into segments at its joints: signs, conjunctions, subordinators.

import type { Token } from './tokens.ts';
import { ALTERNATIVES, BREAKS, CAUSES, CONDITIONS, COORDINATORS, TIMES, words } from './words.ts';

export type Link =
  | 'start'
  | 'coordinate' // and, a comma
  | 'alternative' // or, nor
  | 'break' // but, so, a semicolon, a dash
  | 'label' // behind a colon
  | 'aside' // in brackets
  | 'resume' // behind a bracket
  | 'condition' // if, once, unless, until, before
  | 'time' // when, after, where
  | 'cause' // because, since, so that
  | 'relative' // which, who
  | 'that';

export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly link: Link;
}

const SIGNS: ReadonlyMap<string, Link> = new Map(
  Object.entries({
    ';': 'break',
    '—': 'break',
    '→': 'break',
    ':': 'label',
    '(': 'aside',
    ')': 'resume',
    ',': 'coordinate',
  } as const),
);
const WORDS: ReadonlyMap<string, Link> = new Map(
  (
    [
      ['coordinate', COORDINATORS],
      ['alternative', ALTERNATIVES],
      ['break', BREAKS],
      ['condition', CONDITIONS],
      ['time', TIMES],
      ['cause', CAUSES],
      ['relative', words('which who whose')],
      ['that', words('that')],
    ] as const
  ).flatMap(([link, list]) => [...list].map((word) => [word, link] as const)),
);

export function splitSegments(tokens: readonly Token[]): Segment[] {
  const segments: Segment[] = [];
  let from = 0;
  let link: Link = 'start';
  const cut = (to: number) => {
    if (to > from) segments.push({ from, to, link });
  };
  for (const [at, { text, kind }] of tokens.entries()) {
    const joint = kind === 'sign' ? SIGNS.get(text) : kind === 'word' ? WORDS.get(text) : undefined;
    // A word that opens the sentence joins nothing to it, unless it subordinates: "If it builds, …".
    if (
      joint === undefined ||
      (at === 0 &&
        (joint === 'coordinate' || joint === 'alternative' || joint === 'break' || joint === 'that'))
    )
      continue;
    cut(at);
    // ", and" and "; so" are one joint: the word says more than the sign.
    link = joint;
    from = at + 1;
  }
  cut(tokens.length);
  return segments;
}
