// Which of its words a program would write to, remove, or take the rights of. Of programs whose form is known it is told
// word by word; of any other that does not only read, every word counts, and every value that hangs on an option. A
// word too many is compared with a short list of paths and forgotten.

import { MAX_WORDS, programName } from '../../shell/index.ts';
import { foundBy, soughtBy } from './find-changes.ts';
import { all, bareOf, copiedWords, hasLetter, piecesOf, type Target, valuesOf } from './given-words.ts';
import { braces, type Reach } from './ours.ts';
import { onlyReads } from './readers.ts';

const REMOVERS = ' rm unlink shred rmdir trash trash-put srm wipe mount umount chroot pivot_root ';
const WRITERS =
  ' > tee sponge truncate touch mkdir mkfifo mknod ed ex vi vim nvim emacs emacsclient nano pico micro joe patch sd sqlite3 duckdb psql ';
const COPIES = ' cp rsync scp ditto ln link install ';
const ARCHIVES = ' tar bsdtar gtar unzip cpio zip 7z 7za 7zr jar unrar ';
const PACKERS =
  / (?:gzip|pigz|bzip2|pbzip2|xz|lzma|zstd|lz4|lzop|compress|brotli|gunzip|bunzip2|unxz|unlzma|unzstd|uncompress) /;
const RIGHTS = ' chmod chown chgrp chattr setfacl chcon ';
const isIn = (names: string, name: string): boolean => names.includes(` ${name} `);

/** Null where the program's form is not known. */
export function changesOf(argv: readonly string[]): readonly Target[] | null {
  const [first = '', ...given] = argv;
  const args = given.length > MAX_WORDS ? given : given.flatMap(braces);
  const name = programName(first);
  if (isIn(REMOVERS, name)) return all(bareOf(args), 'above');
  // What an editor is told to do stands in a word together with the file.
  if (isIn(WRITERS, name))
    return all(args.flatMap((arg) => [arg, ...arg.split(/[\s"'()]+/)]).flatMap(piecesOf), 'inside');
  if (isIn(RIGHTS, name)) return ofRights(name, args);
  if (isIn(COPIES, name)) return copied(name, args);
  if (isIn(ARCHIVES, name)) return archived(name, args);
  if (PACKERS.test(` ${name} `)) return packed(name, args);
  switch (name) {
    case 'mv':
      return moved(args);
    case 'sed':
    case 'gsed':
      return [
        ...(args.some((arg) => /^-[a-zA-Z0-9]*i|^--in-place/.test(arg)) ? all(bareOf(args), 'inside') : []),
        // `w FILE`, as a command of its own or behind a substitution.
        ...all(
          args
            .flatMap((arg) => [...arg.matchAll(/w\s*([^\s;}]+)/g)].map(([, file = '']) => file))
            .slice(0, 32),
          'inside',
        ),
      ];
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-[a-zA-Z0-9]*i/.test(arg)) ? all(bareOf(args), 'inside') : null;
    case 'awk':
    case 'gawk':
    case 'mawk':
      if (args.some((arg) => /^(?:-i|--inplace|--in-place)/.test(arg))) return all(bareOf(args), 'inside');
      return printedTo(args);
    case 'dd':
      return all(
        args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)),
        'inside',
      );
    case 'curl':
    case 'wget':
      return fetched(args);
    case 'find':
      return foundBy(args);
    case 'fd':
    case 'fdfind':
      return soughtBy(args);
    default:
      return /^(?:python[\d.]*|pypy3?)$/.test(name) ? unpacked(args) : null;
  }
}

/** `print > f` of awk: the name of the file stands in a variable, and any word or text of the line may have set it. */
function printedTo(args: readonly string[]): Target[] {
  const text = /"((?:[^"\\\n]|\\.){0,400})"/g;
  const isWriting = (arg: string): boolean =>
    /\bprintf?\b[^;}\n]{0,400}>\s{0,16}[A-Za-z_(]/.test(arg.replace(text, '""'));
  if (!args.some(isWriting)) return [];
  const texts = args.flatMap((arg) => [...arg.matchAll(text)].map(([, inner = '']) => inner));
  return all([...args, ...texts].flatMap(piecesOf), 'inside');
}

/** `python3 -m zipfile -e x.zip FOLDER` */
function unpacked(args: readonly string[]): Target[] | null {
  const module = args[args.indexOf('-m') + 1] ?? '';
  if (!args.includes('-m') || !/^(?:zipfile|tarfile)$/.test(module)) return null;
  const words = bareOf(args).filter((word) => word !== module);
  return args.some((arg) => /^(?:-e|--extract)$/.test(arg))
    ? all(words.slice(1), 'into')
    : args.some((arg) => /^(?:-c|--create)$/.test(arg))
      ? all(words.slice(0, 1), 'inside')
      : [];
}

