// Words with an expansion of which the line does not tell the value, once more with a value that it may well have: a
// variable that nobody set is empty, and `${X:-value}` says itself what it is then.

const DEFAULT = /\$\{\w{1,64}:?[-=+]([^{}$`]{0,400})\}/g;
/** Variables, `$@` and its kin, and substitutions that print nothing or stand within a word. */
const EMPTY =
  /\$\{[^{}]{0,400}\}|\$(?:\d|[A-Za-z_]\w{0,63}|[@*])|\$\(\s*(?::|true)?\s*\)|``|(?:\$\([^()]{0,400}\)|`[^`]{0,400}`)(?=[^/\s])/g;

/** Every shell has a value for these. */
const ALWAYS_SET =
  /\$\{?(?:HOME|PWD|USER|UID|EUID|LOGNAME|HOSTNAME|SHELL|PATH|TERM|LANG|PPID|BASHPID|RANDOM|SECONDS)\b/;

/** The forms that differ from how the words are written. */
export function withoutUnknown(argv: readonly string[]): readonly (readonly string[])[] {
  if (!argv.some((word) => /[$`]/.test(word))) return [];
  const defaulted = argv.map((word) => word.replace(DEFAULT, '$1'));
  const emptied = defaulted.map((word) =>
    /[$`]/.test(word) && !ALWAYS_SET.test(word) ? withoutEmpty(word) : word,
  );
  return [defaulted, emptied].filter(
    (form, at, forms) =>
      form.some((word, index) => word !== argv[index]) &&
      !(at > 0 && form.every((word, index) => word === forms[0]?.[index])),
  );
}

/**
 * `$X/*` is not taken for the root of the disk, `/tmp/$X` not for all of `/tmp`, `$X` alone not for no word at all, and
 * `$name.*` not for every hidden file: whoever writes so means a variable that has a value.
 */
function withoutEmpty(word: string): string {
  const text = word.replace(EMPTY, '');
  const isOpen =
    (text.startsWith('/') && !word.startsWith('/')) || (text.endsWith('/') && !word.endsWith('/'));
  return text === '' || isOpen || /[*?[\s]|^\.{1,2}$/.test(text) ? word : text;
}
