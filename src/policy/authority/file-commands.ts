// What the operands of well-known file commands are. A command is here only if all that it touches follows from its
// words; an option that its row does not list makes the line one that can't be read, because it may name a file or a
// program.

/**
 * What is done to a file. Removed, moved and linked is the name itself; everything else goes through links. `list` tells
 * names, sizes and dates, and no content.
 */
export type FileUse = 'read' | 'list' | 'write' | 'remove';

export interface FileCommand {
  /** `copy`, `move` and `link` take sources and a target; `pattern` and `mode` a first word that is no file. */
  readonly operands:
    | 'read'
    | 'list'
    | 'write'
    | 'remove'
    | 'copy'
    | 'move'
    | 'link'
    | 'pattern'
    | 'mode'
    | 'none';
  /** Short options without a value. */
  readonly flags: string;
  /** Short options whose value is no file. */
  readonly values: string;
  /** Long options. `=` after the name means that it takes a value, `?` that it may. The value isn't a file. */
  readonly long: readonly string[];
  /** Of those, the ones whose value is a number. Elsewhere these letters may take none, and the next word is a file. */
  readonly numbers: string;
  /** Short options whose value, if any, hangs on the letter. */
  readonly joined: string;
  /** Short options whose value is a file. */
  readonly files: Readonly<Record<string, FileUse>>;
  /** Options that reach everything below an operand. */
  readonly deep: Switch | null;
  /** `-9c`: all in one word, as it was written once. */
  readonly old: RegExp | null;
  /** Even without these an operand that is a folder is reached with what is in it. */
  readonly inside: boolean;
  /** Without an operand it is about the folder that it is started in. */
  readonly here: boolean;
}

/** An option by its letters, or by its long names. */
export interface Switch {
  readonly letters: string;
  readonly long: readonly string[];
}

type Rest = Partial<Omit<FileCommand, 'operands' | 'flags' | 'long'>>;

function command(
  operands: FileCommand['operands'],
  flags: string,
  long: string,
  rest: Rest = {},
): FileCommand {
  return {
    operands,
    flags,
    long: long.split(' '),
    values: '',
    numbers: '',
    joined: '',
    files: {},
    deep: null,
    old: null,
    inside: false,
    here: false,
    ...rest,
  };
}

/** Options in place of the first operand. */
const FIRST: Readonly<Record<string, Switch>> = {
  pattern: { letters: 'e', long: ['regexp'] },
  mode: { letters: 'rwxXst', long: [] },
};
const RECURSIVE: Switch = { letters: 'rR', long: ['recursive', 'dereference-recursive'] };
const COUNTED = /^-\d+[bcfklmqv]*$/;
/** Without `--check`, which reads the files that a file names. */
const SUM = command('read', 'btz', 'binary text tag zero');
const GREP = command(
  'pattern',
  'EFGPivwxycLlqsbHhnTZaoIUzrR0123456789',
  'extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-without-match files-with-matches max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename line-number initial-tab null after-context= before-context= context= text binary-files= exclude= exclude-dir= include= recursive dereference-recursive regexp=',
  { values: 'eABCm', numbers: 'ABCm', deep: RECURSIVE },
);

