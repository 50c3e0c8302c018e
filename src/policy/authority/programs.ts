// What programs and commands of the shell are to whoever asks what a line may do: they run what they are told, start the
// words behind theirs, or touch nothing.

/** They run a text, what a file says, or what another word names. */
const INTERPRETERS = new Set(
  [
    'sh bash dash zsh ksh mksh fish csh tcsh busybox toybox pwsh powershell osascript expect tclsh',
    'node nodejs deno bun tsx ts-node python pypy perl ruby irb php lua luajit awk gawk mawk nawk sed ed ex vi vim nvim emacs nano',
    'R Rscript julia guile scheme sbcl ghci gdb lldb bc',
    'env sudo doas su runuser chroot unshare nsenter setpriv capsh bwrap setsid flock xargs parallel find fd watch entr script strace ltrace',
    'ssh docker podman kubectl screen tmux at batch crontab systemd-run',
    'eval source . exec alias unalias trap enable bind complete compgen hash shopt fc',
    'read mapfile readarray declare typeset local export readonly let unset getopts',
  ].flatMap((names) => names.split(' ')),
);

/** With a version behind its name, too: `python3.11`. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.has(name) || INTERPRETERS.has(name.replace(/[\d.]+$/, ''));
}

/** Of these the version can be asked, and nothing runs; others may take the option for a script's name. */
const VERSIONED =
  /^(?:node|nodejs|deno|bun|python[\d.]*|ruby|perl|php|bash|zsh|docker) --version$|^node -v$|^python[\d.]* -V$/;

export function asksVersion(name: string, words: readonly (string | null)[]): boolean {
  return VERSIONED.test([name, ...words.map((word) => word ?? '$')].join(' '));
}

/** They start the words behind theirs, and do nothing else. What is said of their own words, joined by spaces. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  nohup: /^$/,
  command: /^$/,
  builtin: /^$/,
  nice: /^(?:-n ?-?\d+)?$/,
  timeout: /^(?:--(?:foreground|preserve-status) |-[ks] \w+ |--(?:signal|kill-after)=\w+ )*[\d.]+[smhd]?$/,
  time: /^(?:-p)?$/,
  stdbuf: /^(?:-[ioe]\w+ ?)+$/,
};

export const isWrapper = (name: string): boolean => Object.hasOwn(WRAPPERS, name);

/** How many words are the wrapper's own; null where that can't be told. */
export function ownWords(name: string, words: readonly (string | null)[]): number | null {
  for (let own = 0; own < words.length; own++) {
    const options = words.slice(0, own);
    if (options.includes(null)) return null;
    if (WRAPPERS[name]?.test(options.join(' ')) === true && words[own]?.startsWith('-') === false) return own;
  }
  return null;
}

/** Other words of these may have the shell take a text for code, set a variable, or read a file. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  set: /^-(?:[euxf]*o?)$|^\+[euxf]+$|^pipefail$/,
  // Some shells calculate with their words.
  test: /^(?!-[vR]$)[^$`]*$/,
  '[': /^(?!-[vR]$)[^$`]*$/,
  // `%n` sets a variable.
  printf: /^(?!-v)(?!.*%[^a-zA-Z%]*n)[^$`]*$/s,
  wait: /^(?!-)/,
  jobs: /^(?!-\w*x)/,
  date: /^(?!-[ujR]*[frs]|--(?:file|reference|set))/,
  hostname: /^(?!-\w*F|--file)/,
};

/** `printf '%s\\n' "$HOME"`: what is printed as it is may be anything. */
export function isPlainPrint(name: string, [format = null]: readonly (string | null)[]): boolean {
  return name === 'printf' && format !== null && /^(?!-)(?:[^%$`]|%%|%-?\d*s)*$/.test(format);
}

/** `word` is null where its value is not known. */
export function isPlainOption(name: string, word: string | null): boolean {
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  return plain === undefined || (word !== null && plain.test(word));
}

/** They touch nothing but their own output. */
export const HARMLESS: ReadonlySet<string> = new Set(
  [
    ': true false echo printf test [ pwd exit return break continue shift wait jobs times umask ulimit set',
    'sleep date whoami id hostname uname basename dirname seq yes expr which type arch nproc tty logname',
  ].flatMap((names) => names.split(' ')),
);
