// Files that a crash left half written: `NAME.<pid>.<n>.tmp`. Nobody reads them; recovery removes those whose writer
// is gone.
import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const TEMPORARY = /\.(\d+)\.\d+\.tmp$/;

/** Paths relative to the ledger's directory. */
function findLeftovers(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => {
    const pid = TEMPORARY.exec(path)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
}

export function removeLeftovers(directory: string): string[] {
  const found = findLeftovers(directory);
  for (const path of found) unlinkSync(join(directory, path));
  return found;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM';
  }
}
