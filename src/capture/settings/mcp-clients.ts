// Where MCP clients keep the servers they start, and how a file of theirs is changed: as a plan that can be shown, written
// only if the file is still what the plan was made from.
import { join } from 'node:path';
import { utf8Decode, utf8Encode } from '#platform';
import { ParseError } from '../../core/index.ts';
import { assertWritable, readSnapshot, replaceFile, type Snapshot } from './file.ts';
import type { Places } from './host.ts';
import { unwrapServers, type WrappedServers, wrapServers } from './mcp-servers.ts';

export interface McpFile {
  readonly client: string;
  readonly title: string;
  readonly path: string;
  /** The client starts servers in the project's directory, so that they find its ledger. */
  readonly inProject: boolean;
  /** A team may commit it. */
  readonly shared: boolean;
}

export interface McpPlan extends Omit<WrappedServers, 'text'> {
  readonly file: McpFile;
  readonly before: string | null;
  readonly after: string | null;
  readonly snapshot: Snapshot;
}

export const MCP_CLIENTS: readonly string[] = ['claude-code', 'claude-desktop', 'cursor', 'vscode'];

/** Every file that may be there. */
export function mcpFiles({ project, home, env }: Places): readonly McpFile[] {
  const file = (
    client: string,
    title: string,
    path: string,
    { inProject = true, shared = false }: { inProject?: boolean; shared?: boolean } = {},
  ): McpFile => ({ client, title, path, inProject, shared });
  const config = env.XDG_CONFIG_HOME ?? join(home, '.config');
  const application = process.platform === 'darwin' ? join(home, 'Library', 'Application Support') : config;
  const claude =
    env.CLAUDE_CONFIG_DIR === undefined
      ? join(home, '.claude.json')
      : join(env.CLAUDE_CONFIG_DIR, '.claude.json');
  return [
    file('claude-code', 'Claude Code', join(project, '.mcp.json'), { shared: true }),
    file('claude-code', 'Claude Code', claude),
    file('claude-desktop', 'Claude Desktop', join(application, 'Claude', 'claude_desktop_config.json'), {
      inProject: false,
    }),
    file('cursor', 'Cursor', join(project, '.cursor', 'mcp.json'), { shared: true }),
    file('cursor', 'Cursor', join(home, '.cursor', 'mcp.json')),
    file('vscode', 'VS Code', join(project, '.vscode', 'mcp.json'), { shared: true }),
    file('vscode', 'VS Code', join(application, 'Code', 'User', 'mcp.json')),
  ];
}

/** Throws ParseError or StoreError where the file can't be changed. Writes nothing. */
export function planWrap(file: McpFile, words: (name: string) => readonly string[]): McpPlan {
  return plan(file, (text) => wrapServers(text, file.path, words));
}

export function planUnwrap(file: McpFile): McpPlan {
  return plan(file, (text) => unwrapServers(text, file.path));
}

/** False if the file is not what the plan was made from any more: nothing was written, and a new plan is needed. */
export function applyMcpPlan({ before, after, snapshot }: McpPlan): boolean {
  return before === after || after === null || replaceFile(snapshot, utf8Encode(after), 0o600);
}

function plan(file: McpFile, change: (text: string) => WrappedServers): McpPlan {
  const snapshot = readSnapshot(file.path);
  if (snapshot.bytes === null) return { file, before: null, after: null, snapshot, servers: [], left: [] };
  let before: string;
  try {
    before = utf8Decode(snapshot.bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8', file.path);
  }
  const { text: after, servers, left } = change(before);
  if (before !== after) assertWritable(snapshot);
  return { file, before, after, snapshot, servers, left };
}
