// Programs whose first word says what they do, and which run nothing of what the words behind it say: git, gh, npm and their
// kin. What is a text for people, a commit message or the body of an issue, is no command whatever it mentions.
import type { CommandWords } from './authority/found-needs.ts';
import { type GitFiles, gitFiles, namedByGit } from './git-files.ts';
import { NAMES_PROGRAM, namesElsewhere } from './launchers.ts';

export interface SubCommand extends GitFiles {
  /** The program, what it does, and the words behind that: without options before it, and without texts. */
  readonly words: CommandWords;
  /** Words that may name files. */
  readonly named: CommandWords;
  /** Why something else may run; null where nothing does. */
  readonly hides: string | null;
  /** The folder that it goes to first; null where it stays. */
  readonly goesTo: string | null;
}

const NOTHING: Omit<SubCommand, 'words' | 'named'> = {
  hides: null,
  hidesFiles: null,
  goesTo: null,
  takesAll: false,
  copies: null,
  looks: [],
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
  runs: new RegExp(`${NAMES_PROGRAM.source}|^-{1,2}(?:c$|call)`),
};

/** `-w` is the root of the workspace here. */
const PNPM: Program = {
  ...NPM,
  before: new RegExp(`${NPM.before.source}|^(?:-w|--workspace-root)$`),
  beforeWithValue: /^(?:--prefix|-C|--dir|--filter|-F)$/,
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
  ...['npm', 'yarn'].map((name) => [name, NPM] as const),
  ['pnpm', PNPM],
]);

const GIVEN_A_SETTING = 'git is given a setting that can make it run anything';
/** Settings of git by which nothing is run. */
const PLAIN_SETTING =
  /^(?:user\.(?:name|email)|color\.\w+|(?:commit|tag)\.gpgsign|core\.(?:quotepath|autocrlf)|advice\.\w+)=/i;

export const hasSubCommands = (name: string): boolean => PROGRAMS.has(name);

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
  if (/^(?:p?npm|yarn)$/.test(name) && /^run/.test(does) && words[at + 1] === 'env')
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
  const files = gitFiles(does, words.slice(0, at), rest);
  return { ...NOTHING, ...told, named: namedByGit(does, told.named), hides, goesTo, ...files };
}

/** Of yarn and pnpm: commands of their own that may do something else. */
const OWN_COMMANDS =
  /^(?:config|global|plugin|create|env|patch|unplug|workspaces|policies|set|npm|setup|server|deploy|multi|self-update)$/;

export interface Script {
  /** Its name, or that of a program, and its words. */
  readonly words: CommandWords;
  /** Why its words may name files in another folder. */
  readonly hidesFiles: string | null;
}

/** `yarn dev`: a script of the project, or a program of its packages. Null for anything else. */
export function scriptOf([program = null, ...words]: CommandWords): Script | null {
  const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
  if (name !== 'yarn' && name !== 'pnpm') return null;
  const { before, beforeWithValue } = name === 'pnpm' ? PNPM : NPM;
  const script = (own: CommandWords, started: CommandWords): Script => ({
    words: started,
    hidesFiles: namesElsewhere(name, own, started),
  });
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) return null;
    if (beforeWithValue.test(word)) at++;
    else if (before.test(word)) continue;
    else if (word === 'workspace') {
      const { hidesFiles } = script(['--workspace'], words.slice(at + 2));
      return { words: [name, ...words.slice(at + 2)], hidesFiles };
    } else if (/^[\w:.-]+$/.test(word) && !/^-/.test(word) && !OWN_COMMANDS.test(word))
      return script(words.slice(0, at), words.slice(at));
    else return null;
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
