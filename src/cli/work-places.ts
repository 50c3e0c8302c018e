// Where an attester lays out what it runs: a folder on disk, and one in memory for packs that are secret. An attester that
// was killed leaves them as they are, decrypted packs included. So their names are written down in its state directory
// before they are used, and whoever starts there next removes them first. The attester's lock must be held.
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { utf8Encode } from '#platform';
import { memoryFolder } from '../harness/index.ts';
import { readPrivate } from '../session/index.ts';
import { nodeFs, writeDurably } from '../store/files/index.ts';

export interface WorkPlaces {
  readonly disk: string;
  /** Undefined where no file system is in memory: then secret packs are refused. */
  readonly memory: string | undefined;
  remove(): void;
}

const PREFIX = 'counterfoil-attester-';
const LIST = 'places';
const LONGEST_LIST = 16_384;

export async function openWorkPlaces(state: string): Promise<WorkPlaces> {
  const list = join(state, LIST);
  const before = readPrivate(list, LONGEST_LIST);
  if (before !== null && 'text' in before) for (const path of before.text.split('\n')) removePlace(path);
  const memory = memoryFolder();
  const disk = mkdtempSync(join(tmpdir(), PREFIX));
  const places = [disk, ...(memory === undefined ? [] : [mkdtempSync(join(memory, PREFIX))])];
  await writeDurably(nodeFs, list, utf8Encode(`${places.join('\n')}\n`));
  return { disk, memory: places[1], remove: () => places.forEach(removePlace) };
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
