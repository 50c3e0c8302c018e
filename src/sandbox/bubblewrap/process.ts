// One start of bubblewrap: the namespaces, the limits, the user who runs, and the end of everything that was started.
import { readFileSync } from 'node:fs';
import type { HeldLimits, SandboxLimits } from '../../gate/index.ts';
import { type Ended, runContained, type Watch } from '../contained-process.ts';
import { rlimits, UNBOUNDED } from '../resource-limits.ts';
import { findProgram } from '../system-programs.ts';
import { enteredGroup, openGroup, type RunGroup } from './cgroup.ts';
import { HOME } from './mounts.ts';
import { type LoginNames, type RunUser, userFiles } from './user.ts';

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

/** The first of the numbers that what we hand over is read on. */
const INPUT = 5;

/** Those that hold whatever the run is; the rest is the caller's. */
export type ProcessLimits = Omit<HeldLimits, 'disk_bytes' | 'output_bytes' | 'seconds'>;

/** What bubblewrap itself is started in. */
export interface Around {
  /** What it reads, and who gets what it says, each on a descriptor of its own below 10: a shell has no others. */
  readonly input: Uint8Array;
  readonly take: (piece: Buffer) => void;
  /** The words that start `inner` in it. */
  words(
    bwrap: string,
    inner: readonly string[],
    fds: { readonly input: number; readonly output: number },
  ): readonly [string, readonly string[]];
}

interface Wrap {
  readonly user: RunUser;
  readonly network: boolean;
  readonly mounts: readonly string[];
  readonly wanted: SandboxLimits;
}

export interface Start extends Wrap {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What programs find the user called; plain names unless given. */
  readonly names?: LoginNames | undefined;
  /** The control group that the run gets one in. */
  readonly base: string | undefined;
  /** A program for seccomp. */
  readonly filter?: Uint8Array | undefined;
  readonly around?: Around | undefined;
  readonly watch: Watch;
  /** What was printed, for an error before the command began. */
  readonly saidSoFar: () => string;
}

export interface Started {
  readonly ended: Ended;
  readonly held: ProcessLimits;
  readonly ranOutOfMemory: boolean;
}

/** All that comes before the command's own words; undefined where the system has not what it takes. */
export function wrapWords(
  wrap: Wrap,
): { readonly words: string[]; readonly held: ProcessLimits } | undefined {
  const { uid, isOther } = wrap.user;
  const limits = rlimits(wrap.wanted);
  const become = isOther ? becomeUser(uid) : [];
  if (limits === undefined || become === undefined) return undefined;
  return {
    words: [
      ...ISOLATED,
      ...(isOther ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : ['--unshare-user']),
      ...(wrap.network ? [] : ['--unshare-net']),
      ...wrap.mounts,
      ...limits.words,
      ...become,
    ],
    held: { memory_bytes: UNBOUNDED, ...limits.held },
  };
}

export async function startBubblewrap(start: Start): Promise<Started> {
  const bwrap = findProgram('bwrap');
  const files = [...userFiles(start.user.uid, HOME, start.names)];
  const named = files.flatMap(([path], at) => [
    '--perms',
    '0644',
    '--ro-bind-data',
    String(INPUT + at),
    path,
  ]);
  const wrapped = wrapWords({ ...start, mounts: [...start.mounts, ...named] });
  if (bwrap === undefined || wrapped === undefined) throw new Error('bubblewrap is not installed');
  const { base, filter, wanted, env, watch, around } = start;
  const group = base === undefined ? undefined : openGroup(base, wanted);
  try {
    const own = [...files.map(([, text]) => text), ...(filter === undefined ? [] : [filter])];
    const args = [
      ...['--info-fd', '3'],
      ...(filter === undefined ? [] : ['--seccomp', String(INPUT + files.length)]),
      ...wrapped.words,
      ...start.words,
    ];
    const inner = group?.words(bwrap, args) ?? ([bwrap, args] as const);
    const fds = { input: INPUT + own.length, output: INPUT + own.length + 1 };
    const [program, words] = around?.words(bwrap, inner.flat(), fds) ?? inner;
    const inputs = around === undefined ? own : [...own, around.input];
    const contained = { program, args: words, env, cwd: '/', inputs, told: around?.take, sweep };
    const ended = await runContained(contained, watch);
    if (ended.by === 'exit' && !ended.begun)
      throw new Error(`The sandbox could not start the command: ${start.saidSoFar().trim().slice(0, 400)}`);
    const held = heldIn(group, wanted, enteredGroup(ended.told), wrapped.held);
    return { ended, held, ranOutOfMemory: group?.ranOutOfMemory() === true };
  } finally {
    await group?.close();
  }
}

function heldIn(
  group: RunGroup | undefined,
  { memoryBytes, processes }: SandboxLimits,
  entered: boolean,
  held: ProcessLimits,
): ProcessLimits {
  if (group === undefined || !entered) return held;
  return {
    ...held,
    ...(group.holdsMemory ? { memory_bytes: { by: 'cgroup', most: memoryBytes } } : {}),
    ...(group.holdsProcesses ? { processes: { by: 'cgroup', most: processes } } : {}),
  };
}

/**
 * bubblewrap leaves when the command has ended, an instant before all that the command left behind is ended with the
 * namespace. That is over when its first process is.
 */
async function sweep(told: string): Promise<void> {
  const pid = /"child-pid": ?([0-9]+)/.exec(told)?.[1];
  if (pid === undefined) return;
  for (let tries = 0; tries < TRIES && isRunning(pid); tries++)
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
}

const TRIES = 5000;
const PAUSE = 1;

function isRunning(pid: string): boolean {
  try {
    return !/^[0-9]+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Undefined where setpriv is missing, which is in util-linux. */
function becomeUser(uid: number): string[] | undefined {
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) return undefined;
  return [setpriv, `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'];
}
