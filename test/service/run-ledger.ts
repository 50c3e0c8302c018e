// What tests of runs need in a sandbox: the ledger that a run made, and an end for the service that outlives it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's own ledger, where there is one. */
export function projectLedger(root: string): string {
  const state = join(root, 'state/counterfoil');
  return join(state, readdirSync(state).find((name) => name !== 'modes' && name !== 'sessions') ?? '');
}

export async function endService(ledger: string): Promise<void> {
  const file = join(ledger, 'service/state');
  if (!existsSync(file)) return;
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
  try {
    for (process.kill(pid, 'SIGTERM'); ; await new Promise((resolve) => setImmediate(resolve)))
      process.kill(pid, 0);
  } catch {
    // It has ended.
  }
}
