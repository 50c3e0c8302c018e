// Which tools of MCP servers write files, and which members of their arguments then hold the content (K4). There is no
// list of all servers, so it goes by names: a word of writing in the tool's, a path and a content among the arguments'.
// Taken for a file when it is none, a text is known by hash and length alone; that is the lesser harm.
import type { Json } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import type { FileOption } from '../../record/index.ts';

const WRITES =
  /(?:^|[^a-z])(?:write|create|save|edit|append|replace|insert|patch|update|put|upload|overwrite)/;
const PATHS = ['path', 'file_path', 'filepath', 'filename', 'file_name', 'file', 'target_file', 'uri'];
const CONTENTS: ReadonlySet<string> = new Set(
  `content contents text data body file_text filetext new_text newtext old_text oldtext new_string newstring
  old_string oldstring new_str newstr old_str oldstr insert_text edits changes patch diff blob bytes replacement`.split(
    /\s+/,
  ),
);
/** What such a tool answers often repeats what it wrote. */
const RESULTS = ['content', 'structuredContent'];

export function fileOf(tool: string, args: Json | undefined): FileOption | undefined {
  if (!isObject(args) || !WRITES.test(snakeCase(tool))) return undefined;
  const names = Object.keys(args);
  const path = PATHS.map((wanted) => names.find((name) => name.toLowerCase() === wanted)).find(
    (name) => name !== undefined && typeof args[name] === 'string',
  );
  const members = names.filter((name) => CONTENTS.has(name.toLowerCase()));
  if (path === undefined || members.length === 0) return undefined;
  return { path: String(args[path]), members, resultMembers: RESULTS };
}

/** `writeFile`, `fs-write-file` and `write_file` are one name. */
function snakeCase(name: string): string {
  return name
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}
