// Gzipped segments against the `archive` entries that record them. Gunzipping alone would not notice a change in a
// gzip header, in padding or behind the end; the hash of the file as it lies there does.

import { sha256Stream } from '#platform';
import { type Archive, SEGMENT_DIR } from '../format/index.ts';
import type { SegmentFile } from './evidence.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';

const PIECE = 1024 * 1024;

export class ArchiveCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  /** SHA-256 of the gzipped form, by the segment's plain name, with the entry that says so. */
  readonly #records = new Map<string, { gzSha256: string; seq: number }[]>();

  constructor(files: Files, findings: Findings) {
    this.#files = files;
    this.#findings = findings;
  }

  record(archive: Archive, seq: number): void {
    for (const { name, gzSha256 } of archive.files) {
      const plain = name.replace(/\.gz$/, '');
      this.#records.set(plain, [...(this.#records.get(plain) ?? []), { gzSha256, seq }]);
    }
  }

  /** `segments` as they were listed at the beginning: one archived since may be recorded beyond what was read. */
  async finish(segments: readonly SegmentFile[]): Promise<void> {
    for (const { name, plain, gzipped } of segments) {
      if (!gzipped) continue;
      const file = `${SEGMENT_DIR}/${name}.gz`;
      const records = this.#records.get(name);
      if (records !== undefined) {
        const sum = await this.#sha256(file);
        if (sum === undefined || records.some(({ gzSha256 }) => gzSha256 === sum)) continue;
        const seq = records.at(-1)?.seq ?? null;
        this.#findings.add('ARCHIVE_MISMATCH', seq, 'not the file that was archived', file);
      } else if (!plain) {
        // Beside its plain form it is what an archiver that was stopped leaves, and nothing rests on it.
        this.#findings.add(
          'ARCHIVE_UNRECORDED',
          null,
          'no entry records that this segment was archived',
          file,
        );
      }
    }
  }

  async #sha256(path: string): Promise<string | undefined> {
    const stream = sha256Stream();
    for (let at = 0; ; ) {
      const piece = await this.#files.read(path, at, at + PIECE);
      if (piece === undefined) return undefined;
      stream.update(piece);
      at += piece.length;
      if (piece.length < PIECE) return stream.hex();
    }
  }
}
