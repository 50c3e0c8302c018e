// What a request on the wire says of itself, the session that it joins, and what is needed to begin and to find one.
import type { Config } from '../../config/index.ts';
import type { Json } from '../../core/index.ts';
import type { ReplayPlaces } from '../../format/index.ts';
import type { Clock, EntryLog, KnownOperators, Mode } from '../../ledger/index.ts';
import type { Blocks, OpenChain } from '../../session/index.ts';
import type { AuthGuard } from '../auth-guard.ts';
import type { Intake } from '../intake.ts';
import type { AskedCalls } from '../model/asked-calls.ts';
import type { MessageMemory } from '../model/message-memory.ts';
import type { ModelSession } from '../model/model-call.ts';
import type { Notes } from '../program/notes.ts';

/** What a request says about itself. */
export interface WireCaller {
  /** The id of a session, or a name that the client chose. */
  readonly session: string | null;
  /** A host's own id of its session, whose hooks may be recording it. */
  readonly host: { readonly agent: string; readonly session: string } | null;
  /** The same object for all requests of one connection. */
  readonly connection: object;
}

/** How what a session says is kept. */
export interface WirePlace {
  readonly intake: Intake;
  readonly config: Config;
  readonly redaction: string;
  readonly root: string | null;
  /** Where blocks come from; undefined where sessions are not bound to any. */
  readonly blocks?: Blocks | undefined;
}

/** A session that a request joined. */
export interface JoinedSession extends ModelSession {
  readonly place: WirePlace;
  /** The root of the harness pack that the session began with. */
  readonly pack: string | null;
  /** The independent gateway that the session asked for when it began; null where it asked for none. */
  readonly gateway: string | null;
  /** Where the agent's places are, of a session whose answers are kept for a replay; else null. */
  readonly replay: ReplayPlaces | null;
  /** Before each call: RecordError where it has no good auth key, and needs one. That is on record then. */
  authorize(): Promise<void>;
  /** To be called once: until then it is not ended for want of use. */
  done(): void;
}

export interface WireSessionsOptions {
  readonly store: EntryLog;
  readonly source: string;
  /** Whose grants count. */
  readonly operators: KnownOperators;
  /** How content is kept for work in `root`; null where nobody knows where the work is. */
  readonly place: (root: string | null) => Promise<WirePlace>;
  /** A session that is on record, by its id; undefined where there is none. Asked once for each id. */
  readonly find: (id: string) => Promise<FoundSession | undefined>;
  /** Members of a tool's arguments that hold the content of a file, as an agent's hooks hide them. */
  readonly fileMembers?: (agent: string, tool: string, input: Json) => readonly string[];
  /** The auth keys of sessions; undefined where nobody asks for any. */
  readonly guard?: AuthGuard;
  /** What others left who could not record it. */
  readonly notes?: Notes;
  /** The mode in force when a session begins, which its first entry names (`guard`). */
  readonly mode?: () => Mode;
  readonly now?: Clock;
}

export interface FoundSession {
  readonly agent: string;
  readonly root: string | null;
  /** Whose entries complete its interactions. */
  readonly interaction: string | null;
  readonly pack: string | null;
  readonly gateway: string | null;
  readonly replay: ReplayPlaces | null;
}

/** No such session. The client named one that the ledger does not have. */
export class UnknownSession extends Error {
  override readonly name = 'UnknownSession';
}

export interface Known {
  readonly id: string;
  /** Who the session is of: `claude-code`, `client`. */
  readonly agent: string;
  readonly memory: MessageMemory;
  readonly asked: AskedCalls;
  readonly place: WirePlace;
  /** Null where its interactions are not ours to count. */
  readonly chain: OpenChain | null;
  /** Began here, and so ends here. */
  readonly own: boolean;
  /** Where it begins in the log, of one that began here. */
  first: number | undefined;
  /** A block was to be had and could not. */
  unanchored: boolean;
  /** The id of the auth key that it began with, of one that began here. */
  readonly authKey: string | null;
  readonly pack: string | null;
  readonly gateway: string | null;
  readonly replay: ReplayPlaces | null;
  /** For which prompt it was told last that its key is not good; undefined where that was not the last thing told. */
  toldFor: number | null | undefined;
  lastUsed: number;
  uses: number;
}
