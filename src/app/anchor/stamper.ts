// Stamps by itself, where counterfoil.yaml asks for it and the service runs: at the end of sessions, in long ones now and
// then, one an hour at most; and completes what is pending. All in the background: nobody waits for it, and what can't be
// done is queued under stamps/ for the next service or `foil anchor upgrade`.
import { openBlocks } from '../../anchor/blocks/index.ts';
import {
  listStamps,
  type StampInfo,
  type StampPorts,
  stampWanted,
  upgradeStamps,
  wantStamp,
} from '../../anchor/calendars/index.ts';
import { parseHex } from '../../core/index.ts';
import { type Entry, parseEntry } from '../../format/index.ts';
import { HOUR, type LastingLedger, type LogReader } from '../../ledger/index.ts';
import type { AnchorConfig } from '../../session/index.ts';
import { openStampPorts } from './stamp-ports.ts';

export interface StamperOptions {
  readonly directory: string;
  readonly ledger: Pick<LastingLedger, 'use'>;
  /** What the project says by now; may throw where that can't be understood. */
  config(): AnchorConfig;
  openSessions(): number;
  readonly now?: () => number;
  readonly pauses?: Partial<Pauses>;
}

interface Pauses {
  /** Between two stamps, and how long what a session records may be without one. */
  readonly stamps: number;
  /** Between two times that calendars are asked, whatever came of it. */
  readonly asking: number;
  /** Between two looks at what is due. */
  readonly looking: number;
}

const PAUSES: Pauses = { stamps: HOUR, asking: HOUR / 4, looking: HOUR / 60 };
/** Stamps that are looked at by itself, the newest; whoever wants older ones completed runs `foil anchor upgrade`. */
const MOST = 24;

export interface Stamper {
  /** Does what is due, in the background; asked too often, nothing. Resolves when it is done, and never rejects. */
  stampSoon(): Promise<void>;
  /** Ends what is under way, and queues what would be left without a stamp. Asks nobody. */
  close(): Promise<void>;
}

export function openStamper(options: StamperOptions): Stamper {
  const { directory, ledger, config, openSessions, now = Date.now } = options;
  const pauses = { ...PAUSES, ...options.pauses };
  const stop = new AbortController();
  const stopped = new Promise<null>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const past = { looked: Number.NEGATIVE_INFINITY, asked: Number.NEGATIVE_INFINITY };
  let running: Promise<void> | undefined;

  /** A clock that was put back must not stop it. */
  const isOver = (since: number, pause: number): boolean => Math.abs(now() - since) >= pause;
  const ports = (anchor: AnchorConfig): StampPorts => {
    const blocks = openBlocks(anchor, { directory });
    return openStampPorts({
      directory,
      use: (work) => ledger.use(work),
      config: anchor,
      async headerAt(height) {
        const block = await Promise.race([blocks.at(height), stopped]);
        return block === null ? null : parseHex(block.header);
      },
      signal: stop.signal,
      now,
    });
  };

  async function work(): Promise<void> {
    const anchor = config();
    if (anchor.stamps.length === 0 || !isOver(past.asked, pauses.asking)) return;
    const open = ports(anchor);
    const stamps = await listStamps(open, MOST);
    const newest = stamps.at(-1);
    const isTime = isOver(newest?.changed ?? Number.NEGATIVE_INFINITY, pauses.stamps);
    const fresh = isTime ? await unstamped(ledger, newest) : undefined;
    const isDue =
      fresh !== undefined && (openSessions() === 0 || now() - Date.parse(fresh.ts) >= pauses.stamps);
    if (isDue) await want(open);
    const stamping = isDue || (isTime && typeof newest?.wanted === 'string');
    if (!stamping && !stamps.some(({ state }) => state === 'pending')) return;
    past.asked = now();
    await open.files.exclusive(async () => {
      if (stamping) await stampWanted(open);
      await upgradeStamps(open, { most: MOST });
    }, 0);
  }

  async function want(open: StampPorts): Promise<void> {
    const sealed = await ledger.use((opened) => opened.sealed());
    if (sealed !== undefined) await wantStamp(open, sealed.checkpoint.size);
  }

  return {
    async stampSoon() {
      if (running !== undefined || stop.signal.aborted || !isOver(past.looked, pauses.looking))
        return running;
      past.looked = now();
      // What can't be done now is tried again; `foil anchor status` tells.
      running = work()
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    async close() {
      stop.abort();
      await running;
      try {
        const anchor = config();
        if (anchor.stamps.length === 0) return;
        const open = ports(anchor);
        if ((await unstamped(ledger, (await listStamps(open, 1)).at(-1))) !== undefined) await want(open);
      } catch {
        // The next service sees for itself what is not stamped.
      }
    },
  };
}

/** The first entry after the newest stamp that tells of something else than anchoring; our own must not call for more. */
function unstamped(
  ledger: Pick<LastingLedger, 'use'>,
  newest: StampInfo | undefined,
): Promise<Entry | undefined> {
  return ledger.use(({ store }) => firstOther(store, (newest?.size ?? 0) + 1));
}

async function firstOther(store: LogReader, from: number): Promise<Entry | undefined> {
  const { seq } = await store.head();
  if (from > seq) return undefined;
  for await (const piece of store.read(from, seq)) {
    for (let at = 0, end = piece.indexOf(0x0a); end >= 0; at = end + 1, end = piece.indexOf(0x0a, at)) {
      const entry = parseEntry(piece.subarray(at, end));
      if (!entry.kind.startsWith('anchor.')) return entry;
    }
  }
  return undefined;
}
