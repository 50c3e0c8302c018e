// What OpenCode denies: `permission`, by tool, as one word or by patterns of which the last that matches counts; and the
// older `tools`, where false turns a tool off. A denial that a later pattern may lift can't be said by rules that only
// deny, so it can't be judged.
import type { Json } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';

const EDITS = ['edit', 'multiedit', 'write'];
const PATCHES = ['apply_patch', 'patch'];
/** What a permission is about, where that is not the tool of its name. */
const TOOLS: ReadonlyMap<string, readonly string[]> = new Map([['edit', [...EDITS, ...PATCHES]]]);

export function deniedByOpenCode(settings: Json): ToolPolicy {
  const deny: string[] = [];
  const denied: ArgumentRule[] = [];
  const { permission, tools } = isObject(settings) ? settings : {};
  if (permission === 'deny') deny.push('*');
  const all = isObject(permission) ? Object.entries(permission) : [];
  for (const [name, said] of all) {
    if (said === 'deny' && name === '*' && all.length > 1)
      denied.push({ tool: '*', unjudged: 'permission.*' });
    else if (said === 'deny') deny.push(...(TOOLS.get(name) ?? [name]));
    else if (isObject(said)) denied.push(...byPattern(name, Object.entries(said)));
  }
  for (const [name, isOn] of isObject(tools) ? Object.entries(tools) : [])
    if (isOn === false) deny.push(...(TOOLS.get(name) ?? [name]));
  return { deny, arguments: denied };
}

function byPattern(name: string, patterns: readonly [string, Json][]): ArgumentRule[] {
  return patterns.flatMap(([pattern, said], i) => {
    if (said !== 'deny') return [];
    const isLast = patterns.slice(i + 1).every(([, later]) => later === 'deny');
    const tools = TOOLS.get(name) ?? [name];
    const unjudged = tools.map((tool) => ({ tool, unjudged: `permission.${name}: ${pattern}` }));
    if (!isLast) return unjudged;
    if (name === 'bash') return commandRules(pattern);
    // Here a star stands for slashes, too.
    const glob = pattern.replace(/\*+/g, '**');
    const isGlob = !/\*\*[^/]|[^/]\*\*|\.\.|^\$HOME/.test(glob);
    if (name === 'edit' && isGlob)
      return [
        ...EDITS.map((tool) => ({ tool, path: glob })),
        ...PATCHES.map((tool) => ({ tool, unjudged: `permission.edit: ${pattern}` })),
        { tool: 'bash', writes: glob },
      ];
    if (name === 'read' && isGlob)
      return [
        { tool: 'read', path: glob },
        { tool: 'grep', path: glob },
        { tool: 'bash', reads: glob },
      ];
    return unjudged;
  });
}

/** `rm *` is about `rm` alone, too. */
function commandRules(pattern: string): ArgumentRule[] {
  const bare = pattern.endsWith(' *') ? [pattern.slice(0, -2)] : [];
  return [...bare, pattern].map((matches) => ({ tool: 'bash', matches }));
}
