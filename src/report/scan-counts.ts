// What became of claims, counted: for all of them, and for each agent, model, project and week.
import type { ScannedClaim } from '../gate/index.ts';

/** The last five add up to the first. */
export interface ClaimCounts {
  claims: number;
  backed: number;
  /** A run says otherwise. */
  contradicted: number;
  /** Nothing that could back it is in the transcript. */
  nothing_found: number;
  /** Something is there that does not settle it, or it may lie outside of the transcript. */
  cant_tell: number;
  /** Said with a word that it was not verified, or there was nothing to verify. */
  excused: number;
}

export function noCounts(): ClaimCounts {
  return { claims: 0, backed: 0, contradicted: 0, nothing_found: 0, cant_tell: 0, excused: 0 };
}

/** Claims that somebody is accused of. */
export function accusations({ contradicted, nothing_found }: ClaimCounts): number {
  return contradicted + nothing_found;
}

export class CountsBy<K> extends Map<K, ClaimCounts> {
  count(key: K, claim: ScannedClaim): void {
    let counts = this.get(key);
    if (counts === undefined) {
      counts = noCounts();
      this.set(key, counts);
    }
    count(counts, claim);
  }
}

export function count(counts: ClaimCounts, { status, class: of }: ScannedClaim): void {
  counts.claims++;
  if (status === 'backed' || status === 'excused') counts[status]++;
  else counts[of ?? 'cant_tell']++;
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
