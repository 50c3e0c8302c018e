// Links that a line makes itself: at the time of the call they are not there yet, and what the line does through them
// later is about the place that they lead to.
import { programOf, resolvePath, type Started } from '../../shell/index.ts';
import { bareOf, valuesOf } from './given-words.ts';
import type { Ours } from './ours.ts';

const MOST_LINKS = 64;
const MOST_WAYS = 64;

/** The same, with where the links of the line will lead. */
export function withLinks(started: readonly Started[], ours: Ours): Ours {
  const links = started.flatMap((each) => linksOf(each, ours)).slice(0, MOST_LINKS);
  if (links.length === 0) return ours;
  const before = ours.linked ?? ((path: string) => [path]);
  const linked = (path: string): readonly string[] => {
    // A link may lead to a link, and the same word may be read as two: each way counts.
    const found = new Set(before(path));
    for (const now of found) {
      for (const { from, to } of links) {
        if (found.size >= MOST_WAYS) return [...found];
        if (now === from || now.startsWith(`${from}/`))
          found.add(`${to === '/' ? '' : to}${now.slice(from.length)}` || '/');
      }
    }
    return [...found];
  };
  return { ...ours, linked };
}

interface Link {
  readonly from: string;
  readonly to: string;
}

/** `ln -s TARGET NAME`, `ln -s TARGET FOLDER`, `ln -s TARGET`: the name may be a folder that is there already. */
function linksOf({ argv, cwd }: Started, { here, root }: Ours): Link[] {
  const { name, args } = programOf(argv);
  const isSoft =
    name === 'ln'
      ? args.some((arg) => /^-[a-zA-Z]*s|^--symbolic$/.test(arg))
      : name === 'cp' && args.some((arg) => /^-[a-zA-Z]*s|^--symbolic-link$/.test(arg));
  if (!isSoft) return [];
  const [folder] = valuesOf(args, /^(?:-t|--target-directory)$/);
  const words = bareOf(args).filter((word) => word !== folder);
  const last = folder ?? (words.length > 1 ? (words.at(-1) ?? '.') : '.');
  const targets = folder === undefined && words.length > 1 ? words.slice(0, -1) : words;
  const places = [...new Set(cwd === null ? [here ?? null, root] : [cwd])];
  return places.flatMap((place) =>
    targets.flatMap((target): Link[] => {
      const own = `${last.replace(/\/+$/, '')}/${target.replace(/\/+$/, '').replace(/^.*\//s, '')}`;
      return [last, own].flatMap((each): Link[] => {
        const from = resolvePath(each, place);
        const to = from === null ? null : resolvePath(target, from.slice(0, from.lastIndexOf('/')) || '/');
        return from === null || to === null || from === to || `${to}/`.startsWith(`${from}/`)
          ? []
          : [{ from, to }];
      });
    }),
  );
}
