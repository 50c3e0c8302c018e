// What a tool says that it needs, as it is on this machine: paths from the root of the file system, with their links
// resolved. A tool that is led elsewhere by a link needs what lies there.
import { MachineFiles } from '../gate/index.ts';

const FILE = /^(fs:[a-z][a-z0-9_-]*:)([^\0]+)$/s;
const BELOW = /\/\*\*$/;

/** `root` is the work tree, where relative paths begin. What is no path, or leads up, stays as it is and is never granted. */
export function needsHere(declared: readonly string[], root: string): string[] {
  const files = new MachineFiles();
  return declared.map((text) => {
    const [, what, scope = ''] = FILE.exec(text) ?? [];
    if (what === undefined || /(?:^|\/)\.{1,2}(?:\/|$)|\/\//.test(scope)) return text;
    const [below = ''] = BELOW.exec(scope) ?? [];
    const path = scope.slice(0, scope.length - below.length);
    return `${what}${files.real(path.startsWith('/') ? path : `${root}/${path}`)}${below}`;
  });
}