const ROWS: Readonly<Record<string, FileCommand>> = {
  cat: command(
    'read',
    'AbeEnstTuv',
    'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
  ),
  head: command('read', 'qvz0123456789', 'bytes= lines= quiet silent verbose zero-terminated', {
    values: 'cn',
    old: COUNTED,
  }),
  tail: command(
    'read',
    'fFqvz0123456789',
    'bytes= lines= quiet silent verbose zero-terminated follow? retry',
    {
      values: 'cns',
      old: COUNTED,
    },
  ),
  wc: command('read', 'clmwL', 'bytes chars lines words max-line-length'),
  nl: command('read', 'p', 'number-format= body-numbering=', { values: 'bdfhilnsvw' }),
  tac: command('read', 'br', 'before regex separator=', { values: 's' }),
  rev: command('read', '', ''),
  od: command('read', 'abcdfilosxv', 'format= address-radix=', { values: 'AjNt', joined: 'w' }),
  strings: command('read', 'afo', 'all bytes= radix=', { values: 'nte' }),
  cut: command(
    'read',
    'nsz',
    'bytes= characters= delimiter= fields= complement only-delimited output-delimiter=',
    { values: 'bcdf' },
  ),
  paste: command('read', 'sz', 'delimiters= serial', { values: 'd' }),
  fold: command('read', 'bs', 'bytes spaces width=', { values: 'w' }),
  column: command('read', 'tx', 'table separator=', { values: 's' }),
  comm: command('read', '123z', 'check-order nocheck-order output-delimiter= total'),
  cmp: command('read', 'bls', 'print-bytes verbose quiet silent', { values: 'in' }),
  diff: command(
    'read',
    'abBcdeEiNqstuwyrT0123456789',
    'brief unified? context? side-by-side ignore-case ignore-all-space ignore-blank-lines new-file recursive text color?',
    { values: 'CUW', deep: RECURSIVE, inside: true },
  ),
  sort: command(
    'read',
    'bcCdfghiMmnRrsuVz',
    'reverse unique numeric-sort human-numeric-sort version-sort key= field-separator= ignore-case check? stable',
    { values: 'kt', files: { o: 'write' } },
  ),
  tr: command('none', 'cCdst', 'complement delete squeeze-repeats truncate-set1'),
  base64: command('read', 'd', 'decode ignore-garbage wrap=', { values: 'w' }),
  cksum: SUM,
  md5sum: SUM,
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  stat: command('list', 'L', 'dereference terse format= printf= file-system', { values: 'c' }),
  readlink: command(
    'list',
    'femnqsvz',
    'canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero',
  ),
  realpath: command(
    'list',
    'emLPqsz',
    'canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero',
  ),
  ls: command(
    'list',
    'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
    'all almost-all color? classify? directory human-readable recursive reverse size sort= time= time-style= format= full-time group-directories-first',
    { values: 'Tw', numbers: 'Tw', deep: { letters: 'R', long: ['recursive'] }, here: true },
  ),
  du: command('list', 'aAbcDhHklLmPsSx0', 'all apparent-size total human-readable summarize max-depth=', {
    values: 'dt',
    inside: true,
    here: true,
  }),
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  touch: command('write', 'acm', 'no-create date= time=', { values: 'dt' }),
  mkdir: command('write', 'pvZ', 'parents verbose mode=', { values: 'm' }),
  tee: command('write', 'aip', 'append ignore-interrupts output-error?'),
  truncate: command('write', 'co', 'no-create io-blocks size=', { values: 's' }),
  rmdir: command('remove', 'v', 'verbose ignore-fail-on-non-empty'),
  rm: command(
    'remove',
    'dfiIrRv',
    'dir force interactive? recursive verbose one-file-system preserve-root?',
    {
      deep: RECURSIVE,
    },
  ),
  unlink: command('remove', '', ''),
  cp: command(
    'copy',
    'adfHiLlnPpRrsTuvx',
    'archive force interactive? no-clobber preserve? recursive update? verbose no-target-directory',
    { deep: { letters: 'rRa', long: ['recursive', 'archive'] } },
  ),
  mv: command('move', 'finTuv', 'force interactive? no-clobber update? verbose no-target-directory', {
    inside: true,
  }),
  ln: command(
    'link',
    'fiLnPrsTv',
    'force interactive? no-dereference relative symbolic verbose no-target-directory',
  ),
  chmod: command('mode', 'cfvRrwxXst', 'changes silent quiet verbose recursive', { deep: RECURSIVE }),
};

export const FILE_COMMANDS: ReadonlyMap<string, FileCommand> = new Map(Object.entries(ROWS));

