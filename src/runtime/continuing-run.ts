// The run that goes on with a damaged one. A second one would make calls again that the first one made, so there is one at most.
import { isObject, ParseError } from '../core/index.ts';
import { type Entry, EntryScan, hashOfEntry, parseEntry, RUN_EVENT } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import { RunError } from './run-error.ts';
import type { Unless } from './run-log.ts';

const LINE_FEED = 0x0a;
const ID = 64;

/** The newest one in entries `from` to `to`; null where there is none. */
export async function continuingRun(
  log: Pick<Store, 'read'>,
  run: string,
  from: number,
  to: number,
): Promise<string | null> {
  let found: string | null = null;
  if (from <= to) for await (const lines of log.read(from, to)) found = continuingIn(lines, run) ?? found;
  return found;
}

/** What the first event of a run that goes on with this one is written by. RunError CONTINUED where another one does. */
export async function unlessContinued(log: Pick<Store, 'head' | 'read'>, run: string): Promise<Unless> {
  const { seq: since } = await log.head();
  const other = await continuingRun(log, run, 1, since);
  if (other !== null) throw continued(other);
  return {
    since,
    refusal: (lines) => {
      const newer = continuingIn(lines, run);
      return newer === null ? null : continued(newer);
    },
  };
}

function continued(by: string): RunError {
  return new RunError('CONTINUED', `run ${by} already continues it.`);
}

function continuingIn(lines: Uint8Array, run: string): string | null {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  const needle = `"event":"${run}:`;
  const scan = new EntryScan();
  let found: string | null = null;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    const start = at === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, at - 1) + 1;
    const lineEnd = bytes.indexOf(LINE_FEED, at);
    const end = lineEnd < 0 ? bytes.length : lineEnd;
    if (!scan.scan(bytes, start, end) || scan.kind !== RUN_EVENT || scan.sessionStart < 0) continue;
    if (isContinuing(bytes.subarray(start, end), run)) found = scan.text(scan.sessionStart, ID);
  }
  return found;
}

/** An entry that was altered counts as well, whatever it says of its parent: somebody may go on with what it began. */
function isContinuing(line: Buffer, run: string): boolean {
  const entry = genuine(line);
  if (entry === undefined) return line.includes('"kind":"AgentInit"');
  const { kind, payload } = entry.payload;
  const parent = kind === 'AgentInit' && isObject(payload) ? payload.parent : null;
  return isObject(parent) && parent.replay === 'recovery' && String(parent.event).startsWith(`${run}:`);
}

function genuine(line: Buffer): Entry | undefined {
  try {
    const entry = parseEntry(line);
    return hashOfEntry(entry) === entry.entry_hash ? entry : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
