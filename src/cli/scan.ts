// Judges all transcripts that were found and counts: sessions, turns, claims by what became of them, by agent, project
// and week, and the claims that are worth a look first. What a resumed session repeats is counted once.
import type { ClaimStatus, ClaimType } from '../format/index.ts';
import type { ScannedClaim } from '../gate/index.ts';
import {
  claimsIn,
  type FileTurn,
  type FoundClaim,
  type ListedClaim,
  listedIn,
  redacted,
  scanFile,
} from './scan-file.ts';
import type { TranscriptFile } from './transcript-files.ts';

/** What became of claims. The last five add up to the first. */
export interface ClaimCounts {
  claims: number;
  backed: number;
  /** Nothing was run, or what was run failed, proves nothing, or was about something else. */
  unbacked: number;
  stale: number;
  weakened: number;
  /** Said with a word that it was not verified, or there was nothing to verify. */
  excused: number;
}

export interface ScanResult {
  readonly files: number;
  readonly bytes: number;
  /** With at least one turn that came to an end. */
  readonly sessions: number;
  /** That came to an end: with a message that is not a call, and was not cut off. */
  readonly turns: number;
  /** Whose message claimed something that can be judged. */
  readonly turnsWithClaims: number;
  /** With at least one claim that nothing backs: the gate would not have let these end. */
  readonly turnsBlocked: number;
  readonly totals: ClaimCounts;
  readonly statuses: Readonly<Partial<Record<ClaimStatus, number>>>;
  readonly types: ReadonlyMap<ClaimType, ClaimCounts>;
  readonly agents: ReadonlyMap<string, ClaimCounts>;
  readonly projects: ReadonlyMap<string, ClaimCounts>;
  readonly weeks: ReadonlyMap<string, ClaimCounts>;
  /** The worst first. */
  readonly worst: readonly FoundClaim[];
  readonly unreadable: readonly string[];
}

export interface ScanOptions {
  readonly files: readonly TranscriptFile[];
  /** ISO time; earlier turns are not counted. */
  readonly since?: string | undefined;
  readonly project?: string | undefined;
  readonly worst?: number;
  /** Bytes done of all. */
  readonly progress?: (done: number, total: number) => void;
  readonly interrupted?: () => boolean;
  /** Called with every claim that is not backed, redacted. */
  readonly each?: (claim: FoundClaim) => void;
  /** Called with every claim that was found, redacted. */
  readonly list?: (claim: ListedClaim) => void;
}

const WORST = 10;

export async function scanTranscripts(options: ScanOptions): Promise<ScanResult> {
  const { files, progress, interrupted, each } = options;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const tally = new Tally(options);
  let done = 0;
  let scanned = 0;
  for (const file of files) {
    if (interrupted?.() === true) break;
    tally.begin();
    try {
      let inFile = 0;
      const read = (count: number): void => {
        inFile += count;
      };
      for (const found of scanFile(file, { project: options.project, read })) {
        if (found !== null) tally.take(found, file);
        else {
          progress?.(done + inFile, total);
          // So that Ctrl-C is heard.
          await new Promise(setImmediate);
          if (interrupted?.() === true) break;
        }
      }
    } catch (error) {
      tally.unreadable.push(`${file.path}: ${(error as Error).message}`);
    }
    scanned++;
    done += file.bytes;
    progress?.(done, total);
    if (scanned % 16 === 0) await new Promise(setImmediate);
  }
  for (const claim of each === undefined ? [] : tally.open) each?.(redacted(claim));
  return tally.result(scanned, done);
}

