// A log as its next writer will find it. After a crash its head may lag behind entries that are durable: those that follow from
// one another count, and what stands behind them is torn. Nothing is written here.
import { EntryScan } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';

type Log = LogReader;

export interface PastHead {
  /** The same log, up to its last entry. */
  readonly log: Log;
  /** Whole lines behind that, which do not follow. */
  readonly torn: number;
}

const LINE_FEED = 0x0a;

export async function pastHead(log: Log): Promise<PastHead> {
  const scan = new EntryScan();
  let { seq, hash } = await log.head();
  let torn = 0;
  for await (const bytes of log.read(seq + 1, Number.MAX_SAFE_INTEGER))
    for (let start = 0, end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      const follows =
        torn === 0 &&
        scan.scan(bytes, start, end) &&
        scan.seq === seq + 1 &&
        scan.sameText(scan.prevStart, hash) &&
        scan.hashMatches(start);
      if (follows) [seq, hash] = [scan.seq, scan.text(scan.hashStart, 64)];
      else torn++;
      start = end + 1;
    }
  return { log: { head: async () => ({ seq, hash }), read: (from, to) => log.read(from, to) }, torn };
}
