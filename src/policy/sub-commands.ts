// Programs whose first word says what they do, and which run nothing of what the words behind it say: git, gh, npm and their
// kin. What is a text for people, a commit message or the body of an issue, is no command whatever it mentions.
import type { CommandWords } from './authority/found-needs.ts';

export interface SubCommand {
  /** The program, what it does, and the words behind that: without options before it, and without texts. */
  readonly words: CommandWords;
  /** Words that may name files. */
  readonly named: CommandWords;
  /** Why something else may run; null where nothing does. */
  readonly hides: string | null;
  /** Why it may read files that its words do not name, or give them other names. */
  readonly hidesFiles: string | null;
  /** The folder that it goes to first; null where it stays. */
  readonly goesTo: string | null;
  /** Folders among its words are taken with all that is in them. */
  readonly takesAll: boolean;
  /** What it makes a copy of, under another name. */
  readonly copies: string | null;
}

const NOTHING: Omit<SubCommand, 'words' | 'named'> = {
  hides: null,
  hidesFiles: null,
  goesTo: null,
  takesAll: false,
  copies: null,
};

interface Program {
  readonly does: ReadonlySet<string>;
  /** Options before it that say nothing of what is run, and those with a value in the next word. */
  readonly before: RegExp;
  readonly beforeWithValue: RegExp;
  /** Options whose value is a text. */
  readonly texts: RegExp;
  /** Words behind it that may have it run something. */
  readonly runs: RegExp;
}

const set = (...names: string[]): ReadonlySet<string> => new Set(names.flatMap((each) => each.split(' ')));
const NEVER = /^(?!)/;
const NPM: Program = {
  does: set(
    'test t run run-script install i ci add ls list outdated audit view info version why update up remove uninstall',
    'rm link prune dedupe pack whoami ping start stop build lint format typecheck check init explain root bin prefix search',
    'fund doctor cache pkg publish login logout help store import',
  ),
  before: /^--?(?:s|r|silent|recursive|parallel|stream|prefix=.*|filter=.*|no-\w+|verbose|loglevel=.*)$/,
  beforeWithValue: /^(?:--prefix|-C|--dir|--filter|-F|-w|--workspace|--cwd)$/,
  texts: NEVER,
  runs: /^-{1,2}(?:script-shell|node-options|shell|c$|call)/,
};

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>([
  [
    'git',
    {
      does: set(
        'add am apply archive bisect blame branch cat-file check-attr check-ignore checkout cherry cherry-pick clean clone',
        'commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep',
        'hash-object help init log ls-files ls-remote ls-tree merge',
        'merge-base mv name-rev notes pull push range-diff rebase reflog remote reset restore rev-list rev-parse revert rm',
        'shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag version whatchanged',
        'worktree',
      ),
      before:
        /^(?:--no-pager|-P|--bare|--literal-pathspecs|--no-optional-locks|--(?:git-dir|work-tree|namespace)=.*)$/,
      beforeWithValue: /^(?:-C|--git-dir|--work-tree)$/,
      texts:
        /^(?:-[a-zA-Z]*m|--(?:message|grep|author|format|pretty|date|since|until|after|before|trailer))$/,
      runs: /^--(?:e|ex|exec?|ext.*|u|up|upl.*|rece.*|open.*|conf.*|templ.*)(?:=|$)|^-[xOcu]|^[a-z]+::/,
    },
  ],
  [
    'gh',
    {
      does: set('pr issue run release repo workflow search label api auth cache gist status'),
      before: NEVER,
      beforeWithValue: /^(?:-R|--repo)$/,
      texts:
        /^(?:-[btnmdqSl]|--(?:body|title|notes|message|comment|subject|description|jq|template|search|label|json))$/,
      runs: /^--$/,
    },
  ],
  ...['npm', 'pnpm', 'yarn'].map((name) => [name, NPM] as const),
]);

/** Which files it is about is what it reads. */
const GIT_READS_NAMES = /^--(?:stdin|batch|pathspec-from-f)/;
const GIT_COPIES = /^(?:am|apply|archive)$/;
/** With these alone it tells about an object, and does not print it. */
const GIT_TELLS = /^-(?:t|s|e)$/;
const GIVEN_A_SETTING = 'git is given a setting, by which it may run anything';
/** Settings of git by which nothing is run. */
const PLAIN_SETTING =
  /^(?:user\.(?:name|email)|color\.\w+|(?:commit|tag)\.gpgsign|core\.(?:quotepath|autocrlf)|advice\.\w+)=/i;

