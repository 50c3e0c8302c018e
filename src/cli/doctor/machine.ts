// What the machine and the file system give: a version of node that works, a local file system, locks that hold
// between processes, syncs that take the time of a real one, and space.
import { spawnSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileSystemName, OsLock, SECTION } from '../../store/files/index.ts';
import { type Check, fail, ok, warn } from './check.ts';

const SYNCS = 20;
/** A sync that is faster than any device: nothing may have reached one. */
const TOO_FAST = 0.02;
const SLOW = 30;
const LITTLE_SPACE = 1024 ** 3;

export function checkMachine(): Check[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  const node = `${process.version} on ${process.platform} ${process.arch}`;
  return [fits ? ok('node', node) : fail('node', `${node} is too old. Install Node 20.19 or newer.`)];
}

export function checkFileSystem(directory: string): Check {
  const { name, network } = fileSystemName(statfsSync(directory).type);
  if (network)
    return fail(
      'file system',
      `${name}: locks and syncs aren't reliable over a network. Choose a local disk.`,
    );
  if (name === 'tmpfs')
    return warn('file system', 'tmpfs is in memory, so a restart loses everything. Choose a disk.');
  return ok('file system', name);
}

export function checkDisk(directory: string): Check {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  return free < LITTLE_SPACE
    ? warn('space', `${text}. Free some space before it runs out.`)
    : ok('space', text);
}

/** Whether a lock taken here keeps another process out, and whether it is free again once let go. */
export function checkLocks(directory: string): Check {
  const path = join(directory, `.doctor-${process.pid}.lock`);
  const lock = new OsLock(path);
  try {
    if (!lock.tryLock(SECTION)) return fail('locks', "foil couldn't take a new lock.");
    const whileHeld = tryInChild(path);
    lock.unlock(SECTION);
    const afterwards = tryInChild(path);
    if (whileHeld === 'refused' && afterwards === 'taken') return ok('locks', 'work between processes');
    if (whileHeld === 'taken')
      return fail('locks', "don't work here: two processes held one at the same time. Choose a local disk.");
    return fail('locks', `couldn't be tested: ${whileHeld === 'refused' ? afterwards : whileHeld}`);
  } finally {
    lock.close();
    for (const suffix of ['', '.1', '.2', '.3']) rmSync(`${path}${suffix}`, { force: true });
  }
}

/** The command itself in another process, which says whether it got the lock. */
function tryInChild(path: string): string {
  const child = spawnSync(process.execPath, [process.argv[1] ?? '', 'doctor', '--try-lock', path], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (child.error !== undefined) return child.error.message;
  return child.stdout.trim() || child.stderr.trim() || `exit ${child.status}`;
}

export function tryLock(path: string): string {
  const lock = new OsLock(path);
  try {
    return lock.tryLock(SECTION) ? 'taken' : 'refused';
  } finally {
    lock.close();
  }
}

export function checkSync(directory: string): Check {
  const path = join(directory, `.doctor-${process.pid}.sync`);
  const fd = openSync(path, 'ax', 0o600);
  try {
    const times: number[] = [];
    for (let i = 0; i < SYNCS; i++) {
      writeSync(fd, 'x'.repeat(512));
      const start = performance.now();
      fdatasyncSync(fd);
      times.push(performance.now() - start);
    }
    const median = times.sort((a, b) => a - b)[SYNCS / 2] ?? 0;
    const text = `${median.toFixed(2)} ms for an fdatasync (median of ${SYNCS})`;
    if (median < TOO_FAST)
      return warn(
        'sync',
        `${text}, which is too fast for a real disk. A power cut may lose acknowledged entries.`,
      );
    return median > SLOW
      ? warn('sync', `${text}, which is slow, and each append waits for one.`)
      : ok('sync', text);
  } finally {
    closeSync(fd);
    rmSync(path, { force: true });
  }
}