const REMOVES =
  /^(?:rimraf|del(?:ete)?(?:-cli)?|rm\w{0,4}|remove(?:_directory)?|trash|wipe|purge|sync|mirror|move|erase|destroy|shred|rename|nuke)$/i;
/** Told so, it puts something into a folder that nobody names. */
const FILLS = /^(?:cp|copy|download|extract|unpack|restore)$/;

/** Of a program that nobody knows, or that is told to write: all that it is given. */
export function namedBy(argv: readonly string[]): readonly Target[] {
  if (onlyReads(argv)) return [];
  const args = argv.slice(1);
  const pieces = args.flatMap(piecesOf);
  // A program that is called so, or told so, takes a folder with all that it holds.
  const removes = [programName(argv[0] ?? ''), ...bareOf(args).slice(0, 2)].some((word) =>
    REMOVES.test(word.replace(/^npm:/, '')),
  );
  const fills = bareOf(args)
    .slice(0, 2)
    .some((word) => FILLS.test(word));
  const goesDeep = args.some((arg) =>
    /^-[a-zA-Z]*[rR]|^--(?:recursive|delete|remove|purge|force|write|fix|in-place)/.test(arg),
  );
  return [
    ...all(pieces, 'inside'),
    ...(removes ? all(bareOf(args), 'above') : goesDeep ? all(bareOf(args), 'parent') : []),
    ...(fills ? all(bareOf(args).slice(-1), 'into') : []),
    ...intoFolders(args),
  ];
}

const MOST_FOLDERS = 8;

/** A folder of ours and the last part of another word: `install -t .claude settings.json`. */
function intoFolders(args: readonly string[]): Target[] {
  const isFile = (word: string): boolean => /\.(?:json|toml|js|ts)$/.test(word);
  const names = [...new Set(args.map(lastPart).filter(isFile))].slice(0, MOST_FOLDERS);
  const folders = args.flatMap(piecesOf).filter((piece) => !isFile(piece));
  return names.flatMap((name) =>
    folders
      .slice(0, MOST_FOLDERS)
      .map((folder): Target => ({ word: `${folder.replace(/\/$/, '')}/${name}`, reach: 'inside' })),
  );
}

function lastPart(word: string): string {
  return word
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
    .replace(/^.*[/=]/s, '');
}

function intoFolder(folder: string, words: readonly string[], reach: Reach): Target[] {
  return words.map((word) => ({ word: `${folder.replace(/\/$/, '')}/${lastPart(word)}`, reach }));
}

/** `mv a .claude/` puts something into the folder; `mv .claude a` takes it away. */
function moved(args: readonly string[]): Target[] {
  const [folder] = valuesOf(args, /^(?:-t|--target-directory)$/);
  const words = bareOf(args).filter((word) => word !== folder);
  const target = folder ?? words.at(-1) ?? '';
  const sources = folder === undefined ? words.slice(0, -1) : words;
  const replaces = args.some((arg) => /^-[a-zA-Z]*T|^--no-target-directory/.test(arg));
  return [
    ...all(sources, 'above'),
    ...all([target], replaces ? 'above' : 'inside'),
    ...intoFolder(target, sources, 'put'),
  ];
}

/** `scp x localhost:/y` writes here. */
const THIS_MACHINE = /^(?:[\w.-]+@)?(?:localhost|127(?:\.\d+){3}|\[::1\]):/;

/** `cp -r evil/. .claude` writes below its last word. */
function copied(name: string, args: readonly string[]): Target[] {
  const [folder] = name === 'rsync' ? [] : valuesOf(args, /^(?:-t|--target-directory)$/);
  const words = copiedWords(name, args)
    .filter((word) => word !== folder)
    .map((word) => (/^(?:scp|rsync)$/.test(name) ? word.replace(THIS_MACHINE, '') : word));
  const target = folder ?? words.at(-1) ?? '';
  const sources = folder === undefined ? words.slice(0, -1) : words;
  const deletes = args.some((arg) => /^--del(?:ete|$)/.test(arg));
  const moves = args.includes('--remove-source-files');
  const isDeep =
    !/^(?:cp|install|link)$/.test(name) ||
    args.some((arg) => /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)$/.test(arg));
  // Through a link to it, a file of ours could be written under another name.
  const links =
    name === 'ln' ||
    name === 'link' ||
    (name === 'cp' && args.some((arg) => /^-[a-zA-Z]*[ls]|^--(?:symbolic-)?link$/.test(arg)));
  return [
    ...all([target], deletes ? 'above' : isDeep ? 'into' : 'inside'),
    ...intoFolder(target, sources, isDeep ? 'into' : 'put'),
    ...(links ? all(name === 'ln' ? words : sources, 'into') : []),
    ...(moves ? all(sources, 'above') : []),
  ];
}

