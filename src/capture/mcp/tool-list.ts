// What a server says its tools are. A list comes in pages; when the last is there, its hash is taken, and compared with
// that of the list before: tools that change under way are what an agent's user did not agree to.
import { sha256Hex } from '#platform';
import { canonicalize, isObject, type Json } from '../../core/index.ts';
import { memberAt } from './message.ts';

export interface ToolListed {
  /** SHA-256 of the canonical JSON of the tools, sorted by name. */
  readonly hash: string;
  readonly count: number;
  readonly tools: readonly Json[];
  /** Names, where the list before was another one. */
  readonly changed: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly altered: readonly string[];
    readonly before: string;
  } | null;
  /** The same as the list before. */
  readonly same: boolean;
}

/** Of all pages together. A server that lists more is noted as it is, and compared no further. */
const MOST_TOOLS = 10_000;
const MOST_NAMES = 50;

export class ToolList {
  #pages: Json[] = [];
  #last: { readonly hash: string; readonly byName: ReadonlyMap<string, string> } | undefined;

  /** Undefined while pages are missing. `tools` must be tidy. */
  page(isFirst: boolean, tools: readonly Json[], isLast: boolean): ToolListed | undefined {
    if (isFirst) this.#pages = [];
    this.#pages.push(...tools.slice(0, MOST_TOOLS - this.#pages.length));
    if (!isLast) return undefined;
    const listed = this.#pages;
    this.#pages = [];
    return this.#whole(listed);
  }

  #whole(tools: readonly Json[]): ToolListed {
    const named = tools.map((tool) => ({ name: nameOf(tool), text: canonicalize(tool) }));
    named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.text < b.text ? -1 : 1));
    const hash = sha256Hex(new TextEncoder().encode(`[${named.map(({ text }) => text).join(',')}]`));
    const byName = new Map(named.map(({ name, text }) => [name, text]));
    const before = this.#last;
    this.#last = { hash, byName };
    const same = before?.hash === hash;
    const changed =
      before === undefined || same ? null : { ...difference(before.byName, byName), before: before.hash };
    return { hash, count: tools.length, tools, changed, same };
  }
}

function difference(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { readonly added: string[]; readonly removed: string[]; readonly altered: string[] } {
  const names = (from: ReadonlyMap<string, string>, is: (name: string, text: string) => boolean): string[] =>
    [...from]
      .filter(([name, text]) => is(name, text))
      .slice(0, MOST_NAMES)
      .map(([name]) => name.slice(0, 128));
  return {
    added: names(after, (name) => !before.has(name)),
    removed: names(before, (name) => !after.has(name)),
    altered: names(after, (name, text) => before.has(name) && before.get(name) !== text),
  };
}

/** The tools of an answer to tools/list. */
export function toolsOf(result: Json | undefined): readonly Json[] {
  const tools = memberAt(result, 'tools');
  return Array.isArray(tools) ? tools : [];
}

function nameOf(tool: Json): string {
  const name = isObject(tool) ? memberAt(tool, 'name') : undefined;
  return typeof name === 'string' ? name : '';
}
