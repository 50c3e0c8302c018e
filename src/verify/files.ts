// The port through which evidence is read: a tree of files, whether on a disk, in a browser or in memory.
// Nothing behind it is trusted, and it may grow while it is read.

export interface FileInfo {
  readonly name: string;
  readonly size: number;
  readonly directory: boolean;
}

/** Paths are relative to the ledger's directory, with `/`. Bytes handed out belong to the caller, who may change them. */
export interface Files {
  /** What a directory holds, sorted by name; empty when it is not there. */
  list(directory: string): Promise<readonly FileInfo[]>;
  /** Bytes [from, to) of a file, fewer only where it ends earlier; undefined when it is not there. */
  read(path: string, from?: number, to?: number): Promise<Uint8Array | undefined>;
  /** The whole file in pieces, gunzipped; throws ParseError where the compressed form is broken. */
  gunzip(path: string): AsyncIterable<Uint8Array>;
}
