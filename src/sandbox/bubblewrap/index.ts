// A sandbox of Linux namespaces, by bubblewrap: only system directories and those of the programs in PATH, read-only; the
// copy of the work tree where the work tree is; /tmp and the home directory private and empty; no network, no other
// processes, no capabilities. Root sets it up and then takes a number that nobody has; any other user needs user
// namespaces, and then the command has the user's number on the outside, so that the namespaces alone stand between it
// and the user's files.
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type {
  AgentRun,
  AgentSandbox,
  AttestingSandbox,
  HeldLimits,
  SandboxOutcome,
  SandboxRun,
} from '../../gate/index.ts';
import { BoundedOutput } from '../bounded-output.ts';
import { giveTree } from '../give-tree.ts';
import { UNBOUNDED, WIDE } from '../resource-limits.ts';
import { builtEnvironment, findProgram, probe, programWords, shellWords } from '../system-programs.ts';
import { groupToDivide, offersMemory } from './cgroup.ts';
import { runFolder } from './folder-run.ts';
import { memoryProblem } from './memory-tree.ts';
import {
  CLOSED_PLACES,
  HOME,
  openPlaces,
  shareOf,
  systemMounts,
  TEMPORARY,
  toolMounts,
  wayTo,
} from './mounts.ts';
import type { BubblewrapOptions } from './options.ts';
import { type Start, startBubblewrap, wrapWords } from './process.ts';
import { systemCallFilter } from './system-calls.ts';
import { type LoginNames, type RunUser, takeUser } from './user.ts';

export type { BubblewrapOptions } from './options.ts';

export function makeBubblewrap(options: BubblewrapOptions): AttestingSandbox & AgentSandbox {
  const base = groupToDivide(options.cgroup);
  return {
    name: 'bubblewrap',
    attests: true,
    cannot: cannot(base),
    available,
    places: { home: HOME, temporary: TEMPORARY },
    run: (run) => asUser(run.copy, (user) => runCopy(run, options, base, user)),
    runAgent: (run) => asUser(run.copy, (user) => runAgent(run, options, base, user)),
    memoryProblem: async () => memoryProblem(emptySandbox() ?? []),
    runFolder: (run) => runFolder(run, options, base),
  };
}

async function asUser<T>(copy: string, work: (user: RunUser) => Promise<T>): Promise<T> {
  const user = takeUser();
  try {
    if (user.isOther) await giveTree(copy, user.uid);
    return await work(user);
  } finally {
    user.release();
  }
}

