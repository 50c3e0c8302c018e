// Where the index of a ledger lies: in the user's cache, never in a work tree and never in the ledger, which may be
// somebody else's, or on a medium that can't be written.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Environment, homeBase, realOf } from '../ledger/index.ts';

export function indexPath(directory: string, env: Environment): string {
  const name = createHash('sha256').update(realOf(directory)).digest('hex').slice(0, 32);
  return join(homeBase(env.XDG_CACHE_HOME, '.cache'), 'counterfoil', 'view', `${name}.sqlite`);
}
