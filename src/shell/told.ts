// What a line itself prints of how its checks ended: `; echo "exit $?"` prints a code, and what `&& echo built` prints shows
// that all before it went well. It counts only where the line comes into view as `echo` printed it, and from nobody else.
import type { Command } from 'unbash';
import type { Check } from '../format/index.ts';
import type { Told } from './facts.ts';
import type { State } from './shell-state.ts';
import { statusBits, type Walk } from './walk.ts';

const REFERENCE = /\$(?:\{([A-Za-z_]\w*(?:\[\d\])?|\?)\}|([A-Za-z_]\w*|\?))/g;
const LONGEST = 200;

/** What these words of `echo` tell, where they come into view. */
export function tell(walk: Walk, node: Command, args: readonly string[], state: State): void {
  const text = args.join(' ');
  // Behind a viewer the same words come into view as another line.
  if (walk.isInView && !walk.isPlain) walk.showsText = true;
  if (!walk.isPlain || walk.dead !== null || text.length > LONGEST || walk.isLed(node, '>')) return;
  const isEarly = walk.rounds === 0 && walk.doubts === 0 && walk.firstForeign === Number.POSITIVE_INFINITY;
  if (isEarly && !/^-[neE]+(?:\s|$)|[$`*\\]/.test(text)) walk.heads.push({ text, behind: walk.seen.length });
  const names = [...text.matchAll(REFERENCE)].map(([, braced, bare]) => braced ?? bare ?? '');
  const statuses = names.filter((name) => (statusBits(name, state) ?? 0) !== 0);
  const words = text.split(REFERENCE).filter((_, at) => at % 3 === 0);
  const isBare = !/[a-z]/i.test(words.join(''));
  // A number without words can be anybody's, unless it is the last that is printed.
  const isLast = walk.depth === 0 && node.end >= walk.source.trimEnd().length;
  if (/^-|[`*\\]|\$/.test(words.join('')) || statuses.length > 1 || (isBare && !isLast)) return;
  const [name] = statuses;
  if (name === undefined && (names.length > 0 || isBare)) return;
  const slots = names.map((each) => (each === name ? '(\\d{1,3})' : '\\S{0,40}'));
  const source = words.map((part, at) => `${escaped(part)}${slots[at] ?? ''}`).join('');
  walk.told.push({
    text,
    line: source,
    isBare,
    isMany: walk.rounds > 0,
    zero: name === undefined ? 0 : (statusBits(name, state) ?? 0),
    known: state.known,
    ...(name === '?' && { last: lastBefore(walk.source.slice(0, node.pos)) }),
  });
}

/** `a && b; `: whose exit code `$?` is, if all before it went well. */
function lastBefore(source: string): string {
  const parts = source.replace(/[;\s]+$/, '').split(/&&|\|\||[;\n]/);
  return parts.at(-1)?.trim() ?? '';
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** How checks ended by what was told; those of which that can't be said are not in it. */
export function toldEnds(
  all: readonly Told[],
  output: string,
  exit: number | null,
): Map<Check, 'passed' | 'failed'> {
  const ends = new Map<Check, 'passed' | 'failed'>();
  const lines = output.trimEnd().split('\n', 10_000);
  for (const told of all) {
    const alike = all.filter(({ text }) => text === told.text);
    const codes = codesIn(told.isBare ? lines.slice(-1) : lines, told.line);
    const isAlone = !told.isMany && !told.isBare && alike.length === 1 && exit === 0;
    if (told.absent !== undefined && isAlone && codes !== null && !output.includes(told.text.trim()))
      for (const check of told.absent) if (check.kind !== 'test') ends.set(check, 'passed');
    // Whoever else prints such a line makes it nobody's.
    if (codes === null || codes.length === 0 || (!told.isMany && codes.length !== alike.length)) continue;
    const own = told.isMany ? codes : codes.slice(alike.indexOf(told), alike.indexOf(told) + 1);
    if (told.isMany && (alike.length > 1 || own.includes(null))) continue;
    // Tests count what passed, or have a code: a word stands in for those that say nothing if all is well.
    for (const check of told.known) if (check.kind !== 'test') ends.set(check, 'passed');
    const isZero = own.every((code) => code === 0);
    // Of several commands before it any may have failed.
    const asked = told.zero.filter((check) => !told.known.includes(check));
    if (isZero) for (const check of asked) ends.set(check, 'passed');
    else if (asked.length === 1 && asked[0] !== undefined && !own.includes(null) && isLast(told, asked[0]))
      ends.set(asked[0], 'failed');
  }
  return ends;
}

/** In `sh -n a.sh && ./a.sh; echo $?` the code may be that of a program behind the check. */
function isLast({ last }: Told, { command }: Check): boolean {
  return last === undefined || last.includes(command) || command.includes(last) || command.endsWith('…');
}

/** The codes of all such lines, null for one that has none; null where one stands behind what has no end of its line. */
function codesIn(lines: readonly string[], source: string): (number | null)[] | null {
  const [whole, end] = [new RegExp(`^${source}$`), new RegExp(`${source}$`)];
  const found: (number | null)[] = [];
  for (const line of lines) {
    const match = line.length > 4096 ? null : whole.exec(line);
    if (match !== null) found.push(match[1] === undefined ? null : Number(match[1]));
    else if (source.includes('(\\d') && line.length <= 4096 && end.test(line)) return null;
  }
  return found;
}
