// What a call of a tool needs: tools that the hosts are known for are mapped to what they do, and every other tool is named.
import type { Json } from '../../core/index.ts';
import { givesToShell } from '../shell-tools.ts';
import { segmentsOf } from './capability.ts';
import {
  absolute,
  type FileAction,
  type FileView,
  fileNeed,
  inside,
  isThere,
  mayBeAnyFile,
  resolved,
} from './files.ts';
import { ANY_PROGRAM, type CallNeeds, type ShellPlace } from './found-needs.ts';
import { writtenHost } from './host.ts';
import { type NamedTool, namedNeeds, serverReadings } from './named-tools.ts';
import { ALL_BELOW, type Need, nameFlaw, pathSegments } from './need.ts';
import { shellNeeds } from './shell-needs.ts';
import { memberOf } from './shell-start.ts';
import { ANY_NAME } from './wildcards.ts';

/** In place of a line that can't be read. */
export const UNREAD = Symbol('unread');

export interface ToolUse extends NamedTool {
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
  'Grep', 'Glob', 'LS', 'grep', 'grep_files', 'grep_search', 'rg', 'search_file_content', 'glob', 'list', 'list_dir',
  'list_directory',
]);
/** Tools of hosts that read one file, or those that patterns find. */
const READS_FILE = new Set(['view_image', 'read_file', 'show_file']);
const READS_FILES = new Set(['read_many_files']);
/** A language server reads the file and tells of all others. */
const ASKS_LANGUAGE_SERVER = new Set(['LSP', 'lsp']);
/** Tools of hosts that fetch an address, as others are known to search by words. */
const FETCHES = new Set(['WebFetch', 'web_fetch', 'webfetch']);
/** Claude Code's own prompt says what to look for in the page; Gemini's names the pages. */
const ADDRESS = ['url', 'urls', 'prompt'];
const FOLDER = ['path', 'target_directory', 'target_directories', 'dir_path', 'directory', 'paths'];
/** Of those, the ones that a host itself knows. It passes over those of others, and looks through where it works. */
const OWN_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['path'],
  'codex grep_files': ['path'],
  'codex list_dir': ['dir_path'],
  copilot: ['path', 'paths'],
  'cursor Grep': ['path'],
  'cursor Glob': ['target_directory', 'target_directories'],
  'cursor LS': ['path', 'target_directory'],
  gemini: ['dir_path'],
  opencode: ['path'],
};
const FILE = ['path', 'file_path', 'filePath'];

/** Whether a tool is known by what it looks at, in a folder, a file or an address. */
export function looks(tool: string): boolean {
  return [LOOKS_THROUGH, READS_FILE, READS_FILES, ASKS_LANGUAGE_SERVER, FETCHES].some((set) => set.has(tool));
}

const UNJUDGED: CallNeeds = {
  needs: [ANY_PROGRAM],
  unread: "what it gives to a shell can't be judged",
  ambient: [],
};

export function toolNeeds(use: ToolUse, place: ShellPlace): CallNeeds {
  if (use.line === UNREAD) return { needs: [ANY_PROGRAM], unread: "its command can't be read", ambient: [] };
  // What OpenCode names like another host's tool may be the tool of a server.
  const mayBeServers = use.server !== undefined || serverReadings(use).length > 0;
  if (use.line !== null || givesToShell(use.tool)) {
    const { needs, ...given } = use.line === null ? UNJUDGED : shellNeeds(use.line, place);
    return { ...given, needs: [...needs, ...(mayBeServers ? namedNeeds(use) : [])] };
  }
  const known = knownNeeds(use, place);
  const isNamed = known === null || mayBeServers;
  return { ...namedCall([...(known ?? []), ...(isNamed ? namedNeeds(use) : [])]), ambient: [] };
}

