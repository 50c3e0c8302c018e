// The grants of a run as its events carry them: one list, in which a denial has `!` before it. And whether a call needed what its
// tool declared.
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

/** A path is resolved where the call is made: of it only the action counts, and whether it reaches below. */
const PATH = /^(fs:[a-z][a-z0-9_-]*:).+?(\/\*\*)?$/s;

/** One by one, in order. */
export function areDeclared(required: readonly string[], declared: readonly string[]): boolean {
  const form = (text: string): string => text.replace(PATH, '$1$2');
  return (
    required.length === declared.length && required.every((text, i) => form(text) === form(declared[i] ?? ''))
  );
}
