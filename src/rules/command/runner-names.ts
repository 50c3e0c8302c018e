// Programs that the tables of runners know by their name.
import { own, toolOf } from '../../ecosystems/index.ts';
import { isWord } from './programs.ts';
import { HTTP } from './runners/http.ts';
import { SHIP } from './runners/ship.ts';

export const known = (name: string): ReturnType<typeof toolOf> =>
  toolOf(name) ?? own(SHIP, name) ?? own(HTTP, name);

/** Names that only a runner of tests or a checker has: a word that names one names a check. */
export function isRunnerName(name: string): boolean {
  return (!isWord(name) && known(name) !== undefined) || /^(?:go test|cargo test|npm test)$/.test(name);
}
