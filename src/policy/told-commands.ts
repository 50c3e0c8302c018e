// What a program that runs what it is told is told to run, as far as its words say it: `sh -c`, `eval`, `env`, `sudo`,
// `xargs`, `find -exec`. What it reads elsewhere, or runs as code of another language, is not known.
import type { CommandWords } from './authority/found-needs.ts';

export interface Told {
  /** Texts that a shell runs. */
  readonly lines: readonly string[];
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
);
/** They take words from elsewhere, too. */
const ADDING = set('xargs parallel');
const FINDERS = set('find fd fdfind');
const FINDS_AND_ACTS = /^-(?:exec|ok|delete|fprint|fls|x$|X$)/;
/** They only set or tell variables; a name that steers the shell is found where it is assigned. */
const VARIABLES = set('declare typeset local export readonly unset getopts read shopt unalias let');
const AWKS = set('awk gawk mawk nawk');

/** Options by which an interpreter is given code, and those with which it runs none. */
const CODE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy)$/, /^-[a-zA-Z]*c/],
  [/^(?:node|nodejs|bun|tsx|ts-node)$/, /^(?:-[a-z]*[ep]|--(?:eval|print)\b)/],
  [/^(?:perl|ruby)$/, /^-[a-zA-Z0-9]*[eE]/],
  [/^php$/, /^-[rRBE]/],
  [/^(?:lua|luajit|julia|Rscript)$/, /^-[a-zA-Z]*[eE]/],
  [/^deno$/, /^(?:eval|repl)$/],
];
const ASKS_ONLY = /^(?:-[vVh]|--version|--help|--test|--test-.*)$/;

const NOTHING: Told = { lines: [], starts: false, adds: false, hides: null };

/** Null for a program that acts by itself. */
export function toldBy([program = null, ...words]: CommandWords): Told | null {
  if (program === null) return null;
  const base = program.slice(program.lastIndexOf('/') + 1);
  const name = base.replace(/[\d.]+$/, '') || base;
  const hides = (why: string): Told => ({ ...NOTHING, hides: `${base} ${why}` });
  if (SHELLS.has(name)) return toldShell(base, words);
  if (STARTERS.has(name)) return { ...NOTHING, starts: true };
  if (ADDING.has(name)) return { ...NOTHING, starts: true, adds: true };
  if (FINDERS.has(name)) {
    const acts = words.some((word) => word === null || FINDS_AND_ACTS.test(word));
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
  if (name === 'sed') return words.every(isPlainSed) ? NOTHING : hides('may run a text');
  const code = CODE.find(([names]) => names.test(name))?.[1];
  if (code === undefined) return OTHERS.has(name) ? hides('runs what it is told') : null;
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
  'pwsh powershell osascript expect tclsh irb ed ex vi vim nvim emacs nano R guile scheme sbcl ghci gdb lldb bc',
  'at batch crontab alias enable bind complete compgen hash fc mapfile readarray',
);

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
  return word !== null && !/system|getline|[|@]/.test(word);
}

/** An option, a file, or one of the commands that print, delete and replace. */
function isPlainSed(word: string | null): boolean {
  if (word === null) return false;
  if (/^-/.test(word)) return /^-(?:[nErsuz]*|i[\w.]*|-quiet|-in-place)$/.test(word) || word === '-e';
  return (
    /^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]$/.test(word) ||
    /^s([/|#,])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiI\d]*$/s.test(word) ||
    /^[\w.~@/-]*[./][\w.~@/-]*$/.test(word)
  );
}