function knownNeeds(use: ToolUse, { cwd, view }: ShellPlace): readonly Need[] | null {
  const { tool, args, files, url, agent = '' } = use;
  if (files.length > 0)
    return files.flatMap(({ path, op }) => {
      const isRead = op === 'read' || op === 'edit';
      const needs = (action: FileAction): readonly Need[] =>
        mayBeElsewhere(tool, path, cwd, view)
          ? [fileNeed(action, view.real(cwd), ALL_BELOW)]
          : isPlainPath(path)
            ? readingsOf(path, cwd, view, op === 'delete').map((each) => fileNeed(action, each))
            : [fileNeed(action, '/', ALL_BELOW)];
      return [...(isRead ? needs('read') : []), ...(op === 'read' ? [] : needs('write'))];
    });
  if (FETCHES.has(tool)) return fetchNeeds(use);
  const host = hostOf(url);
  if (host !== null) return [hostNeed(host), ...namedNeeds(use)];
  if (READS_FILE.has(tool)) return readNeeds(args, cwd, view);
  if (READS_FILES.has(tool)) return foundNeeds(args, cwd, view);
  if (ASKS_LANGUAGE_SERVER.has(tool))
    return [...readNeeds(args, cwd, view), ...lookNeeds('.', '.', cwd, view)];
  if (!LOOKS_THROUGH.has(tool)) return null;
  const [own] = [`${agent} ${tool}`, agent].filter((key) => Object.hasOwn(OWN_FOLDER, key));
  const isNamed = valuesOf(args, OWN_FOLDER[own ?? ''] ?? []).some((value) => value !== '' && value !== null);
  const named = valuesOf(args, FOLDER).map((value) => (typeof value === 'string' ? value : null));
  const folders = isNamed ? named : ['.', ...named];
  const patterns = /Glob|glob/.test(tool) ? valuesOf(args, ['pattern', 'glob_pattern']) : [];
  const starts = patterns.map((pattern) => (typeof pattern === 'string' ? leadOf(pattern) : null));
  return folders.flatMap((folder) =>
    (starts.length === 0 ? ['.'] : starts).flatMap((start) =>
      lookNeeds(folder, start, cwd, view, tool === 'glob'),
    ),
  );
}

