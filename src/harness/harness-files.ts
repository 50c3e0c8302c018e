// Which files shape an agent, by their places in a project: instructions, skills, subagents, commands and rules of the
// agents that we know, and the settings they read. A new agent is a few lines here.
import { globMatcher } from '../core/index.ts';

/** Instructions: read by one agent or another, in any folder. */
const ANYWHERE = ['AGENTS.md', 'AGENTS.override.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md'];

const STATIC = [
  ...ANYWHERE.flatMap((name) => [name, `**/${name}`]),
  ...['SOUL.md', 'TOOLS.md', 'IDENTITY.md', 'USER.md', 'HEARTBEAT.md', 'BOOTSTRAP.md'],
  '.cursorrules',
  '**/.cursor/rules/**',
  '.cursor/{agents,commands,skills}/**',
  '.claude/{agents,commands,hooks,output-styles,rules,skills}/**',
  '.codex/{agents,rules,skills}/**',
  '.agents/**',
  '.gemini/{agents,extensions,skills}/**',
  '.gemini/system.md',
  '.github/copilot-instructions.md',
  '.github/{agents,chatmodes,instructions,skills}/**',
  '.opencode/{agent,agents,command,commands,plugin,plugins,skill,skills}/**',
].flatMap(alternatives);

const TEMPLATES = ['.codex/prompts/**', '.gemini/commands/**', '.github/prompts/**'];

const isStatic = globMatcher(STATIC);
const isTemplate = globMatcher(TEMPLATES);

export type SettingsFormat = 'json' | 'toml' | 'yaml';

const SETTINGS: ReadonlyMap<string, SettingsFormat> = new Map<string, SettingsFormat>([
  ['.mcp.json', 'json'],
  ['.claude/settings.json', 'json'],
  ['.claude/settings.local.json', 'json'],
  ['.codex/config.toml', 'toml'],
  ['.codex/hooks.json', 'json'],
  ['.copilot/mcp-config.json', 'json'],
  ['.cursor/cli.json', 'json'],
  ['.cursor/hooks.json', 'json'],
  ['.cursor/mcp.json', 'json'],
  ['.gemini/settings.json', 'json'],
  ['.github/mcp.json', 'json'],
  ['.opencode/opencode.json', 'json'],
  ['.opencode/opencode.jsonc', 'json'],
  ['.vscode/mcp.json', 'json'],
  ['counterfoil.yaml', 'yaml'],
  ['openclaw.json', 'json'],
  ['opencode.json', 'json'],
  ['opencode.jsonc', 'json'],
]);
const isHooks = globMatcher(['.github/hooks/*.json']);

/** `a/{b,c}/d` is `a/b/d` and `a/c/d`. */
function alternatives(glob: string): string[] {
  const [, before = '', names = '', behind = ''] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
  return names === '' ? [glob] : names.split(',').map((name) => `${before}${name}${behind}`);
}

export type Place =
  | { readonly folder: 'static' | 'template' }
  | { readonly folder: 'config'; readonly format: SettingsFormat };

/** Where a file of the project belongs in the pack; null: nowhere. */
export function placeOf(path: string): Place | null {
  const format = SETTINGS.get(path) ?? (isHooks(path) ? 'json' : undefined);
  if (format !== undefined) return { folder: 'config', format };
  if (isTemplate(path)) return { folder: 'template' };
  return isStatic(path) && !path.split('/').some((name) => BUILT.has(name)) ? { folder: 'static' } : null;
}

/** Folders whose instructions were written for others. */
const BUILT: ReadonlySet<string> = new Set(['.venv', 'venv', 'build', 'dist', 'out', 'target', 'vendor']);

/** Folders that are never looked into: what is in them was made by others, or is a repository's own. */
export const PASSED_OVER: ReadonlySet<string> = new Set(['.git', '.foil', '.hg', '.svn', 'node_modules']);
