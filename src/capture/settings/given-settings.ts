// A user may hand settings of their own to Claude Code with --settings. It takes one such file, so for a run that we hook
// theirs and ours become one: hooks of both run, and in all else the user's word counts.
import { ParseError } from '../../core/index.ts';
import { whyPassedOver } from './claude-code-passes-over.ts';
import { parseDocument, plainValue } from './document.ts';
import { inside, type Settings } from './host.ts';

const FLAG = '--settings';

export interface GivenSettings {
  /** A path, or JSON. */
  readonly value: string;
  /** The user's words without it. */
  readonly rest: readonly string[];
}

/** Null where none are given. */
export function givenSettings(words: readonly string[]): GivenSettings | null {
  const end = words.indexOf('--');
  const at = words.findLastIndex(
    (word, index) => (end < 0 || index < end) && (word === FLAG || word.startsWith(`${FLAG}=`)),
  );
  const word = words[at];
  if (word === undefined) return null;
  const isJoined = word !== FLAG;
  const value = isJoined ? word.slice(FLAG.length + 1) : words[at + 1];
  if (value === undefined) return null;
  return { value, rest: [...words.slice(0, at), ...words.slice(at + (isJoined ? 1 : 2))] };
}

/** Throws ParseError where theirs are no settings, or such that the host would pass over ours with them. */
export function mergeSettings(ours: Settings, text: string): Settings {
  const { root } = parseDocument(text, FLAG);
  const theirs = (root === undefined ? {} : plainValue(root)) as Settings;
  const hooks = { ...listsIn(theirs) };
  for (const [event, groups] of Object.entries(listsIn(ours)))
    hooks[event] = [...(hooks[event] ?? []), ...groups];
  const env = { ...Object(inside(ours, 'env')), ...Object(inside(theirs, 'env')) };
  const merged = { ...ours, ...theirs, hooks, ...(Object.keys(env).length === 0 ? {} : { env }) };
  const why = whyPassedOver(JSON.stringify(merged));
  if (why === null) return merged;
  throw new ParseError('BAD_MEMBER', `${why}, so Claude Code would run none of foil's hooks`, FLAG);
}

function listsIn(settings: Settings): Record<string, unknown[]> {
  const lists = Object.entries(Object(inside(settings, 'hooks')) as Settings);
  return Object.fromEntries(lists.map(([event, list]) => [event, Array.isArray(list) ? list : []]));
}