/** Which of several addresses is asked, only the host knows. */
function fetchNeeds(use: ToolUse): readonly Need[] {
  const told = valuesOf(use.args, use.tool === 'WebFetch' ? ADDRESS.slice(0, 2) : ADDRESS);
  const addresses = [...(use.url === null ? [] : [use.url]), ...told];
  const hosts = addresses.map(hostOf);
  // Gemini asks for the file itself where it is given GitHub's page about one.
  if (hosts.includes('github.com') && addresses.some((each) => /\/blob\//.test(String(each))))
    hosts.push('raw.githubusercontent.com');
  const known = hosts.filter((host) => host !== null).map(hostNeed);
  if (known.length > 0 && known.length === hosts.length) return known;
  return [...known, { domain: 'network', action: 'get', segments: [ALL_BELOW] }, ...namedNeeds(use)];
}

function hostNeed(host: string): Need {
  return { domain: 'network', action: 'get', segments: segmentsOf('network', host) };
}

/** What these members hold, list by list. */
function valuesOf(args: Json, names: readonly string[]): readonly Json[] {
  const values = names.map((name) => memberOf(args, name)).filter((value) => value !== undefined);
  return values.flatMap((value): readonly Json[] =>
    Array.isArray(value) && value.length > 0 ? value : [value],
  );
}

function readNeeds(args: Json, cwd: string, view: FileView): readonly Need[] {
  const paths = valuesOf(args, FILE);
  return (paths.length === 0 ? [null] : paths).flatMap((path) =>
    typeof path === 'string' && isPlainPath(path)
      ? readingsOf(path, cwd, view).map((each) => fileNeed('read', each))
      : fileNeed('read', '/', ALL_BELOW),
  );
}

/** Gemini's members for the files to read; each may be a pattern. */
function foundNeeds(args: Json, cwd: string, view: FileView): readonly Need[] {
  const named = ['paths', 'include']
    .map((name) => memberOf(args, name))
    .filter((value) => value !== undefined);
  const patterns = named.flatMap((value) => (Array.isArray(value) ? value : [null]));
  return (patterns.length === 0 ? [null] : patterns).flatMap((pattern: Json) =>
    lookNeeds('.', typeof pattern === 'string' ? leadOf(pattern) : null, cwd, view, true),
  );
}

/** A pattern may lead elsewhere by itself. Which of several folders counts, only the host knows. */
function lookNeeds(
  folder: string | null,
  start: string | null,
  cwd: string,
  view: FileView,
  ignoresCase = false,
): readonly Need[] {
  const from = folder === '' ? '.' : folder;
  if (start === null || from === null || !isPlainPath(from) || mayBeSeveral(from, cwd, view))
    return [fileNeed('read', '/', ALL_BELOW)];
  const path = start.startsWith('/') ? start : `${from}/${start}`;
  return readingsOf(path, cwd, view).map((each) =>
    fileNeed('read', ignoresCase ? surePlace(each, view.real(cwd), view) : each, ALL_BELOW),
  );
}

/** Copilot takes such a folder for several where it isn't there. */
function mayBeSeveral(folder: string, cwd: string, view: FileView): boolean {
  return /[\s,;]/.test(folder) && !isThere(resolved(folder, cwd, view), view);
}

/** Gemini's patterns match names in other letters' case, too: as far as the names on the way are there, and no others like them. */
function surePlace(path: string, cwd: string, view: FileView): string {
  if (mayBeAnyFile(path)) return path;
  let at = path === cwd || path.startsWith(`${cwd}/`) ? cwd : '/';
  for (const name of pathSegments(path.slice(at.length))) {
    const alike = view.names(at, ANY_NAME)?.filter((each) => each.toLowerCase() === name.toLowerCase());
    if (alike?.length !== 1 || alike[0] !== name) return at;
    at = inside(at, name);
  }
  return at;
}

/** `..` behind a link leads above what the link leads to, or, to hosts that shorten paths first, above the link: both count. */
export function readingsOf(path: string, cwd: string, view: FileView, itself = false): readonly string[] {
  const led = resolved(path, cwd, view, itself);
  const more = path.includes('..') ? [resolved(absolute(path, cwd), '/', view, itself)] : [];
  // Gemini takes an `@` away where nothing is called so.
  const bare = path.replace(/^@\/*/, '');
  if (bare !== path && bare !== '') more.push(...readingsOf(bare, cwd, view, itself));
  return [...new Set([led, ...more])];
}

/** Gemini's `replace` looks for a file of such a path in every folder if there is none. */
function mayBeElsewhere(tool: string, path: string, cwd: string, view: FileView): boolean {
  if (tool !== 'replace' || path.startsWith('/') || !isPlainPath(path)) return false;
  return !isThere(resolved(path, cwd, view), view);
}

/** No system opens a longer one. */
const LONGEST_PATH = 4096;

/** A host may expand, trim, decode or guess the others, or take a backslash for a slash: then every file may be meant. */
function isPlainPath(path: string): boolean {
  if (path.length > LONGEST_PATH) return false;
  return path !== '' && !/^~|^file:|%[0-9a-f]{2}|\\/i.test(path) && path.trim() === path;
}

/** Choices of plain words, such as `{ts,tsx}`. No others are sure to stay where they are. */
const PLAIN_CHOICES = /\{\w[\w.-]*(?:,\w[\w.-]*)*\}/g;

/** The folder that a pattern begins with. Null if what it finds may lie elsewhere. */
function leadOf(pattern: string): string | null {
  if (!isPlainPath(pattern)) return null;
  const plain = /^[^*?[{(]*/.exec(pattern)?.[0] ?? '';
  const lead = /^.*\//s.exec(plain)?.[0] ?? '';
  const rest = pattern.slice(lead.length).replace(PLAIN_CHOICES, '');
  // `[.]` is a dot.
  return /\.\.|[{}()\\]|\[[^\]]*\./.test(rest) ? null : lead || '.';
}

/** With the reason why no grant can name a tool, if that is so. */
export function namedCall(needs: readonly Need[]): Pick<CallNeeds, 'needs' | 'unread'> {
  return { needs, unread: needs.map(nameFlaw).find((flaw) => flaw !== null) ?? null };
}

/** With its port, unless that is the one of its protocol. Null for what is not one address of the web. */
function hostOf(url: Json | undefined): string | null {
  if (typeof url !== 'string' || /\s/.test(url)) return null;
  try {
    const { protocol, host } = new URL(url);
    return /^https?:$/.test(protocol) && host !== '' ? writtenHost(host) : null;
  } catch {
    return null;
  }
}
