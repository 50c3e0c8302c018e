// The structured final block: a fence with the info string `foil_final` that holds JSON. It is the agent's own word on
// what kind of an end this is, in slots that can be checked (final-form.ts); nothing in it is believed for being there.
import { type FoilFinal, parseFoilFinal } from './final-form.ts';

export interface FinalBlock {
  readonly final: FoilFinal | null;
  /** What is wrong with the block that is there; null where none is, or it is well. */
  readonly problem: string | null;
  /** Where the block stands, fences included. */
  readonly start: number;
  readonly end: number;
}

/** The block of a message, or null where it has none. A second one is a problem: nobody could say which one counts. */
export function findFinalBlock(message: string): FinalBlock | null {
  const opening = /^[ ]{0,3}(`{3,}|~{3,})[ \t]*foil_final[ \t]*$/gm;
  const first = opening.exec(message);
  if (first === null) return null;
  const fence = first[1] ?? '```';
  const from = first.index + first[0].length + 1;
  let at = from;
  while (at < message.length) {
    const newline = message.indexOf('\n', at);
    const end = newline === -1 ? message.length : newline;
    const line = message.slice(at, end).trim();
    if (line.startsWith(fence) && line.replaceAll(fence[0] ?? '`', '') === '') {
      opening.lastIndex = end;
      const again = opening.exec(message) !== null;
      const read = again
        ? { final: null, problem: 'there is more than one foil_final block' }
        : parseFoilFinal(message.slice(from, at));
      return { ...read, start: first.index, end };
    }
    at = end + 1;
  }
  return {
    final: null,
    problem: 'the foil_final block is not closed',
    start: first.index,
    end: message.length,
  };
}
