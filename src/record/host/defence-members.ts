// Commands and paths that the arguments of a tool hold in another form than one member each: a folder and a name, a patch,
// steps with a command in each, and what a tool of git is told to do.
import type { Json, JsonObject } from '../../core/index.ts';

const MOST = 64;
const DEEPEST = 5;
const FOLDER = /dir|folder|path|parent|root|base|location|cwd/i;
const NAME = /name|file|path|target/i;

/** Every text with the name of its member, and how deep it lies. */
function textsIn(args: Json, key = '', depth = 0): { readonly key: string; readonly text: string }[] {
  if (typeof args === 'string') return [{ key, text: args }];
  if (typeof args !== 'object' || args === null || depth > DEEPEST) return [];
  const members = Array.isArray(args)
    ? (args as readonly Json[]).map((value) => [key, value] as const)
    : Object.entries(args as JsonObject);
  return members.slice(0, MOST).flatMap(([name, value]) => textsIn(value, name, depth + 1));
}

/** `{dir: ".claude", name: "settings.json"}` */
export function joinedPaths(args: Json): string[] {
  const short = textsIn(args).filter(({ text }) => text.length <= 512 && !/\s/.test(text) && text !== '');
  const folders = short.filter(({ key }) => FOLDER.test(key)).slice(0, 8);
  const names = short.filter(({ key, text }) => NAME.test(key) && !text.startsWith('/')).slice(0, 8);
  return folders.flatMap((folder) =>
    names.filter((name) => name !== folder).map((name) => `${folder.text.replace(/\/+$/, '')}/${name.text}`),
  );
}

const PATCH = /patch|diff/i;
const HEADER =
  /^(?:(?:\+\+\+|---) (?:[ab]\/)?|\*\*\* (?:Update|Add|Delete) File: |\*\*\* Move to: |rename (?:from|to) |copy to )([^\t\n]{1,1024})/gm;

/** The files that a patch names. A text that is called otherwise may quote one. */
export function patchedPaths(tool: string, args: Json): string[] {
  return textsIn(args)
    .filter(({ key }) => PATCH.test(key) || /patch/i.test(tool))
    .flatMap(({ text }) => [...text.matchAll(HEADER)].slice(0, MOST).map(([, path = '']) => path.trim()));
}

const COMMAND = /^(?:run|commands?|cmds?|scripts?|shell|exec|execute|bash|sh|keys|keystrokes|stdin)$/i;

/** `{steps: [{run: "…"}]}` */
export function nestedCommands(args: Json): string[] {
  if (typeof args === 'string') return [];
  return textsIn(args)
    .filter(({ key, text }) => COMMAND.test(key) && text !== '')
    .map(({ text }) => text)
    .slice(0, MOST);
}

const GIT = /(?:^|[_.-])git[_.-]?(clean|stash|reset|checkout|switch|restore|rm)(?:$|[_.-])/i;
/** What a member that is true means to git. */
const FLAGS: readonly (readonly [RegExp, string])[] = [
  [/untracked/i, '-u'],
  [/^all$|ignored/i, '--all'],
  [/^force$/i, '--force'],
  [/dry/i, '--dry-run'],
  [/^hard$/i, '--hard'],
];

/** What a tool such as `git_clean` does, as the command that does the same. */
export function gitLine(tool: string, args: Json): string[] {
  const verb = GIT.exec(tool)?.[1]?.toLowerCase();
  if (verb === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return [];
  const members = Object.entries(args as JsonObject).slice(0, MOST);
  const folder = members.find(
    ([key, value]) => /repo|cwd|dir|^path$/i.test(key) && typeof value === 'string',
  );
  const flags = members.flatMap(([key, value]) =>
    value === true ? FLAGS.filter(([name]) => name.test(key)).map(([, flag]) => flag) : [],
  );
  const words = members
    .filter((member) => member !== folder)
    .flatMap(([key, value]) => (/message|^m$/i.test(key) ? [] : Array.isArray(value) ? value : [value]))
    .filter((value) => typeof value === 'string')
    .map((word) => (word === 'hard' ? '--hard' : word));
  // A tool that cleans does so without being told to.
  const own = verb === 'clean' && !flags.includes('--dry-run') ? ['-f', '-d'] : [];
  const place = typeof folder?.[1] === 'string' ? ['-C', `'${folder[1].replaceAll("'", "'\\''")}'`] : [];
  const all = verb === 'clean' ? flags.map((flag) => (flag === '--all' ? '-x' : flag)) : flags;
  return [['git', ...place, verb, ...own, ...all, ...words].join(' ')];
}
