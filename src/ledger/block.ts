// Entries as the lines that follow a head. Apart from the ledger itself, because a process that only appends needs
// no more than this.
import { ParseError, StoreError } from '../core/index.ts';
import {
  assertContentRefs,
  type Draft,
  type EncodedDraft,
  type Head,
  LineWriter,
  PayloadText,
  parseArchive,
  parseGap,
  type RUN_EVENT,
} from '../format/index.ts';
import type { Block } from './ports.ts';

/** A draft whose time is the ledger's clock unless it says otherwise. */
export type NewEntry = Omit<Draft, 'ts'> & { readonly ts?: string };

/** An event of a run, of which the payload was judged and written when the event was made. */
export type NewRunEvent = Omit<EncodedDraft, 'ts' | 'kind'> & {
  readonly kind: typeof RUN_EVENT;
  readonly ts?: string;
};

// Building is synchronous, so one writer serves everybody; and many entries come in one millisecond.
const writer = new LineWriter();
let moment = Number.NaN;
let momentText = '';

/** Written by the ledger alone, which does not come here for it: anybody else's would leave it broken for good. */
const OWN_KINDS: ReadonlySet<string> = new Set([
  'ledger.open',
  'key.rotate',
  'validator.key',
  'gateway.key',
  'erase',
]);

/**
 * Throws ParseError for what can't be an entry, and for what every verifier would call damage from then on; NOT_FOUND
 * where the ledger has no first entry yet, because its maker is just about to write it, or died before.
 */
export function encodeBlock(entries: readonly (NewEntry | NewRunEvent)[], head: Head, now: number): Block {
  if (head.seq === 0)
    throw new StoreError('NOT_FOUND', 'the ledger has no first entry yet. Try again, or run `foil init`.');
  if (now !== moment) {
    moment = now;
    momentText = new Date(now).toISOString();
  }
  let { seq, hash } = head;
  try {
    for (const entry of entries) {
      seq += 1;
      assertHarmless(entry);
      hash = writer.write(entry, entry.ts ?? momentText, seq, hash);
    }
  } catch (error) {
    writer.take(); // lines before a bad one do not count either
    throw error;
  }
  return { lines: writer.take(), head: { seq, hash } };
}

function assertHarmless({ kind, payload }: NewEntry | NewRunEvent): void {
  if (payload instanceof PayloadText) return;
  if (OWN_KINDS.has(kind))
    throw new ParseError('BAD_MEMBER', `only the ledger itself writes ${kind}`, 'kind');
  if (kind === 'archive') parseArchive(payload);
  // A recorder may say that it missed something. What the log itself lost is for the log to say.
  if (kind === 'gap' && ['torn', 'lost'].includes(parseGap(payload).reason))
    throw new ParseError('BAD_MEMBER', 'only the ledger itself may give this reason', 'payload.reason');
  assertContentRefs(payload);
}
