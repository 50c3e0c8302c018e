// What must hold before a service may call its ledger locked: the agent's user can connect and do nothing else. The
// same user for both, or a directory left open, would make the word a lie, so the service then does not start.
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { StoreError } from '../core/index.ts';

/** Ledger and keys are for this user alone. */
export function assertPrivate(path: string): void {
  const { uid, mode } = statSync(path);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new StoreError(
    'DENIED',
    `in locked mode only the service's user may have access to ${path}. Give it to that user with \`chown -R\`, then run \`chmod 700\` on it.`,
  );
}

/** Where the socket stands, nobody else can put one: neither the agent's user nor anybody but root. */
export function assertSocketDirectory(socket: string): void {
  if (!isAbsolute(socket)) throw new StoreError('DENIED', `${socket} must be an absolute path.`);
  const directory = dirname(socket);
  const { uid, mode } = statSync(directory);
  if ((uid === process.getuid?.() || uid === 0) && (mode & 0o022) === 0) return;
  throw new StoreError(
    'DENIED',
    `other users can write to ${directory} and could put their own socket there. Run \`chmod go-w ${directory}\`.`,
  );
}

/** A user's number, from its name in /etc/passwd or as it is. Undefined where there is none. */
export function userId(name: string, file = '/etc/passwd'): number | undefined {
  return groupId(name, file);
}

/** A group's number, from its name in /etc/group or as it is. Undefined where there is none. */
export function groupId(name: string, file = '/etc/group'): number | undefined {
  if (/^\d{1,9}$/.test(name)) return Number(name);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const [, , id] =
    text
      .split('\n')
      .map((line) => line.split(':'))
      .find(([first]) => first === name) ?? [];
  return id !== undefined && /^\d{1,9}$/.test(id) ? Number(id) : undefined;
}
