// Names by which a call may be about us, for the first look at it: it is asked before every call, so that nothing is
// looked up here but whether a folder of settings is a link.

import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ownProgram } from '../own-program.ts';

const FOLDERS = ['.claude', '.codex', '.gemini', '.cursor', '.opencode', '.copilot', '.github'];
const FILES = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/hooks.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  '.cursor/hooks.json',
];

/** Last parts of our own paths: of the ledger, of the program, and of what links to settings lead to. Never throws. */
export function ownNames(directory: string, places: readonly (string | null | undefined)[]): string[] {
  const program = ownProgram();
  return [
    basename(directory),
    `${basename(dirname(program))}/${basename(program)}`,
    ...places.flatMap((place) =>
      place === null || place === undefined
        ? []
        : [...FOLDERS, ...FILES].flatMap((name) => behindLink(`${place}/${name}`)),
    ),
  ];
}

function behindLink(path: string): string[] {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
    return [basename(realpathSync(path))];
  } catch {
    return [];
  }
}
