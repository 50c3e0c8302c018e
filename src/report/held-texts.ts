// Texts that entries hold themselves, which are signed with them: no choice of content leaves them out. Commands and URLs stand
// there because the gate judges by them. Everything else with a space in it is taken for a text that somebody wrote, so that a
// member which nobody thought of here is told, too.
import { isObject, type Json } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { counted } from './text.ts';

/** How many different ones there are. */
export interface HeldTexts {
  readonly commands: number;
  readonly urls: number;
  /** Objects of git that the file holds, each with its message and its author. */
  readonly commits: number;
  /** What was searched for, words of a prompt that stood in backticks, reasons, notes, and whatever else is not a name. */
  readonly others: number;
}

const URL_LIKE = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;
const COMMANDS: ReadonlySet<string> = new Set(['command', 'command_hints', 'argv']);
const WORDS: ReadonlySet<string> = new Set(['backtick_tokens', 'keywords', 'selectors', 'detail', 'flags']);
/** Paths, names of tools and what a program writes. */
const NAMES: ReadonlySet<string> = new Set([
  'path',
  'paths',
  'changed',
  'files',
  'cwd',
  'directory',
  'workspace_root',
  'transcript',
  'redaction',
  'tool',
  'runner',
  'targets',
]);

export class HeldTextCount {
  readonly #commands = new Set<string>();
  readonly #urls = new Set<string>();
  readonly #others = new Set<string>();

  add({ payload }: Entry): void {
    for (const [name, value] of Object.entries(payload)) this.#walk(name, value, '');
  }

  total(commits: number): HeldTexts {
    return { commands: this.#commands.size, urls: this.#urls.size, commits, others: this.#others.size };
  }

  #walk(name: string, value: Json, capability: string): void {
    if (typeof value === 'string') this.#text(name, value, capability);
    else if (Array.isArray(value)) {
      if (name === 'command' && value.every((word) => typeof word === 'string'))
        this.#text(name, value.join(' '), capability);
      else for (const each of value) this.#walk(name, each, capability);
    } else if (isObject(value)) {
      const own = typeof value.capability === 'string' ? value.capability : '';
      for (const [member, each] of Object.entries(value)) this.#walk(member, each, own);
    }
  }

  #text(name: string, text: string, capability: string): void {
    const urls = text.match(URL_LIKE) ?? [];
    for (const url of urls) this.#urls.add(url);
    if (text === '') return;
    if (COMMANDS.has(name) || (name === 'target' && capability === 'run')) this.#commands.add(text);
    else if (urls.length === 1 && urls[0] === text) return;
    else if (WORDS.has(name) || (name === 'target' && capability === 'search')) this.#others.add(text);
    else if (name !== 'target' && !NAMES.has(name) && /\s/.test(text)) this.#others.add(text);
  }
}

/** Null where there are none. */
export function heldTextWords({ commands, urls, commits, others }: HeldTexts): string | null {
  const parts = [
    commands > 0 ? counted(commands, 'command') : '',
    urls > 0 ? counted(urls, 'URL') : '',
    commits > 0 ? counted(commits, 'commit message') : '',
    others > 0 ? counted(others, 'other text') : '',
  ].filter((part) => part !== '');
  const last = parts.pop();
  if (last === undefined) return null;
  const isOne = commands + urls + commits + others === 1;
  const all = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
  return isOne
    ? `${all} is part of the record itself and stays readable`
    : `${all} are part of the record itself and stay readable`;
}
