// Programs that the tables of runners know by their name.
import { own, toolOf } from '../../ecosystems/index.ts';
import { HTTP } from './runners/http.ts';
import { SHIP } from './runners/ship.ts';

export const known = (name: string): ReturnType<typeof toolOf> =>
  toolOf(name) ?? own(SHIP, name) ?? own(HTTP, name);

/** Names that only a runner of tests or a checker has: a word that names one names a check. */
export function isRunnerName(name: string): boolean {
  if (
    /^(?:node|npm|git|docker|make|task|build|test|migrate|green|standard|lab|tap|http|https|robot|go|next|fly|cap|az|op|type|time|ni|nr|ty|ng|xo|eb|oc|doit|just|invoke|cross|cc|stack|dart|swift|php|ruby|java|lua|perl|bun|yarn|typos|flask|doctest|flow|parcel|vale|moon|rush|buf|pint|steep|pants|mill|ant|behave|tape|babel|prove)$/.test(
      name,
    )
  )
    return false;
  return known(name) !== undefined || /^(?:go test|cargo test|npm test)$/.test(name);
}
