// Text that some program will run, where no shell grammar helps: code on a command line, a line that can't be parsed,
// words for a scheduler. It is searched for two things: our command with a word that changes something, and the name of
// a file of ours beside a word that writes. Each search is linear: the text is an agent's.
import { MAX_COMMAND } from '../command/facts.ts';
import type { Ours } from './ours.ts';
import { ownAct } from './own-command.ts';

const OWN =
  /(?:^|[^\w-])(?:counter)?foil(?:\.[cm]?js)?["'`]?(?:[\s,()[\]]{1,8}["'`]?)([a-z]{3,12}\b[^\n;|&]{0,120})/g;

/** What it would do to the recording by a command of ours; null where it names none. */
export function spokenAct(text: string, ours: Ours, env: readonly string[] = []): string | null {
  for (const [, words = ''] of text.slice(0, MAX_COMMAND).matchAll(OWN)) {
    const said = words.split(/[\s,"'`()[\]]+/).filter((word) => word !== '');
    // `execvp('foil', ['foil', 'pause'])`
    const own = said[0] === 'foil' ? said.slice(1) : said;
    const act = ownAct(own, { ...ours, cwd: null, env });
    if (act !== null) return act;
  }
  return null;
}

const WRITES =
  /\bopen\s*\([^\n]{0,200}?,\s{0,8}(?:mode\s{0,4}=\s{0,4})?["'][rbt]{0,2}[wax+]|\bwrite|unlink|\brm(?:Sync|dir|tree)?\b|\bremove\b|rename|\bmv\b|truncate|copy[fF]ile|\bcp\b|\bshutil\b|appendFile|createWriteStream|symlink|chmod|\bputs\b|file_put_contents|json\.dump\b|\bsed -\w{0,4}i|\btee\b|>/;

/** The file of ours that the text names, where it also writes somewhere. */
export function spokenFile(text: string, ours: Ours): string | null {
  const start = text.slice(0, MAX_COMMAND);
  return WRITES.test(start) ? (needles(ours).find((each) => start.includes(each)) ?? null) : null;
}

/** Our paths in the forms in which a text may hold them. */
function needles({ directories, files, root, variables: { HOME } }: Ours): string[] {
  const places = [root, HOME].filter((place) => typeof place === 'string');
  const short = (path: string): string[] =>
    places.filter((place) => path.startsWith(`${place}/`)).map((place) => path.slice(place.length + 1));
  return [...directories, ...files].flatMap((path) => [path, ...short(path)]);
}