/** What is taken out of an archive can only be told where it is named; where it goes can. */
function archived(name: string, args: readonly string[]): Target[] {
  const words = bareOf(args);
  const isTar = /tar$|^cpio$|^jar$/.test(name);
  const modes = isTar && name !== 'cpio' ? (args.find((arg) => /^-?[a-zA-Z]+$/.test(arg)) ?? '') : '';
  const reads =
    name === 'unzip' ||
    name === 'unrar' ||
    (/^7z/.test(name) && /^[xe]$/.test(args[0] ?? '')) ||
    (name === 'cpio' && args.some((arg) => /^-[a-zA-Z]*[ip]|^--(?:extract|pass)/.test(arg))) ||
    modes.includes('x') ||
    args.some((arg) => /^--(?:extract|get)$|^-[a-zA-Z]*x/.test(arg));
  const removes =
    args.some((arg) => /^--remove-files$|^-sdel$/.test(arg)) || (name === 'zip' && hasLetter(args, 'm'));
  if (removes) return all(words, 'above');
  if (reads) {
    const folders = valuesOf(args, /^(?:-C|--directory|-d|-D|-o|--one-top-level)$/);
    return [
      ...all(folders, 'into'),
      ...all(words, 'inside'),
      // `cpio -pdm FOLDER` hands on what it is told to read.
      ...(name === 'cpio' ? all(words.slice(-1), 'into') : []),
      ...folders.flatMap((to) => intoFolder(to, words, 'put')),
    ];
  }
  // The archive that is made: behind `f`, or the first word.
  const made = isTar
    ? [
        ...valuesOf(args, /^(?:-f|-F|-O|--file)$/),
        ...(/^[a-zA-Z]*f/.test(args[0] ?? '') ? [args[1] ?? ''] : []),
      ]
    : words.slice(0, /^7z/.test(name) ? 2 : 1);
  return all(made, 'inside');
}

/** They put another file in the place of the one they are given, and the other way around. */
function packed(name: string, args: readonly string[]): Target[] {
  const words = bareOf(args);
  const output = valuesOf(args, /^(?:-o|--output|--output-dir-flat)$/);
  const unpacked = words.map((word) => word.replace(/\.(?:gz|bz2|xz|zst|lzma|lz4|lzo|Z|br|tgz)$/, ''));
  const keeps =
    hasLetter(args, 'c') ||
    hasLetter(args, 'k') ||
    hasLetter(args, 't') ||
    hasLetter(args, 'l') ||
    args.some((arg) => /^--(?:stdout|to-stdout|keep|test|list)$/.test(arg)) ||
    (/zstd|lz4|brotli/.test(name) && !args.some((arg) => /^--rm$|^-j$/.test(arg)));
  const made = [...output, ...unpacked.filter((word, at) => word !== words[at])];
  const deep = hasLetter(args, 'r') || args.includes('--recursive');
  return [...all(made, 'inside'), ...(keeps ? [] : all(words, deep ? 'above' : 'inside'))];
}

const READ_BY_FETCH =
  /^(?:-d|--data.*|--json|-T|--upload-file|-K|--config|-F|--form|-b|--cookie|-H|--header|-E|--cert|--key|--cacert|-n|--netrc-file|-i|--input-file|--post-file|--body-file|--load-cookies)$/;

/** Everything that it is given but what it sends. Without a name, what is fetched is called as its address ends. */
function fetched(args: readonly string[]): Target[] {
  const given = args.filter(
    (arg, at) => !READ_BY_FETCH.test(args[at - 1] ?? '') && !/^--(?:data|form|json)[\w-]*=/.test(arg),
  );
  const addresses = given.filter((arg) => /^[a-z]+:\/\//.test(arg));
  const folders = ['.', ...valuesOf(args, /^(?:-P|--directory-prefix|--output-dir)$/)];
  return [
    ...all(given.filter((arg) => !addresses.includes(arg)).flatMap(piecesOf), 'inside'),
    ...folders.flatMap((folder) => intoFolder(folder, addresses, 'inside')),
  ];
}

/** Taking rights from all that lies below a folder takes ours; giving some, or owning what one owns, does not. */
function ofRights(name: string, args: readonly string[]): Target[] {
  const words = bareOf(args);
  const isDeep = args.some((arg) => /^-[a-zA-Z]*R|^--recursive$/.test(arg));
  const takes =
    name === 'chmod' ? takesRights(args) : !/\$\{?USER|\$\{?UID|whoami|\bid -/.test(words[0] ?? '');
  return all(words, !takes ? 'into' : isDeep ? 'above' : 'parent');
}

/** From the owner, of a folder or a file. */
export function takesRights(args: readonly string[]): boolean {
  const mode = args.find((arg) => /^[0-7]{3,4}$|^[ugoa]*[-+=][rwxXst]*(?:,|$)/.test(arg)) ?? '';
  if (/^[0-7]+$/.test(mode)) return !/^[0-7]?7[0-7]{2}$/.test(mode);
  return mode
    .split(',')
    .some((part) => /^(?:[goa]*u[goa]*|[go]*a[go]*|)(?:-|=(?!rwx))/.test(part) && part !== '');
}
