// Which files reach a program that is not told their names: through its input, through a pipe from `cat`, or in a file
// that the line has put together of them; and what code on the line loads.
import type { Command } from 'unbash';
import type { Found } from './facts.ts';
import { isLineCode } from './inline-code.ts';
import { loadedIn } from './loaded-code.ts';
import type { Walk } from './walk.ts';

/** `cat a b > c`: c is made of a and b. */
export function printed(walk: Walk, node: Command, words: readonly string[]): void {
  const files = words.slice(1).filter((word) => word !== '' && !word.startsWith('-'));
  const out = node.redirects.find(
    (each) => each.type === 'Redirect' && each.operator.includes('>') && each.descriptor === undefined,
  );
  const target = out?.type === 'Redirect' ? out.target?.value : undefined;
  if (target === undefined) walk.printed.push(...files.slice(0, 16));
  else
    walk.copied(target, out?.type === 'Redirect' && out.operator === '>>', () => {
      walk.printed.push(...files.slice(0, 16));
      return { zero: null, fail: null };
    });
}

const CLIENT = /^(?:psql|mysql|sqlite3|duckdb)$/;
const QUERY = /^(?:-c|--command|-e|--execute|-cmd)(?:=|$)/;

/** What a client of a database is given on its input, or in a file that the line put together, is what it runs. */
export function withInput(
  walk: Walk,
  node: Command,
  words: readonly string[],
  found: Found | null,
): Found | null {
  if (found !== null && isLineCode({ ...found, command: words.join(' ') }))
    return { ...found, packages: loadedIn(words.slice(1).join('\n'), found.runner) };
  if (found === null || !CLIENT.test(found.runner) || words.some((word) => QUERY.test(word))) return found;
  const input = node.redirects.flatMap((each) =>
    each.type === 'Redirect' && each.operator === '<' ? [each.target?.value ?? ''] : [],
  );
  const given = found.targets.length > 0 ? [] : input.length > 0 ? input : walk.fed;
  const made = found.targets.flatMap((target) => walk.copies.get(target) ?? []);
  return { ...found, targets: [...found.targets, ...given, ...made].slice(0, 16) };
}
