// Gzipped segments against the `archive` entries that record them. Gunzipping alone would not notice a change in a
// gzip header, in padding or behind the end; the hash of the file as it lies there does.

import { sha256Stream } from '#platform';
import { ParseError, sameBytes } from '../core/index.ts';
import { type Archive, SEGMENT_DIR } from '../format/index.ts';
import type { SegmentFile } from './evidence.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';

const PIECE = 1024 * 1024;
/** A segment is archived once, or again where that was interrupted. */
const MAX_SUMS = 64;

export class ArchiveCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  /** Of the segments that are gzipped: what entries say that the SHA-256 of that form is, and the last that says so. */
  readonly #records = new Map<string, { readonly sums: Set<string>; seq: number | null }>();

  constructor(files: Files, findings: Findings, segments: readonly SegmentFile[]) {
    this.#files = files;
    this.#findings = findings;
    for (const { name, gzipped } of segments)
      if (gzipped) this.#records.set(name, { sums: new Set(), seq: null });
  }

  record(archive: Archive, seq: number): void {
    for (const { name, gzSha256 } of archive.files) {
      const record = this.#records.get(name.replace(/\.gz$/, ''));
      if (record === undefined) continue;
      record.seq = seq;
      if (record.sums.size < MAX_SUMS) record.sums.add(gzSha256);
    }
  }

  /** `segments` as they were listed at the beginning: one archived since may be recorded beyond what was read. */
  async finish(segments: readonly SegmentFile[]): Promise<void> {
    for (const { name, plain, gzipped } of segments) {
      if (!gzipped) continue;
      const file = `${SEGMENT_DIR}/${name}.gz`;
      const record = this.#records.get(name);
      if (record !== undefined && record.seq !== null) {
        const sum = await this.#sha256(file);
        if (sum === undefined || record.sums.has(sum)) continue;
        this.#findings.add('ARCHIVE_MISMATCH', record.seq, 'this is not the file that was archived', file);
      } else if (!plain) {
        this.#findings.add(
          'ARCHIVE_UNRECORDED',
          null,
          'no entry records that this segment was archived',
          file,
        );
      } else if (!(await this.#holdsSame(name))) {
        // With the same lines it would be what an archiver leaves that was stopped before it recorded anything.
        const text = `this file doesn't hold the same lines as ${name} next to it`;
        this.#findings.add('ARCHIVE_FOREIGN', null, text, file);
      }
    }
  }

  /**
   * An archiver gzips a closed segment and then removes its plain form, so the two hold the same. The plain form may have
   * gone since it was listed: then the gzipped one was read in its place, or is held against its record.
   */
  async #holdsSame(name: string): Promise<boolean> {
    const path = `${SEGMENT_DIR}/${name}`;
    let at = 0;
    try {
      for await (const piece of this.#files.gunzip(`${path}.gz`)) {
        const plain = await this.#files.read(path, at, at + piece.length);
        if (plain === undefined) return true;
        if (!sameBytes(plain, piece)) return false;
        at += piece.length;
      }
    } catch (error) {
      if (error instanceof ParseError) return false;
      throw error;
    }
    const rest = await this.#files.read(path, at, at + 1);
    return rest === undefined || rest.length === 0;
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
