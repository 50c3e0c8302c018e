// Where an agent works, for what looks after its hooks: the project, the home that the system knows, and where links lead.
import { existsSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { workspaceRoot } from '../ledger/index.ts';

export function homeOf(): string {
  try {
    return userInfo().homedir;
  } catch {
    return homedir();
  }
}

/** An agent may work in the folder of its own settings: the project is what that folder lies in. */
export function projectOf(cwd: string): string | null {
  const root = rootOf(cwd);
  const outer = root === null || existsSync(join(root, '.git')) ? null : /^(.+?)\/\.[^/]+(?:\/|$)/.exec(root);
  return outer === null ? root : rootOf(outer[1] ?? cwd);
}

function rootOf(cwd: string): string | null {
  try {
    return workspaceRoot(cwd);
  } catch {
    return null;
  }
}

/** Where links lead, as far as there is something. */
export function realOf(path: string): string {
  for (let start = path, rest = ''; ; rest = `/${basename(start)}${rest}`, start = dirname(start)) {
    try {
      const real = realpathSync(start);
      return `${real === '/' ? '' : real}${rest}` || '/';
    } catch {
      if (dirname(start) === start) return path;
    }
  }
}
