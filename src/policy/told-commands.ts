// What a program that runs what it is told is told to run, as far as its words say it: `sh -c`, `eval`, `env`, `sudo`,
// `xargs`, `find -exec`. What it reads elsewhere, or runs as code of another language, is not known.
import type { CommandWords } from './authority/found-needs.ts';
import { STEERS } from './authority/line-tricks.ts';
import { EVERYDAY_PROGRAMS } from './everyday-programs.ts';
import { launchedBy } from './launchers.ts';
import { isOwnModule } from './python-modules.ts';
import { isPlainVariable, steers } from './steering-variables.ts';

export interface Told {
  /** Texts that a shell runs. */
  readonly lines: readonly string[];
  /** The command that it starts; null where its words do not say which one. */
  readonly command: CommandWords | null;
  /** Any of its words may be where a command begins that it starts. */
  readonly starts: boolean;
  /** Why something else may run; null where nothing does but a file, which acts by itself. */
  readonly hides: string | null;
  /** Why the words of the command may name files in another folder. */
  readonly hidesFiles: string | null;
}

const set = (...names: string[]): ReadonlySet<string> => new Set(names.flatMap((each) => each.split(' ')));

const SHELLS = set('sh bash dash zsh ksh mksh fish csh tcsh');
const STARTERS = set(
  'env sudo doas su runuser chroot unshare nsenter setpriv capsh bwrap setsid flock watch entr script strace ltrace',
  'ssh docker podman kubectl screen tmux systemd-run exec builtin busybox toybox',
  'nohup command nice timeout time stdbuf ionice chrt taskset',
  'direnv dotenv dotenvx doppler op infisical aws-vault cross-env nix nix-shell devbox foreman heroku caffeinate unbuffer',
  'xvfb-run dbus-run-session firejail proxychains proxychains4 torsocks rlwrap valgrind perf gtime chronic xterm hyperfine',
  'xargs parallel',
);
/** They only set or tell variables; a name that steers the shell is found where it is assigned. */
const VARIABLES = set('declare typeset local export readonly unset getopts read shopt unalias let');
const PLAIN_SHOPT = /^(?:-[squp]+|nullglob|extglob|globstar|failglob|inherit_errexit|checkwinsize)$/;
const AWKS = set('awk gawk mawk nawk');

/** Options by which an interpreter is given code, and those with which it runs none. */
const CODE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy)$/, /^-[a-zA-Z]*c/],
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^(?:-[a-z]*[ep]|--(?:eval|print)\b|(?:repl|inspect|debug)$)/],
  [/^perl$/, /^-[a-zA-Z0-9]*[eEMmd]/],
  [/^ruby$/, /^-[a-zA-Z0-9]*[eES]/],
  [/^php$/, /^-[rRBEda]/],
  [
    /^(?:lua|luajit|julia|Rscript|elixir|groovy|raku|octave|gnuplot|racket|scala|kotlin|ghc|ocaml|swift)$/,
    /^-[a-zA-Z]*[eE]/,
  ],
  [/^deno$/, /^(?:eval|repl)$/],
];
/** Frameworks whose own command takes code. */
const FRAMEWORK_SHELL =
  /(?:^|[ /])(?:manage\.py|django(?:-admin)?|artisan|rails) (?:.* )?(?:\w*shell\w*|tinker|runner|console)(?: |$)/s;
const ASKS_ONLY = /^(?:-[vVh]|--version|--help)$/;
/** Code in a word, or from what somebody writes to it. */
const FROM_ELSEWHERE = /^(?:--[\w-]+=)?(?:data:|\/dev\/|\/proc\/)|^(?:-i|--interactive|-)$/;
/** Options of interpreters with a value in the next word. */
const VALUED =
  /^(?:-[rCWXI]|--(?:require|import|loader|experimental-loader|conditions|watch-path|test-[\w-]+|env-file|title))$/;

/** Options of Python that may stand before `-m`. */
const BEFORE_MODULE = /^(?:(?:-[XW] \S+|-(?!\w*c)\w+)(?: |$))*$/;

