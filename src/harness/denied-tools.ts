// What agents' settings deny, as rules of a tool policy: each host has a language of its own. A rule whose meaning can't
// be had from what is recorded goes into the policy as it stands, and makes the policy unknown where its tool is called.
import type { Json } from '../core/index.ts';
import { isObject } from '../core/index.ts';
import type { ArgumentRule, ToolPolicy } from '../format/index.ts';
import { deniedByClaude } from './denied-by-claude.ts';
import { deniedByOpenCode } from './denied-by-opencode.ts';

const NOTHING: ToolPolicy = { deny: [], arguments: [] };

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

/** `path` is that of the settings in the project. */
export function deniedBy(path: string, settings: Json): ToolPolicy {
  if (path.startsWith('.claude/')) return deniedByClaude(settings);
  if (path.startsWith('.gemini/')) return deniedByGemini(settings);
  if (path.startsWith('.codex/')) return deniedByCodex(settings);
  if (path.startsWith('.cursor/')) return deniedByCursor(settings);
  if (/(?:^|\/)opencode\.jsonc?$/.test(path)) return deniedByOpenCode(settings);
  return NOTHING;
}

function deniedByGemini(settings: Json): ToolPolicy {
  const deny: string[] = [];
  const denied: ArgumentRule[] = [];
  for (const rule of [...listIn(settings, 'tools', 'exclude'), ...listOf(settings, 'excludeTools')]) {
    const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
    const [, written = '', beginning] = /^([\w.*-]+)(?:\((.*)\))?$/s.exec(text) ?? [];
    const tool = GEMINI_CLASSES.get(written) ?? written;
    if (tool === '') denied.push({ tool: '*', unjudged: text });
    else if (beginning === undefined) deny.push(tool);
    else denied.push({ tool, matches: `${beginning}*` });
  }
  for (const server of listIn(settings, 'mcp', 'excluded')) deny.push(...serverTools(String(server), '*'));
  for (const [server, set] of membersOf(settings, 'mcpServers'))
    for (const tool of listOf(set, 'excludeTools')) deny.push(...serverTools(server, String(tool)));
  denied.push(...notIncluded(settings, 'mcpServers', 'includeTools'));
  return { deny, arguments: denied };
}

/** Codex says of a server which of its tools are off; what its commands may be is in `.codex/rules`. */
function deniedByCodex(settings: Json): ToolPolicy {
  const deny: string[] = [];
  for (const [server, set] of membersOf(settings, 'mcp_servers')) {
    if (isObject(set) && set.enabled === false) deny.push(...serverTools(server, '*'));
    for (const tool of listOf(set, 'disabled_tools')) deny.push(...serverTools(server, String(tool)));
  }
  return { deny, arguments: notIncluded(settings, 'mcp_servers', 'enabled_tools') };
}

/** Cursor's `Shell(command)`, `Read(glob)`, `Write(glob)`, `WebFetch(host)` and `Mcp(server:tool)`. */
function deniedByCursor(settings: Json): ToolPolicy {
  const deny: string[] = [];
  const denied: ArgumentRule[] = [];
  for (const rule of listIn(settings, 'permissions', 'deny')) {
    const text = typeof rule === 'string' ? rule : JSON.stringify(rule);
    const [, kind = '', inner = ''] = /^(\w+)\((.*)\)$/s.exec(text) ?? [];
    const glob = inner.replace(/^\.\//, '');
    const isGlob = glob !== '' && !/[[\]{}!\\]|(?:^|\/)\.\.(?:\/|$)/.test(glob);
    const at = isGlob && !glob.includes('/') ? [glob, `**/${glob}`] : [glob];
    if (kind === 'Shell' && inner !== '') denied.push(...commandRules('Shell', inner));
    else if (kind === 'Read' && isGlob)
      for (const path of at)
        denied.push({ tool: 'Read', path }, { tool: 'Grep', path }, { tool: 'Shell', reads: path });
    else if (kind === 'Write' && isGlob)
      for (const path of at)
        denied.push(
          ...['Delete', 'Edit', 'EditNotebook', 'MultiEdit', 'StrReplace', 'Write'].map((tool) => ({
            tool,
            path,
          })),
          { tool: 'ApplyPatch', unjudged: text },
          { tool: 'Shell', writes: path },
        );
    else if (kind === 'WebFetch' && /^[\w.*-]+$/.test(inner))
      denied.push({ tool: 'WebFetch', domain: inner }, { tool: 'Web*', domain: inner });
    else if (kind === 'Mcp' && /^[^:,]+\s*[:,]\s*[^:,]+$/.test(inner)) {
      const [server = '', tool = ''] = inner.split(/\s*[:,]\s*/);
      deny.push(...serverTools(server, tool));
      // Cursor's hooks call it so, without the server.
      denied.push({ tool: `MCP:${tool}`, unjudged: text });
      if (!/[*?]/.test(tool)) denied.push({ tool, unjudged: text });
    } else denied.push({ tool: '*', unjudged: text });
  }
  return { deny, arguments: denied };
}

/** `git` or `git:args`: the command with any words behind it. */
function commandRules(tool: string, command: string): ArgumentRule[] {
  const [, base = command, args] = /^([^:]*):(.*)$/s.exec(command) ?? [];
  if (base === '*' || base === '**') return [{ tool, matches: '*' }];
  const text = args === undefined || args === '*' || args === '' ? base : `${base} ${args}`;
  return [
    { tool, matches: text },
    { tool, matches: `${text} *` },
  ];
}

/** As hosts call the tool of a server: Claude Code, Codex and Cursor in one way, Gemini in its own two. */
function serverTools(server: string, tool: string): string[] {
  return [`mcp__${server}__${tool}`, `mcp_${server}_${tool}`, `${server}__${tool}`];
}

/** A list of the only tools that a server may offer denies all others, which no pattern can say. */
function notIncluded(settings: Json, servers: string, list: string): ArgumentRule[] {
  return membersOf(settings, servers).flatMap(([server, set]) =>
    listOf(set, list).length === 0
      ? []
      : serverTools(server, '*').map((tool) => ({ tool, unjudged: `${servers}.${server}.${list}` })),
  );
}

function listIn(settings: Json, outer: string, inner: string): readonly Json[] {
  return isObject(settings) ? listOf(settings[outer] ?? null, inner) : [];
}

function listOf(value: Json, member: string): readonly Json[] {
  const list = isObject(value) ? value[member] : undefined;
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

function membersOf(settings: Json, member: string): [string, Json][] {
  const value = isObject(settings) ? settings[member] : undefined;
  return isObject(value) ? Object.entries(value) : [];
}
