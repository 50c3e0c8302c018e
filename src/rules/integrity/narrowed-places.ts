// Whether tests are looked for in fewer places than before: `testpaths`, `include`, the files that a test script names. A
// place that moved or was added is none; one that lies within a place that is gone is. Compared by the facts of two versions
// of a configuration.
import type { Fact } from './command-facts.ts';

/** The name of a member that is a command: a script or a target. */
export const IS_COMMAND = /^(?:\w+:)?(?:scripts|tasks|target)\b/;

const OF_CHECKER = /^(?:types|lint):/;

/** Lines that name a narrower place than the one that stood there before; null: there was no such configuration. */
export function narrowed(before: readonly string[] | null, facts: ReadonlyMap<string, Fact>): string[] {
  const old = placesBy(before ?? []);
  const now = placesBy([...facts.keys()]);
  const lineOf = (member: string, place: string): string =>
    facts.get(`reach ${member} ${place}`)?.line ?? place;
  return [...now].flatMap(([member, places]) => {
    const were = old.get(member);
    // A new script runs what it is for, and before a new configuration of a checker nothing was checked by it; a new
    // setting that names nothing but files leaves out all others.
    if (were === undefined) {
      const isFirst = before === null && OF_CHECKER.test(member);
      const isOpen = IS_COMMAND.test(member) || isFirst || !places.every((place) => isOneFile(place, member));
      return isOpen ? [] : places.map((place) => lineOf(member, place));
    }
    const gone = were.filter((place) => !places.includes(place));
    const within = places.filter((place) => gone.some((wider) => isWithin(place, wider)));
    const isSubset = gone.length > 0 && places.every((place) => were.includes(place));
    return (isSubset ? places : within).map((place) => lineOf(member, place));
  });
}

/** The places that facts name, by the setting. */
export function placesBy(words: readonly string[]): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const [, member = '', place = ''] of words.flatMap((each) => [
    /^reach (.+) (\S+)$/.exec(each) ?? [],
  ])) {
    if (place !== '') members.set(member, [...(members.get(member) ?? []), place]);
  }
  return members;
}

/** A file by its whole name; where tests are looked for, a file of tests. */
function isOneFile(place: string, member = ''): boolean {
  const isOfTests = !OF_CHECKER.test(member) && !/(?:test|spec)/i.test(place);
  return (
    !/[*?{[]/.test(place.replace(/^\*\*\//, '')) && !isOfTests && /\.(?:py|[cm]?[jt]sx?)\$?$/.test(place)
  );
}

function isWithin(place: string, wider: string): boolean {
  // Everywhere: a folder or a pattern may well be all that there is.
  if (wider === '.') return isOneFile(place);
  const star = wider.search(/[*?{[]/);
  if (star < 0) return place.startsWith(`${wider.replace(/\/$/, '')}/`);
  const end = wider.slice(
    Math.max(wider.lastIndexOf('*'), wider.lastIndexOf('}'), wider.lastIndexOf(']')) + 1,
  );
  return !place.includes('*') && place.startsWith(wider.slice(0, star)) && place.endsWith(end);
}
