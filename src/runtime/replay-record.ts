// What replays leave on record: an entry of its own for each, and the tools that it found impure, whose outputs later replays
// of the same code take from the record. spec/run.md.
import { ParseError } from '../core/index.ts';
import { encodeRunReplay, parseRunReplay, RUN_REPLAY, type RunReplay } from '../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, entriesOf, type LogReader } from '../ledger/index.ts';

type Log = LogReader;

/** Newest last. What is malformed is passed over: it is no replay. Reads the whole log. */
export async function* readReplays(log: Log): AsyncGenerator<RunReplay & { readonly seq: number }> {
  const { seq: to } = await log.head();
  for await (const { payload, seq } of entriesOf(log, 1, to, [RUN_REPLAY])) {
    try {
      yield { ...parseRunReplay(payload), seq };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
  }
}

/** Tools of this code that a replay found impure, each with the first replay that did. */
export async function readImpure(log: Log, code: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const replay of readReplays(log))
    if (replay.code === code)
      for (const tool of replay.impure) if (!found.has(tool)) found.set(tool, replay.id);
  return found;
}

/** Durable when it resolves. Gives the entry's seq. */
export async function recordReplay(
  { store, now = Date.now }: { readonly store: Pick<EntryLog, 'append'>; readonly now?: Clock },
  replay: RunReplay,
): Promise<number> {
  let written = 0;
  await store.append((head) => {
    written = head.seq + 1;
    return encodeBlock(
      [{ kind: RUN_REPLAY, payload: encodeRunReplay(replay), source: 'runtime' }],
      head,
      now(),
    );
  });
  return written;
}
