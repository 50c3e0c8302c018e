// Does the head name the log's last published entry, at the place where it stands?
import { type Entry, encodeSegmentName, HEAD_FILE } from '../format/index.ts';
import type { Evidence } from './evidence.ts';
import type { Findings } from './findings.ts';
import type { Run } from './runs.ts';

export class HeadCheck {
  readonly #evidence: Evidence;
  readonly #findings: Findings;
  #segmentEnd = 0;
  #seen: 'not yet' | 'as it says' | 'otherwise' = 'not yet';

  constructor(evidence: Evidence, findings: Findings) {
    this.#evidence = evidence;
    this.#findings = findings;
  }

  /** `end` is where its line ends. */
  entry(entry: Entry, run: Run, end: number): void {
    const { head, segments } = this.#evidence;
    if (head.state !== 'good' || entry.seq !== head.position.seq || this.#seen === 'as it says') return;
    const { hash, segment, offset } = head.position;
    const file = segments[run.segment];
    const here = offset === end && file?.first === segment.first && file.part === segment.part;
    // A segment just begun is still empty: the entry stands at the end of the one before.
    const place = here || (offset === 0 && segment.first === entry.seq + 1);
    const same = place && hash === entry.entry_hash;
    this.#seen = same ? 'as it says' : 'otherwise';
  }

  /** How far the segment that the head names reaches. */
  run({ segment, offset, bytes }: Run): void {
    const { head, segments } = this.#evidence;
    const file = segments[segment];
    if (head.state !== 'good' || file === undefined) return;
    const { first, part } = head.position.segment;
    if (file.first === first && file.part === part) this.#segmentEnd = offset + bytes;
  }

  /** `last` is the seq of the last entry. */
  finish(last: number): void {
    const { head } = this.#evidence;
    const findings = this.#findings;
    if (head.state === 'missing')
      findings.add('HEAD_MISSING', null, 'no head; the next append rebuilds it', HEAD_FILE);
    else if (head.state === 'damaged') {
      findings.add('HEAD_DAMAGED', null, `${head.reason}; the next append rebuilds it`, HEAD_FILE);
    } else if (head.position.seq > last) {
      const { seq } = head.position;
      findings.add(
        'HEAD_AHEAD',
        last + 1,
        `the head is at entry ${seq}, but the log ends at ${last}`,
        HEAD_FILE,
      );
    } else if (this.#seen === 'otherwise') {
      const { seq } = head.position;
      findings.add(
        'HEAD_MISMATCH',
        seq,
        `the head names a different entry ${seq}, or a different place for it`,
        HEAD_FILE,
      );
    } else if (head.position.offset > this.#segmentEnd) {
      const { segment, offset } = head.position;
      const name = encodeSegmentName(segment);
      const text = `the head says that ${name} has ${offset} bytes, but it has ${this.#segmentEnd}`;
      findings.add('HEAD_AHEAD', head.position.seq, text, HEAD_FILE);
    }
  }
}
