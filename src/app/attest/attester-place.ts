// Where an attester's server lays out what it runs, but for packs that are secret. One that was killed leaves the folder as
// it is. So its name is written down in the state directory before it is used, and whoever starts there next removes it
// first. The attester's lock must be held.
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { utf8Encode } from '#platform';
import { readPrivate } from '../../session/index.ts';
import { nodeFs, writeDurably } from '../../store/files/index.ts';

export interface AttesterPlace {
  readonly folder: string;
  remove(): void;
}

const PREFIX = 'counterfoil-attester-';
const LIST = 'places';
const LONGEST_LIST = 16_384;

export async function openAttesterPlace(state: string): Promise<AttesterPlace> {
  const list = join(state, LIST);
  const before = readPrivate(list, LONGEST_LIST);
  if (before !== null && 'text' in before) for (const path of before.text.split('\n')) removePlace(path);
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  await writeDurably(nodeFs, list, utf8Encode(`${folder}\n`));
  return { folder, remove: () => removePlace(folder) };
}

/** A directory of ours by its name, and nothing else, whatever the list says. Never throws. */
function removePlace(path: string): void {
  try {
    const isOurs = isAbsolute(path) && basename(path).startsWith(PREFIX) && lstatSync(path).isDirectory();
    if (isOurs) rmSync(path, { recursive: true, force: true });
  } catch {
    // It is gone, or another user's by now.
  }
}
