// What a program that runs what it is told is told to run, as far as its words say it: `sh -c`, `eval`, `env`, `sudo`,
// `xargs`, `find -exec`. What it reads elsewhere, or runs as code of another language, is not known.
import type { CommandWords } from './authority/found-needs.ts';

export interface Told {
  /** Texts that a shell runs. */
  readonly lines: readonly string[];
  /** The command that it starts; null where its words do not say which one. */
  readonly command: CommandWords | null;
  /** Any of its words may be where a command begins that it starts. */
  readonly starts: boolean;
  /** It gives further words to what it starts. */
  readonly adds: boolean;
  /** Why something else may run; null where nothing does but a file, which acts by itself. */
  readonly hides: string | null;
}

const set = (...names: string[]): ReadonlySet<string> => new Set(names.flatMap((each) => each.split(' ')));

const SHELLS = set('sh bash dash zsh ksh mksh fish csh tcsh');
const STARTERS = set(
  'env sudo doas su runuser chroot unshare nsenter setpriv capsh bwrap setsid flock watch entr script strace ltrace',
  'ssh docker podman kubectl screen tmux systemd-run exec builtin busybox toybox',
  'nohup command nice timeout time stdbuf ionice chrt taskset',
  'direnv dotenv dotenvx doppler op infisical aws-vault cross-env nix nix-shell devbox foreman heroku caffeinate unbuffer',
  'xvfb-run dbus-run-session firejail proxychains proxychains4 torsocks rlwrap valgrind perf gtime chronic xterm',
);
/** They take words from elsewhere, too. */
const ADDING = set('xargs parallel');
const FINDERS = set('find fd fdfind');
const FINDS_AND_ACTS = /^-(?:exec|ok|delete|fprint|fls|x$|X$)/;
/** They start a program of a package, behind options of their own: with which words, and which options have a value. */
const LAUNCHERS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:npx|pnpx|npm exec|npm x|pnpm exec|pnpm dlx|yarn exec|yarn dlx)$/,
    /^(?:-p|-w|--package|--workspace)$/,
  ],
  [/^(?:bunx|bun x)$/, /^(?:-p|--package)$/],
  [
    /^(?:uv run|uv tool run|uvx)$/,
    /^(?:-p|-w|--(?:with|with-editable|with-requirements|from|python|project|directory|extra|group|package|env-file|index))$/,
  ],
  [/^(?:poetry|pipenv|pdm|hatch|rye|pipx|pixi) run$/, /^(?:-C|-P|--project|--directory|--spec)$/],
  [/^(?:conda|mamba|micromamba) run$/, /^(?:-n|-p|--name|--prefix|--cwd)$/],
  [/^(?:bundle|mise|asdf|rbenv|pyenv) (?:exec|x)$/, /^(?:-C|--cd)$/],
];
/** They only set or tell variables; a name that steers the shell is found where it is assigned. */
const VARIABLES = set('declare typeset local export readonly unset getopts read shopt unalias let');
const AWKS = set('awk gawk mawk nawk');

/** Options by which an interpreter is given code, and those with which it runs none. */
const CODE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy)$/, /^-[a-zA-Z]*c/],
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/],
  [/^(?:perl|ruby)$/, /^-[a-zA-Z0-9]*[eE]/],
  [/^php$/, /^-[rRBE]/],
  [
    /^(?:lua|luajit|julia|Rscript|elixir|groovy|raku|octave|gnuplot|racket|scala|kotlin|ghc|ocaml|swift)$/,
    /^-[a-zA-Z]*[eE]/,
  ],
  [/^deno$/, /^(?:eval|repl)$/],
];
/** Code in a word of any interpreter, or modules of Python that run a text. */
const IS_CODE = /^(?:--[\w-]+=)?data:|^(?:timeit|code|pdb|trace|runpy|IPython)$/;
const ASKS_ONLY = /^(?:-[vVh]|--version|--help|--test|--test-.*)$/;

const NOTHING: Told = { lines: [], command: null, starts: false, adds: false, hides: null };

/** Null for a program that acts by itself. */
export function toldBy([program = null, ...words]: CommandWords): Told | null {
  if (program === null) return null;
  const base = program.slice(program.lastIndexOf('/') + 1);
  const name = base.replace(/[\d.]+$/, '') || base;
  const hides = (why: string): Told => ({ ...NOTHING, hides: `${base} ${why}` });
  const launched = launchedBy(base, words);
  if (launched !== null) return launched;
  if (SHELLS.has(name)) return toldShell(base, words);
  if (STARTERS.has(name)) return { ...NOTHING, starts: true };
  if (ADDING.has(name)) return { ...NOTHING, starts: true, adds: true };
  if (FINDERS.has(name)) {
    const acts = findsAndActs(words);
    return { ...NOTHING, starts: acts, adds: acts };
  }
  if (VARIABLES.has(name)) return NOTHING;
  if (name === 'eval' || name === 'trap') {
    if (words.includes(null)) return hides('runs a text that follows only then');
    return { ...NOTHING, lines: [name === 'eval' ? words.join(' ') : (words[0] ?? '')] };
  }
  if (name === 'source' || base === '.')
    return words[0] === null || words[0] === '/dev/stdin' ? hides('runs what follows only then') : NOTHING;
  if (AWKS.has(name)) return words.every(isPlainAwk) ? NOTHING : hides('may run a text');
  if (name === 'sed') return isPlainSed(words) ? NOTHING : hides('may run a text');
  const code = CODE.find(([names]) => names.test(name))?.[1];
  if (code === undefined) return toldOther(name, base, words);
  if (words.some((word) => word !== null && IS_CODE.test(word)))
    return hides('runs code that no rule can read');
  if (words[0] === 'run' && words.includes('-')) return hides('runs what it reads');
  if (words.some((word) => word !== null && ASKS_ONLY.test(word))) return NOTHING;
  const given = words.find(
    (word) => word === null || word === '-' || code.test(word) || !word.startsWith('-'),
  );
  if (given === undefined || given === null || given === '-' || code.test(given))
    return hides('runs code that no rule can read');
  return NOTHING;
}