export interface FileWords {
  readonly operands: readonly number[];
  /** Options behind the first operand, and their values: to some programs, they are operands as well. */
  readonly behind: readonly number[];
  /** Values of options that are files: where they stand, behind how many letters, and what is done to them. */
  readonly optionFiles: readonly { readonly at: number; readonly from: number; readonly use: FileUse }[];
  readonly isDeep: boolean;
  /** Letters of all short options, and the names of long ones. */
  readonly letters: string;
  readonly long: readonly string[];
  /** Options gave the pattern, or the mode (`chmod -x f`), so no operand does. */
  readonly hasFirst: boolean;
  /** Only files of these names are looked at, of all below an operand; null for all. */
  readonly only: readonly string[] | null;
}

/**
 * Which of the words are operands, by their places. A word that is not known (null) is an operand: no option may hide
 * in it. Returns the option that is not in the row.
 */
export function readWords(
  row: FileCommand,
  words: readonly (string | null)[],
): FileWords | { readonly unknown: string } {
  const operands: number[] = [];
  const optionFiles: { at: number; from: number; use: FileUse }[] = [];
  const long: string[] = [];
  let letters = '';
  let isOver = false;
  let only: string[] | null = null;
  let leavesOut = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (isOver || word === null || word === undefined || word === '-' || !word.startsWith('-')) {
      operands.push(at);
      continue;
    }
    if (word === '--') {
      isOver = true;
      continue;
    }
    if (row.old?.test(word) === true) continue;
    if (word.startsWith('--')) {
      const [name = '', value] = word.slice(2).split('=');
      // A value that doesn't hang on an `=` would be the next word.
      const isKnown = value === undefined ? ['', '?'] : ['=', '?'];
      if (!isKnown.some((end) => row.long.includes(`${name}${end}`))) return { unknown: word };
      long.push(name);
      if (name === 'exclude' && only === null) leavesOut = true;
      // A first `--exclude` has grep look at all that it does not name.
      if (name === 'include' && !leavesOut) only = [...(only ?? []), word.slice('--include='.length)];
      continue;
    }
    const read = lettersOf(row, words, at, optionFiles);
    if (read === null) return { unknown: word };
    letters += read.letters;
    at = read.end;
  }
  const first = FIRST[row.operands];
  const hasFirst = first !== undefined && isOn(first, { letters, long });
  const isDeep = row.deep !== null && isOn(row.deep, { letters, long });
  const known = new Set(operands);
  const behind = [...words.keys()].filter((at) => at > (operands[0] ?? at) && !known.has(at));
  return { operands, behind, optionFiles, isDeep, letters, long, hasFirst, only };
}

export function isOn(one: Switch, { letters, long }: Pick<FileWords, 'letters' | 'long'>): boolean {
  return (
    [...one.letters].some((letter) => letters.includes(letter)) ||
    one.long.some((name) => long.includes(name))
  );
}

/** Where the option ends: at this word, or at the next one, which is its value. Null for one that can't be told. */
function lettersOf(
  row: FileCommand,
  words: readonly (string | null)[],
  at: number,
  optionFiles: { at: number; from: number; use: FileUse }[],
): { readonly end: number; readonly letters: string } | null {
  const word = words[at] ?? '';
  for (let i = 1; i < word.length; i++) {
    const letter = word[i] as string;
    const letters = word.slice(1, i + 1);
    if (row.joined.includes(letter)) return { end: at, letters };
    if (row.flags.includes(letter)) continue;
    const use = row.files[letter];
    if (use === undefined && !row.values.includes(letter)) return null;
    const isJoined = i + 1 < word.length;
    const value = isJoined ? word.slice(i + 1) : words[at + 1];
    // A word that is not known may be several.
    if (typeof value !== 'string' || (row.numbers.includes(letter) && !/^\d+$/.test(value))) return null;
    if (use !== undefined) optionFiles.push({ at: isJoined ? at : at + 1, from: isJoined ? i + 1 : 0, use });
    return { end: isJoined ? at : at + 1, letters };
  }
  return { end: at, letters: word.slice(1) };
}
