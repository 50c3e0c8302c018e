// Which process a session is of, so that its end can be told: by number, by when it was started, and by the boot that it
// was started in. Where the system does not tell, nothing is concluded.
import { readFileSync } from 'node:fs';
import type { ProcessFact } from '../format/index.ts';

const STAT_START = 19; // the 22nd field of /proc/PID/stat, counted behind the name

export function processFact(pid: number): ProcessFact {
  return { pid, started: startOf(pid), boot: bootId() };
}

export type Fate = 'running' | 'process-gone' | 'rebooted' | 'unknown';

/** Gone only where that is certain: a number that is free, or that is another process's by now. */
export function fateOf({ pid, started, boot }: ProcessFact): Fate {
  const now = bootId();
  if (boot === null || now === null || started === null) return 'unknown';
  if (boot !== now) return 'rebooted';
  if (!exists(pid)) return 'process-gone';
  const current = startOf(pid);
  if (current === null) return 'unknown';
  return current === started ? 'running' : 'process-gone';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is one, too.
    return (error as { code?: unknown }).code !== 'ESRCH';
  }
}

/** Ticks since boot; null where there is no such process, or no /proc. */
function startOf(pid: number): string | null {
  const stat = readSmall(`/proc/${pid}/stat`);
  // The name is in parentheses and may hold anything, parentheses and blanks included.
  const started = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[STAT_START];
  return started !== undefined && /^\d+$/.test(started) ? started : null;
}

function bootId(): string | null {
  const id = readSmall('/proc/sys/kernel/random/boot_id')?.trim();
  return id !== undefined && /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

function readSmall(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
