// Which of its words a program would write to, remove, or take the rights of. Wider than what counts as evidence of a
// change (command/written-files.ts): here a word too many is compared with a short list of paths and forgotten.
import { programName } from '../command/wrappers.ts';
import type { Reach } from './ours.ts';

export interface Target {
  readonly word: string;
  readonly reach: Reach;
}

const bareOf = (args: readonly string[]): string[] => {
  const dashes = args.indexOf('--');
  const before = dashes < 0 ? args : args.slice(0, dashes);
  return [...before.filter((arg) => !arg.startsWith('-')), ...(dashes < 0 ? [] : args.slice(dashes + 1))];
};
const all = (words: readonly string[], reach: Reach): Target[] => words.map((word) => ({ word, reach }));
const valuesOf = (args: readonly string[], option: RegExp): string[] =>
  args.flatMap((arg, at) => {
    const equals = /^(--?[\w-]+)=(.*)$/s.exec(arg);
    if (equals !== null && option.test(equals[1] ?? '')) return [equals[2] ?? ''];
    return option.test(arg) ? [args[at + 1] ?? ''] : [];
  });
const isIn = (names: string, name: string): boolean => ` ${names} `.includes(` ${name} `);

const REMOVERS = 'rm unlink shred rmdir trash trash-put srm wipe mount umount chroot pivot_root';
const WRITERS =
  '> tee sponge truncate touch mkdir mkfifo mknod ed ex vi vim nvim emacs emacsclient nano pico micro joe patch sd install';
const RIGHTS = 'chmod chown chgrp chattr setfacl chcon';
const COPIES = 'cp rsync scp ditto ln tar bsdtar unzip cpio';

export function targetsOf(argv: readonly string[]): readonly Target[] {
  const [first = '', ...args] = argv;
  const name = programName(first);
  if (isIn(REMOVERS, name)) return all(bareOf(args), 'above');
  if (isIn(WRITERS, name)) return all(bareOf(args), 'inside');
  if (isIn(RIGHTS, name)) return all(bareOf(args), 'parent');
  // Through a link to it, a file of ours could be written under another name.
  if (name === 'ln') return [...all(bareOf(args), 'parent'), ...copied(name, args)];
  if (isIn(COPIES, name)) return copied(name, args);
  switch (name) {
    case 'mv': {
      const words = bareOf(args);
      const folder = valuesOf(args, /^(?:-t|--target-directory)$/);
      return [...all(words, 'above'), ...intoFolder([...folder, words.at(-1) ?? ''], words)];
    }
    case 'sed':
    case 'gsed':
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-[a-zA-Z0-9]*i|^--in-place/.test(arg)) ? all(bareOf(args), 'inside') : [];
    case 'awk':
    case 'gawk':
    case 'yq':
      return args.some((arg) => /^(?:-i|--inplace|--in-place)/.test(arg)) ? all(bareOf(args), 'inside') : [];
    case 'dd':
      return all(
        args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)),
        'inside',
      );
    case 'curl':
    case 'wget':
      return all(
        valuesOf(args, /^(?:-o|--output|-O|--output-document|-P|--directory-prefix|--output-dir)$/),
        'inside',
      );
    case 'sort':
      return all(valuesOf(args, /^(?:-o|--output)$/), 'inside');
    case 'find':
      return found(args);
    case 'git':
      return byGit(args);
    default:
      return [];
  }
}

