// A tree that is copied over a folder in which something of ours lies. The words name no file of ours, but the source is
// there to be looked at: does it hold one under the same name? What a line makes before it copies it is not there yet.
import { programOf } from '../../shell/index.ts';
import { copiedWords, firstOf, valuesOf } from './given-words.ts';
import { type Hit, hitOf, namesOurs, type Ours, pathsOf } from './ours.ts';

const COPIES = /^(?:cp|rsync|ditto|scp|cpio|pax)$/;
const MOST_SOURCES = 64;

export function copiedOver(argv: readonly string[], cwd: string | null, ours: Ours): Hit | null {
  const { name, args } = programOf(argv);
  if (!COPIES.test(name) || ours.exists === undefined) return null;
  const has = (option: RegExp): boolean => args.some((arg) => option.test(arg));
  // To rsync, `-t` is about times.
  const [folder] = name === 'rsync' ? [] : valuesOf(args, /^(?:-t|--target-directory)$/);
  const words = copiedWords(name, args).filter((word) => word !== folder);
  const target = folder ?? words.at(-1) ?? '';
  // `cpio -p FOLDER` is told elsewhere what to copy: all of it lies below where it is started.
  const given = folder === undefined ? words.slice(0, -1) : words;
  const sources = (name === 'cpio' ? ['.'] : given).slice(0, MOST_SOURCES);
  if (name === 'cpio' && !has(/^-[a-zA-Z]*p|^--pass-through$/)) return null;
  const whole = name === 'cp' && has(/^--parents$/) ? sources : [];
  const named = firstOf(whole, (source) => namesOurs(`${target}/${source}`, cwd, 'into', ours));
  if (named !== null) return named;
  if (name === 'cp' && !has(/^-[a-zA-Z]*[rRa]|^--(?:recursive|archive)$/)) return null;
  const spared = valuesOf(args, /^--exclude$/).map((each) => each.replace(/^\/+|\/+(?:\*+)?$/g, ''));
  const isWhole = (source: string): boolean =>
    name === 'rsync'
      ? /(?:^|\/)\.?$/.test(source)
      : /^(?:ditto|cpio)$/.test(name) ||
        /(?:^|\/)\.{1,2}\/?$/.test(source) ||
        has(/^-[a-zA-Z]*T|^--no-target-directory$/);
  const targets = pathsOf(target, cwd, ours);
  return firstOf(sources, (source) =>
    firstOf(pathsOf(source, cwd, ours), (from) => {
      const own = isWhole(source) ? '' : `/${from.slice(from.lastIndexOf('/') + 1)}`;
      return firstOf(targets, (to) => held(from, `${to}${own}`, spared, ours));
    }),
  );
}

/** What of ours lies below the one folder, and under the same name below the other. */
function held(from: string, to: string, spared: readonly string[], ours: Ours): Hit | null {
  const { files, directories, exists } = ours;
  const start = to === '/' ? '' : to;
  const path = [...files, ...directories].find((each) => {
    if (!each.startsWith(`${start}/`) || from === to) return false;
    const name = each.slice(start.length);
    return exists?.(`${from}${name}`) === true && !spared.some((some) => `${name}/`.includes(`/${some}/`));
  });
  return path === undefined ? null : hitOf(path, ours);
}
