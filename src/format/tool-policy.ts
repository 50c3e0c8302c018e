// What a pack denies, `config/tool-policy.json`: tools that must not be called, and arguments that they must not be called
// with. Names and arguments are matched by patterns in which `*` stands for any characters and `?` for one.
import { type Json, type JsonObject, ParseError } from '../core/index.ts';
import { asObject, exactly, objects, shortText, shortTexts } from './members.ts';

/** What a rule looks at: each of these members has a meaning of its own, and a rule has exactly one of them. */
const LOOKS_AT = ['domain', 'matches', 'path', 'reads', 'unjudged', 'writes'] as const;

/** A tool whose name matches `tool` must not be called … */
export type ArgumentRule = { readonly tool: string } & (
  | {
      /** … with an argument of which the whole text matches, or that runs a command that does. */ readonly matches: string;
    }
  | {
      /** … on a file that the glob names: from the work tree, from `/`, or from a home (`~/`). */ readonly path: string;
    }
  | { /** … with a line for a shell that reads a file that the glob names. */ readonly reads: string }
  | { /** … with a line for a shell that writes one. */ readonly writes: string }
  | { /** … with an address at that host. */ readonly domain: string }
  | {
      /** … in a way that nobody can judge from what is recorded: the rule as it was written. */ readonly unjudged: string;
    }
);

export interface ToolPolicy {
  /** Patterns of tools that must not be called at all. */
  readonly deny: readonly string[];
  readonly arguments: readonly ArgumentRule[];
}

const MOST = 4096;
const LONGEST = 1024;

/** All of these as one: each rule once, in order. */
export function encodeToolPolicy(policies: readonly ToolPolicy[]): JsonObject {
  const rules = new Map(
    policies.flatMap((policy) => policy.arguments.map((rule) => [keyOf(rule), rule] as const)),
  );
  return {
    arguments: [...rules.keys()].sort().map((key) => ({ ...(rules.get(key) as ArgumentRule) })),
    deny: [...new Set(policies.flatMap(({ deny }) => deny))].sort(),
  };
}

/** Throws ParseError for anything but what encodeToolPolicy writes. */
export function parseToolPolicy(value: Json, path: string): ToolPolicy {
  const policy = asObject(value, path);
  exactly(policy, ['arguments', 'deny'], path);
  const deny = shortTexts(policy, 'deny', MOST, LONGEST, path);
  const rules = objects(policy, 'arguments', MOST, path).map((each, i) => {
    const at = `${path}.arguments[${i}]`;
    const member = LOOKS_AT.find((name) => Object.hasOwn(each, name)) ?? 'matches';
    exactly(each, ['tool', member], at);
    const text = shortText(each, member, LONGEST, at);
    return { tool: shortText(each, 'tool', LONGEST, at), [member]: text } as unknown as ArgumentRule;
  });
  for (const list of [deny, rules.map(keyOf)])
    if (list.some((each, i) => i > 0 && each <= (list[i - 1] ?? '')))
      throw new ParseError('BAD_MEMBER', 'not sorted, or something is there twice', path);
  return { deny, arguments: rules };
}

/** In the order of tools, then of what is looked at, then of texts. */
function keyOf({ tool, ...looksAt }: ArgumentRule): string {
  const [[member, text] = ['', '']] = Object.entries(looksAt);
  return `${tool}\n${member}\n${text}`;
}
