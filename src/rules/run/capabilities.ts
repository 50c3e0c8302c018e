// The grants of a run as its events carry them: one list, in which a denial has `!` before it.
import type { GrantTexts } from '../../format/index.ts';

const DENIAL = '!';

export function capabilitiesOf({ allow, deny }: GrantTexts): string[] {
  return [...allow, ...deny.map((text) => `${DENIAL}${text}`)];
}

export function grantTextsOf(capabilities: readonly string[]): GrantTexts {
  const isDenial = (text: string): boolean => text.startsWith(DENIAL);
  return {
    allow: capabilities.filter((text) => !isDenial(text)),
    deny: capabilities.filter(isDenial).map((text) => text.slice(DENIAL.length)),
  };
}
