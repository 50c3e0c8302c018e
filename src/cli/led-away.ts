// A repository can bring a link in the place of a host's settings, so that hooks for it would be written into a file of
// the user's somewhere else, and then run in every project. A link that the user made is the user's word; one that git
// tracks came with the clone.
import { lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { StoreError } from '../core/index.ts';
import { gitTracks } from './hosts.ts';

/** Throws StoreError DENIED where a link that git tracks leads from the project's file to outside of the project. */
export function assertNotLedAway(path: string, project: string): void {
  const below = relative(project, path);
  if (below.startsWith('..')) return;
  let at = project;
  for (const part of below.split(sep)) {
    at = join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    if (isInside(at, project) || !gitTracks(at, project)) continue;
    throw new StoreError(
      'DENIED',
      `${at} is a link that came with the repository and leads out of it, so hooks are not written through it. Look at it, then remove it.`,
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
