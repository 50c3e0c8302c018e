// Of whom an independent gateway was asked: `client` in its `model.call` and in its receipt. Run and pack are the client's own
// word, and what they are worth follows from the nonce, in which both are. The number is the gateway's. spec/receipt.md.
import type { JsonObject } from '../core/index.ts';
import { exactly, hash, object, orNull, seq } from './members.ts';

export interface ClientRun {
  /** The session in the client's own ledger. */
  readonly run: string;
  /** The root of the pack that it began with; null where it has none. */
  readonly pack: string | null;
}

export interface ClientCall extends ClientRun {
  /** Which of the run's calls it is, from 1 on. Older gateways did not count. */
  readonly call?: number;
}

export function encodeClientCall({ run, pack, call }: ClientCall): JsonObject {
  return { ...(call === undefined ? {} : { call }), pack, run };
}

/** The member `client` of a payload. Throws ParseError. */
export function parseClientCall(payload: JsonObject): ClientCall {
  const path = 'payload.client';
  const of = object(payload, 'client');
  const isNumbered = Object.hasOwn(of, 'call');
  exactly(of, ['run', 'pack', ...(isNumbered ? ['call'] : [])], path);
  return {
    run: hash(of, 'run', path),
    pack: orNull(of, 'pack', () => hash(of, 'pack', path)),
    ...(isNumbered ? { call: seq(of, 'call', path) } : {}),
  };
}
