// Judges all transcripts that were found and counts: sessions, turns, claims by what became of them, by project and by
// week, and the claims that are worth a look first. Lines that a resumed session repeats are judged once.
import { adapterOf } from '../capture/hooks/index.ts';
import { type ScannedClaim, type ScannedTurn, SessionScan } from '../gate/index.ts';
import { DEFAULT_POLICY } from '../policy/index.ts';
import { readPieces, type TranscriptFile } from './transcript-files.ts';

/** What became of claims that say that something is so. */
export interface ClaimCounts {
  claims: number;
  backed: number;
  unbacked: number;
  stale: number;
  weakened: number;
  /** Said with a word that it was not verified. */
  disclosed: number;
}

export interface FoundClaim extends ScannedClaim {
  /** What `foil why` takes. */
  readonly id: string;
  readonly agent: string;
  readonly project: string;
  readonly session: string;
  readonly turn: number;
  readonly at: string | null;
  readonly prompt: string;
  readonly path: string;
}

export interface ScanResult {
  readonly files: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly turns: number;
  readonly totals: ClaimCounts;
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
  readonly worst?: number;
  /** Bytes done of all. */
  readonly progress?: (done: number, total: number) => void;
  readonly interrupted?: () => boolean;
  /** Called with every claim that was judged. */
  readonly each?: (claim: FoundClaim) => void;
}

const WORST = 10;

export async function scanTranscripts(options: ScanOptions): Promise<ScanResult> {
  const { files, since, worst: most = WORST, progress, interrupted, each } = options;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const projects = new Map<string, ClaimCounts>();
  const weeks = new Map<string, ClaimCounts>();
  const totals = noCounts();
  const seen = new Set<string>();
  const unreadable: string[] = [];
  let worst: FoundClaim[] = [];
  let [bytes, sessions, turns, scanned] = [0, 0, 0, 0];
  for (const file of files) {
    if (interrupted?.() === true) break;
    let counted = false;
    try {
      for (const { turn, project, session } of scanFile(file, seen)) {
        if (since !== undefined && (turn.at === null || turn.at < since)) continue;
        counted = true;
        turns++;
        turn.claims.forEach((claim, index) => {
          const id = `${session.slice(0, 12)}.${turn.turn}.${index + 1}`;
          const { agent } = file.kind;
          const { at, prompt } = turn;
          const found = {
            ...claim,
            id,
            agent,
            project,
            session,
            turn: turn.turn,
            at,
            prompt,
            path: file.path,
          };
          for (const counts of [totals, of(projects, project), of(weeks, weekOf(at))]) count(counts, claim);
          each?.(found);
          if (badness(found) > 0) worst.push(found);
        });
        if (worst.length > 64 * most) worst = worstOf(worst, most);
      }
    } catch (error) {
      unreadable.push(`${file.path}: ${(error as Error).message}`);
    }
    if (counted) sessions++;
    scanned++;
    bytes += file.bytes;
    progress?.(bytes, total);
    // So that Ctrl-C is heard.
    if (progress !== undefined) await new Promise(setImmediate);
  }
  return {
    files: scanned,
    bytes,
    sessions,
    turns,
    totals,
    projects,
    weeks,
    worst: worstOf(worst, most),
    unreadable,
  };
}

/** The turns of one file. */
export function* scanFile(
  { kind, path }: TranscriptFile,
  seen: Set<string> = new Set(),
): Iterable<{ turn: ScannedTurn; project: string; session: string }> {
  const reader = kind.open(path);
  const adapter = adapterOf(reader.agent);
  if (adapter === undefined) return;
  const scan = new SessionScan(DEFAULT_POLICY);
  let session = '';
  const told = function* () {
    for (const piece of readPieces(path, kind.whole)) yield* reader.line(piece);
    yield* reader.end();
  };
  for (const { input, at, id } of told()) {
    for (const event of adapter.read(input, null)) {
      session = event.session ?? session;
      const turn = scan.take(event, at);
      // One that was judged in the session that this one goes on from.
      if (turn === undefined || (id !== null && seen.has(id))) continue;
      if (id !== null) seen.add(id);
      yield { turn, project: scan.root ?? '?', session };
    }
  }
}

export function noCounts(): ClaimCounts {
  return { claims: 0, backed: 0, unbacked: 0, stale: 0, weakened: 0, disclosed: 0 };
}

function of(counts: Map<string, ClaimCounts>, key: string): ClaimCounts {
  let found = counts.get(key);
  if (found === undefined) {
    found = noCounts();
    counts.set(key, found);
  }
  return found;
}

function count(counts: ClaimCounts, { status }: ScannedClaim): void {
  counts.claims++;
  if (status === 'backed') counts.backed++;
  else if (status === 'excused') counts.disclosed++;
  else if (status === 'stale') counts.stale++;
  else if (status === 'weakened') counts.weakened++;
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
  const byType = { tested: 9, checked: 6, shipped: 6, done: 4, blocked: 1, delegation: 1, changed: 0 };
  return byStatus[status] + byType[type];
}

function worstOf(claims: readonly FoundClaim[], most: number): FoundClaim[] {
  const newest = (claim: FoundClaim): string => claim.at ?? '';
  return [...claims]
    .sort((a, b) => badness(b) - badness(a) || (newest(a) < newest(b) ? 1 : -1))
    .slice(0, most);
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
