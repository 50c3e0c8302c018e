// A file system of links, folders and files for judgements that ask one.
import type { FileView } from '../../src/policy/authority/files.ts';

/** Folders end in `/`; a link names what it leads to, absolute. */
export function fileView(paths: readonly string[], links: Readonly<Record<string, string>> = {}): FileView {
  const all = new Set(paths);
  const real = (path: string): string => {
    let at = '';
    for (const part of path.split('/').filter((each) => each !== '')) {
      at = `${at}/${part}`;
      for (let hops = 0; hops < 8 && links[at] !== undefined; hops++) at = links[at] as string;
    }
    return at === '' ? '/' : at;
  };
  return {
    real,
    isFolder: (path) => all.has(`${real(path)}/`),
    names: (folder) => {
      const start = real(folder) === '/' ? '/' : `${real(folder)}/`;
      const names = [...all, ...Object.keys(links)]
        .filter((path) => path.startsWith(start) && path !== start)
        .map((path) => path.slice(start.length).split('/')[0] as string);
      return [...new Set(names)];
    },
  };
}
