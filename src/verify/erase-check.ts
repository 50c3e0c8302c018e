// Tombstones: whether what is missing was removed by who may remove it. One counts if the ledger's key of its place
// signed it, and if it carries that key's checkpoint over exactly the entries before it, as the entries bear it out.
// Then the content that entries before it refer to may be gone. It excuses nothing that comes after it.
import { ed25519Verify, utf8Encode } from '#platform';
import {
  eraseMessage,
  openCheckpoint,
  ParseError,
  parseBase64,
  sameBytes,
  verifyNote,
} from '../core/index.ts';
import { type Entry, parseErase } from '../format/index.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

export class EraseCheck {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin' | 'current'>;

  constructor(findings: Findings, identity: Pick<IdentityCheck, 'origin' | 'current'>) {
    this.#findings = findings;
    this.#identity = identity;
  }

  /** The sessions of an `erase` entry that holds; none of one that does not. `root` is that of all entries before it. */
  entry(entry: Entry, root: Uint8Array | undefined): readonly string[] {
    try {
      const problem = this.#problem(entry, root);
      if (problem === undefined) return parseErase(entry.payload).sessions.map(({ session }) => session);
      this.#findings.add('ERASE_INVALID', entry.seq, problem);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('ERASE_INVALID', entry.seq, error.message);
    }
    return [];
  }

  #problem(entry: Entry, root: Uint8Array | undefined): string | undefined {
    const { seq, prev_hash: prevHash, payload } = entry;
    const { origin, current } = this.#identity;
    const erase = parseErase(payload);
    if (origin === undefined || current === undefined) return 'no key of this ledger is known';
    const { checkpoint, note } = openCheckpoint(utf8Encode(erase.checkpoint));
    if (checkpoint.origin !== origin) return 'carries a checkpoint of another ledger';
    if (checkpoint.size !== seq - 1)
      return `carries a checkpoint of ${checkpoint.size} entries, not of the ${seq - 1} before it`;
    if (root === undefined || !sameBytes(checkpoint.root, root))
      return 'carries a checkpoint over other entries';
    if (verifyNote(note, [current]).verified.length === 0)
      return "carries a checkpoint that the ledger's key did not sign";
    const message = eraseMessage({ origin, seq, prevHash, payload });
    return ed25519Verify(current.publicKey, message, parseBase64(erase.signature))
      ? undefined
      : "is not signed by the ledger's key";
  }
}
