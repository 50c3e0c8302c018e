// What a call of a tool needs: tools that the hosts are known for are mapped to what they do, an MCP tool is named by its
// server, and every other tool by its own name.
import type { Json } from '../../core/index.ts';
import { givesToShell } from '../shell-tools.ts';
import { segmentsOf } from './capability.ts';
import { type FileAction, type FileView, fileNeed, resolved } from './files.ts';
import { ANY_PROGRAM, type CallNeeds, type ShellPlace } from './found-needs.ts';
import { ALL_BELOW, type Need, nameFlaw } from './need.ts';
import { shellNeeds } from './shell-needs.ts';
import { memberOf } from './shell-start.ts';

/** In place of a line that can't be read. */
export const UNREAD = Symbol('unread');

export interface ToolUse {
  readonly tool: string;
  readonly args: Json;
  /** What it gives to a shell, in bash's words: null where it gives nothing, UNREAD where nobody can say what. */
  readonly line: string | typeof UNREAD | null;
  readonly files: readonly { readonly path: string; readonly op: 'write' | 'edit' | 'delete' | 'read' }[];
  /** What it fetches. */
  readonly url: string | null;
}

/** Tools of hosts that look through a folder, and the members that may name it. Without one it is where the host works. */
// biome-ignore format: a list
const LOOKS_THROUGH = new Set([
  'Grep', 'Glob', 'LS', 'grep', 'grep_search', 'search_file_content', 'glob', 'list', 'list_directory',
]);
/** Tools of hosts that read one file, or those that patterns find. */
const READS_FILE = new Set(['view_image']);
const READS_FILES = new Set(['read_many_files']);
/** Tools of hosts that fetch an address, as others are known to search by words. */
const FETCHES = new Set(['WebFetch', 'web_fetch', 'webfetch']);
/** Claude Code's own, which begin with a capital, take no other than the first. */
const FOLDER = ['path', 'dir_path', 'directory'];
const LONGEST_NAME = 256;
const MCP = 'mcp__';
const ANY_MCP_TOOL: Need = { domain: 'mcp', action: 'call', segments: [ALL_BELOW] };

export function toolNeeds(use: ToolUse, place: ShellPlace): CallNeeds {
  if (use.line === UNREAD) return { needs: [ANY_PROGRAM], unread: "its command can't be read", ambient: [] };
  if (use.line !== null) return shellNeeds(use.line, place);
  if (givesToShell(use.tool))
    return { needs: [ANY_PROGRAM], unread: "what it gives to a shell can't be judged", ambient: [] };
  return { ...namedCall(knownNeeds(use, place) ?? namedNeeds(use.tool)), ambient: [] };
}

function knownNeeds({ tool, args, files, url }: ToolUse, { cwd, view }: ShellPlace): readonly Need[] | null {
  if (files.length > 0)
    return files.flatMap(({ path, op }) => {
      const isRead = op === 'read' || op === 'edit';
      const need = (action: FileAction): Need =>
        isPlainPath(path)
          ? fileNeed(action, resolved(path, cwd, view, op === 'delete'))
          : fileNeed(action, '/', ALL_BELOW);
      return [...(isRead ? [need('read')] : []), ...(op === 'read' ? [] : [need('write')])];
    });
  const host = hostOf(url ?? (FETCHES.has(tool) ? memberOf(args, 'url') : null));
  if (host !== null) return [hostNeed(segmentsOf('network', host))];
  if (FETCHES.has(tool)) return [hostNeed([ALL_BELOW]), ...namedNeeds(tool)];
  if (READS_FILE.has(tool)) return [readNeed(memberOf(args, 'path'), cwd, view)];
  if (READS_FILES.has(tool)) return foundNeeds(args, cwd, view);
  if (!LOOKS_THROUGH.has(tool)) return null;
  const members = /^[A-Z]/.test(tool) ? FOLDER.slice(0, 1) : FOLDER;
  const named = members.map((name) => memberOf(args, name)).filter((value) => value !== undefined);
  const folders = named.map((value) => (typeof value === 'string' ? value : null));
  const pattern = memberOf(args, 'pattern');
  const start = /Glob|glob/.test(tool) && typeof pattern === 'string' ? leadOf(pattern) : '.';
  return (folders.length === 0 ? ['.'] : folders).map((folder) => lookNeed(folder, start, cwd, view));
}

function hostNeed(segments: Need['segments']): Need {
  return { domain: 'network', action: 'get', segments };
}

