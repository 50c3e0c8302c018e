// A user without rights, for where root runs us and there is no bubblewrap: a number that nobody has, no groups, no
// capabilities, bounded processes. It never attests: it keeps the command from whatever the system keeps from strangers, and no more:
// what everybody may read it can read, and what everybody may write it can write.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Sandbox } from '../../gate/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import { runContained } from '../contained-process.ts';
import { giveTree } from '../give-tree.ts';
import { rlimits, UNBOUNDED, WIDE } from '../resource-limits.ts';
import {
  builtEnvironment,
  findProgram,
  pathWithout,
  probe,
  SYSTEM_PATH,
  shellWords,
} from '../system-programs.ts';

export interface UnprivilegedOptions {
  /** The number of a user that nobody else runs as; one that is free unless given. */
  readonly uid?: number;
  readonly path?: string;
}

const FIRST = 64_999;
const LAST = 64_000;

export function makeUnprivileged(options: UnprivilegedOptions = {}): Sandbox {
  const [setpriv, unshare] = ['setpriv', 'unshare'].map((name) => findProgram(name));
  const apart = ['--net', '--ipc', '--uts'];
  let canCut: boolean | undefined;
  const cutsNetwork = async (): Promise<boolean> => {
    canCut ??= unshare !== undefined && (await probe(unshare, [...apart, '/bin/sh', '-c', ':'])) === null;
    return canCut;
  };
  return {
    name: 'unprivileged',
    attests: false,
    cannot: [
      'what every user of the machine may read can be read, and what every user may write can be written',
      'the copy of the work tree is at another path than the work tree',
      'memory and processor time are bounded for each process, not for all of them together',
      'it can fill the disk that its copy is on',
      'nothing that ran in it can be attested',
      'if the system has no network namespaces, the network can be reached',
    ],
    async available() {
      if (process.platform !== 'linux') return 'running as another user needs Linux';
      if (process.getuid?.() !== 0) return 'only root can run a check as another user';
      if (setpriv === undefined || rlimits(WIDE) === undefined)
        return 'setpriv and prlimit are not installed (`apt-get install util-linux`)';
      if (options.uid === 0) return 'the user of the sandbox must not be root';
      const closed = closedFolder(tmpdir());
      return closed === null
        ? null
        : `other users can't enter ${closed}, where temporary files go; set TMPDIR to a folder that they can enter`;
    },
    async run(run) {
      const bounds = rlimits({ ...WIDE, ...run.limits });
      if (setpriv === undefined || bounds === undefined) throw new Error('setpriv is not installed');
      const uid = options.uid ?? freeUser();
      const place = dirname(run.copy);
      const [home, temporary] = [join(place, 'home'), join(place, 'tmp')];
      for (const path of [home, temporary]) mkdirSync(path, { mode: 0o700 });
      for (const path of [run.copy, home, temporary]) await giveTree(path, uid);
      chmodSync(place, 0o711);
      const become = [
        setpriv,
        `--reuid=${uid}`,
        `--regid=${uid}`,
        '--clear-groups',
        '--inh-caps=-all',
        '--no-new-privs',
      ];
      const cut = !run.network && unshare !== undefined && (await cutsNetwork()) ? [unshare, ...apart] : [];
      const [program = '', ...args] = [...cut, ...bounds.words, ...become, ...shellWords(run.command)];
      const path = [
        ...pathWithout(options.path ?? process.env.PATH ?? '', [run.cwd]),
        ...SYSTEM_PATH.split(':'),
      ];
      const sweep = async (): Promise<void> => {
        // All that it has, in one go: a process that left the group, or forks as fast as it can, is among them.
        const [first = '', ...rest] = [...become, '/bin/sh', '-c', 'kill -9 -1'];
        for (let tries = 0; tries < SWEEPS && hasProcesses(uid); tries++) await probe(first, rest);
      };
      const env = builtEnvironment(path.join(':'), home, temporary);
      const output = new BoundedOutput(run.maxOutput);
      const take = (piece: Buffer): boolean => {
        output.add(piece);
        return true;
      };
      const { timeoutMs, signal: abort, maxOutput } = run;
      const { by, code, signal, begun, durationMs } = await runContained(
        { program, args, env, cwd: run.copy, sweep },
        { timeoutMs, signal: abort, stdout: take, stderr: take },
      );
      if (by === 'exit' && !begun)
        throw new Error(`The command could not be started: ${output.text().trim().slice(0, 400)}`);
      return {
        exit: by === 'exit' ? code : null,
        signal,
        output: output.text(),
        timedOut: by === 'time',
        cancelled: by === 'cancelled',
        durationMs,
        limits: {
          memory_bytes: UNBOUNDED,
          ...bounds.held,
          disk_bytes: UNBOUNDED,
          output_bytes: { by: 'reader', most: maxOutput },
          seconds: { by: 'timer', most: timeoutMs / 1000 },
        },
      };
    },
  };
}

const SWEEPS = 20;

/** The first folder on the way to this one, or it, that only its owner may enter. */
function closedFolder(path: string): string | null {
  const above = dirname(path) === path ? null : closedFolder(dirname(path));
  return above ?? (existsSync(path) && (statSync(path).mode & 0o001) === 0 ? path : null);
}

/** A number that is in no file of users, and that nothing runs as. */
function freeUser(): number {
  const named = new Set<number>();
  for (const line of existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [])
    named.add(Number(line.split(':')[2] ?? Number.NaN));
  for (let uid = FIRST; uid >= LAST; uid--) if (!named.has(uid) && !hasProcesses(uid)) return uid;
  throw new Error(`every user from ${LAST} to ${FIRST} is taken`);
}

function hasProcesses(uid: number): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^[0-9]+$/.test(name)) return false;
    try {
      if (statSync(`/proc/${name}`).uid !== uid) return false;
      // One that has ended and that nobody asked about yet runs no more.
      return !/^[0-9]+ \(.*\) Z/s.test(readFileSync(`/proc/${name}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });
}
