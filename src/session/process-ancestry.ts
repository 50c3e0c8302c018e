// From which processes this one comes. Linux tells in /proc, other systems through `ps`; where nobody tells, there are
// none. A process that was left behind on purpose has lost its parents: what is not found here may still be theirs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MOST = 64;
const PPID = 1; // the fourth field of /proc/PID/stat, counted behind the name

/** Numbers from the parent upwards, without the first process of all. Never throws. */
export function ancestorsOf(pid: number = process.pid): readonly number[] {
  const parentOf = existsSync('/proc/self/stat') ? parentByProc : parentByPs();
  const found: number[] = [];
  for (let at = parentOf(pid); at !== null && at > 1 && found.length < MOST; at = parentOf(at)) {
    if (found.includes(at)) break;
    found.push(at);
  }
  return found;
}

/** The words that a process was started with; empty where the system does not tell. */
export function wordsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 64);
  } catch {
    return [];
  }
}

/** What the system calls it; empty where it does not tell. */
export function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function parentByProc(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may hold anything, parentheses and blanks included.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[PPID]);
    return Number.isSafeInteger(parent) ? parent : null;
  } catch {
    return null;
  }
}

/** All of them at once: asking for each would take longer. */
function parentByPs(): (pid: number) => number | null {
  const parents = new Map<number, number>();
  try {
    const { stdout } = spawnSync('/bin/ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8', timeout: 2000 });
    for (const line of stdout.split('\n')) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      if (pid !== undefined && parent !== undefined) parents.set(pid, parent);
    }
  } catch {
    // Then nothing is known.
  }
  return (pid) => parents.get(pid) ?? null;
}
