// What a run leaves behind if it is killed: processes of hosts, the service of a ledger, files that can not be removed. All
// of them bear the number of the run in the name of their directory. Each run clears up after itself at its end, and after
// runs that are gone at its start.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDirectory } from '../temporary.ts';

/** The number of the process that runs the tests, for its workers. */
const RUN = 'FOIL_HOSTS_RUN';

const NAME = /^foil-hosts-(\d+)-/;

export function beginRun(): void {
  process.env[RUN] = String(process.pid);
  clearLeftovers();
  process.on('exit', clearLeftovers); // also where it is interrupted
  process.on('SIGTERM', () => process.exit(143));
}

/** What the directories of this run begin with. A worker that outlives its run gets no more. */
export function directoryPrefix(): string {
  const run = Number(process.env[RUN]);
  if (!isAlive(run)) throw new Error('the run of the tests was interrupted');
  return join(tmpdir(), `foil-hosts-${run}-`);
}

/** Those of this run, and of every run whose process is gone. */
function clearLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const run = Number(NAME.exec(name)?.[1] ?? 0);
    if (run === 0 || (run !== process.pid && isAlive(run))) continue;
    const directory = join(tmpdir(), name);
    for (const told of [`${RUN}=${run}\0`, directory]) for (const pid of processesTold(told)) kill(pid);
    spawnSync('chattr', ['-R', '-f', '-i', directory]);
    spawnSync('chmod', ['-R', 'u+rwX', directory]);
    removeDirectory(directory);
  }
}

/** Every process that was started with this in its environment: workers with their run, hosts with their home. */
function processesTold(text: string): number[] {
  const all = existsSync('/proc') ? readdirSync('/proc') : [];
  return all.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
    } catch {
      return false; // gone, or of another user
    }
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
