// An event after everything that needs no section of the store: cleaned, its content kept, its facts found.
import type { JsonObject } from '../../core/index.ts';
import type {
  Check,
  Contract,
  Exit,
  FileFact,
  Kept,
  Override,
  TestCounts,
  ToolFacts,
} from '../../format/index.ts';
import type { GateMemory } from '../../rules/index.ts';
import type { Intake, Traces } from '../intake.ts';
import type { HostCall, HostEvent, JobEnd } from './host-event.ts';
import type { Judge, Tried } from './judge.ts';
import type { Job, OpenCall } from './session-state.ts';
import type { TranscriptReader } from './transcript.ts';

export interface PrepareOptions {
  readonly intake: Intake;
  readonly judge?: (() => Judge) | undefined;
  /** Where the project is, from a host's working directory. */
  readonly workspaceRoot: (cwd: string | null) => string | null;
  /** What the gate remembers of the event's session until now; null where it began with this event. */
  readonly remembered: (event: HostEvent) => Promise<GateMemory | null>;
  /** How the host's own record of the session is read. */
  readonly reader?: TranscriptReader | undefined;
  /** The call that a result is of, where it is on record. */
  readonly open?: ((call: ToolFacts) => OpenCall | undefined) | undefined;
  /** Checks of the session that were started and have not ended. */
  readonly jobs?: readonly Job[] | undefined;
}

/** An event after everything that needs no section: cleaned, its content kept, its facts found. */
export interface Prepared {
  readonly traces: Traces;
  readonly facts: JsonObject;
  /** Names and reasons that the host gave, cleaned, by the event's own members. */
  readonly words: Readonly<Record<string, string | null>>;
  readonly text: Kept | null;
  readonly calls: readonly PreparedCall[];
  readonly asked: Asked | null;
  /** Of a notice. */
  readonly ends?: JobEnd | undefined;
}

/** What a prompt asks for. */
export interface Asked {
  readonly contract: Contract | null;
  /** Its keywords, kept as content; null where it has none. */
  readonly keywords: Kept | null;
  readonly overrides: readonly Override[];
  /** What went wrong in finding that out. */
  readonly crash: string | null;
}

/** What a call is good for as evidence. */
export interface Seen {
  readonly checks: readonly Check[] | null;
  readonly attempts: readonly Tried[];
  readonly tree: string | null;
  readonly feeds: boolean;
  readonly background: boolean;
  readonly pasted: boolean;
  readonly acts?: readonly string[];
  /** A tool that may act where nothing of it is recorded, as those of an MCP server do. */
  readonly unseen?: boolean;
  readonly crash: string | null;
}

export interface PreparedCall {
  /** A batch says that the host denied it. */
  readonly denied?: true;
  readonly tool: ToolFacts;
  readonly args: Kept;
  readonly output: Kept | null;
  readonly exit: Exit;
  readonly tests: TestCounts | null;
  readonly files: readonly FileFact[];
  readonly sought: (NonNullable<HostCall['sought']> & { readonly status: number | null }) | null;
  /** Of a result: the check that goes on after it; and the one of which it tells the end. */
  readonly leaves?: Omit<Job, 'tree'> | null;
  readonly ended?: Job | null;
  /** Null where nobody judges. */
  readonly seen: Seen | null;
  /** Of a command that begins: where. */
  readonly cwd?: string;
}

export const NO_EXIT: Exit = { code: null, origin: 'unknown' };
