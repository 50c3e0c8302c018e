// Programs that start one of a package, behind options of their own: `npx tsc`, `pnpm exec`, `uv run`.
import type { CommandWords } from './authority/found-needs.ts';

export interface Launched {
  /** A text that a shell runs. */
  readonly line: string | null;
  /** The command that is started; null where its words do not say which one. */
  readonly command: CommandWords | null;
  /** Why something else may run; null where nothing does. */
  readonly hides: string | null;
  /** Why the words of the command may name files in another folder. */
  readonly hidesFiles: string | null;
}

const NOTHING: Launched = { line: null, command: null, hides: null, hidesFiles: null };

/** With which words, and which options have a value. */
const LAUNCHERS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:npx|pnpx|npm exec|npm x|yarn exec|yarn dlx)$/,
    /^(?:-p|-w|-C|--(?:package|workspace|prefix|dir|filter|cwd))$/,
  ],
  [/^(?:pnpm exec|pnpm dlx)$/, /^(?:-p|-C|-F|--(?:package|dir|filter))$/],
  [/^(?:bunx|bun x)$/, /^(?:-p|--package)$/],
  [
    /^(?:uv run|uv tool run|uvx)$/,
    /^(?:-p|-w|--(?:with|with-editable|with-requirements|from|python|project|directory|extra|group|package|env-file|index))$/,
  ],
  [/^(?:poetry|pipenv|pdm|hatch|rye|pipx|pixi) run$/, /^(?:-C|-P|--project|--directory|--spec)$/],
  [/^(?:conda|mamba|micromamba) run$/, /^(?:-n|-p|--name|--prefix|--cwd)$/],
  [/^(?:bundle|mise|asdf|rbenv|pyenv) (?:exec|x)$/, /^(?:-C|--cd)$/],
];
/** What is started is in another folder, or in several. */
const GOES_ELSEWHERE =
  /^(?:-[CF].*|-r|-ws?|--(?:dir|prefix|cwd|cd|directory|project|filter.*|wo[a-z-]*|recursive)(?:=.*)?)$/s;
/** npm takes the beginning of an option for all of it. */
export const NAMES_PROGRAM =
  /^-{1,2}(?:script-s|node-o|she|git(?:=|$)|userc|globalc|browse|init-mo|config\.|use-yarnrc)/;
/** Words of test runners and builders that are no file. */
const NO_FILE = /^(?:-.*|run|test|build|dev|watch|lint|check|ci|start)$/s;

/** Null where it is none of these. */
export function launchedBy(base: string, words: CommandWords): Launched | null {
  for (const own of [0, 1, 2]) {
    const written = [base, ...words.slice(0, own)].join(' ');
    const valued = LAUNCHERS.find(([names]) => names.test(written))?.[1];
    if (valued !== undefined) return launched(base, words.slice(own), valued);
  }
  return null;
}

/** Why the words of what is started may name files in another folder; null where they don't. `own`: the launcher's words. */
export function namesElsewhere(base: string, own: CommandWords, started: CommandWords): string | null {
  const goes = own.some((word) => word !== null && GOES_ELSEWHERE.test(word));
  const mayName = started.slice(1).some((word) => word === null || !NO_FILE.test(word));
  return goes && mayName ? `${base} may start it in another folder` : null;
}

function launched(base: string, words: CommandWords, valued: RegExp): Launched {
  // npm takes options from behind the program, too.
  const end = words.indexOf('--');
  const isOwn = (at: number, first: number): boolean =>
    at < first || (base === 'npm' && (end < 0 || at < end));
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null || word === '-')
      return { ...NOTHING, hides: `it is known only at run time what ${base} runs` };
    const call = /^(?:-c|--call|--shell-mode)(?:=(.*))?$/s.exec(word);
    if (call !== null) {
      const line = call[1] ?? words[at + 1] ?? null;
      if (line === null) return { ...NOTHING, hides: `${base} runs a text` };
      return { ...NOTHING, line, hidesFiles: namesElsewhere(base, words, [base, line]) };
    }
    if (NAMES_PROGRAM.test(word)) return { ...NOTHING, hides: namesProgram(base, word) };
    if (/^(?:-m|--module)$/.test(word)) return { ...NOTHING, command: ['python', ...words.slice(at)] };
    if (valued.test(word)) at++;
    else if (word === '--' || !word.startsWith('-')) {
      const program = word === '--' ? at + 1 : at;
      const own = words.filter((_, i) => isOwn(i, program));
      const other = own.find((each) => each !== null && NAMES_PROGRAM.test(each));
      if (other != null) return { ...NOTHING, hides: namesProgram(base, other) };
      const started = words.slice(program);
      return { ...packaged(base, started), hidesFiles: namesElsewhere(base, own, started) };
    }
  }
  return { ...NOTHING, hides: `${base} runs the code that it reads` };
}

const namesProgram = (base: string, word: string): string =>
  `with the word ${JSON.stringify(word.slice(0, 40))}, ${base} may do anything`;

/** `@scope/tool@1.2` starts `tool`; `user/tool` would be fetched from elsewhere. */
function packaged(base: string, [program = null, ...words]: CommandWords): Launched {
  if (program === null) return { ...NOTHING, hides: `it is known only at run time what ${base} runs` };
  const [, name = program] = /^(?:@[^/]+\/)?([^@/]+)(?:@[^/]*)?$/.exec(program) ?? [];
  return name.includes('/') && !/^\.{0,2}\//.test(name)
    ? { ...NOTHING, hides: `${base} runs ${program.slice(0, 40)}, which is a package from elsewhere` }
    : { ...NOTHING, command: [name, ...words] };
}
