// What the server behind `foil view` answers, for its page, which runs in a browser.

/** In the archive of a session: what a bundle would say of itself. */
export const PAYLOAD_FILE = 'payload.json';

/** In its place, if the session can't be a bundle: why, for the reader. Empty where it is only not sealed yet. */
export const WHY_FILE = 'why-not.txt';

/** Beside either, if the ledger has lost entries: which, for the reader. Some of them may be of this session. */
export const MISSING_FILE = 'missing.txt';

/** In its place, if it is only the beginning of what there is to read: see `Early`. Nothing of it can be checked yet. */
export const EARLY_FILE = 'early.json';

/** Content that is kept encrypted, opened with the ledger's key for the reader of the page. The parts of a bundle have the ciphertext. */
export const OPENED = 'opened/';

export interface Early {
  /** How many there are in all. */
  readonly entries: number;
}

/** Beside either, if the session's content was erased: see `Erased`. */
export const ERASED_FILE = 'erased.json';

export interface SessionRow {
  readonly id: string;
  /** The number and the name of its ledger, where the list is of several. */
  readonly ledger?: number;
  readonly ledger_name?: string;
  readonly agent: string | null;
  readonly workspace_root: string | null;
  readonly mode: string | null;
  /** The times of its first and last entry. */
  readonly start: string;
  readonly last: string;
  readonly state: 'open' | 'ended' | 'cut';
  readonly prompts: number;
  readonly calls: number;
  readonly denied: number;
  readonly entries: number;
  readonly models: readonly string[];
  readonly tokens: number;
  /** Claims by what the newest judgement says of them. Those of an end that was refused and tried again don't count. */
  readonly proven: number;
  readonly unproven: number;
  /** Proven once, by a run before the last change. */
  readonly stale: number;
  /** Times that the gate refused the end of a turn. */
  readonly blocks: number;
  /** The entry that says that its content was erased; null where none does. */
  readonly erased: Erased | null;
}

export interface Erased {
  readonly seq: number;
  readonly ts: string;
}

/** The first prompt of each session that was asked about, cut to a line. Null where it is not kept. */
export interface Prompts {
  readonly prompts: readonly (readonly [session: string, prompt: string | null])[];
}

/** So many rows a page asks for first, and the server has them ready. */
export const FIRST_ROWS = 24;

export interface Sessions {
  /** The last entry that they know of. */
  readonly head: number;
  readonly sessions: readonly SessionRow[];
  /** How many older ones there are, where only the newest were asked for; with what these were begun with. */
  readonly more?: number;
  readonly prompts?: Prompts['prompts'];
  /** While the ledger is being read: only sessions of the entries behind `from` are in the list. */
  readonly counting: { readonly from: number; readonly read: number; readonly of: number } | null;
  /** What a person must know of the ledger: it was replaced or changed, or can't be read. */
  readonly notices: readonly string[];
}

/** What the code of an address is changed for. */
export interface Opening {
  readonly token: string;
  /** The first rows of the first ledger, which its page asks about first. Null where they can't be told. */
  readonly first: Sessions | null;
}

/** What a page asks about all the time: whether there is anything new. */
export interface Pulse {
  /** The number of the last entry; 0 where the ledger can't be read. */
  readonly head: number;
  /** How many notices there are, with one more where the ledger can't be read. */
  readonly notices: number;
  /** How many entries its checkpoint covers. */
  readonly sealed: number;
}

/** How often each session called each tool. */
export interface ToolsUsed {
  /** Entries before this one were not looked at. */
  readonly from: number;
  readonly sessions: readonly (readonly [
    session: string,
    tools: readonly (readonly [tool: string, calls: number])[],
  ])[];
}

export interface Hit {
  readonly session: string | null;
  /** The number and the name of its ledger, where several were searched. */
  readonly ledger?: number;
  readonly ledger_name?: string;
  readonly seq: number;
  readonly kind: string;
  readonly ts: string;
  /** Around the first word that was found. */
  readonly text: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** There may be older ones: so many were found that it was left at that. */
  readonly isFull: boolean;
  /** Entries before this one were not looked at. */
  readonly from: number;
  /** Entries between these, both included, are not in the index yet, and there was no time to read them. */
  readonly skipped: { readonly from: number; readonly to: number } | null;
  /** Why entries were read one by one, and what else a person must know. */
  readonly notices: readonly string[];
}

/** How far the index is; `problem` says why it doesn't get further. */
export interface IndexInfo {
  readonly read: number;
  readonly of: number;
  readonly problem: string | null;
}

export interface LedgerInfo {
  readonly name: string;
  readonly directory: string;
  readonly head: number;
  /** Why it can't be read. */
  readonly problem: string | null;
}

/** Times that nobody recorded, and bytes that a crash left, as entries from `from` on tell of them. */
export interface Gaps {
  readonly from: number;
  readonly count: number;
  readonly newest: readonly { readonly seq: number; readonly ts: string; readonly text: string }[];
}

export interface Health {
  readonly name: string;
  readonly directory: string;
  readonly origin: string;
  readonly entries: number;
  readonly sealed: number;
  readonly checkpoints: number;
  /** The newest first: how many entries each covers, when its file was written, and whether it has a time stamp. */
  readonly newest_checkpoints: readonly {
    readonly size: number;
    readonly written: string | null;
    readonly stamp: 'none' | 'pending' | 'complete';
  }[];
  /** Time stamps, how many of them a Bitcoin block completes, and up to which entry those reach. */
  readonly stamps: { readonly proofs: number; readonly complete: number; readonly last: number };
  /** The files of the log; `upkeep` is the day that it was last tidied up. */
  readonly archive: { readonly segments: number; readonly gzipped: number; readonly upkeep: string | null };
  readonly sessions: number | null;
  readonly open: number | null;
  readonly ledger_bytes: number;
  readonly content_bytes: number;
  /** False where there are more files than were counted. */
  readonly complete: boolean;
  readonly gaps: Gaps;
  /** What a person must know of it: see `Sessions`. */
  readonly notices: readonly string[];
  /** What was not recorded and is not in the ledger yet. */
  readonly pending: readonly string[];
  readonly index: IndexInfo | null;
}

/** One for each ledger that was asked about. */
export interface HealthReport {
  readonly ledgers: readonly (
    | Health
    | { readonly name: string; readonly directory: string; readonly problem: string }
  )[];
}
