// A repository can bring a link in the place of a host's settings, so that hooks for it would be written into a file of
// the user's somewhere else, and then run in every project. A link that the user made is the user's word. Only git can
// tell: one that it tracks, in this repository or in one that lies in it, came with the clone, and in a folder without
// git every link may have come with it.
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { StoreError } from '../../core/index.ts';
import { gitState } from './hosts.ts';

/** Throws StoreError DENIED where a link that is not known to be the user's leads out of the project. */
export function assertNotLedAway(path: string, project: string): void {
  const below = relative(project, path);
  if (below.startsWith('..')) return;
  let at = project;
  let repository = project;
  for (const part of below.split(sep)) {
    at = join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
      if (existsSync(join(at, '.git'))) repository = at;
      continue;
    }
    const state = gitState(at, repository);
    if (isInside(at, project) || state === 'open' || state === 'ignored') continue;
    throw new StoreError(
      'DENIED',
      `${at} is a link that leads out of the project, and ${state === 'tracked' ? 'it came with the repository' : 'it may have come with the project'}. So foil doesn't write hooks through it. Look at it, then remove it.`,
    );
  }
}

function isInside(link: string, project: string): boolean {
  try {
    return `${realpathSync(link)}${sep}`.startsWith(`${realpathSync(project)}${sep}`);
  } catch {
    return false;
  }
}
