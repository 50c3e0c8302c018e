// Collects what a verification finds. Every failure is reported, but evidence comes from strangers: past a bound
// findings are only counted, so that a hostile ledger can't exhaust the verifier's memory.
import { utf8Decode, utf8Encode } from '#platform';
import { CODES, type Code, type Facet, type Finding } from './codes.ts';

export const MAX_FINDINGS = 10_000;
/** A message may quote the name of a member, which may be as long as a line. */
const MAX_MESSAGE = 1000;
/** Notes are kept apart, so that they never crowd out what decides something. */
const MAX_NOTES = 100;

export type Status = 'pass' | 'fail' | 'unknown';

export class Findings {
  readonly #kept: Finding[] = [];
  readonly #notes: Finding[] = [];
  readonly #worst = new Map<Facet, Status>();
  /** All of them, kept or not. Notes are no findings. */
  total = 0;

  add(code: Code, seq: number | null, message: string, file?: string): void {
    const { facet, level } = CODES[code];
    const finding = { code, seq, message: shortened(message), ...(file === undefined ? {} : { file }) };
    if (level === 'note') {
      if (this.#notes.length < MAX_NOTES) this.#notes.push(finding);
      return;
    }
    if (this.#worst.get(facet) !== 'fail') this.#worst.set(facet, level);
    this.total++;
    if (this.#kept.length < MAX_FINDINGS) this.#kept.push(finding);
  }

  /** `count` more that nobody kept: they are of the integrity of lines. */
  countMore(count: number): void {
    this.total += count;
  }

  status(facet: Facet): Status {
    return this.#worst.get(facet) ?? 'pass';
  }

  /** What a reader should know, and what decides nothing. */
  get notes(): readonly Finding[] {
    return this.#notes;
  }

  /** Those of one facet by seq; what is about no entry comes last. */
  of(facet: Facet): Finding[] {
    const found = this.#kept.filter((finding) => CODES[finding.code].facet === facet);
    return found.sort(
      (a, b) => (a.seq ?? Number.POSITIVE_INFINITY) - (b.seq ?? Number.POSITIVE_INFINITY) || 0,
    );
  }
}

/** A copy, where it is long: a part of a string would keep the whole of it in memory. */
export function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${utf8Decode(utf8Encode(message.slice(0, MAX_MESSAGE).toWellFormed()))}…`;
}
