// `find` that removes or changes what it finds: each root with each name that is looked for. Without a name it is about
// everything below its roots, unless another test narrows it to something that can't be told from here.
import type { Target } from './given-words.ts';
import { ANY_DEPTH } from './glob.ts';

const ACTS = /^-(?:delete|exec|execdir|ok|okdir)$/;
const CHANGES =
  / (?:rm|mv|shred|unlink|truncate|tee|chown|chattr|sed -\S*i|cp|dd|gzip|xz|bzip2|perl -\S*i|sh|bash|chmod (?:-R )?(?:[ua]?[-=]\S*|[0-7]?[0-5][0-7]{2})) /;
/** These narrow nothing. */
const OPEN =
  /^-(?:type|mindepth|maxdepth|depth|xdev|mount|print0?|delete|exec|execdir|ok|okdir|follow|L|P|H)$/;
const NAMES = /^-i?name$/;
const REGEX = /^-i?regex$/;
const PATHS = /^-i?(?:path|wholename)$/;

export function foundBy(args: readonly string[]): readonly Target[] {
  const written = args.flatMap((arg, at) =>
    /^-(?:fprint0?|fprintf|fls)$/.test(arg) ? [args[at + 1] ?? ''] : [],
  );
  const into: Target[] = written.map((word) => ({ word, reach: 'inside' }));
  const at = args.findIndex((arg) => ACTS.test(arg));
  const acts = ` ${args.slice(at + 1).join(' ')} `;
  if (at < 0 || (!args.includes('-delete') && !CHANGES.test(acts))) return into;
  const first = args.findIndex((arg) => /^-(?![LPH]$|O\d)|^[(!]$/.test(arg));
  const given = args.slice(0, first < 0 ? undefined : first).filter((arg) => !/^-/.test(arg));
  const roots = given.length === 0 ? ['.'] : given;
  const tests = args.slice(Math.max(first, 0), at);
  const wanted = (option: RegExp): string[] =>
    tests.flatMap((arg, index) =>
      option.test(arg) && !/^(?:!|-not)$/.test(tests[index - 1] ?? '')
        ? [arg.startsWith('-i') ? (tests[index + 1] ?? '').toLowerCase() : (tests[index + 1] ?? '')]
        : [],
    );
  const [names, paths] = [wanted(NAMES), [...wanted(PATHS), ...wanted(REGEX).map(asGlob)]];
  if (names.length + paths.length > 0)
    return [
      ...into,
      ...roots.flatMap((root) =>
        names.map((name): Target => ({ word: `${root}/${ANY_DEPTH}/${name}`, reach: 'above' })),
      ),
      // A star at its beginning stands for the root, too.
      ...paths.map((path): Target => ({ word: path.startsWith('*') ? `/${path}` : path, reach: 'text' })),
    ];
  const isOpen = tests.every((arg) => !/^-/.test(arg) || OPEN.test(arg) || /^-(?:not|path|name)$/.test(arg));
  return [...into, ...roots.map((word): Target => ({ word, reach: isOpen ? 'above' : 'parent' }))];
}

/** What of a pattern is plain text must be there; all else may be anything. */
function asGlob(regex: string): string {
  return regex
    .replace(/\\\./g, '\0')
    .replace(/\\.|\[[^\]]*\]|[.*+?^${}()|\\]+/g, '*')
    .replaceAll('\0', '.')
    .replace(/\*{2,}/g, '*');
}

/** `fd -H settings -x rm`: the pattern is a part of a name, and hidden folders count only where that is asked for. */
export function soughtBy(args: readonly string[]): readonly Target[] | null {
  const at = args.findIndex((arg) => /^-[a-zA-Z]*[xX]$|^--exec(?:-batch)?$/.test(arg));
  if (at < 0) return null;
  const hidden = args.some((arg) => /^-[a-zA-Z]*[Hu]|^--(?:hidden|unrestricted)/.test(arg));
  const [pattern = '', ...roots] = args.slice(0, at).filter((arg) => !arg.startsWith('-'));
  if (!CHANGES.test(` ${args.slice(at + 1).join(' ')} `)) return [];
  const name = `*${pattern.replace(/[\\^$]/g, '').replace(/[.(|)+]+/g, '*')}*`;
  const depth = hidden || roots.some((root) => /(?:^|\/)\./.test(root)) ? ANY_DEPTH : '**';
  return (roots.length === 0 ? ['.'] : roots).map((root) => ({
    word: `${root}/${depth}/${name}`,
    reach: 'above',
  }));
}
