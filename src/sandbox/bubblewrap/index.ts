// A sandbox of Linux namespaces, by bubblewrap: only system directories and those of the programs in PATH, read-only; the
// copy of the work tree where the work tree is; /tmp and the home directory private and empty; no network, no other
// processes, no capabilities. Root sets it up and then becomes nobody; any other user needs user namespaces, and then
// the command has the user's number on the outside, so that the namespaces alone stand between it and the user's files.
import {
  chownSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Sandbox, SandboxRun } from '../../gate/index.ts';
import {
  builtEnvironment,
  findProgram,
  isWithin,
  pathWithout,
  probe,
  runContained,
  SYSTEM_PATH,
  shellWords,
} from '../contained-process.ts';
import { giveTree } from '../give-tree.ts';

export interface BubblewrapOptions {
  /** Directories and files that the command must not see, wherever they are: ledger, keys, sockets. */
  readonly hidden: readonly string[];
  /** Where the command finds its programs. */
  readonly path?: string;
  readonly home?: string | undefined;
}

/** Where systems keep programs, libraries and settings. Nothing of a user's. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix/store',
  '/run/current-system',
];
const NOBODY = 65_534;
const HOME = '/tmp/.home';

const ISOLATED = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
];

export function makeBubblewrap(options: BubblewrapOptions): Sandbox {
  const bwrap = findProgram('bwrap');
  const isRoot = process.getuid?.() === 0;
  const become = isRoot ? becomeNobody() : [];
  const words = (run: Pick<SandboxRun, 'network'>, mounts: readonly string[]): string[] => [
    ...ISOLATED,
    ...(isRoot ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : ['--unshare-user']),
    ...(run.network ? [] : ['--unshare-net']),
    ...mounts,
  ];
  return {
    name: 'bubblewrap',
    cannot: [
      'programs and settings that every user may read can be read',
      'memory and processor time are not bounded',
    ],
    async available() {
      if (process.platform !== 'linux') return 'bubblewrap needs Linux';
      if (bwrap === undefined) return 'bubblewrap is not installed (`apt-get install bubblewrap`)';
      if (become === undefined) return 'setpriv and prlimit are not installed (`apt-get install util-linux`)';
      const failed = await probe(bwrap, [
        ...words({ network: false }, systemMounts()),
        ...become,
        '/bin/sh',
        '-c',
        ':',
      ]);
      return failed === null
        ? null
        : `bubblewrap does not work here (${failed}): user namespaces may be switched off (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, or the service's RestrictNamespaces)`;
    },
    async run(run) {
      if (bwrap === undefined || become === undefined) throw new Error('bubblewrap is not here');
      if (isRoot) {
        await giveTree(run.copy, NOBODY);
        chownSync(run.copy, NOBODY, NOBODY);
      }
      const { path = process.env.PATH ?? SYSTEM_PATH, home = process.env.HOME } = options;
      const hidden = options.hidden.filter((each) => existsSync(each)).map((each) => realpathSync(each));
      const programs = pathWithout(path, [run.cwd, ...hidden]);
      const tools = toolMounts(programs, [run.cwd, ...hidden, ...(home === undefined ? [] : [home])]);
      const args = [
        ...words(run, [
          ...systemMounts(),
          ...(run.network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
          ...tools.flatMap((each) => [...wayTo(each), '--ro-bind', each, each]),
          ...hiding(hidden, [...SYSTEM, ...tools]),
          ...wayTo(run.cwd),
          '--bind',
          run.copy,
          run.cwd,
          '--chdir',
          run.cwd,
        ]),
        ...become,
        ...shellWords(run.command),
      ];
      const env = builtEnvironment([...programs, ...SYSTEM_PATH.split(':')].join(':'), HOME, '/tmp');
      return runContained(
        { program: bwrap, args: ['--info-fd', '3', ...args], env, cwd: '/', sweep: ended },
        run,
      );
    },
  };
}

/**
 * bubblewrap leaves when the command has ended, an instant before all that the command left behind is ended with the
 * namespace. That is over when its first process is.
 */
async function ended(told: string): Promise<void> {
  const pid = /"child-pid": ?([0-9]+)/.exec(told)?.[1];
  if (pid === undefined) return;
  for (let tries = 0; tries < TRIES && isRunning(pid); tries++)
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
}

const TRIES = 1000;
const PAUSE = 5;

function isRunning(pid: string): boolean {
  try {
    return !/^[0-9]+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Links stay links: on most systems /bin is one. */
function systemMounts(): string[] {
  const mounts = SYSTEM.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  const open = (path: string): string[] => ['--perms', '1777', '--tmpfs', path];
  return [
    ...mounts,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    ...open('/dev/shm'),
    ...open('/tmp'),
    ...open('/var/tmp'),
    '--perms',
    '0777',
    '--dir',
    HOME,
  ];
}

/**
 * What the programs in PATH need besides themselves: all of `x` for `x/bin`, as version managers lay it out. Where that
 * holds something that must not be seen, or is a home, only its programs and libraries.
 */
function toolMounts(programs: readonly string[], away: readonly string[]): string[] {
  const mounts = new Set<string>();
  for (const entry of programs) {
    if (SYSTEM.some((path) => isWithin(entry, path)) || !isDirectory(entry)) continue;
    const prefix = basename(entry) === 'bin' ? dirname(entry) : entry;
    const isWide = prefix === '/' || away.some((path) => isWithin(path, prefix));
    const parts = isWide ? [entry, `${prefix}/lib`] : [prefix];
    for (const part of parts) if (isDirectory(part)) mounts.add(part);
  }
  return [...mounts];
}

/** Directories above it that are not there yet: bubblewrap would make them for root alone. */
function wayTo(path: string): string[] {
  const above: string[] = [];
  for (let each = dirname(path); each !== '/'; each = dirname(each)) above.unshift(each);
  return above.flatMap((each) => ['--perms', '0755', '--dir', each]);
}

/** An empty directory, or nothing at all, over each that would be seen. */
function hiding(hidden: readonly string[], seen: readonly string[]): string[] {
  return hidden
    .filter((path) => seen.some((directory) => isWithin(path, directory)))
    .flatMap((path) => (isDirectory(path) ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]));
}

/** One that we may not look at is none that the command could use. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Undefined where the system has not what it takes. */
function becomeNobody(): string[] | undefined {
  const [setpriv, prlimit] = [findProgram('setpriv'), findProgram('prlimit')];
  if (setpriv === undefined || prlimit === undefined) return undefined;
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--inh-caps=-all'];
  return [prlimit, '--nproc=4096:4096', setpriv, ...ids];
}