function readNeed(path: Json | undefined, cwd: string, view: FileView): Need {
  return typeof path === 'string' && isPlainPath(path)
    ? fileNeed('read', resolved(path, cwd, view))
    : fileNeed('read', '/', ALL_BELOW);
}

/** Gemini's members for the files to read; each may be a pattern. */
function foundNeeds(args: Json, cwd: string, view: FileView): readonly Need[] {
  const named = ['paths', 'include']
    .map((name) => memberOf(args, name))
    .filter((value) => value !== undefined);
  const patterns = named.flatMap((value) => (Array.isArray(value) ? value : [null]));
  return (patterns.length === 0 ? [null] : patterns).map((pattern: Json) =>
    lookNeed('.', typeof pattern === 'string' ? leadOf(pattern) : null, cwd, view),
  );
}

/** A pattern may lead elsewhere by itself. Which of several folders counts, only the host knows. */
function lookNeed(folder: string | null, start: string | null, cwd: string, view: FileView): Need {
  const from = folder === '' ? '.' : folder;
  if (start === null || from === null || !isPlainPath(from)) return fileNeed('read', '/', ALL_BELOW);
  return fileNeed('read', resolved(start, resolved(from, cwd, view), view), ALL_BELOW);
}

/** A host may expand, trim or guess the others: then every file may be meant. */
function isPlainPath(path: string): boolean {
  return path !== '' && !path.startsWith('~') && path.trim() === path;
}

/** Choices of plain words, such as `{ts,tsx}`. No others are sure to stay where they are. */
const PLAIN_CHOICES = /\{\w[\w.-]*(?:,\w[\w.-]*)*\}/g;

/** The folder that a pattern begins with. Null if what it finds may lie elsewhere. */
function leadOf(pattern: string): string | null {
  const plain = /^[^*?[{(]*/.exec(pattern)?.[0] ?? '';
  const lead = /^.*\//s.exec(plain)?.[0] ?? '';
  const rest = pattern.slice(lead.length).replace(PLAIN_CHOICES, '');
  return /\.\.|[{}()\\]/.test(rest) || !isPlainPath(pattern) ? null : lead || '.';
}

/** With the reason why no grant can name a tool, if that is so. */
export function namedCall(needs: readonly Need[]): Pick<CallNeeds, 'needs' | 'unread'> {
  return { needs, unread: needs.map(nameFlaw).find((flaw) => flaw !== null) ?? null };
}

/**
 * `mcp__server__tool`, as Claude Code calls them, or the tool's own name. Both names may have `__` in them, so that there are
 * several readings: whatever the host takes it for is then granted, and not denied. Without a server or a tool in it, such a name
 * may stand for any of them.
 */
function namedNeeds(tool: string): readonly Need[] {
  if (!tool.startsWith(MCP)) return [callNeed('tool', tool)];
  const rest = tool.slice(MCP.length);
  if (rest.length > LONGEST_NAME) return [ANY_MCP_TOOL];
  const readings: Need[] = [];
  for (let at = rest.indexOf('__', 1); at > 0 && at + 2 < rest.length; at = rest.indexOf('__', at + 1))
    readings.push(...mcpNeeds(rest.slice(0, at), rest.slice(at + 2)));
  return readings.length === 0 ? [ANY_MCP_TOOL, callNeed('tool', tool)] : readings;
}

/** With a slash in its server's name, a tool reads like one of another server. So it needs every tool besides. */
export function mcpNeeds(server: string, tool: string): readonly [Need, ...Need[]] {
  const named = callNeed('mcp', `${server}/${tool}`);
  return server.includes('/') ? [named, ANY_MCP_TOOL] : [named];
}

/** Of a message to a server that may call any tool of it. */
export function unclearNeed(server: string): Need {
  const { segments, ...need } = callNeed('mcp', server);
  return { ...need, segments: segments.at(-1) === ALL_BELOW ? segments : [...segments, ALL_BELOW] };
}

/** A name that can't be told from a pattern, or is too long, matches no grant but `**`. */
function callNeed(domain: string, name: string): Need {
  const segments = name.length > LONGEST_NAME ? [ALL_BELOW] : name.split('/');
  return { domain, action: 'call', segments: segments as Need['segments'] };
}

/** With its port, unless that is the one of its protocol. Null for what is not one address of the web. */
function hostOf(url: Json | undefined): string | null {
  if (typeof url !== 'string' || /\s/.test(url)) return null;
  try {
    const { protocol, host } = new URL(url);
    return /^https?:$/.test(protocol) && host !== '' ? host.replace(/\.(?=$|:)/, '') : null;
  } catch {
    return null;
  }
}