const NOTHING: Told = { lines: [], command: null, starts: false, hides: null, hidesFiles: null };

/** Null for a program that acts by itself. */
export function toldBy([program = null, ...words]: CommandWords): Told | null {
  if (program === null) return null;
  const base = program.slice(program.lastIndexOf('/') + 1);
  const name = base.replace(/[\d.]+$/, '') || base;
  const hides = (why: string): Told => ({ ...NOTHING, hides: `${base} ${why}` });
  if (FRAMEWORK_SHELL.test([base, ...words].join(' '))) return hides('runs code that no rule can read');
  const launched = launchedBy(base, words);
  if (launched !== null) {
    const { line, ...rest } = launched;
    return { ...NOTHING, ...rest, lines: line === null ? [] : [line] };
  }
  if (SHELLS.has(name)) return toldShell(base, words);
  if (name === 'bun' && words[0] === 'exec')
    return words[1] == null
      ? hides('runs text that is known only at run time')
      : { ...NOTHING, lines: [words[1]] };
  if (name === 'coverage' && words[0] === 'run')
    return { ...NOTHING, command: ['python', ...words.slice(1).filter((word) => !/^--/.test(word ?? ''))] };
  const at = /^(?:python|pypy)$/.test(name) ? words.indexOf('-m') : -1;
  const isModule = at >= 0 && BEFORE_MODULE.test(words.slice(0, at).join(' '));
  if (isModule && EVERYDAY_PROGRAMS.has(words[at + 1] ?? ''))
    return { ...NOTHING, command: words.slice(at + 1) };
  if (name === 'command' && /^-[vV]$/.test(words[0] ?? '')) return NOTHING;
  if (STARTERS.has(name)) return { ...hides('starts something, and it is unknown what'), starts: true };
  if (name === 'shopt' && !words.every((word) => word !== null && PLAIN_SHOPT.test(word)))
    return hides('changes what the words of a line mean');
  if (VARIABLES.has(name)) return { ...NOTHING, hides: setBy(name, words) };
  if (name === 'eval' || name === 'trap') {
    if (words.includes(null)) return hides('runs text that is known only at run time');
    return { ...NOTHING, lines: [name === 'eval' ? words.join(' ') : (words[0] ?? '')] };
  }
  if (name === 'source' || base === '.')
    return words[0] === null || words[0] === '/dev/stdin'
      ? hides('runs something that is known only at run time')
      : NOTHING;
  if (AWKS.has(name) || name === 'sed') {
    if (words.includes(null)) return hides('has a word that is known only at run time');
    const isPlain = name === 'sed' ? isPlainSed(words) : words.every(isPlainAwk);
    return isPlain ? NOTHING : hides('may run a text');
  }
  const code = CODE.find(([names]) => names.test(name))?.[1];
  if (code === undefined) return OTHERS.has(name) || OTHERS.has(base) ? hides('runs what it is told') : null;
  return isCodeOfAFile(name, words, code) ? NOTHING : hides('runs code that no rule can read');
}

/** An assignment that the parser takes for one is judged with the line. `\\export A=b` is a word to it. */
function setBy(name: string, words: CommandWords): string | null {
  const isExport = /^(?:export|declare|typeset|local|readonly)$/.test(name);
  for (const word of words) {
    if (word === null && isExport) return `${name} sets something that is known only at run time`;
    const [, variable, value = null] = /^([A-Za-z_]\w*)(?:\+?=(.*))?$/s.exec(word ?? '') ?? [];
    if (variable === undefined) continue;
    if (isExport ? !isPlainVariable(variable, value) : STEERS.test(variable)) return steers(variable);
  }
  return null;
}

