// Where an agent works, for what looks after its hooks: the project, the home that the system knows, and where links lead.
import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { MachineFiles } from '../../gate/index.ts';
import { workspaceRoot } from '../../ledger/index.ts';

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

/** Where links lead, as far as there is something; a link to what is not there yet leads there, too. */
export function realOf(path: string): string {
  return new MachineFiles().real(path);
}
