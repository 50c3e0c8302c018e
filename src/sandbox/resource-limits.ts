// Limits of processes (setrlimit), put in place by prlimit before a command gets its first instruction. They hold for each
// process, but the count of processes holds for a user. Nothing of this bounds the memory of all processes together, and
// a limit on address space would break what reserves more than it uses, as node does: so only the data of a process is
// limited, and that is called by its own name.
import { readFileSync } from 'node:fs';
import type { HeldLimit, HeldLimits, SandboxLimits } from '../gate/index.ts';
import { findProgram } from './system-programs.ts';

const MiB = 1024 * 1024;

/** For a check that is run again: as wide as big test suites need it. */
export const WIDE: SandboxLimits = {
  memoryBytes: 8192 * MiB,
  processMemoryBytes: null,
  processes: 4096,
  cpuSeconds: null,
  fileBytes: 8192 * MiB,
  diskBytes: 8192 * MiB,
};

/** For an attestation, where strangers choose what runs. */
export const NARROW: SandboxLimits = {
  memoryBytes: 2048 * MiB,
  processMemoryBytes: 2048 * MiB,
  processes: 512,
  cpuSeconds: 3600,
  fileBytes: 256 * MiB,
  diskBytes: 512 * MiB,
};

export const UNBOUNDED: HeldLimit = { by: 'unbounded', most: null };

type RlimitName = 'process_memory_bytes' | 'processes' | 'process_cpu_seconds' | 'file_bytes';

export interface Rlimits {
  /** Goes before the words of the command. */
  readonly words: readonly string[];
  readonly held: Pick<HeldLimits, RlimitName>;
}

/** Undefined without prlimit, which is in util-linux. */
export function rlimits(wanted: SandboxLimits): Rlimits | undefined {
  const prlimit = findProgram('prlimit');
  if (prlimit === undefined) return undefined;
  const ceilings = hardLimits();
  // Nobody but root may go beyond a limit that is in force already.
  const bound = (name: string, most: number | null): number | null => {
    const ceiling = ceilings.get(name);
    return most === null || ceiling === undefined ? (most ?? ceiling ?? null) : Math.min(most, ceiling);
  };
  const data = bound('Max data size', wanted.processMemoryBytes);
  const processes = bound('Max processes', wanted.processes);
  const cpu = bound('Max cpu time', wanted.cpuSeconds);
  const file = bound('Max file size', wanted.fileBytes);
  const word = (name: string, most: number | null): string[] =>
    most === null ? [] : [`--${name}=${most}:${most}`];
  const held = (most: number | null): HeldLimit => (most === null ? UNBOUNDED : { by: 'rlimit', most });
  return {
    words: [
      prlimit,
      '--core=0:0',
      ...word('data', data),
      ...word('nproc', processes),
      ...word('cpu', cpu),
      ...word('fsize', file),
    ],
    held: {
      process_memory_bytes: held(data),
      processes: held(processes),
      process_cpu_seconds: held(cpu),
      file_bytes: held(file),
    },
  };
}

/** Those of numbers; an unlimited one is left out. */
function hardLimits(): Map<string, number> {
  const found = new Map<string, number>();
  try {
    for (const line of readFileSync('/proc/self/limits', 'utf8').split('\n')) {
      const [, name = '', hard = ''] = /^(Max .*?) {2,}\S+ +(\S+)/.exec(line) ?? [];
      if (/^[0-9]+$/.test(hard)) found.set(name, Number(hard));
    }
  } catch {
    // Without it nothing is known to be lower.
  }
  return found;
}
