// Text that some program will run, where no shell grammar helps: code on a command line, a line that can't be parsed,
// words for a scheduler. It is searched for what would be run, where the text runs something at all; for the name of a
// file of ours beside a word that writes; and for a kill of our processes. Each search is linear: the text is an agent's.
import { MAX_COMMAND } from '../../shell/index.ts';
import type { Hit, Ours } from './ours.ts';
import { ownAct } from './own-command.ts';

const OWN =
  /(?:^|[^\w-])(?:counter)?foil(?:\.[cm]?js)?["'`]?(?:[\s,()[\]]{1,8}["'`]?)([a-z]{3,12}\b[^\n;|&]{0,120})/g;

/** What it would do to the recording by a command of ours; null where it names none. */
export function spokenAct(text: string, ours: Ours, env: readonly string[] = []): string | null {
  for (const [, words = ''] of text.slice(0, MAX_COMMAND).matchAll(OWN)) {
    const said = words.split(/[\s,"'`()[\]]+/).filter((word) => word !== '');
    // `execvp('foil', ['foil', 'pause'])`
    const own = said[0] === 'foil' ? said.slice(1) : said;
    const act = ownAct(own, { ...ours, cwd: null, env });
    if (act !== null) return act;
  }
  return null;
}

/** Words by which code starts another program. Without one, a command in it is only text. */
const RUNS =
  /\b(?:system|exec\w*|spawn\w*|popen\w*|Popen|subprocess|child_process|shell\w*|fork|ShellExecute|Deno\.Command|Bun|execa|zx|pty|sh|call|check_call|check_output|getoutput|qx|open3|IO\.popen|os\.run|proc_open|passthru|do shell script)\b|%x|\$`|=\s{0,4}`|\|\s{0,4}getline|\brun\s*\(/;

export function runsPrograms(code: string): boolean {
  return RUNS.test(code.slice(0, MAX_COMMAND));
}

const LITERAL = /"((?:[^"\\\n]|\\.){0,4000})"|'((?:[^'\\\n]|\\.){0,4000})'|`((?:[^`\\]|\\.){0,4000})`/g;
const MOST_LINES = 32;

/** The lines that code may hand to a shell: its texts, each alone, and those of a list together. */
export function linesIn(code: string): string[] {
  const found: string[] = [];
  let list: string[] = [];
  let end = -1;
  const text = code.slice(0, MAX_COMMAND);
  for (const match of text.matchAll(LITERAL)) {
    const value = (match[1] ?? match[2] ?? match[3] ?? '').replace(/\\(["'`\\])/g, '$1');
    const between = end < 0 ? '' : text.slice(end, match.index);
    if (/^\s*,\s*\[?\s*$/.test(between)) list.push(value);
    else {
      if (list.length > 1) found.push(list.join(' '));
      list = [value];
    }
    end = match.index + match[0].length;
    if (/\s/.test(value.trim())) found.push(value);
    if (found.length >= MOST_LINES) return found;
  }
  return list.length > 1 ? [...found, list.join(' ')] : found;
}

const WRITES =
  /\bopen(?:Sync|_file)?\s*\([^\n]{0,200}?,\s{0,8}(?:mode\s{0,4}=\s{0,4})?["'][rbt]{0,2}[wax+]|\bopen\b[^\n]{0,80}["']\+?>{1,2}|\.open\s*\(\s*["'][rbt]{0,2}[wax+]|(?<!(?:stdout|stderr|STDOUT|STDERR|\$out)\s{0,4}\.\s{0,4})\bwrite(?!r?able\b)|unlink|\brm(?:Sync|dir|tree|_rf?|_f)?\b|\bremove\w*\b|\bdelete\b|\brename\w*|\bos\.replace\b|\bmv\b|\bmove\w*\s*\(|truncate|copy[fF]ile|\bcp\w*\s*\(|\bcp\b|\bshutil\b|appendFile|createWriteStream|symlink|\blink(?:Sync)?\s*\(|chmod|chown|file_put_contents|json\.dump\b|yaml\.dump\b|save\w*\s*\(|\bsed -\w{0,4}i|\btee\b|>\s*(?:FILENAME|ARGV)|\bputs\s+\$\w|FileUtils|\bfopen\s*\([^\n]{0,200}?,\s{0,8}["'][rbt]{0,2}[wax+]|\btouch\b|\bgzip\b|\bcopy\w*\s*\(/;
/** A file that is named to be read, and only that. */
const READS =
  /\bopen\(\s{0,4}["'][^"'\n]{0,400}["']\s{0,4}(?:,\s{0,4}["']r[bt]?["']\s{0,4})?(?:,\s{0,4}encoding\s{0,2}=[^)\n]{0,40})?\)|\b(?:readFile(?:Sync)?|File\.read|file_get_contents|require|readJson(?:Sync)?|existsSync|exists|statSync)\(\s{0,4}["'][^"'\n]{0,400}["']|\bPath\(["'][^"'\n]{0,400}["']\)\.(?:read_\w+|exists|stat)/g;
/** Those that are about a folder with all that it holds. */
const REMOVES =
  /rmtree|\brm(?:Sync|dirSync|_rf?|_r)?\b|rimraf|remove_dir|\bremove\w*\b|unlink|\brename\w*|\bmv\b|\bmove\w*\s*\(|chmod|delete/;

/** Patterns in code that also removes or writes: `glob('.cl*\/*')`. */
export function globsIn(code: string): string[] {
  const text = code.slice(0, MAX_COMMAND);
  if (!REMOVES.test(text) && !WRITES.test(text)) return [];
  return [...text.matchAll(LITERAL)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((value) => /^[\w./~-]{0,200}[*?[][\w./*?[\]-]{0,200}$/.test(value) && /(?:^|\/)\./.test(value))
    .slice(0, MOST_LINES);
}

const COPIES_TO =
  /\b(?:cp|copy|copytree|copy_tree|cpSync|copySync|cp_r|replace|symlink|symlinkSync)\s{0,4}\([^()\n]{1,200},\s{0,8}["'`]$/;

/** `cpSync(other, '.claude')`: the folder is what is copied to. */
function isCopiedTo(text: string, at: number): boolean {
  return COPIES_TO.test(text.slice(Math.max(0, at - 240), at));
}

/** `p = Path('.claude')`, and later `p / 'settings.json'`: folder and name, each as a text of its own. */
function isInTwo(text: string, needle: string): boolean {
  const at = needle.lastIndexOf('/');
  const [folder, name] = [needle.slice(0, at), needle.slice(at + 1)];
  const isText = (part: string): boolean =>
    ['"', "'", '`'].some((quote) => text.includes(`${quote}${part}${quote}`));
  return at > 0 && !folder.startsWith('/') && isText(folder) && isText(name);
}

/** The file of ours that the text names, where it also writes somewhere. */
export function spokenFile(
  text: string,
  ours: Ours,
  { writes = false, code = false, cwd = null as string | null } = {},
): Hit | null {
  const start = code ? text.slice(0, MAX_COMMAND).replace(READS, ' ') : text.slice(0, MAX_COMMAND);
  // `'.claude' + '/settings.json'`, `join('.claude', 'settings.json')`, `Path('.claude') / 'settings.json'`
  const joined = start
    .replace(/["'`]\s{0,4}[+.]\s{0,4}["'`]/g, '')
    .replace(/["'`]\s{0,4}\)?\s{0,4}[,/]\s{0,4}["'`]/g, '/')
    .replace(/\/{2,}/g, '/');
  const isWriting = writes || WRITES.test(start);
  for (const { needle, hit, folder } of needles(ours, cwd)) {
    if (code && !folder && isWriting && isInTwo(start, needle)) return hit;
    for (const each of [start, joined]) {
      const at = indexOf(each, needle, code);
      if (at < 0) continue;
      const isMeant = folder
        ? isWhole(each, needle, at) && (REMOVES.test(start) || isCopiedTo(each, at))
        : isWriting || isRedirected(each, at);
      if (isMeant) return hit;
    }
  }
  return null;
}

/** As a name of its own, not as the end of another one; in code, not within a sentence. */
function indexOf(text: string, needle: string, code: boolean): number {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const isName = needle.startsWith('/') || !/[\w.-]/.test(text[at - 1] ?? ' ');
    if (isName && (!code || isLiteral(text, needle, at))) return at;
  }
  return -1;
}

/** Between two signs that begin and end a text, with no more than the rest of a path around it. */
function isLiteral(text: string, needle: string, at: number): boolean {
  const before = /[\w./~${}:*-]{0,200}$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? '';
  const after = /^[\w./*-]{0,200}/.exec(text.slice(at + needle.length, at + needle.length + 200))?.[0] ?? '';
  const [left, right] = [
    text[at - before.length - 1] ?? '\n',
    text[at + needle.length + after.length] ?? '\n',
  ];
  // Behind a word, a backtick is a quotation in prose.
  const quoted =
    left !== '`' ||
    /[(,=[+]\s*$/.test(text.slice(Math.max(0, at - before.length - 9), at - before.length - 1));
  return /["'`([{<|/>\n]/.test(left) && /["'`)\]}>|\n,;]/.test(right) && quoted;
}

/** The folder itself, not what else is in it. */
function isWhole(text: string, needle: string, at: number): boolean {
  return /^(?:\/?["'`\s)]|\/?$|\/\*)/.test(text.slice(at + needle.length, at + needle.length + 3));
}

/** `> .claude/settings.json` within a text. */
function isRedirected(text: string, at: number): boolean {
  return (
    /(?:>\|?|\breplace\()\s{0,4}["']?[\w./~${}-]{0,200}$/.test(text.slice(Math.max(0, at - 220), at)) &&
    !/[=-]>\s*["']?$/.test(text.slice(Math.max(0, at - 8), at))
  );
}

interface Needle {
  readonly needle: string;
  readonly hit: Hit;
  /** Of a file of ours: it counts only where all that it holds goes. */
  readonly folder: boolean;
}

/** Our paths in the forms in which a text may hold them. */
function needles({ directories, files, root, variables: { HOME } }: Ours, cwd: string | null): Needle[] {
  const places = [root, HOME, cwd].filter((place) => typeof place === 'string');
  const forms = (path: string): string[] => [
    path,
    ...places.filter((place) => path.startsWith(`${place}/`)).map((place) => path.slice(place.length + 1)),
  ];
  const of = (path: string, what: Hit['what'], folder: boolean): Needle[] =>
    // A short name without a folder is anybody's.
    forms(path)
      .filter(
        (form) => form.includes('/') || form.startsWith('.') || (cwd !== null && path === `${cwd}/${form}`),
      )
      .map((needle) => ({ needle, hit: { path, what }, folder }));
  // Folders that ours lies in, below the home and the workspace.
  const within = (path: string): string[] => {
    const start = places.find((place) => path.startsWith(`${place}/`)) ?? '';
    const parts = path
      .slice(start.length + 1)
      .split('/')
      .slice(0, -1);
    return start === '' ? [] : parts.map((_, at) => `${start}/${parts.slice(0, at + 1).join('/')}`);
  };
  const folders = new Set([...files, ...directories].flatMap(within));
  return [
    ...directories.flatMap((path) => of(path, 'record', false)),
    ...files.flatMap((path) => of(path, 'settings', false)),
    ...[...folders]
      .filter((path) => path !== root && path !== HOME)
      .flatMap((path) =>
        of(path, directories.some((each) => each.startsWith(`${path}/`)) ? 'record' : 'settings', true),
      ),
  ];
}

const KILL = /\bkill\w*\b([^\n]{0,120})/g;
/** `os.kill(4242, 9)`, `kill 9, 4242`: as code calls it. */
const KILL_CALL = /\bkill\w*\s{0,4}(\([^\n]{0,120}|["']?-?\w{1,8}["']?\s{0,4}(?:,|=>)[^\n]{0,120})/g;

/** By number, or the parent, which is the host's shell or the host. */
export function spokenKill(text: string, { service, hosts = [] }: Ours, { code = false } = {}): boolean {
  // Whoever is found by our name.
  if (
    code &&
    /\b(?:kill|terminate|send_signal|suspend)\w*\s*\(/.test(text) &&
    /["'](?:counter)?foil/.test(text)
  )
    return true;
  const numbers = [service?.pid, ...hosts.map(({ pid }) => pid)].filter((pid) => pid !== undefined);
  return [...text.slice(0, MAX_COMMAND).matchAll(code ? KILL_CALL : KILL)].some(
    ([, behind = '']) =>
      numbers.some((pid) => new RegExp(`(?<!\\d)${pid}(?!\\d)`).test(behind)) ||
      (code && (/ppid/i.test(behind) || /[(,]\s*-1\b/.test(behind))),
  );
}
