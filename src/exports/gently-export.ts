// The ledger's entries as a pipe-separated log: a line for each event of a session, chained from the genesis hash by this
// format's own rule, so the log stands for itself. Nothing in it is signed. spec/gently.md says which entry becomes
// which line.
import { ParseError } from '../core/index.ts';
import { type Entry, GENESIS } from '../format/index.ts';
import { encodeGentlyLine } from './gently.ts';
import { sessionEventReader } from './session-events.ts';

export interface EventExport {
  /** The line that is due with this entry, with its `\n`; mostly none. */
  add(entry: Entry): string;
  /** Entries so far that should have had a line and are malformed. */
  readonly malformed: number;
}

export function exportGently(): EventExport {
  let prev = GENESIS;
  let height: number | null = null;
  let malformed = 0;
  const read = sessionEventReader();
  return {
    add(entry) {
      try {
        const found = read(entry);
        if (found === null) return '';
        const { event, details } = found;
        // A stamp's block says how old something is at most, and is itself older than what is known by then.
        if (details.size === undefined) height = details.btc ?? height;
        const encoded = encodeGentlyLine(
          { height, ts: entry.ts, event, session: entry.session_id, details },
          prev,
        );
        prev = encoded.hash;
        return `${encoded.line}\n`;
      } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        malformed++;
        return '';
      }
    },
    get malformed() {
      return malformed;
    },
  };
}
