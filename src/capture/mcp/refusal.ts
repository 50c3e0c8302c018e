// The JSON-RPC error that stands for what could not be recorded: for a call that was not made, or for a result that is
// withheld. Its id is the very token that was sent.

import { withoutWayPast } from '../../rules/index.ts';

/** In the range that JSON-RPC leaves to implementations; no MCP revision uses it. */
export const REFUSAL_CODE = -32_090;
/** The same, for a call that its session was not granted. */
export const NOT_GRANTED_CODE = -32_091;
/** JSON-RPC's own, for what was not granted and has no id that can be read. */
const PARSE_ERROR = -32_700;

/** A message of which only a digest could be kept, and of which nobody can say what it is. */
export const UNREADABLE = "AUDIT_UNREADABLE: a very long message is not plain JSON, so it can't be recorded.";

export function encodeRefusals(ids: readonly (string | null)[], reason: string, batch: boolean): Uint8Array {
  const errors = ids.map((id) => encodeError(id, reason));
  return Buffer.from(`${batch ? `[${errors.join(',')}]` : errors.join('\n')}\n`);
}

export function encodeError(id: string | null, reason: string): string {
  const refusal = refusalOf(reason);
  const isUnread = id === null && refusal.code === NOT_GRANTED_CODE;
  const error = JSON.stringify(isUnread ? { ...refusal, code: PARSE_ERROR } : refusal);
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${error}}`;
}

export function refusalOf(reason: string): {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: string };
} {
  const code = /^[A-Z_]+$/.exec(reason.split(':')[0] ?? '')?.[0] ?? 'AUDIT_APPEND_FAILED';
  const number = code === 'CALL_NOT_GRANTED' ? NOT_GRANTED_CODE : REFUSAL_CODE;
  return { code: number, message: withoutWayPast(reason), data: { code } };
}
