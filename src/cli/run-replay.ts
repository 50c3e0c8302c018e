// A run of a ledger that is here, replayed in a sandbox from which the ledger, the keys and the state of foil are hidden.
import type { Ledger, Located } from '../ledger/index.ts';
import { type ReplayParts, type ReplayReport, replayRun } from '../runtime/index.ts';
import type { Context } from './command.ts';
import { replayTools, runPlace } from './run-place.ts';
import { startTicker, type Ticker } from './ticker.ts';

/** Throws RunError where it can't be tried. */
export async function replayHere(
  context: Pick<Context, 'env' | 'values' | 'onInterrupt' | 'progress'>,
  ledger: Ledger,
  located: Located,
  asked: Pick<ReplayParts, 'run' | 'first' | 'from' | 'to' | 'execute'>,
): Promise<ReplayReport> {
  const { onInterrupt, progress } = context;
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  let ticker: Ticker | undefined;
  try {
    const parts = await runPlace(ledger, located, asked);
    const { sandbox, cell, timeoutMs } = replayTools(context, located);
    ticker = startTicker(progress, 'replaying', timeoutMs);
    return await replayRun({ ...asked, ...parts, sandbox, cell, timeoutMs, signal: stop.signal });
  } finally {
    ticker?.stop();
    undo();
  }
}