/** Null where it is none of these, or does something else. */
export function subCommandOf([program = null, ...words]: CommandWords): SubCommand | null {
  const written = program?.slice(program.lastIndexOf('/') + 1) ?? '';
  const [, own] = /^git-(.+)$/.exec(written) ?? [];
  if (own !== undefined) return subCommandOf(['git', own, ...words]);
  const name = written;
  const known = PROGRAMS.get(name);
  if (known === undefined) return null;
  let [at, goesTo]: [number, string | null] = [0, null];
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === null || word === undefined) return null;
    if (name === 'git' && /^--(?:config-env|exec-path=)/.test(word))
      return { ...NOTHING, words: [name], named: words, hides: GIVEN_A_SETTING };
    if (known.beforeWithValue.test(word)) {
      at++;
      if (name === 'git' && word === '-C') goesTo = `${goesTo ?? '.'}/${words[at] ?? ''}`;
    } else if (name === 'git' && word === '-c') {
      const setting = words[++at] ?? '';
      if (!PLAIN_SETTING.test(setting))
        return { ...NOTHING, words: [name], named: words, hides: GIVEN_A_SETTING };
    } else if (!known.before.test(word)) break;
  }
  // The plumbing of a push is a push.
  const does = name === 'git' && words[at] === 'send-pack' ? 'push' : (words[at] ?? '');
  if (name === 'git' && does === 'config') return configured(words.slice(at + 1));
  if (!known.does.has(does)) return null;
  if (known === NPM && /^run/.test(does) && words[at + 1] === 'env')
    return { ...NOTHING, words: [name], named: words, hides: `${name} run env starts a program` };
  const rest = withoutTexts(words.slice(at + 1), known.texts);
  if (name === 'git' && /^(?:submodule foreach|bisect run)$/.test(`${does} ${rest[0] ?? ''}`))
    return {
      ...NOTHING,
      words: [name, does, ...rest],
      named: rest,
      hides: `git ${does} ${rest[0]} starts a program`,
    };
  const isRun = rest.find((word) => word !== null && runsSomething(known, name, does, word));
  const hides = isRun === undefined ? null : `${name} ${does} has the word ${String(isRun).slice(0, 40)}`;
  const told = { words: [name, does, ...rest], named: [...words.slice(0, at), ...rest] };
  if (name !== 'git') return { ...NOTHING, ...told, hides };
  return { ...NOTHING, ...told, hides, goesTo, ...gitFiles(does, words.slice(0, at), rest) };
}

/** What git does to files under names that are not theirs. */
function gitFiles(
  does: string,
  before: CommandWords,
  words: CommandWords,
): Pick<SubCommand, 'hidesFiles' | 'takesAll' | 'copies'> {
  const has = (what: RegExp): boolean => words.some((word) => word !== null && what.test(word));
  const isElsewhere = before.some((word) => word !== null && /^--(?:git-dir|work-tree)/.test(word));
  const [first = null, second = null] = words.filter((word) => word === null || !word.startsWith('-'));
  const isLocal = first !== null && !/^(?!file:)[\w.@+-]+:/.test(first);
  const hidesFiles = isElsewhere
    ? 'git takes other folders for its own'
    : has(GIT_READS_NAMES)
      ? 'git reads which files it is about'
      : GIT_COPIES.test(does)
        ? `git ${does} may give any file another name`
        : does === 'cat-file' && !has(GIT_TELLS)
          ? 'git cat-file prints any object'
          : null;
  const copies =
    does === 'clone' && isLocal
      ? first.replace(/^file:\/\//, '')
      : does === 'worktree' && first === 'add' && second !== null
        ? '.'
        : does === 'mv'
          ? first
          : null;
  return { hidesFiles, takesAll: has(/^--no-index$/), copies };
}

/** Of yarn and pnpm: commands of their own that may do something else. */
const OWN_COMMANDS =
  /^(?:config|global|plugin|create|env|patch|unplug|workspaces|policies|set|npm|setup|server|deploy|multi|self-update)$/;

/** `yarn dev`: a script of the project, or a program of its packages. Null for anything else. */
export function scriptOf([program = null, ...words]: CommandWords): CommandWords | null {
  const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
  if (name !== 'yarn' && name !== 'pnpm') return null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) return null;
    if (NPM.beforeWithValue.test(word)) at++;
    else if (NPM.before.test(word)) continue;
    else if (word === 'workspace') return [name, ...words.slice(at + 2)];
    else
      return /^[\w:.-]+$/.test(word) && !/^-/.test(word) && !OWN_COMMANDS.test(word) ? words.slice(at) : null;
  }
  return null;
}

/** Letters mean other things to other commands of git. */
function runsSomething({ runs }: Program, name: string, does: string, word: string): boolean {
  if (!runs.test(word)) return false;
  const letter = name === 'git' ? /^-([xOcu])/.exec(word)?.[1] : undefined;
  if (letter === undefined) return true;
  return /^(?:rebase x|grep O|clone [cu])$/.test(`${does} ${letter}`);
}

/** What is set may be a program that git runs later. */
function configured(words: CommandWords): SubCommand {
  const asks = words.some((word) => word !== null && /^(?:--get.*|--list|-l|get|list)$/.test(word));
  const [key = null, ...value] = words.filter((word) => word === null || !/^(?:--|set$)/.test(word));
  const isPlain = asks || value.length === 0 || (key !== null && PLAIN_SETTING.test(`${key}=`));
  const hides = isPlain ? null : GIVEN_A_SETTING;
  return { ...NOTHING, words: ['git', 'config', ...words], named: words, hides };
}

function withoutTexts(words: CommandWords, texts: RegExp): CommandWords {
  const kept: (string | null)[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    const [option = '', value] = word?.split('=', 2) ?? [];
    kept.push(value !== undefined && texts.test(option) ? option : word);
    if (word !== null && texts.test(word)) at++;
  }
  return kept;
}
