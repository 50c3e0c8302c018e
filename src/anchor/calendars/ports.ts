// What stamping needs from the machine and from the ledger; the command line wires it.
import type { BitcoinChain } from '../../core/index.ts';
import type { AnchorStamp } from '../../format/index.ts';

/** The directory stamps/ of one ledger. */
export interface StampFiles {
  /** Names, and when each was last written, in milliseconds since 1970. None where there is no directory. */
  list(): Promise<readonly { readonly name: string; readonly changed: number }[]>;
  /** At most `most` bytes of it; undefined where it is not there. */
  read(name: string, most: number): Promise<Uint8Array | undefined>;
  /** Whole or not at all, and durable when it resolves. Makes the directory. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Nothing happens where it is not there. */
  remove(name: string): Promise<void>;
  /**
   * Runs `work` while no other process or call does, waiting `wait` milliseconds at most; then undefined. Whoever dies
   * in it lets go. Recorders never come here, so it may be held while calendars are waited for.
   */
  exclusive<T>(work: () => Promise<T>, wait: number): Promise<T | undefined>;
}

export interface StampLedger {
  /** The note under checkpoints/; undefined where there is none of that size. */
  checkpoint(size: number): Promise<Uint8Array | undefined>;
  record(stamp: AnchorStamp): Promise<void>;
  /** Has the ledger an entry of that state for that size? Asked only where a crash may have come between. */
  isRecorded(size: number, state: AnchorStamp['state']): Promise<boolean>;
}

export interface StampPorts {
  readonly files: StampFiles;
  readonly ledger: StampLedger;
  /** Whom to ask, as the user wrote them. Nobody else is ever asked. */
  readonly calendars: readonly string[];
  /** The 80 bytes of a block, by any source that can give them; null where none can. Checked here, never believed. */
  headerAt(height: number): Promise<Uint8Array | null>;
  readonly chain: BitcoinChain;
  now(): number;
  random(length: number): Uint8Array;
  /** Ends what is being waited for. */
  readonly signal?: AbortSignal;
  /** For each calendar, in milliseconds. */
  readonly timeout?: number;
}
