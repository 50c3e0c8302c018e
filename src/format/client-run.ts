// Of whom an independent gateway was asked: `client` in its `model.call` and in its receipt. It is the client's own word,
// and what it is worth follows from the nonce, in which both hashes are. spec/receipt.md.
import type { JsonObject } from '../core/index.ts';
import { exactly, hash, object, orNull } from './members.ts';

export interface ClientRun {
  /** The session in the client's own ledger. */
  readonly run: string;
  /** The root of the pack that it began with; null where it has none. */
  readonly pack: string | null;
}

export function encodeClientRun({ run, pack }: ClientRun): JsonObject {
  return { pack, run };
}

/** The member `client` of a payload. Throws ParseError. */
export function parseClientRun(payload: JsonObject): ClientRun {
  const path = 'payload.client';
  const of = object(payload, 'client');
  exactly(of, ['run', 'pack'], path);
  return { run: hash(of, 'run', path), pack: orNull(of, 'pack', () => hash(of, 'pack', path)) };
}