/** All others that run what they are told, in a language or by a way that is not read here. */
const OTHERS = set(
  'pwsh powershell osascript expect tclsh wish irb pry ed ex vi vim nvim emacs nano R guile scheme sbcl ghci gdb lldb bc dc',
  'ipython bpython jupyter jshell clojure clj erl iex nu xonsh elvish m4 mysql mariadb mongosh lftp socat',
  'at batch crontab alias enable bind complete compgen hash fc mapfile readarray',
);
/** They run what no rule can read if a word of theirs says so; some also if none of their words is what they need. */
const ASKED: readonly (readonly [RegExp, RegExp, RegExp | null])[] = [
  [
    /^psql$/,
    /\\|program|pg_read|lo_import|copy/i,
    /^(?:-[a-zA-Z]*[cfl]|--(?:command|file|list|version|help))/,
  ],
  [/^sqlite$/, /^\s*\.|readfile|writefile|load_extension|edit\(|\n\s*\./i, /\s|^--?(?:version|help)$/],
  [
    /^g?make$/,
    /^(?:-$|-f-$|--eval|--file=-$|--makefile=-$)|\$\(|\b(?:SHELL|CC|CXX|CPP|LD|AR|AS|MAKE)=/,
    null,
  ],
  [/^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/, /^-(?:$|wrapper|B|fplugin)/, null],
  [/^apt(?:-get)?$/, /^(?:-o|--option)/, null],
  [
    /^(?:tar|bsdtar)$/,
    /^-{1,2}(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|I|F)/,
    null,
  ],
  [/^rsync$/, /^(?:-[a-zA-Z]*e|--rsh|--rsync-path)/, null],
  [/^(?:nc|ncat|netcat)$/, /^-[a-z]*[ec]|^--(?:exec|sh-exec|lua-exec)/, null],
];

function toldOther(name: string, base: string, words: CommandWords): Told | null {
  const row = ASKED.find(([names]) => names.test(name));
  if (row === undefined)
    return OTHERS.has(name) || OTHERS.has(base)
      ? { ...NOTHING, hides: `${base} runs what it is told` }
      : null;
  const [, runs, needs] = row;
  const reads = needs !== null && !words.some((word) => word !== null && needs.test(word));
  const tells = words.some((word) => word === null || runs.test(word));
  return reads || tells ? { ...NOTHING, hides: `${base} may run a text` } : NOTHING;
}

function launchedBy(base: string, words: CommandWords): Told | null {
  for (const own of [0, 1, 2]) {
    const written = [base, ...words.slice(0, own)].join(' ');
    const valued = LAUNCHERS.find(([names]) => names.test(written))?.[1];
    if (valued !== undefined) return launched(base, words.slice(own), valued);
  }
  return null;
}

function launched(base: string, words: CommandWords, valued: RegExp): Told {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null || word === '-') return { ...NOTHING, hides: `${base} runs what follows only then` };
    const call = /^(?:-c|--call|--shell-mode)(?:=(.*))?$/s.exec(word);
    if (call !== null) {
      const text = call[1] ?? words[at + 1] ?? null;
      return text === null ? { ...NOTHING, hides: `${base} runs a text` } : { ...NOTHING, lines: [text] };
    }
    if (/^(?:-m|--module)$/.test(word)) return { ...NOTHING, command: ['python', ...words.slice(at)] };
    if (valued.test(word)) at++;
    else if (word === '--') return { ...NOTHING, command: words.slice(at + 1) };
    else if (!word.startsWith('-')) return { ...NOTHING, command: words.slice(at) };
  }
  return NOTHING;
}

export function findsAndActs(words: CommandWords): boolean {
  return words.some((word) => word === null || FINDS_AND_ACTS.test(word));
}

function toldShell(name: string, words: CommandWords): Told {
  for (const [i, word] of words.entries()) {
    if (word === null) break;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word)) {
      // Options may stand between `-c` and its text.
      const text = words.slice(i + 1).find((each) => each === null || !/^[-+]/.test(each));
      return text === null || text === undefined
        ? { ...NOTHING, hides: `${name} runs a text that follows only then` }
        : { ...NOTHING, lines: [text] };
    }
    if (/^-[a-zA-Z]*s/.test(word) || word === '-' || word === '/dev/stdin') break;
    if (word === '--version' || word === '--help') return NOTHING;
    if (!/^[-+]/.test(word)) return NOTHING;
  }
  return { ...NOTHING, hides: `${name} runs what it reads` };
}

function isPlainAwk(word: string | null): boolean {
  return word !== null && !/system|getline|ARG[VC]|[|@]/.test(word);
}

/** Options, files, and commands that print, delete and replace. */
function isPlainSed(words: CommandWords): boolean {
  let hasScript = false;
  for (const [at, word] of words.entries()) {
    if (word === null) return false;
    if (words[at - 1] === '-e' || (!hasScript && !word.startsWith('-') && !words.includes('-e'))) {
      if (!isPlainScript(word)) return false;
      hasScript = true;
    } else if (/^-/.test(word)) {
      if (word !== '-e' && !/^-(?:[nErsuz]*|i[\w.]*|-quiet|-in-place)$/.test(word)) return false;
    } else if (!/^[\w.~@*/-]+$/.test(word)) return false;
  }
  return true;
}

function isPlainScript(word: string): boolean {
  return (
    /^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]$/.test(word) ||
    /^s([/|#,])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiI\d]*$/s.test(word)
  );
}
