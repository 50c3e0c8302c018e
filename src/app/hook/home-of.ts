// The home of the user who owns a directory, by the system's own list of users. In `locked` the service runs as another
// user than the agent, and the agent's settings lie in the agent's home.
import { readFileSync, statSync } from 'node:fs';

/** Undefined where it can't be told: the user is in no local list, as with a directory service. */
export function homeOfOwner(directory: string, users = '/etc/passwd'): string | undefined {
  try {
    const owner = String(statSync(directory).uid);
    for (const line of readFileSync(users, 'utf8').split('\n')) {
      const [, , uid, , , home] = line.split(':');
      if (uid === owner && home?.startsWith('/') === true && home !== '/') return home;
    }
  } catch {
    // It is gone, or nobody may look.
  }
  return undefined;
}
