// A control group (version 2) for one run: it bounds the memory and the processes of everything that runs in it, and
// ends all of it at once. A group is made only below one that is ours to divide: a group that was named, or, for a user
// who is not root, the one above our own if the system gave it to that user (systemd: Delegate=yes, DelegateSubgroup=…).
// A limit counts as held once the kernel has answered with the number that was written.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from '../../gate/index.ts';

export interface RunGroup {
  readonly holdsMemory: boolean;
  readonly holdsProcesses: boolean;
  /** Those words, run in the group: a step of a shell that must succeed, as it says on fd 3. */
  words(program: string, args: readonly string[]): readonly [string, readonly string[]];
  /** Whether the kernel ended something for want of memory. */
  ranOutOfMemory(): boolean;
  /** Ends everything in it, and removes it. */
  close(): Promise<void>;
}

const MOUNTS = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'];
const CONTROLLERS = ['memory', 'pids'] as const;
const PREFIX = 'foil-run-';
const TRIES = 400;
const PAUSE = 5;
/** What the shell says once it is in the group. */
const ENTERED = 'in the group\n';

/** The group that runs get theirs in; undefined where there is none. */
export function groupToDivide(named?: string): string | undefined {
  if (named !== undefined) return read(join(named, 'cgroup.controllers')) === undefined ? undefined : named;
  const path = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup') ?? '')?.[1];
  const mount = MOUNTS.find((each) => read(join(each, 'cgroup.controllers')) !== undefined);
  const uid = process.getuid?.();
  if (path === undefined || path === '/' || mount === undefined || uid === undefined || uid === 0)
    return undefined;
  const above = dirname(join(mount, path));
  try {
    return statSync(above).uid === uid ? above : undefined;
  } catch {
    return undefined;
  }
}

/** Whether memory could be bounded there, as far as one can tell without trying. */
export function offersMemory(base: string | undefined): boolean {
  return base !== undefined && wordsOf(join(base, 'cgroup.controllers')).includes('memory');
}

/** Undefined if the group can't be made. */
export function openGroup(base: string, limits: SandboxLimits): RunGroup | undefined {
  const control = join(base, 'cgroup.subtree_control');
  for (const name of CONTROLLERS)
    if (wordsOf(join(base, 'cgroup.controllers')).includes(name) && !wordsOf(control).includes(name))
      write(control, `+${name}`);
  removeOld(base);
  const directory = join(base, `${PREFIX}${process.pid}-${count++}`);
  try {
    mkdirSync(directory);
  } catch {
    return undefined;
  }
  const holds = (name: string, value: number): boolean => {
    const file = join(directory, name);
    return read(file) !== undefined && write(file, String(value)) && isSet(read(file), value);
  };
  const holdsProcesses = holds('pids.max', limits.processes);
  // What may be swapped out is not bounded.
  const swaps = read(join(directory, 'memory.swap.max')) !== undefined && !holds('memory.swap.max', 0);
  const holdsMemory = holds('memory.max', limits.memoryBytes) && !swaps;
  if (holdsMemory) write(join(directory, 'memory.oom.group'), '1');
  return {
    holdsMemory,
    holdsProcesses,
    words: (program, args) => [
      '/bin/sh',
      ['-c', ENTER, 'sh', join(directory, 'cgroup.procs'), program, ...args],
    ],
    ranOutOfMemory: () => /^oom_kill [1-9]/m.test(read(join(directory, 'memory.events')) ?? ''),
    async close() {
      write(join(directory, 'cgroup.kill'), '1');
      for (let tries = 0; tries < TRIES && !remove(directory); tries++)
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
    },
  };
}

export function enteredGroup(told: string): boolean {
  return told.startsWith(ENTERED);
}

let count = 0;
const ENTER = `g=$1; shift; echo 0 > "$g" || exit 125; echo '${ENTERED.trim()}' >&3; exec "$@"`;

/** The kernel rounds memory down to whole pages; what is lower still bounds it. */
function isSet(text: string | undefined, value: number): boolean {
  return text !== undefined && /^[0-9]+\n?$/.test(text) && Number(text) <= value;
}

/** Groups of processes that were killed before they could tidy up. One that still has processes can't be removed. */
function removeOld(base: string): void {
  for (const name of namesIn(base)) {
    const pid = name.startsWith(PREFIX) ? /^[0-9]+/.exec(name.slice(PREFIX.length))?.[0] : undefined;
    if (pid !== undefined && read(`/proc/${pid}/stat`) === undefined) remove(join(base, name));
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function remove(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === 'ENOENT';
  }
}

function wordsOf(file: string): string[] {
  return (read(file) ?? '').split(/\s+/);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}
