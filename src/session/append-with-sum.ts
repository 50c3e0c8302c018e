// How an entry is written that says what stands of its session before it: the log is read outside of the exclusive section,
// and what others appended since is handed in inside of it, so that the sum is that of the log at the very place. Whoever
// counts is loaded by who ends a session alone; hooks do not load it for anything else.
import { StoreError } from '../core/index.ts';
import { type Head, type SessionSum, withSum } from '../format/index.ts';
import {
  type AppendOptions,
  type Block,
  type EntryLog,
  encodeBlock,
  type NewEntry,
} from '../ledger/index.ts';

/** The entries of one session, counted as far as the log was read. See SessionTally. */
export interface Tally {
  /** Up to which entry. */
  readonly seq: number;
  /** Reads on to the newest entry that is known. Throws where the log can't be read. */
  readOn(): Promise<void>;
  /** Pure: the sum at `head`, with the lines `behind` what was read, and with `own` ones that are about to follow it. */
  sumAt(head: Head, behind: Uint8Array, own: Uint8Array): SessionSum;
  close(): Promise<void>;
}

/** `first`: where the session is said to begin; a hint that is checked. */
export type OpenTally = (session: string, first: number | undefined) => Tally;

/** The sum with these lines, which come before the entry that tells it in the same block. Null where it is not known. */
export type SumOf = (own: Uint8Array) => SessionSum | null;

/** As Build. */
export type BuildWithSum = (
  head: Head,
  state: Uint8Array | undefined,
  shared: Uint8Array | undefined,
  sum: SumOf,
) => Block | undefined;

export interface SumOptions extends Omit<AppendOptions, 'since'> {
  readonly tally: () => Tally;
  /** False: what can't be counted is written without its sum. Else the append fails, with nothing written. */
  readonly required: boolean;
}

/** Each try is as far behind as what others append while the rest is read: the second is nearly always near enough. */
const TRIES = 16;
const NOTHING = new Uint8Array(0);

export const NO_SUM: SumOf = () => null;

/** Undefined when `build` gave nothing. */
export async function appendWithSum(
  store: Pick<EntryLog, 'append'>,
  { tally: open, required, ...options }: SumOptions,
  build: BuildWithSum,
): Promise<Head | undefined> {
  let tally: Tally | undefined;
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        tally ??= open();
        await tally.readOn();
      } catch (error) {
        if (required) throw error;
        break;
      }
      const tried = await tryAppend(store, tally, { ...options, required }, build);
      if (tried !== 'behind') return tried;
    }
  } finally {
    await tally?.close().catch(() => undefined);
  }
  if (required)
    throw new StoreError(
      'LOCK_TIMEOUT',
      "other processes write to the ledger faster than foil can count the session's entries. Try again.",
    );
  return store.append((head, state, shared) => build(head, state, shared, NO_SUM), options);
}

async function tryAppend(
  store: Pick<EntryLog, 'append'>,
  tally: Tally,
  { required, ...options }: AppendOptions & { readonly required: boolean },
  build: BuildWithSum,
): Promise<Head | undefined | 'behind'> {
  let isBehind = false;
  const head = await store.append(
    (at, state, shared, behind) => {
      isBehind = behind === undefined;
      if (behind === undefined) return undefined;
      return build(at, state, shared, (own) => {
        try {
          return tally.sumAt(at, behind, own);
        } catch (error) {
          if (required) throw error;
          return null;
        }
      });
    },
    { ...options, since: tally.seq },
  );
  return isBehind ? 'behind' : head;
}

const ENDS: ReadonlySet<string> = new Set(['session.end', 'session.cut']);

/** As encodeBlock; the end of a session among the entries says what stands before it. */
export function encodeEnding(entries: readonly NewEntry[], head: Head, now: number, sum: SumOf): Block {
  const at = entries.findIndex(({ kind }) => ENDS.has(kind));
  const end = entries[at];
  if (end === undefined) return encodeBlock(entries, head, now);
  const before = at === 0 ? { lines: NOTHING, head } : encodeBlock(entries.slice(0, at), head, now);
  const told = { ...end, payload: withSum(end.payload, sum(before.lines)) };
  const rest = encodeBlock([told, ...entries.slice(at + 1)], before.head, now);
  return { head: rest.head, lines: Buffer.concat([before.lines, rest.lines]) };
}
