// Programs that a command starts by the name its caller gave.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Surroundings } from './surroundings.ts';

/**
 * Why `command` can't be started, with the exit code that shells have for it; null where it can. Asked before anything is
 * recorded: there is no session of what never ran.
 */
export function startProblem(
  command: string,
  { cwd, env }: Surroundings,
): { readonly exit: 126 | 127; readonly message: string } | null {
  const folders = command.includes('/') ? [''] : (env.PATH ?? '').split(delimiter);
  const files = folders.map((folder) => resolve(cwd, folder, command)).filter(isFile);
  if (files.some(isRunnable)) return null;
  const [exit, code] = files.length === 0 ? ([127, 'ENOENT'] as const) : ([126, 'EACCES'] as const);
  return { exit, message: unstarted(command, Object.assign(new Error(), { code })) };
}

/** Why a program did not start, for who called it by its name. */
export function unstarted(command: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `can't start ${command}: it isn't installed, or it isn't on your PATH.`;
  if (code === 'EACCES') return `can't start ${command}: it isn't a file that you may run.`;
  return `can't start ${command}: ${message}`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
