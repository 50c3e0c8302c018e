// What a run is made of, and what comes next in it.
import type { Json } from '../core/index.ts';
import type { FinalOutcome, RunAction, SessionCounts, ToolRequest } from '../format/index.ts';
import type { Grants } from '../policy/index.ts';
import type { Intake } from '../record/index.ts';
import type { CellCode } from './cell-form.ts';
import type { Agent, Tool } from './define.ts';
import type { Machine } from './machine.ts';
import type { Models } from './models.ts';
import type { RunLog } from './run-log.ts';
import type { ToolCells } from './tool-cells.ts';
import type { ToolEnd } from './tool-run.ts';

export interface RunLimits {
  /** Calls of tools. */
  readonly calls: number;
  readonly events: number;
}

export interface SnapshotPolicy {
  /** After so many events. */
  readonly events: number;
  /** After so many bytes of payloads. */
  readonly bytes: number;
}

export interface RunSession {
  readonly id: string;
  assertAuthenticated(): void;
  end(options: { reason: string; counts: SessionCounts }): Promise<void>;
}

/** Who answers calls of tools in place of the tools themselves. */
export interface Answers {
  /** Whether a call is neither answered nor made. */
  refuses(tool: Tool, input: Json): boolean;
  /** Once. Undefined where the tool is to be run, with a key where that is another than the call's own. */
  take(tool: Tool, input: Json): ToolEnd | { readonly key: string } | undefined;
}

export interface RunParts {
  readonly session: RunSession;
  readonly agent: Agent;
  readonly machine: Machine;
  readonly log: RunLog;
  readonly intake: Intake;
  /** Whether payloads stand in the entries themselves. */
  readonly inline: boolean;
  readonly grants: Grants;
  /** The work tree. */
  readonly root: string;
  /** As AgentInit has it. */
  readonly nonce: string | null;
  readonly limits: RunLimits;
  readonly snapshots: SnapshotPolicy;
  readonly cells: ToolCells;
  /** By the names of the tools that run in one. */
  readonly cellCodes: ReadonlyMap<string, CellCode>;
  readonly models: Models;
  /** Null where every tool is run. */
  readonly answers: Answers | null;
  /** Where `AgentInit` stands. */
  readonly initSeq: number;
  close(): Promise<void>;
}

/** What is to be done next, as the events on record leave it. */
export type Next =
  | { readonly do: 'decide' | 'wait' }
  | { readonly do: 'act'; readonly decision: number; readonly action: RunAction }
  | {
      readonly do: 'conclude';
      readonly call: number;
      readonly request: ToolRequest;
      /** Of an earlier try, where that was another call. */
      readonly key?: string | undefined;
    }
  | {
      readonly do: 'close';
      readonly outcome: FinalOutcome;
      readonly reason: string | null;
      readonly result: Json;
    }
  | {
      readonly do: 'final';
      readonly outcome: FinalOutcome;
      readonly reason: string | null;
      readonly result: Json;
    };

export interface RunUsage {
  calls: number;
  denials: number;
  ms: number;
  outputBytes: number;
}

export type RunStatus =
  | { readonly status: 'waiting' }
  | { readonly status: FinalOutcome; readonly reason: string | null; readonly result: Json };