async function runCopy(
  run: SandboxRun,
  options: BubblewrapOptions,
  base: string | undefined,
  user: RunUser,
): Promise<SandboxOutcome> {
  const wanted = { ...WIDE, ...options.limits, ...run.limits };
  const tools = toolMounts(options, run.cwd);
  return watched(run, {
    user,
    network: run.network,
    mounts: [
      ...systemMounts(),
      ...openPlaces(shareOf(wanted.diskBytes)),
      ...(run.network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
      ...tools.mounts,
      ...treeMounts(run.cwd, run.copy),
      ...['--chdir', run.cwd],
      ...CLOSED_PLACES,
    ],
    words: shellWords(run.command),
    env: builtEnvironment(tools.path, HOME, TEMPORARY),
    wanted,
    base,
  });
}

/** As `runCopy`, with what the agent must see besides, and the system calls refused that an attestation refuses. */
async function runAgent(
  run: AgentRun,
  options: BubblewrapOptions,
  base: string | undefined,
  user: RunUser,
): Promise<SandboxOutcome> {
  const wanted = { ...WIDE, ...options.limits };
  const tools = toolMounts(options, run.root);
  return watched(run, {
    user,
    network: false,
    mounts: [
      ...systemMounts(),
      ...openPlaces(shareOf(wanted.diskBytes)),
      ...tools.mounts,
      ...treeMounts(run.root, run.copy),
      ...run.seen.flatMap(({ from, to }) => [...wayTo(to), '--ro-bind', from, to]),
      ...['--chdir', run.cwd],
      ...CLOSED_PLACES,
    ],
    words: programWords(run.argv, ['exec 2>&1']),
    env: agentEnvironment(run.env, tools.path),
    names: loginNames(),
    wanted,
    base,
    filter: systemCallFilter(),
  });
}

/** Agents tell their models who they are and which shell they have. One with odd characters would be a line of another user's. */
function loginNames(): LoginNames | undefined {
  try {
    const { username: user, gid, shell } = userInfo();
    const groups = readFileSync('/etc/group', 'utf8').split('\n');
    const [group = user] = groups.find((line) => line.split(':')[2] === String(gid))?.split(':') ?? [];
    const isPlain = [user, group].every((name) => /^\w[\w.-]{0,31}$/.test(name));
    return isPlain && shell !== null && /^\/[\w./-]+$/.test(shell) ? { user, group, shell } : undefined;
  } catch {
    return undefined;
  }
}

/** An agent that believes to be in CI may ask something else. */
function agentEnvironment(own: AgentRun['env'], path: string): Record<string, string> {
  const { CI: _, ...built } = builtEnvironment(path, HOME, TEMPORARY);
  return { ...built, ...own, PATH: path, HOME, TMPDIR: TEMPORARY };
}

async function watched(
  run: Pick<SandboxRun, 'maxOutput' | 'timeoutMs' | 'signal'>,
  start: Omit<Start, 'watch' | 'saidSoFar'>,
): Promise<SandboxOutcome> {
  const output = new BoundedOutput(run.maxOutput);
  const take = (piece: Buffer): boolean => {
    output.add(piece);
    return true;
  };
  const { ended, held } = await startBubblewrap({
    ...start,
    watch: { timeoutMs: run.timeoutMs, signal: run.signal, stdout: take, stderr: take },
    saidSoFar: () => output.text(),
  });
  const { by, code, signal, durationMs } = ended;
  const limits: HeldLimits = {
    ...held,
    // The copy is on a disk of the machine's, and as large as it likes to be.
    disk_bytes: UNBOUNDED,
    output_bytes: { by: 'reader', most: run.maxOutput },
    seconds: { by: 'timer', most: run.timeoutMs / 1000 },
  };
  return {
    exit: by === 'exit' ? code : null,
    signal,
    output: output.text(),
    timedOut: by === 'time',
    cancelled: by === 'cancelled',
    durationMs,
    limits,
  };
}

function treeMounts(tree: string, copy: string): string[] {
  return [...wayTo(tree), '--bind', copy, tree];
}

/** What follows from what this machine has; what held in a run is in its outcome. */
function cannot(base: string | undefined): string[] {
  return [
    'programs and settings that every user may read can be read',
    ...(offersMemory(base)
      ? []
      : ['the memory of all processes together is unbounded, because there is no control group']),
    'the processor time of all processes together is bounded only by the time that a run may take',
    'a check that is run again can fill the disk that its copy is on',
    'while the run lasts, empty files take memory that no size limit counts',
    ...(systemCallFilter() === undefined
      ? ["system calls are not filtered: this processor's numbers for them are not known"]
      : []),
  ];
}

async function available(): Promise<string | null> {
  if (process.platform !== 'linux') return 'bubblewrap needs Linux';
  const bwrap = findProgram('bwrap');
  if (bwrap === undefined) return 'bubblewrap is not installed (`apt-get install bubblewrap`)';
  const words = emptySandbox();
  if (words === undefined) return 'setpriv and prlimit are not installed (`apt-get install util-linux`)';
  const failed = await probe(bwrap, words);
  return failed === null
    ? null
    : `bubblewrap does not work here (${failed}): user namespaces may be switched off (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, or the service's RestrictNamespaces)`;
}

/** The words of one in which nothing is done; undefined where the system has not what it takes. */
function emptySandbox(): string[] | undefined {
  const user = takeUser();
  user.release();
  const wrapped = wrapWords({ user, network: false, mounts: systemMounts(), wanted: WIDE });
  return wrapped === undefined ? undefined : [...wrapped.words, '/bin/sh', '-c', ':'];
}
