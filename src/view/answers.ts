// What the server behind `foil view` answers, for its page, which runs in a browser.

/** In the archive of a session: what a bundle would say of itself. */
export const PAYLOAD_FILE = 'payload.json';

/** In its place, if the session can't be a bundle: why, for the reader. Empty where it is only not sealed yet. */
export const WHY_FILE = 'why-not.txt';

export interface SessionRow {
  readonly id: string;
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
  /** Claims by what the newest judgement says of them. */
  readonly proven: number;
  readonly unproven: number;
  /** Times that the gate refused the end of a turn. */
  readonly blocks: number;
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
  readonly seq: number;
  readonly kind: string;
  readonly ts: string;
  /** Around the first word that was found. */
  readonly text: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** Entries before this one were not looked at. */
  readonly from: number;
}

export interface LedgerInfo {
  readonly name: string;
  readonly directory: string;
  readonly head: number;
}

export interface Health {
  readonly directory: string;
  readonly origin: string;
  readonly entries: number;
  readonly sealed: number;
  readonly sessions: number;
  readonly open: number;
  readonly ledger_bytes: number;
  readonly content_bytes: number;
}
