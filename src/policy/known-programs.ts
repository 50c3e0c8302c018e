// What a program does by itself, as far as its words say it. One that is not known may do anything.
import type { CommandWords } from './authority/found-needs.ts';
import { EVERYDAY_PROGRAMS, type EverydayProgram } from './everyday-programs.ts';
import { isPlainVariable, steers } from './steering-variables.ts';

export interface KnownProgram {
  /** Its words run nothing. */
  readonly isCalm: boolean;
  /** Folders among its words are taken with all that is in them. */
  readonly takesAll: boolean;
  /** None of its words is a file. */
  readonly namesNoFiles: boolean;
  /** Why something else may run; null where nothing does. */
  readonly hides: string | null;
}

const ASKS = /^(?:--version|--help|-V)$/;

/** A program of the system that only tells about itself. */
export const asksOnly = (program: string, words: CommandWords): boolean =>
  !program.includes('/') && words.length === 1 && ASKS.test(words[0] ?? '');

/** What it is given as a file is what somebody writes to it. */
const FROM_ELSEWHERE = /^(?:-\w)?(?:--[\w-]+=)?\/(?:dev\/(?:stdin|fd\/)|proc\/)|^(?:--[\w-]+=)?data:/;
const UNPACKS = /^-{0,2}(?:extract|get|list|diff|compare)$|^-?[a-zA-Z]*[xt][a-zA-Z]*$/;

/** `isWhole`: all words are known but those that are wildcards. */
export function knownProgram(name: string, words: CommandWords, isWhole: boolean): KnownProgram | null {
  const [first = null] = words;
  const row = EVERYDAY_PROGRAMS.get(name) ?? EVERYDAY_PROGRAMS.get(name.replace(/-?[\d.]+$/, ''));
  if (row === undefined) return null;
  // Only a tape archiver that packs takes anything along.
  const packs = /^(?:bsd|g)?tar$/.test(name) && !UNPACKS.test(first ?? '');
  return {
    isCalm: row.isCalm,
    takesAll: packs || words.some((word) => word !== null && row.takesAll?.test(word) === true),
    namesNoFiles: row.namesNoFiles,
    hides: unknownCommand(name, row, words) ?? otherWork(name, row, words, isWhole),
  };
}

function unknownCommand(name: string, { does, valued }: EverydayProgram, words: CommandWords): string | null {
  if (does === null) return null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) return `it is known only at run time what ${name} does`;
    if (valued?.test(word) === true) at++;
    else if (!/^[-+]/.test(word))
      return does.has(word) ? null : `foil doesn't know the command ${name} ${word.slice(0, 40)}`;
  }
  return null;
}

function otherWork(
  name: string,
  { hides, needs }: EverydayProgram,
  words: CommandWords,
  isWhole: boolean,
): string | null {
  const other = words.find(
    (word) => word !== null && (hides?.test(word) === true || FROM_ELSEWHERE.test(word)),
  );
  if (other != null) return `with the word ${JSON.stringify(other.slice(0, 40))}, ${name} may do anything`;
  if (/^g?make$/.test(name))
    for (const word of words) {
      const [, variable, value = ''] = /^(\w+)[:+?]?=(.*)$/s.exec(word ?? '') ?? [];
      if (variable !== undefined && !isPlainVariable(variable, value)) return steers(variable);
    }
  if (hides !== null && !isWhole) return `a word of ${name} is known only at run time`;
  const isTold = needs === null || words.some((word) => word !== null && needs.test(word));
  return isTold ? null : `${name} does what its input says`;
}
