// Sessions that nobody ended and whose process is gone are cut: so that one that is open can be told from one that was
// killed. Only what is certain: the process is known by number, start and boot, and a hook's host was seen by more than
// one event. What still comes of such a session begins a new one.
import {
  type Entry,
  encodeSessionCut,
  type ProcessFact,
  parseInteraction,
  parseSessionStart,
  type RecordedInteraction,
} from '../../format/index.ts';
import type { EntryLog, LogReader } from '../../ledger/index.ts';
import { encodeState, parseState, stateName } from '../../record/index.ts';
import { parseLine, scanLines } from '../../report/index.ts';
import {
  appendWithSum,
  type Chain,
  encodeEnding,
  type Fate,
  fateOf,
  newChain,
  SessionTally,
  sharedState,
  unshared,
} from '../../session/index.ts';

export interface Cut {
  readonly session: string;
  readonly agent: string;
  readonly reason: 'process-gone' | 'rebooted';
}

interface Open {
  readonly session: string;
  /** Where it begins. */
  readonly first: number;
  readonly agent: string;
  readonly source: string;
  readonly hostProcess: ProcessFact;
  /** What the host's hooks remember of it; undefined where it is no host's. */
  readonly state: string | undefined;
  chain: Chain;
  /** When it was last heard of. */
  last: string;
}

export interface CutOptions {
  readonly now?: () => number;
  /** For tests alone. */
  readonly fate?: typeof fateOf;
  /** Only those that were last heard of before this. */
  readonly before?: number | undefined;
}

const HOOKS = 'hook:';
const INTERACTIONS: ReadonlySet<string> = new Set(['response', 'model.result']);

/** Gives those that were cut. */
export async function cutSessions(
  store: EntryLog,
  { now = Date.now, fate = fateOf, before = Number.POSITIVE_INFINITY }: CutOptions = {},
): Promise<Cut[]> {
  const cuts: Cut[] = [];
  for (const open of await openSessions(store)) {
    // A time that can't be read is not past.
    if (!(Date.parse(open.last) < before)) continue;
    const reason = fate(open.hostProcess);
    if (isGone(reason) && (await cut(store, open, reason, now()))) {
      const { session, agent } = open;
      cuts.push({ session, agent, reason });
    }
  }
  return cuts;
}

function isGone(fate: Fate): fate is Cut['reason'] {
  return fate === 'process-gone' || fate === 'rebooted';
}

/** Those whose process is on record. */
async function openSessions(store: LogReader): Promise<Open[]> {
  const { seq } = await store.head();
  const open = new Map<string, Open>();
  for await (const lines of scanLines(store, 1, seq)) {
    for (const line of lines) {
      const { kind, session } = line;
      if (session === null) continue;
      const heard = open.get(session);
      if (heard !== undefined) heard.last = line.ts;
      if (kind === 'session.end' || kind === 'session.cut') open.delete(session);
      else if (kind === 'session.start') {
        const found = openedBy(parseLine(line));
        if (found !== undefined) open.set(session, found);
      } else if (INTERACTIONS.has(kind)) {
        const known = open.get(session);
        const interaction = known && interactionOf(parseLine(line));
        if (known !== undefined && interaction)
          known.chain = { session, sequence: interaction.sequence, hash: interaction.chainHash };
      }
    }
  }
  return [...open.values()];
}

/** Undefined where its process is not known: then nothing can be said. */
function openedBy(entry: Entry | undefined): Open | undefined {
  if (entry?.session_id == null) return undefined;
  const { seq: first, source, payload, session_id: session, ts: last } = entry;
  try {
    const { agent, hostProcess } = parseSessionStart(payload);
    if (hostProcess === null) return undefined;
    const { agent_session: host } = payload;
    const state = source.startsWith(HOOKS)
      ? stateName(agent, typeof host === 'string' ? host : `process ${hostProcess.pid}`)
      : undefined;
    return { session, first, agent, source, hostProcess, state, chain: newChain(session), last };
  } catch {
    return undefined;
  }
}

function interactionOf(entry: Entry | undefined): RecordedInteraction | null {
  try {
    return entry === undefined ? null : parseInteraction(entry.payload);
  } catch {
    return null;
  }
}

async function cut(store: EntryLog, open: Open, reason: Cut['reason'], now: number): Promise<boolean> {
  const { session, first, source, hostProcess, state, chain } = open;
  const tally = () => new SessionTally(store, { session, first });
  const states = { ...(state === undefined ? {} : { state }), shared: sharedState(session) };
  const head = await appendWithSum(
    store,
    { ...states, tally, required: true },
    (before, bytes, shared, sum) => {
      const remembered = parseState(bytes);
      const isHost = state !== undefined;
      // Of a hook whose parent was seen once nobody knows whether that was the host.
      if (
        isHost &&
        !(remembered?.session === session && !remembered.ended && remembered.host?.again === true)
      )
        return undefined;
      const payload = encodeSessionCut({
        reason,
        hostProcess,
        interactions: chain.sequence,
        chainHash: chain.sequence === 0 ? null : chain.hash,
      });
      const left = unshared(shared, session);
      const cut = { kind: 'session.cut', source, session_id: session, payload };
      const block = encodeEnding([cut], before, now, sum);
      return {
        ...block,
        ...(remembered === undefined ? {} : { state: encodeState({ ...remembered, ended: true }) }),
        ...(left === undefined ? {} : { shared: left }),
      };
    },
  );
  return head !== undefined;
}
