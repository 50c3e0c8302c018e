import { DISCLOSURES, type Disclosure } from '../app/index.ts';
import { UsageError } from '../core/index.ts';

/** What is to be shown of a run, as the option says it: a word, several with commas, or the option several times. */
export function disclosures(
  words: readonly string[],
  option: string,
  usual: Disclosure,
  offered: readonly Disclosure[] = DISCLOSURES,
): readonly Disclosure[] {
  const chosen = words.flatMap((each) => each.split(','));
  for (const word of chosen)
    if (!(offered as readonly string[]).includes(word))
      throw new UsageError(
        `${option}: unknown value ${JSON.stringify(word)}. Use one of ${offered.join(', ')}.`,
      );
  return chosen.length === 0 ? [usual] : (chosen as Disclosure[]);
}
