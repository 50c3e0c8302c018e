// What programs and commands of the shell are to whoever asks what a line may do: they run what they are told, start the
// words behind theirs, or touch nothing.

/** They run a text, what a file says, or what another word names. */
const INTERPRETERS = new Set(
  [
    'busybox toybox powershell osascript expect es rc nu',
    'node nodejs deno bun tsx ts-node python pypy perl ruby irb php lua luajit awk mawk nawk original-awk sed ed ex vi vim view vimdiff nvim emacs nano',
    'r rscript julia guile scheme sbcl ghci gdb lldb bc m4 ipython pry iex elixir erl escript groovy jshell',
    'env sudo doas su runuser chroot unshare nsenter setpriv capsh bwrap setsid flock xargs parallel find fd fdfind watch entr script strace ltrace',
    'ionice chrt taskset setarch linux32 linux64 i386 x86_64 prlimit choom run-parts start-stop-daemon sg newgrp pkexec run0 slogin',
    'fakeroot faketime unbuffer rlwrap numactl cgexec firejail proot socat chpst envdir setlock softlimit dbus-run-session xvfb-run caffeinate',
    'docker podman kubectl screen tmux at batch crontab systemd-run',
    'eval source . exec alias unalias trap enable bind complete compgen hash shopt fc',
    'read mapfile readarray declare typeset local export readonly let unset getopts',
    // Of zsh.
    'repeat foreach noglob nocorrect emulate integer float print vared zparseopts zstyle zmodload zle autoload functions unfunction sched private setopt unsetopt disable -',
    'zregexparse zformat getln pushln zpty zselect zsystem sysread syswrite sysopen sysseek ztcp zsocket zftp zcompile zcurses',
    'compctl compadd compset bindkey limit unlimit unhash rehash print bye logout',
    // Of ksh and mksh.
    'enum nameref compound global redirect hist',
  ].flatMap((names) => names.split(' ')),
);

/** A version, or the kind of a build. */
const BUILD =
  /(?:[-._](?:static|dbg|debug|distrib|real|minimal|full|tiny|basic|nox|gtk|athena|exe))?(?:[-._]?\d.*)?$/;
/** Everything else that ends in `sh` is a shell. */
const NO_SHELL = /^(?:push|publish|trash|stash|flush|refresh|finish|squash|polish|wash|crash)$/;

/**
 * However it is called: `python3.11` and `bash-static`; `gsed` and `gtimeout` for those of GNU, `rvim` for one that may do less;
 * `SH`, because on a Mac case doesn't matter.
 */
export function isInterpreter(name: string): boolean {
  const lower = name.toLowerCase();
  const stem = lower.replace(BUILD, '');
  if (/^[a-z]*sh$/.test(stem) && !NO_SHELL.test(stem)) return true;
  return [lower, stem, stem.replace(/^[gr](?=..)/, '')].some(
    (each) => INTERPRETERS.has(each) || isWrapper(each),
  );
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
  // On a Mac. Elsewhere it only prints a name.
  arch: /^(?:-(?:arm64e?|x86_64h?|i386) ?)*$/,
};

export const isWrapper = (name: string): boolean => Object.hasOwn(WRAPPERS, name);

const MOST_OWN = 8;

/** How many words are the wrapper's own; null where that can't be told. */
export function ownWords(name: string, words: readonly (string | null)[]): number | null {
  for (let own = 0; own < words.length && own <= MOST_OWN; own++) {
    const options = words.slice(0, own);
    if (options.includes(null)) return null;
    if (WRAPPERS[name]?.test(options.join(' ')) === true && words[own]?.startsWith('-') === false) return own;
  }
  return null;
}

/** Other words of these may have the shell take a text for code, set a variable, or read a file. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  set: /^-(?:[eux]*o?)$|^\+[eux]+$|^pipefail$/,
  // Some shells calculate with their words.
  test: /^(?!-[vRt]$)[^$`]*$/,
  '[': /^(?!-[vRt]$)[^$`]*$/,
  // As isPlainPrint says.
  printf: /(?!)/,
  wait: /^\d*$/,
  jobs: /^(?:-[lprs]+)?$/,
  exit: /^\d*$/,
  return: /^\d*$/,
  break: /^\d*$/,
  continue: /^\d*$/,
  shift: /^\d*$/,
  umask: /^[\w,=+-]*$/,
  ulimit: /^(?:-[a-zA-Z]+|\d+|unlimited)$/,
  // Whatever is not a known option may be a short form of one that names a file.
  date: /^(?:[^-]|-$|-[uRjn]+$|-I[a-z]*$|-[dv\d]|--(?:utc|universal|rfc-email)$|--(?:date|iso-8601|rfc-3339)(?:=|$))/,
  hostname: /^-[sfidIAy]+$|^--(?:short|fqdn|long|domain|ip-address|all-ip-addresses)$/,
};

/**
 * `printf '%s\\n' "$HOME"`: what is printed as it is may be anything. Some shells calculate what is printed as a number,
 * where `a=1`, `a--` and `a[…]` do more; `%n` sets a variable; and `\\u0025` is a `%` to one of them.
 */
export function isPlainPrint(name: string, [format = '', ...words]: readonly (string | null)[]): boolean {
  if (name !== 'printf' || format === null || format.startsWith('-')) return false;
  if (/^(?:[^%\\]|\\[ntr]|%%|%-?\d*s)*$/.test(format)) return true;
  if (!/^(?:[^%\\]|\\[ntr]|%[-+ #\d.']*[sdiuxXocbqfeEgG%])*$/.test(format)) return false;
  const forms = (format.match(/%[-+ #\d.']*[a-zA-Z%]/g) ?? []).filter((form) => !form.endsWith('%'));
  return words.every(
    (word, i) => word !== null && (/[sbq]$/.test(forms[i % forms.length] ?? 's') || /^-?[\d.]*$/.test(word)),
  );
}

/** Some shells calculate what they compare as numbers, and a name there stands for what the variable holds. */
export function isPlainComparison(name: string, words: readonly (string | null)[]): boolean {
  if (!/^(?:test|\[)$/.test(name) || !words.some((word) => /^-(?:eq|ne|lt|le|gt|ge)$/.test(word ?? '')))
    return true;
  // `-f` as an operand would be what the variable f holds, negated.
  return words.every((word) => /^(?:-?\d+|-(?:eq|ne|lt|le|gt|ge)|[\]!])$/.test(word ?? ''));
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
    'sleep date whoami id hostname uname basename dirname seq yes expr which type nproc tty logname',
  ].flatMap((names) => names.split(' ')),
);
