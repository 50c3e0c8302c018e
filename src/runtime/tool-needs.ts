// What a tool says that it needs, as it is on this machine: paths from the root of the file system, with their links
// resolved. A tool that is led elsewhere by a link needs what lies there.
import { LONGEST_CAPABILITY, MOST_NEEDS } from '../format/index.ts';
import { MachineFiles } from '../gate/index.ts';
import { mayBeAnyFile } from '../policy/index.ts';
import type { Tool } from './define.ts';

const FILE = /^(fs:[a-z][a-z0-9_-]*:)([^\0]+)$/s;
const BELOW = /\/\*\*$/;

/** What a tool says that every call of it needs. Null where it says so by the input, or says what nobody can be granted. */
export function declaredNeeds({ name, capabilities }: Pick<Tool, 'name' | 'capabilities'>): string[] | null {
  if (typeof capabilities === 'function') return null;
  const needs = needsOrCall(name, capabilities);
  return needs.length <= MOST_NEEDS && needs.every((text) => text.length <= LONGEST_CAPABILITY)
    ? needs
    : null;
}

/** A tool that names nothing needs to be called by its name. */
export function needsOrCall(name: string, declared: readonly string[]): string[] {
  return declared.length === 0 ? [`tool:call:${name}`] : [...declared];
}

/** `root` is the work tree, where relative paths begin. What is no path, or leads up, stays as it is and is never granted. */
export function needsHere(declared: readonly string[], root: string): string[] {
  const files = new MachineFiles();
  return declared.map((text) => {
    const [, what, scope = ''] = FILE.exec(text) ?? [];
    if (what === undefined || /(?:^|\/)\.{1,2}(?:\/|$)|\/\/|.\/$/.test(scope)) return text;
    const [below = ''] = BELOW.exec(scope) ?? [];
    const path = scope.slice(0, scope.length - below.length);
    const real = files.real(scope.startsWith('/') ? path || '/' : `${root}/${path}`);
    if (mayBeAnyFile(real)) return `${what}/**`;
    return `${what}${real === '/' ? below || real : `${real}${below}`}`;
  });
}
