// Which agents are here: by their executables on PATH, and by the folders they leave in a project and in the home.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Host, Places } from './host.ts';
import { HOSTS } from './plan.ts';

export interface Detected {
  readonly agent: string;
  /** By what: a path. */
  readonly sign: string;
}

export function detectAgents(places: Places): Detected[] {
  return HOSTS.flatMap((host): Detected[] => {
    const sign = findSign(host, places);
    return sign === undefined ? [] : [{ agent: host.agent, sign }];
  });
}

function findSign({ signs }: Host, { project, home, env }: Places): string | undefined {
  const folders = [project, home].flatMap((base) => signs.folders.map((name) => join(base, name)));
  return folders.find(isFolder) ?? pathsOf(signs.programs, env.PATH ?? '').find(isProgram);
}

function pathsOf(programs: readonly string[], path: string): string[] {
  // A relative folder on PATH means whatever stands where one happens to be.
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return programs.flatMap((program) => folders.map((folder) => join(folder, program)));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