class Tally {
  readonly unreadable: string[] = [];
  /** Not backed, and not excused. */
  readonly open: FoundClaim[] = [];
  readonly #options: ScanOptions;
  readonly #since: number;
  readonly #seen = new Set<string>();
  readonly #totals = noCounts();
  readonly #statuses: Partial<Record<ClaimStatus, number>> = {};
  readonly #types = new Map<ClaimType, ClaimCounts>();
  readonly #agents = new Map<string, ClaimCounts>();
  readonly #projects = new Map<string, ClaimCounts>();
  readonly #weeks = new Map<string, ClaimCounts>();
  #sessions = 0;
  #turns = 0;
  #withClaims = 0;
  #blocked = 0;
  #isCounted = false;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#since = options.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(options.since);
  }

  begin(): void {
    this.#isCounted = false;
  }

  take(found: FileTurn, file: TranscriptFile): void {
    const { turn, key, project } = found;
    const time = turn.at === null ? Number.NaN : Date.parse(turn.at);
    // Without a time of its own it is as old as its file.
    if ((Number.isNaN(time) ? file.changed : time) < this.#since) return;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (!this.#isCounted) this.#sessions++;
    this.#isCounted = true;
    this.#turns++;
    if (turn.claims.length > 0) this.#withClaims++;
    if (turn.verdict === 'block') this.#blocked++;
    const { list } = this.#options;
    if (list !== undefined) for (const claim of listedIn(found, file)) list(claim);
    for (const claim of claimsIn(found, file)) {
      const { status, type, agent, at } = claim;
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      count(this.#totals, claim);
      count(of(this.#types, type), claim);
      count(of(this.#agents, agent), claim);
      count(of(this.#projects, project), claim);
      count(of(this.#weeks, weekOf(at)), claim);
      if (badness(claim) > 0) this.open.push(claim);
    }
  }

  result(files: number, bytes: number): ScanResult {
    return {
      files,
      bytes,
      sessions: this.#sessions,
      turns: this.#turns,
      turnsWithClaims: this.#withClaims,
      turnsBlocked: this.#blocked,
      totals: this.#totals,
      statuses: this.#statuses,
      types: this.#types,
      agents: this.#agents,
      projects: this.#projects,
      weeks: this.#weeks,
      worst: worstOf(this.open, this.#options.worst ?? WORST).map(redacted),
      unreadable: this.unreadable,
    };
  }
}

export function noCounts(): ClaimCounts {
  return { claims: 0, backed: 0, unbacked: 0, stale: 0, weakened: 0, excused: 0 };
}

function of<K>(counts: Map<K, ClaimCounts>, key: K): ClaimCounts {
  let found = counts.get(key);
  if (found === undefined) {
    found = noCounts();
    counts.set(key, found);
  }
  return found;
}

function count(counts: ClaimCounts, { status }: ScannedClaim): void {
  counts.claims++;
  if (status === 'backed' || status === 'excused' || status === 'stale' || status === 'weakened')
    counts[status]++;
  else counts.unbacked++;
}

/** A pass that was reported and never happened comes before work that was never checked. */
function badness({ status, type }: ScannedClaim): number {
  if (status === 'backed' || status === 'excused') return 0;
  const byStatus = {
    failed: 50,
    weakened: 40,
    trick: 40,
    stale: 30,
    unbacked: 20,
    narrow: 10,
    'not-tried': 5,
  };
  // "All tests pass" where none were run is worse than a run that is out of date.
  const byType = { tested: 19, checked: 12, shipped: 12, done: 4, blocked: 1, delegation: 1, changed: 0 };
  return byStatus[status] + byType[type];
}

/** Of one session only the worst, unless there are too few: ten claims of one session would hide all others. */
function worstOf(claims: readonly FoundClaim[], most: number): FoundClaim[] {
  const newest = (claim: FoundClaim): string => claim.at ?? '';
  const sorted = claims
    .map((claim) => ({ claim, bad: badness(claim) }))
    .sort((a, b) => b.bad - a.bad || (newest(a.claim) < newest(b.claim) ? 1 : -1));
  const chosen = new Set<(typeof sorted)[number]>();
  const keys = [
    ({ path }: FoundClaim): string => path,
    ({ path, turn }: FoundClaim): string => `${path} ${turn}`,
  ];
  for (const keyOf of keys) {
    const taken = new Set([...chosen].map(({ claim }) => keyOf(claim)));
    for (const each of sorted) {
      const key = keyOf(each.claim);
      if (chosen.size >= most) break;
      if (!taken.has(key)) chosen.add(each);
      taken.add(key);
    }
  }
  return sorted.filter((each) => chosen.has(each)).map(({ claim }) => claim);
}

/** `2026-W46`, by ISO 8601; `?` where the time is not known. */
export function weekOf(at: string | null): string {
  const time = at === null ? Number.NaN : Date.parse(at);
  if (Number.isNaN(time)) return '?';
  const day = new Date(time);
  // Thursday decides which year a week belongs to.
  const thursday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const week = Math.ceil(((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7);
  return `${year}-W${String(week).padStart(2, '0')}`;
}
