// What the list of sessions says of a check.
import type { Judgement } from '../check-run.ts';

export interface RowVerdict {
  readonly words: string;
  readonly tone: 'bad' | 'doubt' | 'quiet';
  /** How independent the proof is of whoever ran the agent; empty where nothing was checked. */
  readonly tier: string;
}

export const NOT_SEALED = 'not sealed yet';

/** In a word or two what the page of the session says in sentences. */
export function wordsFor({ report, missing, isSound, whyNot, uncompared }: Judgement): RowVerdict {
  if (missing !== null) return { words: 'entries are gone', tone: 'bad', tier: '' };
  if (report === null && !isSound) return { words: 'was changed', tone: 'bad', tier: '' };
  if (report === null)
    return { words: whyNot === null ? NOT_SEALED : 'can’t be checked', tone: 'doubt', tier: '' };
  const tier = `tier ${report.tier}`;
  if (report.verdict === 'FAIL')
    return { words: isSound ? 'intact, broke a rule' : 'was changed', tone: 'bad', tier };
  // The page of the session asks for the key: until then nobody's signature is confirmed.
  return { words: uncompared > 0 ? 'entries intact' : 'intact', tone: 'quiet', tier };
}
