// Entries as the lines that follow a head. Apart from the ledger itself, because a process that only appends needs
// no more than this.
import { type Draft, encodeEntry, type Head } from '../format/index.ts';
import type { Block } from './ports.ts';

/** A draft whose time is the ledger's clock unless it says otherwise. */
export type NewEntry = Omit<Draft, 'ts'> & { readonly ts?: string };

/** Throws ParseError for what can't be an entry. */
export function encodeBlock(entries: readonly NewEntry[], head: Head, now: number): Block {
  let { seq, hash } = head;
  let lines = '';
  const ts = new Date(now).toISOString();
  for (const entry of entries) {
    seq += 1;
    const encoded = encodeEntry({ ...entry, ts: entry.ts ?? ts }, seq, hash);
    hash = encoded.hash;
    lines += `${encoded.line}\n`;
  }
  return { lines, head: { seq, hash } };
}