/** The code is in a file, or in a module that is the project's own: what it does is no word of the line. */
function isCodeOfAFile(name: string, words: CommandWords, code: RegExp): boolean {
  if (words.length === 1 && words[0] != null && ASKS_ONLY.test(words[0])) return true;
  const isOfOthers = (word: string | null): boolean =>
    word !== null && /^(?:data|https?|npm|jsr):/.test(word);
  if (/^(?:deno|bun)$/.test(name) && words.some(isOfOthers)) return false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null || FROM_ELSEWHERE.test(word)) return false;
    if (/^(?:python|pypy)$/.test(name) && /^-[a-zA-Z]*m/.test(word))
      return isOwnModule(/^-[a-zA-Z]*?m(.+)$/.exec(word)?.[1] ?? words[at + 1] ?? null);
    if (code.test(word)) return false;
    if (VALUED.test(word)) {
      const value = words[++at] ?? null;
      if (value === null || value.startsWith('-') || FROM_ELSEWHERE.test(value)) return false;
    } else if (!word.startsWith('-')) {
      // It may be the value of an option that is not known here.
      const isSure = !/^--[\w-]+$/.test(words[at - 1] ?? '');
      const rest = words.slice(at + 1);
      if (word === 'run' && rest.includes('-')) return false;
      return isSure || !rest.some((each) => each === null || code.test(each));
    }
  }
  return name === 'node' && words.includes('--test');
}

/** All others that run what they are told, in a language or by a way that is not read here. */
const OTHERS = set(
  'pwsh powershell osascript expect tclsh wish irb pry ed ex vi vim nvim emacs nano R guile scheme sbcl ghci gdb lldb bc dc',
  'ipython bpython jupyter jshell clojure clj erl iex nu xonsh elvish m4 mongosh lftp socat',
  'at batch crontab alias enable bind complete compgen hash fc mapfile readarray',
);

const PLAIN_SHELL = /^(?:[-+][euxvlfn]*o?|--(?:noprofile|norc|posix|login))$/;
const PLAIN_SET = /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|posix)$/;

function toldShell(name: string, words: CommandWords): Told {
  for (const [i, word] of words.entries()) {
    if (word === null) break;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word)) {
      // Options may stand between `-c` and its text.
      const text = words.slice(i + 1).find((each) => each === null || !/^[-+]/.test(each));
      return text === null || text === undefined
        ? { ...NOTHING, hides: `${name} runs text that is known only at run time` }
        : { ...NOTHING, lines: [text] };
    }
    if (word === '--version' || word === '--help') return NOTHING;
    if (/^[-+][euxvlfn]*o$/.test(words[i - 1] ?? '')) {
      if (!PLAIN_SET.test(word)) break;
      continue;
    }
    if (!/^[-+]/.test(word)) {
      if (/^\/(?:dev|proc)\//.test(word)) break;
      return NOTHING;
    }
    if (!PLAIN_SHELL.test(word)) break;
  }
  return { ...NOTHING, hides: `${name} runs the code that it reads` };
}

function isPlainAwk(word: string | null): boolean {
  return word !== null && !/system|getline|ARG[VC]|[|@]|>\s*"|^(?:-f)?(?:-|\/dev\/.*)$|^-[il]/.test(word);
}

/** Options, files, and commands that print, delete and replace. */
function isPlainSed(words: CommandWords): boolean {
  let hasScript = false;
  for (const [at, word] of words.entries()) {
    if (word === null) return false;
    if (words[at - 1] === '-e' || (!hasScript && !word.startsWith('-') && !words.includes('-e'))) {
      if (!isPlainScript(word)) return false;
      // `sed -i ''` of other systems.
      hasScript = word !== '';
    } else if (/^-/.test(word)) {
      if (word !== '-e' && !/^-(?:[nErsuz]*|i[\w.]*|-quiet|-in-place)$/.test(word)) return false;
    } else if (!/^[\w.~@*/-]+$/.test(word)) return false;
  }
  return true;
}

/** A line by its number or by what it has, and what is done to it: printed, deleted, replaced. */
const ADDRESS = /^(?:(?:\d+|\$|\/(?:\\.|[^/\\])*\/)(?:,(?:\d+|\$|\/(?:\\.|[^/\\])*\/))?)?/;

function isPlainScript(word: string): boolean {
  const does = word.replace(ADDRESS, '');
  return (
    /^[pdq]?$/.test(does) || /^s([/|#,])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiI\d]*$/s.test(does)
  );
}
