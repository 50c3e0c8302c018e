// The port for running what an agent wrote: a check that is run again, or the verification that an attestation is about.
// Adapters are in sandbox/. What runs there is hostile: it may write, read, fork, print and wait as it likes, and must get
// nothing of the ledger, the keys, the user's work tree or of us. The outcome says which limits were really in force,
// because an attestation repeats it.
import type { TreeFile } from '../format/index.ts';

/** What a limit rests on. `unbounded`: nothing holds it here. */
export type HeldBy = 'cgroup' | 'rlimit' | 'tmpfs' | 'reader' | 'timer' | 'unbounded';

export interface HeldLimit {
  readonly by: HeldBy;
  /** Null if it is unbounded. */
  readonly most: number | null;
}

/** The names are those of attestations. `process_…` holds for each process, and so not for all of them together. */
export type LimitName =
  | 'memory_bytes'
  | 'process_memory_bytes'
  | 'processes'
  | 'process_cpu_seconds'
  | 'file_bytes'
  | 'disk_bytes'
  | 'output_bytes'
  | 'seconds';

export type HeldLimits = Readonly<Record<LimitName, HeldLimit>>;

/** What is wanted. A sandbox that can't hold one says so in the outcome. */
export interface SandboxLimits {
  /** Of all processes together. */
  readonly memoryBytes: number;
  /** Of each process: what it may write in its memory. Null for none: race detectors and sanitizers map terabytes. */
  readonly processMemoryBytes: number | null;
  /** Threads count, too. */
  readonly processes: number;
  /** Of each process, all its threads together; null for none. */
  readonly cpuSeconds: number | null;
  /** Of each file. */
  readonly fileBytes: number;
  /** Of everything that can be written. */
  readonly diskBytes: number;
}

export interface SandboxRun {
  /** A line for a shell. */
  readonly command: string;
  /** The work tree, by the path that it has for its user. It is not to be changed, whatever the command does. */
  readonly cwd: string;
  /** A throw-away copy of it, which the command has in its place. A sandbox may give it to another user. */
  readonly copy: string;
  readonly timeoutMs: number;
  /** Bytes of output that are kept: its head and its tail. */
  readonly maxOutput: number;
  readonly network: boolean;
  readonly limits?: Partial<SandboxLimits>;
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined;
}

export interface SandboxOutcome {
  /** Null where it did not come to its end by itself. */
  readonly exit: number | null;
  readonly signal: string | null;
  /** Both streams as they were printed, one among the other, within the bound. */
  readonly output: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly limits: HeldLimits;
}

export interface Sandbox {
  readonly name: string;
  /** What it does not keep the command from, for people. */
  readonly cannot: readonly string[];
  /** Whether the outcome of a run may be attested. False for a sandbox that leaves the machine's files within reach. */
  readonly attests: boolean;
  /** Null where it can be used; else why not, and what to install or configure. Never rejects. */
  available(): Promise<string | null>;
  /** Nothing of the command runs any more when it resolves. Rejects where it could not be started. */
  run(run: SandboxRun): Promise<SandboxOutcome>;
}

/** A program, its arguments and a folder: what an attester runs. There is no network, and no shell reads the arguments. */
export interface FolderRun {
  readonly argv: readonly string[];
  /**
   * What the program has as its work tree, read-only. A directory must be the caller's alone and thrown away afterwards:
   * the sandbox may give it to another user, and makes empty files and folders where something is mounted. Files are laid
   * out in memory that the sandbox alone sees, and are gone with it, however this process ends.
   */
  readonly folder: string | readonly TreeFile[];
  /**
   * Folders below it that the program may write in, by relative paths; `.` for all of it, tests included. They hold what
   * the folder holds there, in memory, and nothing of them is left afterwards.
   */
  readonly writable?: readonly string[];
  /** A file that the program may write, by its relative path. It is empty at the start, whatever the folder holds there. */
  readonly report?: { readonly path: string; readonly maxBytes: number } | undefined;
  /** On top of what the sandbox sets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Of each stream. Whoever prints more is ended. */
  readonly maxOutput: number;
  readonly limits?: Partial<SandboxLimits>;
  readonly signal?: AbortSignal | undefined;
}

/** How a run came to its end. All but `exit` say that it was ended by the sandbox. */
export type RunEnd = 'exit' | 'time' | 'output' | 'memory' | 'cancelled';

export type ReadReport =
  | { readonly state: 'read'; readonly bytes: Uint8Array }
  | { readonly state: 'empty' | 'too-large' | 'none' };

export interface FolderOutcome {
  readonly ended: RunEnd;
  /** Null unless it ended by itself, and where a signal ended it. */
  readonly exit: number | null;
  /** The signal that ended the sandbox. A signal to the program itself is an exit of 128 and its number. */
  readonly signal: string | null;
  /** What was printed, up to the bound. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly report: ReadReport;
  readonly durationMs: number;
  readonly limits: HeldLimits;
  /** Of what held them: the sandbox's own program, the kernel. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface AttestingSandbox extends Sandbox {
  readonly attests: true;
  /** Null where files can be laid out in memory; else why they can't. Never rejects. */
  memoryProblem(): Promise<string | null>;
  /** Nothing of the program runs any more when it resolves. Rejects where the program could not be started. */
  runFolder(run: FolderRun): Promise<FolderOutcome>;
}

/** An agent that is run again over a copy of its work tree. There is no network but its own loopback, and no shell. */
export interface AgentRun {
  readonly argv: readonly string[];
  /** The work tree, by the path that it had, and a throw-away copy of it that the agent has in its place. */
  readonly root: string;
  readonly copy: string;
  readonly cwd: string;
  /** Files, folders and sockets that it sees besides, read-only. */
  readonly seen: readonly { readonly from: string; readonly to: string }[];
  /** On top of what the sandbox sets. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Bytes of output that are kept: its head and its tail. */
  readonly maxOutput: number;
  readonly signal?: AbortSignal | undefined;
}

export interface AgentSandbox extends Sandbox {
  /** Where the agent's own places are in it. */
  readonly places: { readonly home: string; readonly temporary: string };
  /** Nothing of the agent runs any more when it resolves. Rejects where it could not be started. */
  runAgent(run: AgentRun): Promise<SandboxOutcome>;
}

export function isAttesting(sandbox: Sandbox): sandbox is AttestingSandbox {
  return sandbox.attests && 'runFolder' in sandbox;
}
