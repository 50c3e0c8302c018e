// Overrides and crashes, counted: three prompts within a day that tell the agent to go past the gate, or three crashes of
// one hook within an hour, are something that a person should know. Asked when one was just recorded, which is seldom,
// and answered from the entries themselves, so that nobody can make it forget.
import { type Crash, type Entry, type FoilNotice, parseCrash, parseNotice } from '../format/index.ts';
import { type Clock, DAY, type EntryLog } from '../ledger/index.ts';
import { raise } from './notices.ts';
import { recentEntries } from './recent-entries.ts';

const HOUR = 3_600_000;
const OVERRIDES = 3;
const CRASHES = 3;

export interface WatchOptions {
  readonly store: Pick<EntryLog, 'append' | 'read' | 'head'>;
  readonly source: string;
  readonly now?: Clock;
}

/** Raises what is due. */
export async function watch({ store, source, now = Date.now }: WatchOptions): Promise<readonly FoilNotice[]> {
  const at = now();
  // Whoever just wrote may not have published it yet: behind them, it is.
  await store.append(() => undefined);
  const since = new Date(at - DAY).toISOString();
  const entries = await recentEntries(store, since, ['override', 'crash', 'notice']);
  const raised: FoilNotice[] = [];
  for (const notice of due(entries, at)) if (await raise(store, notice, { source, now })) raised.push(notice);
  return raised;
}

/** Pure: what the entries of the last day call for, and was not raised in it. */
export function due(entries: readonly Entry[], now: number): FoilNotice[] {
  const raised = entries.filter(({ kind }) => kind === 'notice').flatMap(noticeOf);
  const found: FoilNotice[] = [];
  const overrides = openOverrides(entries, now);
  if (overrides.length >= OVERRIDES && !raised.some(({ notice }) => notice === 'overrides'))
    found.push({
      notice: 'overrides',
      about: null,
      count: overrides.length,
      since: overrides[0]?.ts ?? null,
    });
  const open = afterAck(entries, 'crashes.ack');
  const told = new Set(
    open
      .filter(({ kind }) => kind === 'notice')
      .flatMap(noticeOf)
      .map(toldHook),
  );
  for (const [hook, crashes] of crashesByHook(open)) {
    const many = withinAnHour(crashes.map(({ at }) => Date.parse(at)).filter((at) => now - at < DAY));
    const [first] = many;
    if (first !== undefined && many.length >= CRASHES && !told.has(hook))
      found.push({
        notice: 'crashes',
        about: hook,
        count: many.length,
        since: new Date(first).toISOString(),
      });
  }
  return found;
}

/** The first override of each prompt since the last time that somebody said they had seen them. */
export function openOverrides(entries: readonly Entry[], now: number): Entry[] {
  const since = new Date(now - DAY).toISOString();
  const prompts = new Map<number, Entry>();
  for (const entry of afterAck(entries, 'overrides.ack'))
    if (entry.kind === 'override' && entry.ts >= since) {
      const prompt = entry.cause ?? entry.seq;
      if (!prompts.has(prompt)) prompts.set(prompt, entry);
    }
  return [...prompts.values()];
}

/** The crashes since the last time that somebody said they had seen them. */
export function openCrashes(entries: readonly Entry[]): Entry[] {
  return afterAck(entries, 'crashes.ack').filter(({ kind }) => kind === 'crash');
}

function afterAck(entries: readonly Entry[], ack: 'overrides.ack' | 'crashes.ack'): readonly Entry[] {
  const seen = entries.findLastIndex(
    (entry) => entry.kind === 'notice' && noticeOf(entry)[0]?.notice === ack,
  );
  return entries.slice(seen + 1);
}

function toldHook({ notice, about }: FoilNotice): string | null {
  return notice === 'crashes' ? about : null;
}

function noticeOf({ payload }: Entry): FoilNotice[] {
  try {
    const notice = parseNotice(payload);
    return notice === undefined ? [] : [notice];
  } catch {
    return [];
  }
}

function crashesByHook(entries: readonly Entry[]): Map<string, Crash[]> {
  const hooks = new Map<string, Crash[]>();
  for (const { kind, payload } of entries) {
    if (kind !== 'crash') continue;
    try {
      const crash = parseCrash(payload);
      hooks.set(crash.hook, [...(hooks.get(crash.hook) ?? []), crash]);
    } catch {
      // `foil verify` says so.
    }
  }
  return hooks;
}

/** The most of them that lie within one hour, oldest first. */
function withinAnHour(times: readonly number[]): readonly number[] {
  const sorted = [...times].sort((a, b) => a - b);
  let most: readonly number[] = [];
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) > HOUR) first++;
    if (last - first + 1 > most.length) most = sorted.slice(first, last + 1);
  }
  return most;
}
