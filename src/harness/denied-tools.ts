// What agents' settings deny, as rules of a tool policy. Claude Code writes `Tool` or `Tool(pattern)` under
// permissions.deny, Gemini lists tools under tools.exclude. A rule whose meaning can't be had from what is recorded
// goes into the policy as it stands, and makes the policy unknown where its tool is called.
import type { Json } from '../core/index.ts';
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';
import { isObject } from './config-files.ts';

/** Claude Code holds a rule for reading, or for editing, against all tools that do it. */
const TOOLS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['Read', ['Glob', 'Grep', 'LS', 'NotebookRead', 'Read']],
  ['Edit', ['Edit', 'MultiEdit', 'NotebookEdit', 'Write']],
  ...['Glob', 'Grep', 'LS', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'Write'].map(
    (tool) => [tool, [tool]] as const,
  ),
]);
/** Gemini's older names for its tools. */
const GEMINI_CLASSES: ReadonlyMap<string, string> = new Map([
  ['EditTool', 'replace'],
  ['GlobTool', 'glob'],
  ['GrepTool', 'search_file_content'],
  ['LSTool', 'list_directory'],
  ['MemoryTool', 'save_memory'],
  ['ReadFileTool', 'read_file'],
  ['ReadManyFilesTool', 'read_many_files'],
  ['ShellTool', 'run_shell_command'],
  ['WebFetchTool', 'web_fetch'],
  ['WebSearchTool', 'google_web_search'],
  ['WriteFileTool', 'write_file'],
]);
const RULE = /^([\w*-]+)(?:\((.*)\))?$/s;

export function deniedBy(settings: Json): ToolPolicy {
  const deny: string[] = [];
  const denied: ArgumentRule[] = [];
  const take = (rule: Json, rulesOf: (tool: string, pattern: string) => readonly ArgumentRule[]): void => {
    const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
    const [, written = '', pattern] = RULE.exec(text) ?? [];
    const tool = GEMINI_CLASSES.get(written) ?? written;
    if (tool === '') denied.push({ tool: '*', unjudged: text });
    else if (pattern !== undefined) denied.push(...rulesOf(tool, pattern));
    else {
      deny.push(tool);
      // The name of an MCP server stands for all of its tools.
      if (/^mcp__(?:(?!__).)+$/.test(tool)) deny.push(`${tool}__*`);
    }
  };
  for (const rule of listIn(settings, 'permissions', 'deny')) take(rule, claudeRules);
  for (const rule of [...listIn(settings, 'tools', 'exclude'), ...listOf(settings, 'excludeTools')])
    take(rule, (tool, beginning) => [{ tool, matches: `${beginning}*` }]);
  return { deny, arguments: denied };
}

function claudeRules(tool: string, pattern: string): readonly ArgumentRule[] {
  if (tool === 'WebFetch') {
    const domain = /^domain:([\w.*-]+)$/.exec(pattern)?.[1];
    return [domain === undefined ? { tool, unjudged: pattern } : { tool, domain }];
  }
  const tools = TOOLS.get(tool);
  if (tools === undefined) return [{ tool, matches: pattern.replace(/:\*$/, '*') }];
  const path = pathGlob(pattern);
  return tools.map((each) => (path === null ? { tool: each, unjudged: pattern } : { tool: each, path }));
}

/**
 * Claude Code's patterns are those of .gitignore, from `//` (the root), `~/` (the home), `/` or `./` (the project); one
 * without a folder is about every folder. Null for what our globs have no sign for.
 */
function pathGlob(pattern: string): string | null {
  if (/[[\]{}!\\]/.test(pattern) || /(?:^|\/)\.\.(?:\/|$)/.test(pattern)) return null;
  if (pattern === '~' || pattern.startsWith('~/')) return `~/${pattern.slice(2) || '**'}`;
  if (pattern.startsWith('//')) return pattern.slice(1);
  const path = pattern.replace(/^\.?\//, '').replace(/\/$/, '');
  if (path === '' || path === '.') return '**';
  return path.includes('/') || path !== pattern.replace(/\/$/, '') ? path : `**/${path}`;
}

function listIn(settings: Json, outer: string, inner: string): readonly Json[] {
  return isObject(settings) ? listOf(settings[outer] ?? null, inner) : [];
}

function listOf(value: Json, member: string): readonly Json[] {
  const list = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}