/** `cp -r evil/. .claude` writes below its last word. */
function copied(name: string, args: readonly string[]): Target[] {
  const words = bareOf(args);
  if (name === 'tar' || name === 'bsdtar' || name === 'unzip' || name === 'cpio') {
    const isRead = name === 'unzip' || args.some((arg) => /^-?[a-zA-Z]*x|^--(?:extract|get)/.test(arg));
    const made = args.some((arg) => /^-?[a-zA-Z]*c[a-zA-Z]*f?$|^--create$/.test(arg));
    const file = made ? valuesOf(args, /^(?:-[a-zA-Z]*f|--file)$/) : [];
    return [
      ...all(isRead ? valuesOf(args, /^(?:-C|--directory|-d|-D)$/) : [], 'parent'),
      ...all(
        args.includes('--remove-files') ? words : file,
        args.includes('--remove-files') ? 'above' : 'inside',
      ),
    ];
  }
  const folder = valuesOf(args, /^(?:-t|--target-directory)$/);
  const target = folder[0] ?? words.at(-1) ?? '';
  const deletes = args.some((arg) => /^--(?:delete|remove-source-files)/.test(arg));
  const isDeep = name !== 'cp' || args.some((arg) => /^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)$/.test(arg));
  return [
    ...all([target], deletes ? 'above' : isDeep ? 'parent' : 'inside'),
    ...intoFolder([target], words),
    ...(deletes ? all(words, 'above') : []),
  ];
}

function intoFolder(folders: readonly string[], words: readonly string[]): Target[] {
  return folders.flatMap((folder) =>
    words.map((word): Target => {
      const name = word.replace(/\/+$/, '').replace(/^.*\//s, '');
      return { word: `${folder.replace(/\/$/, '')}/${name}`, reach: 'inside' };
    }),
  );
}

const ACTS = /^-(?:delete|exec|execdir|ok|okdir)$/;
const CHANGES = / (?:rm|mv|shred|unlink|truncate|tee|chmod|chown|sed -\S*i|cp|dd|perl -\S*i|sh|bash) /;

/** `find . -name settings.json -delete`: each root, with each name that is looked for. */
function found(args: readonly string[]): Target[] {
  const at = args.findIndex((arg) => ACTS.test(arg));
  const acts = ` ${args.slice(at + 1).join(' ')} `;
  if (at < 0 || (!args.includes('-delete') && !CHANGES.test(acts))) return [];
  const start = args.findIndex((arg) => arg.startsWith('-') || arg === '(' || arg === '!');
  const roots = args.slice(0, start < 0 ? undefined : start);
  const names = valuesOf(args, /^-i?(?:name|wholename|path)$/);
  if (names.length === 0) return all(roots.length === 0 ? ['.'] : roots, 'parent');
  return (roots.length === 0 ? ['.'] : roots).flatMap((root) =>
    names.map((name): Target => ({ word: `${root}/**/${name.replace(/^.*\//s, '')}`, reach: 'inside' })),
  );
}

function byGit(args: readonly string[]): Target[] {
  let at = 0;
  let inside = '';
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    if (args[at] === '-C') inside = `${args[at + 1] ?? ''}/`;
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(args[at] ?? '')) at++;
  }
  const [verb = '', ...rest] = args.slice(at);
  const has = (option: RegExp): boolean => rest.some((arg) => option.test(arg));
  const dashes = rest.indexOf('--');
  const named = dashes < 0 ? bareOf(rest) : rest.slice(dashes + 1);
  const place = (words: readonly string[], reach: Reach): Target[] =>
    all(
      words.map((word) => inside + word),
      reach,
    );
  switch (verb) {
    case 'rm':
      return has(/^--cached$|^-n$|^--dry-run$/) ? [] : place(named, 'above');
    case 'mv':
      return place(named, 'above');
    case 'checkout':
    case 'restore':
      return has(/^--staged$|^-S$/) && !has(/^--worktree$|^-W$/) ? [] : place(named, 'parent');
    case 'stash':
      return has(/^(?:-a|--all)$/)
        ? [{ word: `${inside}.`, reach: 'above' }]
        : place(dashes < 0 ? named.slice(1) : named, 'parent');
    case 'clean':
      if (has(/^(?:-[a-zA-Z]*n[a-zA-Z]*|--dry-run|-e|--exclude.*)$/)) return [];
      // What git ignores goes, and hooks for one machine are ignored.
      return has(/^-[a-zA-Z]*[xX]/) ? [{ word: `${inside}.`, reach: 'above' }] : place(named, 'parent');
    default:
      return [];
  }
}
