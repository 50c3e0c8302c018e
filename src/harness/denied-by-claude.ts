// What Claude Code denies: `Tool` or `Tool(pattern)` under permissions.deny. A rule for reading, or for editing, is held
// against all tools that do it, and against what lines for the shell do to files.
import type { Json } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';

const TOOLS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['Read', ['Glob', 'Grep', 'LS', 'NotebookRead', 'Read']],
  ['Edit', ['Edit', 'MultiEdit', 'NotebookEdit', 'Write']],
  ...['Glob', 'Grep', 'LS', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'Write'].map(
    (tool) => [tool, [tool]] as const,
  ),
]);
const SHELLS = ['Bash', 'PowerShell'];
const RULE = /^([\w*-]+)(?:\((.*)\))?$/s;

export function deniedByClaude(settings: Json): ToolPolicy {
  const deny: string[] = [];
  const denied: ArgumentRule[] = [];
  const permissions = isObject(settings) ? (settings.permissions ?? null) : null;
  const listed = isObject(permissions) ? permissions.deny : undefined;
  for (const rule of Array.isArray(listed) ? (listed as readonly Json[]) : []) {
    const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
    const [, tool = '', pattern] = RULE.exec(text) ?? [];
    if (tool === '') denied.push({ tool: '*', unjudged: text });
    else if (pattern === undefined || pattern === '*' || pattern === '') {
      deny.push(tool);
      // The name of an MCP server stands for all of its tools.
      if (/^mcp__(?:(?!__).)+$/.test(tool)) deny.push(`${tool}__*`);
    } else denied.push(...rulesOf(tool, pattern));
  }
  const off = isObject(settings) ? settings.disabledMcpjsonServers : undefined;
  for (const server of Array.isArray(off) ? (off as readonly Json[]) : [])
    deny.push(`mcp__${String(server)}__*`);
  return { deny, arguments: denied };
}

function rulesOf(tool: string, pattern: string): readonly ArgumentRule[] {
  if (tool === 'WebFetch') {
    const domain = /^domain:([\w.*-]+)$/.exec(pattern)?.[1];
    return [domain === undefined ? { tool, unjudged: pattern } : { tool, domain }];
  }
  if (SHELLS.includes(tool)) return commandRules(tool, pattern);
  const tools = TOOLS.get(tool);
  if (tools === undefined) return [{ tool, matches: pattern.replace(/:\*$/, '*') }];
  const path = pathGlob(pattern);
  const rules = tools.map((each) =>
    path === null ? { tool: each, unjudged: pattern } : { tool: each, path },
  );
  if (tool !== 'Read' && tool !== 'Edit') return rules;
  const lines = SHELLS.map((shell): ArgumentRule => {
    if (path === null) return { tool: shell, unjudged: `${tool}(${pattern})` };
    return tool === 'Read' ? { tool: shell, reads: path } : { tool: shell, writes: path };
  });
  return [...rules, ...lines];
}

/** `npm run test:*` and `npm run test *` are about these words alone, too, and about no longer ones. */
function commandRules(tool: string, pattern: string): ArgumentRule[] {
  const [, words] = /^([^*]*?)(?::\*| \*)$/s.exec(pattern) ?? [];
  const patterns = words === undefined ? [pattern] : [words, `${words} *`];
  return patterns.map((matches) => ({ tool, matches }));
}

/**
 * Patterns are those of .gitignore, from `//` (the root), `~/` (the home), `/` or `./` (the project); one without a folder
 * is about every folder. Null for what our globs have no sign for.
 */
function pathGlob(pattern: string): string | null {
  if (/[[\]{}!\\]/.test(pattern) || /(?:^|\/)\.\.(?:\/|$)/.test(pattern)) return null;
  if (pattern === '~' || pattern.startsWith('~/')) return `~/${pattern.slice(2) || '**'}`;
  if (pattern.startsWith('//')) return pattern.slice(1);
  const path = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  if (path === '' || path === '.') return '**';
  return path.includes('/') || path !== pattern.replace(/\/$/, '') ? path : `**/${path}`;
}
