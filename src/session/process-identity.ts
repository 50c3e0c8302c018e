// Which process a session is of, so that its end can be told: by number, by when it was started, and by the boot that it
// was started in. Where the system does not tell, nothing is concluded.
import { readFileSync, readlinkSync } from 'node:fs';
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
  if (boot.slice(0, UUID) !== now.slice(0, UUID)) return 'rebooted';
  // Numbers of a container are not ours, and what runs there we do not see.
  if (boot !== now) return 'unknown';
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

/** With the number of the process namespace behind it, where that is not the machine's own. */
function bootId(): string | null {
  const id = readSmall('/proc/sys/kernel/random/boot_id')?.trim();
  if (id === undefined || !/^[0-9a-f-]{36}$/.test(id)) return null;
  const space = pidNamespace();
  return space === MACHINES_OWN ? id : `${id}/${space}`;
}

const UUID = 36;
/** As Linux numbers the first one. */
const MACHINES_OWN = 'pid:[4026531836]';

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return MACHINES_OWN; // an old kernel
  }
}

function readSmall(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
