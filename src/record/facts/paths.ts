// The files a call names, from its structured arguments alone: a shell command is not taken apart. Paths inside the
// workspace are written from its root, so that two calls that name one file agree. They are names: nothing is looked
// up, and no link is followed.
import { utf8Encode } from '#platform';
import type { Json, JsonObject } from '../../core/index.ts';

/** Members that hold a path in the tools of the known hosts and of common MCP servers, in small letters without `_`. */
const MEMBERS =
  ' path paths filepath filepaths filename filenames notebookpath absolutepath relativepath dirpath directory ' +
  'targetfile targetpath oldpath newpath sourcepath destinationpath ';
/** These may hold anything else: a text there must look like a path. */
const LOOSE_MEMBERS = ' file files source destination uri ';

export const MAX_PATHS = 64;
export const MAX_PATH = 1024;
/** Of all together: an entry is one line. */
const MAX_PATHS_BYTES = 16 * 1024;

/** In the order of the arguments, each once. `root` is the workspace; `cwd` is where relative paths begin. */
export function pathsOf(args: Json, cwd: string | null, root: string | null = cwd): string[] {
  const found = new Set<string>();
  let bytes = 0;
  collect(args, 0, (named) => {
    const path = workspacePath(named, cwd, root);
    if (found.has(path) || found.size >= MAX_PATHS) return;
    bytes += utf8Encode(JSON.stringify(path)).length + 1;
    if (bytes <= MAX_PATHS_BYTES) found.add(path);
  });
  return [...found];
}

/** Lists of edits name their files one level further down. */
function collect(value: Json, depth: number, add: (path: string) => void): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = ` ${key.replaceAll('_', '').toLowerCase()} `;
    const loose = LOOSE_MEMBERS.includes(name);
    const named = loose || MEMBERS.includes(name);
    const values: readonly Json[] = Array.isArray(member) ? member.slice(0, MAX_PATHS) : [member];
    for (const one of values) {
      if (typeof one !== 'string') {
        if (depth === 0 && Array.isArray(member)) collect(one, 1, add);
        continue;
      }
      if (!named) continue;
      const path = one.startsWith('file:///') ? fromUrl(one) : one;
      if (isPath(path) && (!loose || /[/\\.]/.test(path))) add(path);
    }
  }
}

function isPath(text: string): boolean {
  if (text === '' || text.length > MAX_PATH || /^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x20) return false;
  return true;
}

/** `src/a.ts` inside the root, `.` for the root itself, else the absolute path; relative without a place to begin. */
export function workspacePath(path: string, cwd: string | null, root: string | null): string {
  const normal = normalize(isAbsolute(path) || cwd === null ? path : `${cwd}/${path}`);
  if (root === null) return normal;
  const base = normalize(root);
  if (normal === base) return '.';
  const prefix = base.endsWith('/') ? base : `${base}/`;
  return normal.startsWith(prefix) ? normal.slice(prefix.length) : normal;
}

function isAbsolute(path: string): boolean {
  return /^(?:[/~]|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

function isWindows(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** Without `.`, `..` and doubled slashes. Windows' paths are written with `/` and a small drive letter. */
function normalize(path: string): string {
  const windows = isWindows(path);
  const text = windows ? path.replaceAll('\\', '/') : path;
  const rooted = text.startsWith('/');
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part !== '..') parts.push(part);
    else if (last !== undefined && last !== '..' && !(windows && parts.length === 1)) parts.pop();
    else if (!rooted && !windows) parts.push(part);
  }
  if (windows && parts[0] !== undefined && !text.startsWith('//')) parts[0] = parts[0].toLowerCase();
  const joined = parts.join('/');
  if (rooted) return `${text.startsWith('//') && windows ? '//' : '/'}${joined}`;
  return joined === '' ? '.' : joined;
}

function fromUrl(url: string): string {
  const path = url.slice('file://'.length);
  try {
    const decoded = decodeURIComponent(path);
    return /^\/[A-Za-z]:\//.test(decoded) ? decoded.slice(1) : decoded;
  } catch {
    return path;
  }
}
